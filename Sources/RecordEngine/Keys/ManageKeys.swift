package import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The API keys of a database.
package struct APIKeys: Sendable {
    let database: RecordDatabase

    /// The maximum number of keys, not counting revoked ones.
    package static var most: Int { 1_000 }
    /// The default time for which the previous token stays valid after a rotation, in seconds.
    package static var overlapSeconds: Int64 { 86_400 }
    /// The longest time that the previous token may stay valid after a rotation, in seconds.
    package static var longestOverlapSeconds: Int64 { 30 * 86_400 }

    /// Creates an API key and its account.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN if another key has the name; ACCESS_DENIED if the caller may not manage
    ///   keys, or if the scope or lifetime exceeds the caller's own; BAD_REQUEST with cause TOO_LARGE if there are too
    ///   many keys.
    package func create(
        _ name: APIKeyName, scope: KeyScope, expiry: APIKeyExpiry = .never, by actor: AuditActor
    ) async throws(RecordError) -> NewAPIKey {
        let token = APIKeyToken()
        let key = try await add(name, token.shown, hash: token.hash, nil, scope: scope, expiry: expiry, by: actor)
        return NewAPIKey(token: token.text, key: key)
    }

    /// Registers the public key of a server-to-server key, and creates its account. The holder of the private key signs
    /// requests of CloudKit Web Services.
    ///
    /// - Parameter scope: The permissions on records. A server-to-server key has no other rights.
    /// - Throws: The errors of `create`; EXISTS also if the public key is registered or was revoked; BAD_REQUEST for a
    ///   scope with rights.
    package func register(
        _ name: APIKeyName, _ publicKey: P256PublicKey, scope: KeyScope, expiry: APIKeyExpiry = .never,
        by actor: AuditActor
    ) async throws(RecordError) -> APIKey {
        let signing = APIKeyRow.SigningKey(
            keyID: SHA256.hash(publicKey.subjectPublicKeyInfo).hex, publicKey: publicKey.subjectPublicKeyInfo)
        // No text has this hash, so the key has no token.
        let hash = RandomBytes.make(Digest.byteCount)
        return try await add(name, "", hash: hash, signing, scope: scope, expiry: expiry, by: actor)
    }

    private func add(
        _ name: APIKeyName, _ prefix: String, hash: [UInt8], _ signing: APIKeyRow.SigningKey?, scope: KeyScope,
        expiry: APIKeyExpiry, by actor: AuditActor
    ) async throws(RecordError) -> APIKey {
        let recordName = "_" + Hex.encode(RandomBytes.make(16))
        let id = Hex.encode(RandomBytes.make(16))
        return try await database.write { transaction throws(RecordError) in
            let maker = try transaction.apiKeys.manager(actor)
            let count = try transaction.store.keys.livingCount()
            guard count < Self.most else {
                throw .badRequest(
                    "There is the full number of keys. Revoke some first", cause: .tooLarge,
                    details: [("limit", .number(Int64(Self.most)))])
            }
            let expires = try expiry.moment(now: transaction.now)
            try maker.checkGiving(scope, until: expires)
            try APIKeyWriter.checkSigning(signing, scope)
            if let signing, try transaction.store.keys.find(keyID: signing.keyID) != nil {
                throw RecordError(
                    .exists, "This public key is registered already, or was revoked. Make another key pair",
                    details: [("keyID", .text(signing.keyID))])
            }
            let now = transaction.now
            let account = try transaction.store.accounts.add(
                recordName: recordName, name: recordName, password: nil, created: now, kind: .service)
            let row = APIKeyRow(
                publicID: id, name: name.text, prefix: prefix, scope: scope.stored, account: account,
                created: now, expires: expires, signing: signing)
            try transaction.apiKeys.requireFreeName(of: row)
            try transaction.store.keys.add(row, hash: hash)
            try transaction.auditLog.append(.keyCreate, name.text, by: actor, detail: row.auditDetail)
            return APIKey(row, userRecordName: recordName)
        }
    }

    /// Changes the name, scope or expiry of a key; `nil` keeps the current setting.
    ///
    /// - Throws: NOT_FOUND for an unknown or revoked key; ACCESS_DENIED if the old or new scope exceeds the caller's
    ///   own; EXISTS with cause NAME_TAKEN; BAD_REQUEST for an expiry out of bounds.
    package func change(
        _ id: String, name: APIKeyName? = nil, scope: KeyScope? = nil, expiry: APIKeyExpiry? = nil, by actor: AuditActor
    ) async throws(RecordError) -> APIKey {
        try await database.write { transaction throws(RecordError) in
            let maker = try transaction.apiKeys.manager(actor)
            let before = try transaction.apiKeys.living(id)
            try maker.checkGiving(KeyScope(stored: before.scope), until: nil, isBoundInTime: false)
            var row = before
            if let name { row.name = name.text }
            if let scope {
                try maker.checkGiving(scope, until: nil, isBoundInTime: false)
                try APIKeyWriter.checkSigning(row.signing, scope)
                row.scope = scope.stored
            }
            if let expiry {
                row.expires = try expiry.moment(now: transaction.now)
                try maker.checkGiving(KeyScope(stored: row.scope), until: row.expires)
            }
            let changed = row
            try transaction.apiKeys.requireFreeName(of: changed)
            try transaction.store.keys.update(changed)
            if row.scope != before.scope {
                // The key may now read other records than before, so its sync tokens become invalid.
                let sequence = try transaction.nextSequence()
                try transaction.store.roles.markChanged(accounts: [changed.account], sequence: sequence)
            }
            transaction.rightsChanged = true
            try transaction.auditLog.append(
                .keyChange, before.name, by: actor,
                detail: JSONObject([("before", .object(before.auditDetail)), ("after", .object(row.auditDetail))]))
            return try transaction.apiKeys.shown(row)
        }
    }

    /// Gives a key a new token. The previous token stays valid for a limited time. Tokens before the previous token
    /// become invalid at once.
    ///
    /// - Parameter overlap: How long the previous token stays valid, in seconds.
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the key's scope or lifetime exceeds the caller's own; BAD_REQUEST for an
    ///   overlap out of bounds.
    package func rotate(
        _ id: String, overlap: Int64 = overlapSeconds, by actor: AuditActor
    ) async throws(RecordError) -> NewAPIKey {
        guard (0...Self.longestOverlapSeconds).contains(overlap) else {
            throw .badRequest(
                "'overlap' is 0 to \(Self.longestOverlapSeconds) seconds", details: [("field", .text("overlap"))])
        }
        let token = APIKeyToken()
        let key = try await database.write { transaction throws(RecordError) in
            let maker = try transaction.apiKeys.manager(actor)
            var row = try transaction.apiKeys.living(id)
            guard row.signing == nil else {
                throw .badRequest(
                    "A server-to-server key has no token. Register another public key, then revoke this one")
            }
            // The caller receives the token, and with it all permissions of the key for its lifetime.
            try maker.checkGiving(KeyScope(stored: row.scope), until: row.expires)
            row.prefix = token.shown
            row.overlaps = transaction.now + overlap * 1_000
            let rotated = row
            try transaction.store.keys.rotate(
                rotated.id, hash: token.hash, prefix: token.shown, overlaps: rotated.overlaps ?? 0)
            transaction.rightsChanged = true
            try transaction.auditLog.append(
                .keyRotate, row.name, by: actor,
                detail: JSONObject([
                    ("id", .string(row.publicID)), ("prefix", .string(row.prefix)),
                    ("overlapsUntil", .integer(row.overlaps ?? 0)),
                ]))
            return try transaction.apiKeys.shown(row)
        }
        return NewAPIKey(token: token.text, key: key)
    }

    /// Revokes a key permanently. The server rejects the key's tokens from the next request on. Any caller that may
    /// manage keys may revoke any key.
    ///
    /// - Throws: NOT_FOUND for an unknown or revoked key; ACCESS_DENIED if the caller may not manage keys.
    package func revoke(_ id: String, by actor: AuditActor) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            _ = try transaction.apiKeys.manager(actor)
            let row = try transaction.apiKeys.living(id)
            let now = transaction.now
            try transaction.store.keys.revoke(row.id, now: now)
            transaction.rightsChanged = true
            try transaction.auditLog.append(
                .keyRevoke, row.name, by: actor, detail: JSONObject([("id", .string(row.publicID))]))
        }
    }
}

