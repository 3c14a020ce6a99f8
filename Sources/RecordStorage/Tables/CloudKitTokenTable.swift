package import RecordModel

/// A stored API token of CloudKit Web Services, without its hash.
package struct CloudKitTokenRow: Hashable, Sendable {
    /// The token's number; 0 before the token is stored.
    package var id: Int64
    /// A random ID for URLs.
    package var publicID: String
    /// The unique name of the token.
    package var name: String
    /// The first characters of the token.
    package var prefix: String
    /// The allowed origins as a JSON array of strings; `nil` for any origin.
    package var origins: String?
    /// The URL that gets the web auth token after a sign-in; `nil` to post a message to the page.
    package var callback: String?
    /// Remarks of the administrators.
    package var notes: String
    /// When the token was created. All times of this type are in milliseconds since 1970.
    package var created: Int64
    /// When the token was last used; `nil` if it was never used.
    package var used: Int64?

    /// Creates a row to store, or a row that was read.
    package init(
        id: Int64 = 0, publicID: String, name: String, prefix: String, origins: String?, callback: String?,
        notes: String, created: Int64, used: Int64? = nil
    ) {
        self.id = id
        self.publicID = publicID
        self.name = name
        self.prefix = prefix
        self.origins = origins
        self.callback = callback
        self.notes = notes
        self.created = created
        self.used = used
    }
}

/// API tokens of CloudKit Web Services by the hashes of their texts. Each reader and the writer have their own
/// `CloudKitTokenTable` on their own connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class CloudKitTokenTable {
    private let connection: Connection
    private let byHash: Statement

    private static let columns = "id, public_id, name, prefix, origins, callback, notes, created, used"

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        byHash = connection.prepare("SELECT \(Self.columns) FROM cloudkit_token WHERE hash = ?1")
    }

    /// Returns the token whose text has this hash; `nil` if there is none.
    package func find(hash: [UInt8]) throws(RecordError) -> CloudKitTokenRow? {
        try byHash.with(hash).row(read)
    }

    /// Returns the token with a public ID; `nil` if there is none.
    package func find(publicID: String) throws(RecordError) -> CloudKitTokenRow? {
        try connection.prepare("SELECT \(Self.columns) FROM cloudkit_token WHERE public_id = ?1").with(publicID)
            .row(read)
    }

    /// Returns at most `limit` tokens after the number `id`, in the order of their creation.
    package func list(after id: Int64, limit: Int) throws(RecordError) -> [CloudKitTokenRow] {
        try connection.prepare("SELECT \(Self.columns) FROM cloudkit_token WHERE id > ?1 ORDER BY id LIMIT ?2")
            .with(id, limit).rows(read)
    }

    /// Returns the number of tokens.
    package func count() throws(RecordError) -> Int {
        Int(try connection.integer("SELECT count(*) FROM cloudkit_token") ?? 0)
    }

    private func read(_ row: inout Columns) -> CloudKitTokenRow {
        CloudKitTokenRow(
            id: row.next(), publicID: row.next(), name: row.next(), prefix: row.next(), origins: row.next(),
            callback: row.next(), notes: row.next(), created: row.next(), used: row.next())
    }

    // MARK: Writing

    /// Adds a token.
    ///
    /// - Throws: INTERNAL_ERROR if another token has the name.
    package func add(_ token: CloudKitTokenRow, hash: [UInt8]) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO cloudkit_token (public_id, name, prefix, hash, origins, callback, notes, created)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        ).with(token.publicID, token.name, token.prefix, hash, token.origins, token.callback, token.notes)
            .with(from: 8, token.created).run()
    }

    /// Returns whether the name belongs to another token than the token `id`.
    package func isNameTaken(_ name: String, but id: Int64) throws(RecordError) -> Bool {
        try connection.prepare("SELECT 1 FROM cloudkit_token WHERE name = ?1 AND id != ?2").with(name, id).exists()
    }

    /// Replaces the stored name, origins, callback and notes of a token.
    package func update(_ token: CloudKitTokenRow) throws(RecordError) {
        try connection.prepare(
            "UPDATE cloudkit_token SET name = ?2, origins = ?3, callback = ?4, notes = ?5 WHERE id = ?1"
        ).with(token.id, token.name, token.origins, token.callback, token.notes).run()
    }

    /// Deletes a token.
    package func remove(_ id: Int64) throws(RecordError) {
        try connection.prepare("DELETE FROM cloudkit_token WHERE id = ?1").with(id).run()
    }

    /// Stores that a token was used at `now`, unless a later use is stored.
    package func noteUse(_ id: Int64, now: Int64) throws(RecordError) {
        try connection.prepare("UPDATE cloudkit_token SET used = ?2 WHERE id = ?1").with(id, now).run()
    }
}
