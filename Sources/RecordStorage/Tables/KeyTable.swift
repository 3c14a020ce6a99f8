package import RecordModel

/// An API key as stored, without its hashes.
package struct KeyRow: Hashable, Sendable {
    package var id: Int64
    /// Random, for paths.
    package var publicID: String
    package var name: String
    /// The first characters of its token behind the prefix of all keys.
    package var prefix: String
    /// A JSON object.
    package var scope: String
    /// The account that creates what it creates.
    package var account: UserID
    /// Milliseconds since 1970, as all moments.
    package var created: Int64
    package var expires: Int64?
    package var used: Int64?
    package var revoked: Int64?
    /// Until when the token before the last rotation is good.
    package var overlaps: Int64?

    package init(
        id: Int64 = 0, publicID: String, name: String, prefix: String, scope: String, account: UserID, created: Int64,
        expires: Int64?, used: Int64? = nil, revoked: Int64? = nil, overlaps: Int64? = nil
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
    }

    /// Whether its tokens are good for anything at a moment.
    package func isAlive(at now: Int64) -> Bool {
        revoked == nil && (expires ?? .max) > now
    }
}

/// API keys. One that has ended stays for a while, and its account for good: what it made keeps its name.
package final class KeyTable {
    private let connection: Connection
    private let byHash: Statement
    private let byOverlap: Statement
    private let byAccount: Statement

    private static let columns =
        "id, public_id, name, prefix, scope, account, created, expires, used, revoked, overlaps"

    package init(_ connection: Connection) {
        self.connection = connection
        byHash = connection.prepare("SELECT \(Self.columns) FROM api_key WHERE hash = ?1")
        byOverlap = connection.prepare("SELECT \(Self.columns) FROM api_key WHERE overlap_hash = ?1")
        byAccount = connection.prepare("SELECT \(Self.columns) FROM api_key WHERE account = ?1")
    }

    /// The key of a token's hash, and until when the token is good, whether or not that has passed.
    package func find(hash: [UInt8]) throws(RecordError) -> (key: KeyRow, expires: Int64)? {
        if let key = try byHash.with(hash).row(read) { return (key, key.expires ?? .max) }
        guard let key = try byOverlap.with(hash).row(read) else { return nil }
        return (key, min(key.expires ?? .max, key.overlaps ?? 0))
    }

    package func find(account: UserID) throws(RecordError) -> KeyRow? {
        try byAccount.with(account).row(read)
    }

    package func find(publicID: String) throws(RecordError) -> KeyRow? {
        try connection.prepare("SELECT \(Self.columns) FROM api_key WHERE public_id = ?1").with(publicID).row(read)
    }

    /// The key with a name; of several, the one that was not revoked, else the newest.
    package func find(name: String) throws(RecordError) -> KeyRow? {
        try connection.prepare(
            "SELECT \(Self.columns) FROM api_key WHERE name = ?1 ORDER BY revoked IS NOT NULL, id DESC LIMIT 1"
        ).with(name).row(read)
    }

    /// A page of keys by number, revoked ones among them.
    package func list(after id: Int64, limit: Int) throws(RecordError) -> [KeyRow] {
        try connection.prepare(
            "SELECT \(Self.columns) FROM api_key WHERE id > ?1 ORDER BY id LIMIT ?2"
        ).with(id, limit).rows(read)
    }

    /// How many keys are not revoked.
    package func livingCount() throws(RecordError) -> Int {
        Int(try connection.integer("SELECT count(*) FROM api_key WHERE revoked IS NULL") ?? 0)
    }

    private func read(_ row: inout Columns) -> KeyRow {
        KeyRow(
            id: row.next(), publicID: row.next(), name: row.next(), prefix: row.next(), scope: row.next(),
            account: row.next(), created: row.next(), expires: row.next(), used: row.next(), revoked: row.next(),
            overlaps: row.next())
    }

    // MARK: Writing

    /// Adds a key. Throws a unique violation if a living one has its name.
    package func add(_ key: KeyRow, hash: [UInt8]) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO api_key (public_id, name, prefix, hash, scope, account, created, expires)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        ).with(key.publicID, key.name, key.prefix, hash, key.scope, key.account, key.created).with(from: 8, key.expires)
            .run()
    }

    /// Whether a living key has a name, other than the one with a number.
    package func isNameTaken(_ name: String, but id: Int64) throws(RecordError) -> Bool {
        try connection.prepare("SELECT 1 FROM api_key WHERE name = ?1 AND revoked IS NULL AND id != ?2").with(name, id)
            .exists()
    }

    /// Gives a key its name, scope and end.
    package func update(_ key: KeyRow) throws(RecordError) {
        try connection.prepare("UPDATE api_key SET name = ?2, scope = ?3, expires = ?4 WHERE id = ?1").with(
            key.id, key.name, key.scope, key.expires
        ).run()
    }

    /// Gives a key another token. The one before it stays good until `overlaps`; the one before that is good no more.
    package func rotate(_ id: Int64, hash: [UInt8], prefix: String, overlaps: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE api_key SET overlap_hash = hash, overlaps = ?4, hash = ?2, prefix = ?3 WHERE id = ?1"
        ).with(id, hash, prefix, overlaps).run()
    }

    package func revoke(_ id: Int64, now: Int64) throws(RecordError) {
        try connection.prepare("UPDATE api_key SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL").with(id, now).run()
    }

    /// Takes away keys that were revoked, or had expired, before a moment.
    ///
    /// - Returns: How many.
    package func removeEnded(before moment: Int64, limit: Int) throws(RecordError) -> Int {
        try connection.prepare(
            "DELETE FROM api_key WHERE id IN (SELECT id FROM api_key WHERE coalesce(revoked, expires) < ?1 LIMIT ?2)"
        ).with(moment, limit).changedRows()
    }

    /// Notes that a key was used, unless that is known since a moment.
    package func noteUse(account: UserID, now: Int64, unlessAfter known: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE api_key SET used = ?2 WHERE account = ?1 AND (used IS NULL OR used < ?3)"
        ).with(account, now, known).run()
    }
}