/// A caller that may manage keys, with its permissions at the time of the write.
private struct APIKeyManager {
    let caller: Caller
    /// When the caller's own API key expires, in milliseconds since 1970; `nil` for never or for other callers.
    let expires: Int64?

    /// Checks that a key's permissions and lifetime do not exceed the manager's own.
    ///
    /// - Parameters:
    ///   - end: When the key expires, in milliseconds since 1970; `nil` for never.
    ///   - isBoundInTime: Whether to check the lifetime too.
    /// - Throws: ACCESS_DENIED.
    func checkGiving(_ scope: KeyScope, until end: Int64?, isBoundInTime: Bool = true) throws(RecordError) {
        if let right = Authorization.firstRightBeyond(caller, in: scope) {
            throw RecordError(
                .accessDenied, "A key cannot have a permission that its creator does not have: \(right)",
                details: [("right", .text(right))])
        }
        if isBoundInTime, let expires, (end ?? .max) > expires {
            throw RecordError(
                .accessDenied, "A key makes none that lasts longer than itself. Say an earlier end",
                details: [("expiresAt", .number(expires))])
        }
    }
}

/// Writes API keys.
struct APIKeyWriter {
    let transaction: WriteTransaction
    private var table: APIKeyTable { transaction.store.keys }

    /// Returns the caller with its current permissions, if it may manage keys. The permissions are checked again, since
    /// they may have changed while the request was queued.
    fileprivate func manager(_ actor: AuditActor) throws(RecordError) -> APIKeyManager {
        let caller = try transaction.callers.current(actor.caller)
        guard Authorization.authorize(caller, .manageKeys) == .allowed else {
            throw RecordError(
                Authorization.rejection(of: caller) == .denied ? .accessDenied : .authenticationRequired,
                "Only administrators and keys with the right manageKeys may do this")
        }
        guard case .service(let key) = caller else { return APIKeyManager(caller: caller, expires: nil) }
        let row = try table.find(account: key.account)
        return APIKeyManager(caller: caller, expires: row?.expires)
    }

