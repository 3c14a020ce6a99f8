package import RecordModel

/// A stored API key, without its hashes.
package struct APIKeyRow: Hashable, Sendable {
    /// The key's ID; 0 before the key is stored.
    package var id: Int64
    /// A random ID for URLs.
    package var publicID: String
    /// The name of the key. Two keys that are not revoked never have the same name.
    package var name: String
    /// The first characters of the token, after the prefix that all keys share.
    package var prefix: String
    /// The scope as a JSON object.
    package var scope: String
    /// The service account of the key. Records that the key creates belong to this account.
    package var account: UserID
    /// When the key was created. All times of this type are in milliseconds since 1970.
    package var created: Int64
    /// When the key expires; `nil` for never.
    package var expires: Int64?
    /// When the key was last used; `nil` if it was never used.
    package var used: Int64?
    /// When the key was revoked; `nil` if it is not revoked.
    package var revoked: Int64?
    /// The time at which the previous token becomes invalid; `nil` if there is no previous token.
    package var overlaps: Int64?
    /// The server-to-server key of a key that signs requests; `nil` for a key with a token.
    package var signing: SigningKey?

    /// A registered public key.
    package struct SigningKey: Hashable, Sendable {
        /// The ID that requests name: 64 hexadecimal digits.
        package var keyID: String
        /// The public key as SubjectPublicKeyInfo in DER.
        package var publicKey: [UInt8]

        /// Creates a key to store, or a key that was read.
        package init(keyID: String, publicKey: [UInt8]) {
            self.keyID = keyID
            self.publicKey = publicKey
        }
    }

    /// Creates a row to store, or a row that was read.
    package init(
        id: Int64 = 0, publicID: String, name: String, prefix: String, scope: String, account: UserID, created: Int64,
        expires: Int64?, used: Int64? = nil, revoked: Int64? = nil, overlaps: Int64? = nil,
        signing: SigningKey? = nil
    ) {
        self.id = id
        self.publicID = publicID
        self.name = name
        self.prefix = prefix
        self.scope = scope
        self.account = account
        self.created = created
        self.expires = expires
        self.used = used
        self.revoked = revoked
        self.overlaps = overlaps
        self.signing = signing
    }

    /// Returns whether the key is neither revoked nor expired.
    package func isAlive(at now: Int64) -> Bool {
        revoked == nil && (expires ?? .max) > now
    }
}

