package import Cryptography
package import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The API tokens of CloudKit Web Services in a database.
package struct CloudKitTokens: Sendable {
    let database: RecordDatabase

    /// The maximum number of tokens.
    package static var most: Int { 1_000 }
    /// The shortest time between two writes of a token's use, in milliseconds.
    private static var useMilliseconds: Int64 { 60_000 }

    /// Creates an API token.
    ///
    /// - Returns: The text of the token, which is not stored, and the token.
    /// - Throws: EXISTS with cause NAME_TAKEN; ACCESS_DENIED if the caller may not manage keys; BAD_REQUEST without a
    ///   name, with settings out of bounds, or if there are too many tokens.
    package func create(
        _ settings: CloudKitTokenSettings, by actor: AuditActor
    ) async throws(RecordError) -> (text: String, token: CloudKitToken) {
        guard settings.name != nil else { throw .badRequest("An API token needs a name") }
        let text = CloudKitTokenText()
        let id = SecretToken.makePublicID()
        let token = try await database.write { transaction throws(RecordError) in
            try transaction.callers.require(.manageKeys, of: actor)
            let table = transaction.store.cloudKitTokens
            guard try table.count() < Self.most else {
                throw .badRequest(
                    "There is the full number of API tokens. Delete some first", cause: .tooLarge,
                    details: [("limit", .number(Int64(Self.most)))])
            }
            let row = try settings.applied(
                to: CloudKitTokenRow(
                    publicID: id, name: "", prefix: text.shown, origins: nil, callback: nil, notes: "",
                    created: transaction.now))
            try Self.requireFreeName(of: row, in: table)
            try table.add(row, hash: text.hash)
            let token = CloudKitToken(row)
            try transaction.auditLog.append(.cloudKitTokenCreate, row.name, by: actor, detail: token.auditDetail)
            return token
        }
        return (text.text, token)
    }

    /// Changes the settings of an API token.
    ///
    /// - Throws: NOT_FOUND; the errors of `create`.
    package func change(
        _ id: String, _ settings: CloudKitTokenSettings, by actor: AuditActor
    ) async throws(RecordError) -> CloudKitToken {
        try await database.write { transaction throws(RecordError) in
            try transaction.callers.require(.manageKeys, of: actor)
            let table = transaction.store.cloudKitTokens
            guard let before = try table.find(publicID: id) else { throw .cloudKitTokenNotFound }
            let row = try settings.applied(to: before)
            try Self.requireFreeName(of: row, in: table)
            try table.update(row)
            let token = CloudKitToken(row)
            try transaction.auditLog.append(
                .cloudKitTokenChange, before.name, by: actor,
                detail: JSONObject([
                    ("before", .object(CloudKitToken(before).auditDetail)), ("after", .object(token.auditDetail)),
                ]))
            return token
        }
    }

    /// Deletes an API token. Requests with the token are rejected from then on.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage keys.
    package func remove(_ id: String, by actor: AuditActor) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            try transaction.callers.require(.manageKeys, of: actor)
            let table = transaction.store.cloudKitTokens
            guard let row = try table.find(publicID: id) else { throw .cloudKitTokenNotFound }
            try table.remove(row.id)
            try transaction.auditLog.append(
                .cloudKitTokenRevoke, row.name, by: actor, detail: JSONObject([("id", .string(row.publicID))]))
        }
    }

    private static func requireFreeName(
        of token: CloudKitTokenRow, in table: CloudKitTokenTable
    ) throws(RecordError) {
        guard try table.isNameTaken(token.name, but: token.id) else { return }
        throw RecordError(.exists, "An API token has this name already. Choose another", cause: .nameTaken)
    }

    /// Queues a write that records the use of a token, and returns at once. If the write is lost, a later request
    /// repeats it.
    func noteUse(of token: CloudKitTokenRow, now: Int64) {
        // Also after the clock went back.
        func isDue(_ used: Int64?) -> Bool { used.map { abs(now - $0) >= Self.useMilliseconds } ?? true }
        guard isDue(token.used) else { return }
        let isNoted = database.cloudKitTokenUses.withLock { uses in
            guard isDue(uses[token.id]) else { return false }
            uses[token.id] = now
            return true
        }
        if isNoted { database.submit(CloudKitTokenUse(token: token.id, now: now)) }
    }
}