    /// Checks that a server-to-server key has permissions on records only.
    ///
    /// - Throws: BAD_REQUEST.
    fileprivate static func checkSigning(_ signing: APIKeyRow.SigningKey?, _ scope: KeyScope) throws(RecordError) {
        guard signing != nil, let right = scope.operations.map(\.rawValue).min() else { return }
        throw .badRequest(
            "A server-to-server key has permissions on records only. Leave 'rights' out of its scope",
            details: [("right", .text(right))])
    }

    fileprivate func living(_ id: String) throws(RecordError) -> APIKeyRow {
        let row = try table.find(publicID: id)
        guard let row, row.revoked == nil else { throw .keyNotFound }
        return row
    }

    fileprivate func shown(_ row: APIKeyRow) throws(RecordError) -> APIKey {
        APIKey(row, userRecordName: try transaction.userNames.name(of: row.account))
    }

    /// Checks that no other key has the name.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN.
    fileprivate func requireFreeName(of key: APIKeyRow) throws(RecordError) {
        guard try table.isNameTaken(key.name, but: key.id) else { return }
        throw RecordError(.exists, "A key has this name already. Choose another", cause: .nameTaken)
    }
}

extension APIKeyRow {
    /// The details of audit entries about a key.
    fileprivate var auditDetail: JSONObject {
        var detail = JSONObject([
            ("id", .string(publicID)), ("name", .string(name)),
            signing.map { ("keyID", .string($0.keyID)) } ?? ("prefix", .string(prefix)),
            ("scope", KeyScope(stored: scope).json),
        ])
        if let expires { detail["expiresAt"] = .integer(expires) }
        return detail
    }
}

/// Reads API keys.
package struct APIKeyReader {
    let reader: RecordReader
    private var table: APIKeyTable { reader.store.keys }

    /// Returns a page of keys in the order of their creation, including revoked ones.
    ///
    /// - Parameter cursor: The cursor of the previous page, which is the id of its last key.
    /// - Returns: The keys, and the cursor of the next page.
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for an unknown cursor.
    package func list(after cursor: String?, limit: Int) throws(RecordError) -> (keys: [APIKey], cursor: String?) {
        let start = try cursor.map { id throws(RecordError) in try table.find(publicID: id)?.id ?? -1 } ?? 0
        guard start >= 0 else {
            throw .badRequest("The cursor is none of this list. Ask for the first page again", cause: .tokenInvalid)
        }
        let rows = try table.list(after: start, limit: limit + 1)
        let keys = try rows.prefix(limit).map { row throws(RecordError) in try shown(row) }
        return (keys, rows.count > limit ? keys.last?.id : nil)
    }

    /// Returns the key with an id, even if the key is revoked.
    ///
    /// - Throws: NOT_FOUND if no key has the id.
    package func key(_ id: String) throws(RecordError) -> APIKey {
        guard let row = try table.find(publicID: id) else { throw .keyNotFound }
        return try shown(row)
    }

    /// Returns the key that an account belongs to; `nil` for the account of a person.
    ///
    /// - Throws: The store's error.
    package func key(of account: UserID) throws(RecordError) -> APIKey? {
        try table.find(account: account).map { row throws(RecordError) in try shown(row) }
    }

    private func shown(_ row: APIKeyRow) throws(RecordError) -> APIKey {
        APIKey(row, userRecordName: try reader.userNames.name(of: row.account))
    }
}

extension RecordError {
    /// The error for an unknown or revoked key.
    static let keyNotFound = RecordError(.notFound, "There is no key with this id, or it was revoked")
}