/// API keys. `removeEnded` later deletes the row of a revoked or expired key. The service account of the key is never
/// deleted, so that records of the account keep the name of their creator.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class APIKeyTable {
    private let connection: Connection
    private let byHash: Statement
    private let byOverlap: Statement
    private let byAccount: Statement
    private let byKeyID: Statement

    private static let columns =
        "id, public_id, name, prefix, scope, account, created, expires, used, revoked, overlaps, key_id, public_key"

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        byHash = connection.prepare("SELECT \(Self.columns) FROM api_key WHERE hash = ?1")
        byOverlap = connection.prepare("SELECT \(Self.columns) FROM api_key WHERE overlap_hash = ?1")
        byAccount = connection.prepare("SELECT \(Self.columns) FROM api_key WHERE account = ?1")
        byKeyID = connection.prepare("SELECT \(Self.columns) FROM api_key WHERE key_id = ?1")
    }

    /// Returns the key whose current or previous token has this hash, and the time when the token expires. Also finds
    /// expired and revoked keys.
    package func find(hash: [UInt8]) throws(RecordError) -> (key: APIKeyRow, expires: Int64)? {
        if let key = try byHash.with(hash).row(read) { return (key, key.expires ?? .max) }
        guard let key = try byOverlap.with(hash).row(read) else { return nil }
        return (key, min(key.expires ?? .max, key.overlaps ?? 0))
    }

    /// Returns the key of an account; `nil` if there is none.
    package func find(account: UserID) throws(RecordError) -> APIKeyRow? {
        try byAccount.with(account).row(read)
    }

    /// Returns the server-to-server key with an ID, even if it is expired or revoked; `nil` if there is none.
    package func find(keyID: String) throws(RecordError) -> APIKeyRow? {
        try byKeyID.with(keyID).row(read)
    }

    /// Returns the key with a public ID; `nil` if there is none.
    package func find(publicID: String) throws(RecordError) -> APIKeyRow? {
        try connection.prepare("SELECT \(Self.columns) FROM api_key WHERE public_id = ?1").with(publicID).row(read)
    }

    /// Returns the key with a name. If several keys have the name, returns the key that is not revoked, otherwise the
    /// newest key.
    package func find(name: String) throws(RecordError) -> APIKeyRow? {
        try connection.prepare(
            "SELECT \(Self.columns) FROM api_key WHERE name = ?1 ORDER BY revoked IS NOT NULL, id DESC LIMIT 1"
        ).with(name).row(read)
    }

    /// Returns at most `limit` keys after the ID `id`, in ID order, including revoked keys.
    package func list(after id: Int64, limit: Int) throws(RecordError) -> [APIKeyRow] {
        try connection.prepare(
            "SELECT \(Self.columns) FROM api_key WHERE id > ?1 ORDER BY id LIMIT ?2"
        ).with(id, limit).rows(read)
    }

    /// Returns the number of keys that are not revoked.
    package func livingCount() throws(RecordError) -> Int {
        Int(try connection.integer("SELECT count(*) FROM api_key WHERE revoked IS NULL") ?? 0)
    }

    private func read(_ row: inout Columns) -> APIKeyRow {
        var key = APIKeyRow(
            id: row.next(), publicID: row.next(), name: row.next(), prefix: row.next(), scope: row.next(),
            account: row.next(), created: row.next(), expires: row.next(), used: row.next(), revoked: row.next(),
            overlaps: row.next())
        let (keyID, publicKey): (String?, [UInt8]?) = (row.next(), row.next())
        if let keyID, let publicKey { key.signing = APIKeyRow.SigningKey(keyID: keyID, publicKey: publicKey) }
        return key
    }

    // MARK: Writing

    /// Adds a key.
    ///
    /// - Throws: INTERNAL_ERROR if a key that is not revoked has the name.
    package func add(_ key: APIKeyRow, hash: [UInt8]) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO api_key (public_id, name, prefix, hash, scope, account, created, expires, key_id, public_key)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            """
        ).with(key.publicID, key.name, key.prefix, hash, key.scope, key.account, key.created).with(
            from: 8, key.expires, key.signing?.keyID, key.signing?.publicKey
        ).run()
    }

    /// Returns whether the name belongs to a key that is not revoked and is not the key `id`.
    package func isNameTaken(_ name: String, but id: Int64) throws(RecordError) -> Bool {
        try connection.prepare("SELECT 1 FROM api_key WHERE name = ?1 AND revoked IS NULL AND id != ?2").with(name, id)
            .exists()
    }

    /// Replaces the stored name, scope and expiry time of a key.
    package func update(_ key: APIKeyRow) throws(RecordError) {
        try connection.prepare("UPDATE api_key SET name = ?2, scope = ?3, expires = ?4 WHERE id = ?1").with(
            key.id, key.name, key.scope, key.expires
        ).run()
    }

    /// Replaces a key's token. The replaced token stays valid until `overlaps`; an older
    /// token becomes invalid now.
    package func rotate(_ id: Int64, hash: [UInt8], prefix: String, overlaps: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE api_key SET overlap_hash = hash, overlaps = ?4, hash = ?2, prefix = ?3 WHERE id = ?1"
        ).with(id, hash, prefix, overlaps).run()
    }

    /// Revokes a key.
    package func revoke(_ id: Int64, now: Int64) throws(RecordError) {
        try connection.prepare("UPDATE api_key SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL").with(id, now).run()
    }

    /// Deletes keys with their subscriptions that were revoked or expired before `moment` (milliseconds since 1970), at most `limit`.
    ///
    /// - Returns: The number of deleted keys.
    package func removeEnded(before moment: Int64, limit: Int) throws(RecordError) -> Int {
        let ended = "SELECT account FROM api_key WHERE coalesce(revoked, expires) < ?1"
        for sql: SQL in [
            "DELETE FROM subscription WHERE account IN (\(ended))",
            "DELETE FROM notification_token WHERE account IN (\(ended))",
        ] { try connection.prepare(sql).with(moment).run() }
        return try connection.prepare(
            "DELETE FROM api_key WHERE id IN (SELECT id FROM api_key WHERE coalesce(revoked, expires) < ?1 LIMIT ?2)"
        ).with(moment, limit).changedRows()
    }

    /// Stores that an account's key was used at `now`, unless the stored time of use is `known` or later.
    package func noteUse(account: UserID, now: Int64) throws(RecordError) {
        try connection.prepare("UPDATE api_key SET used = ?2 WHERE account = ?1").with(account, now).run()
    }
}
