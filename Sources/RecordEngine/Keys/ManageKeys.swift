internal import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The API keys of a database.
package struct APIKeys: Sendable {
    let database: RecordDatabase

    /// The keys that there may be at once, revoked ones apart.
    package static var most: Int { 1_000 }
    /// How long the token before a rotation stays good unless somebody says otherwise, in seconds; and at most.
    package static var overlapSeconds: Int64 { 86_400 }
    package static var longestOverlapSeconds: Int64 { 30 * 86_400 }

    /// Makes a key.
    ///
    /// - Throws: EXISTS with cause NAME_TAKEN if a living key has the name; ACCESS_DENIED for a scope or an end beyond the
    ///   maker's own; BAD_REQUEST with cause TOO_LARGE if there are too many.
    package func create(
        _ name: KeyName, scope: KeyScope, expiry: KeyExpiry = .never, by actor: AuditActor
    ) async throws(RecordError) -> NewKey {
        let token = KeyToken()
        let recordName = "_" + Hex.encode(RandomBytes.make(16))
        let id = Hex.encode(RandomBytes.make(16))
        let key = try await database.write { transaction throws(RecordError) in
            let maker = try transaction.apiKeys.manager(actor)
            let count = try transaction.store.keys.livingCount()
            guard count < Self.most else {
                throw .badRequest(
                    "There is the full number of keys. Revoke some first", cause: .tooLarge,
                    details: [("limit", .number(Int64(Self.most)))])
            }
            let expires = try expiry.moment(now: transaction.now)
            try maker.checkGiving(scope, until: expires)
            let now = transaction.now
            let account = try transaction.store.accounts.add(
                recordName: recordName, name: recordName, password: nil, created: now, kind: .service)
            let row = KeyRow(
                publicID: id, name: name.text, prefix: token.shown, scope: scope.stored, account: account,
                created: now, expires: expires)
            try transaction.apiKeys.requireFreeName(of: row)
            try transaction.store.keys.add(row, hash: token.hash)
            try transaction.auditLog.append(.keyCreate, name.text, by: actor, detail: row.auditDetail)
            return APIKey(row, userRecordName: recordName)
        }
        return NewKey(token: token.text, key: key)
    }

    /// Gives a key another name, scope or end; what is `nil` stays.
    ///
    /// - Throws: NOT_FOUND for an unknown or revoked key; ACCESS_DENIED for a key that is more than the caller, or would
    ///   become it; EXISTS for a name that is taken.
    package func change(
        _ id: String, name: KeyName? = nil, scope: KeyScope? = nil, expiry: KeyExpiry? = nil, by actor: AuditActor
    ) async throws(RecordError) -> APIKey {
        try await database.write { transaction throws(RecordError) in
            let maker = try transaction.apiKeys.manager(actor)
            let before = try transaction.apiKeys.living(id)
            try maker.checkGiving(KeyScope(stored: before.scope), until: nil, isBoundInTime: false)
            var row = before
            if let name { row.name = name.text }
            if let scope {
                try maker.checkGiving(scope, until: nil, isBoundInTime: false)
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
                // What it could read before may differ, so its sync tokens start again.
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

    /// Gives a key a new token. The one before stays good for a while; the one before that ends at once.
    ///
    /// - Parameter overlap: Seconds that the old token stays good.
    /// - Throws: As `change`; BAD_REQUEST for an overlap out of bounds.
    package func rotate(
        _ id: String, overlap: Int64 = overlapSeconds, by actor: AuditActor
    ) async throws(RecordError) -> NewKey {
        guard (0...Self.longestOverlapSeconds).contains(overlap) else {
            throw .badRequest(
                "'overlap' is 0 to \(Self.longestOverlapSeconds) seconds", details: [("field", .text("overlap"))])
        }
        let token = KeyToken()
        let key = try await database.write { transaction throws(RecordError) in
            let maker = try transaction.apiKeys.manager(actor)
            var row = try transaction.apiKeys.living(id)
            // Whoever rotates a key has its token, and with it all that the key may do for as long as it lives.
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
        return NewKey(token: token.text, key: key)
    }

    /// Ends a key for good: its tokens are refused from the next request on. Whoever manages keys may end any.
    ///
    /// - Throws: NOT_FOUND for an unknown key, or one that was revoked before.
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

/// Who manages keys, as it is at the moment of the deed.
private struct KeyManager {
    let caller: Caller
    /// When the caller itself ends, if it is a key.
    let expires: Int64?

    /// Refuses what the manager does not have itself: rights, and time.
    ///
    /// - Parameters:
    ///   - end: When the key ends that gets it.
    ///   - isBoundInTime: The end is the manager's choice.
    func checkGiving(_ scope: KeyScope, until end: Int64?, isBoundInTime: Bool = true) throws(RecordError) {
        if let right = Authorization.firstRightBeyond(caller, in: scope) {
            throw RecordError(
                .accessDenied, "Nobody gives a key more than it may itself: \(right)",
                details: [("right", .text(right))])
        }
        if isBoundInTime, let expires, (end ?? .max) > expires {
            throw RecordError(
                .accessDenied, "A key makes none that lasts longer than itself. Say an earlier end",
                details: [("expiresAt", .number(expires))])
        }
    }
}

/// What writes need to know of keys.
struct APIKeyWriter {
    let transaction: WriteTransaction
    private var table: KeyTable { transaction.store.keys }

    /// The caller as it is now, if it manages keys: it may have waited for its turn.
    fileprivate func manager(_ actor: AuditActor) throws(RecordError) -> KeyManager {
        let caller = try transaction.callers.current(actor.caller)
        guard Authorization.authorize(caller, .manageKeys) == .allowed else {
            throw RecordError(
                Authorization.refusal(of: caller) == .denied ? .accessDenied : .authenticationRequired,
                "Only administrators and keys with the right manageKeys may do this")
        }
        guard case .service(let key) = caller else { return KeyManager(caller: caller, expires: nil) }
        let row = try table.find(account: key.account)
        return KeyManager(caller: caller, expires: row?.expires)
    }

    fileprivate func living(_ id: String) throws(RecordError) -> KeyRow {
        let row = try table.find(publicID: id)
        guard let row, row.revoked == nil else { throw .keyNotFound }
        return row
    }

    fileprivate func shown(_ row: KeyRow) throws(RecordError) -> APIKey {
        APIKey(row, userRecordName: try transaction.userNames.name(of: row.account))
    }

    /// Refuses a name that another living key has.
    fileprivate func requireFreeName(of key: KeyRow) throws(RecordError) {
        guard try table.isNameTaken(key.name, but: key.id) else { return }
        throw RecordError(.exists, "A key has this name already. Choose another", cause: .nameTaken)
    }
}

extension KeyRow {
    /// What the log says of a key.
    fileprivate var auditDetail: JSONObject {
        var detail = JSONObject([
            ("id", .string(publicID)), ("name", .string(name)), ("prefix", .string(prefix)),
            ("scope", KeyScope(stored: scope).json),
        ])
        if let expires { detail["expiresAt"] = .integer(expires) }
        return detail
    }
}

/// Keys as a reader finds them.
package struct APIKeyReader {
    let reader: RecordReader
    private var table: KeyTable { reader.store.keys }

    /// A page of keys in the order in which they were made, revoked ones among them.
    ///
    /// - Parameter cursor: The id of the last key of the page before.
    /// - Returns: The keys, and the cursor of the next page.
    package func list(after cursor: String?, limit: Int) throws(RecordError) -> (keys: [APIKey], cursor: String?) {
        let start = try cursor.map { id throws(RecordError) in try table.find(publicID: id)?.id ?? -1 } ?? 0
        guard start >= 0 else {
            throw .badRequest("The cursor is none of this list. Ask for the first page again", cause: .tokenInvalid)
        }
        let rows = try table.list(after: start, limit: limit + 1)
        let keys = try rows.prefix(limit).map { row throws(RecordError) in try shown(row) }
        return (keys, rows.count > limit ? keys.last?.id : nil)
    }

    /// A key, also a revoked one.
    ///
    /// - Throws: NOT_FOUND if there is none with the id.
    package func key(_ id: String) throws(RecordError) -> APIKey {
        guard let row = try table.find(publicID: id) else { throw .keyNotFound }
        return try shown(row)
    }

    /// The key of a service's account.
    package func key(of account: UserID) throws(RecordError) -> APIKey? {
        try table.find(account: account).map { row throws(RecordError) in try shown(row) }
    }

    private func shown(_ row: KeyRow) throws(RecordError) -> APIKey {
        APIKey(row, userRecordName: try reader.userNames.name(of: row.account))
    }
}

extension RecordError {
    static let keyNotFound = RecordError(.notFound, "There is no key with this id, or it was revoked")
}