/// The pending write that records the use of an API token. No task waits for this write.
private final class CloudKitTokenUse: PendingWrite, @unchecked Sendable {
    private let token: Int64
    private let now: Int64

    init(token: Int64, now: Int64) {
        self.token = token
        self.now = now
        super.init(operations: 0, weight: 1, isAlone: false, startsLazily: true)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        try transaction.store.cloudKitTokens.noteUse(token, now: now)
    }
}

/// Reads API tokens of CloudKit Web Services, and authenticates requests with them.
package struct CloudKitTokenReader {
    let reader: RecordReader
    private var table: CloudKitTokenTable { reader.store.cloudKitTokens }

    /// Returns a page of tokens in the order of their creation.
    ///
    /// - Parameter cursor: The cursor of the previous page, which is the id of its last token.
    /// - Returns: The tokens, and the cursor of the next page.
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for an unknown cursor.
    package func list(
        after cursor: String?, limit: Int
    ) throws(RecordError) -> (tokens: [CloudKitToken], cursor: String?) {
        let start = try cursor.map { id throws(RecordError) in try table.find(publicID: id)?.id ?? -1 } ?? 0
        guard start >= 0 else {
            throw .badRequest("The cursor is none of this list. Ask for the first page again", cause: .tokenInvalid)
        }
        let rows = try table.list(after: start, limit: limit + 1)
        let tokens = rows.prefix(limit).map(CloudKitToken.init)
        return (tokens, rows.count > limit ? tokens.last?.id : nil)
    }

    /// Returns the token with an id.
    ///
    /// - Throws: NOT_FOUND if no token has the id.
    package func token(_ id: String) throws(RecordError) -> CloudKitToken {
        guard let row = try table.find(publicID: id) else { throw .cloudKitTokenNotFound }
        return CloudKitToken(row)
    }

    /// Returns the token with a text, and records its use; `nil` if there is none.
    ///
    /// - Throws: The store's error.
    package func authenticate(_ text: String) throws(RecordError) -> CloudKitToken? {
        guard text.utf8.count == 64 else { return nil }
        try reader.refresh()
        // Clients may write the digits in upper case.
        guard let row = try table.find(hash: SHA256.hash(utf8: text.lowercased()).bytes) else { return nil }
        reader.database.cloudKitTokens.noteUse(of: row, now: reader.callers.now)
        return CloudKitToken(row)
    }
}

extension CallerReader {
    /// Returns the server-to-server key with an ID; `nil` if there is none, or if it is revoked or expired.
    ///
    /// - Throws: The store's error.
    package func serverKey(_ keyID: String) throws(RecordError) -> ServerToServerKey? {
        guard keyID.utf8.count == 64 else { return nil }
        try reader.refresh()
        guard let row = try keys.find(keyID: keyID.lowercased()), row.isAlive(at: now),
            let signing = row.signing.flatMap(APIKey.SigningKey.init)
        else { return nil }
        return ServerToServerKey(row: row, publicKey: signing.publicKey)
    }

    /// Returns the caller of a request whose signature the key has verified, and records the use of the key.
    package func caller(signedBy key: ServerToServerKey) -> Caller {
        reader.database.apiKeys.noteUse(of: key.row, now: now)
        return .service(ServiceKey(account: key.row.account, scope: KeyScope(stored: key.row.scope)))
    }
}

/// A server-to-server key that can verify requests.
package struct ServerToServerKey: Sendable {
    let row: APIKeyRow
    /// The public key.
    package let publicKey: P256PublicKey
}

extension RecordError {
    /// The error for an unknown or deleted API token.
    static let cloudKitTokenNotFound = RecordError(.notFound, "There is no API token with this id, or it was deleted")
}
