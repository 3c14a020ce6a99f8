package import RecordModel

/// A stored session.
package struct SessionRow: Hashable, Sendable {
    /// A random ID. Lists of sessions show the ID instead of the token.
    package var id: String
    /// The account's number.
    package var account: UserID
    /// When the session began. All times of this type are in milliseconds since 1970.
    package var created: Int64
    /// When the session was last used, with a resolution of one hour.
    package var used: Int64
    /// When the session ends unless a request uses it before.
    package var expires: Int64
    /// When the session ends even if requests use it.
    package var ends: Int64
    /// A label that the client chose; `nil` for none.
    package var label: String?
    /// The lifetime of the session if it is unused, in milliseconds; `nil` for the server's setting.
    package var lifetime: Int64?

    /// Creates a row to store, or a row that was read.
    package init(
        id: String, account: UserID, created: Int64, used: Int64, expires: Int64, ends: Int64, label: String?,
        lifetime: Int64? = nil
    ) {
        self.id = id
        self.account = account
        self.created = created
        self.used = used
        self.expires = expires
        self.ends = ends
        self.label = label
        self.lifetime = lifetime
    }
}

/// Sessions by the hashes of their tokens. Each reader and the writer have their own `SessionTable` on
/// their own connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class SessionTable {
    private let connection: Connection
    private let byHash: Statement

    private static let columns = "id, account, created, used, expires, ends, label, lifetime"

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        byHash = connection.prepare("SELECT \(Self.columns) FROM session WHERE hash = ?1")
    }

    /// Returns the session whose token has this hash, even if the session has expired; `nil` if there is none.
    package func find(hash: [UInt8]) throws(RecordError) -> SessionRow? {
        try byHash.with(hash).row(read)
    }

    /// Returns the sessions of an account with the hashes of their tokens, newest first.
    package func list(account: UserID) throws(RecordError) -> [(hash: [UInt8], row: SessionRow)] {
        try connection.prepare(
            "SELECT hash, \(Self.columns) FROM session WHERE account = ?1 ORDER BY created DESC, id"
        ).with(account).rows { ($0.next(), read(&$0)) }
    }

    private func read(_ row: inout Columns) -> SessionRow {
        SessionRow(
            id: row.next(), account: row.next(), created: row.next(), used: row.next(), expires: row.next(),
            ends: row.next(), label: row.next(), lifetime: row.next())
    }

    // MARK: Writing

    /// Adds a session.
    package func add(_ row: SessionRow, hash: [UInt8]) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO session (hash, id, account, created, used, expires, ends, label, lifetime)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """
        ).with(hash, row.id, row.account, row.created, row.used, row.expires, row.ends).with(
            from: 8, row.label, row.lifetime
        ).run()
    }

    /// Stores that a session was used at `now` and extends the session. Does nothing if the stored time of use is
    /// recent.
    ///
    /// - Parameters:
    ///   - expires: The new expiry time. The session's `ends` limits it.
    ///   - last: The function does nothing if the session was used after this time.
    package func slide(hash: [UInt8], now: Int64, to expires: Int64, unlessUsedAfter last: Int64) throws(RecordError) {
        try connection.prepare(
            """
            UPDATE session SET used = ?2, expires = min(ends, ?3) WHERE hash = ?1 AND expires > ?2 AND used <= ?4
            """
        ).with(hash, now, expires, last).run()
    }

    /// Replaces the token of a session. The old token becomes invalid.
    package func rotate(hash: [UInt8], to new: [UInt8], now: Int64, expires: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE session SET hash = ?2, used = ?3, expires = min(ends, ?4) WHERE hash = ?1"
        ).with(hash, new, now, expires).run()
    }

    /// Ends a session.
    ///
    /// - Returns: Whether the session existed.
    package func remove(hash: [UInt8]) throws(RecordError) -> Bool {
        try connection.prepare("DELETE FROM session WHERE hash = ?1").with(hash).changedRows() > 0
    }

    /// Ends a session of an account.
    ///
    /// - Returns: Whether the session existed.
    package func remove(id: String, account: UserID) throws(RecordError) -> Bool {
        try connection.prepare("DELETE FROM session WHERE account = ?1 AND id = ?2").with(account, id).changedRows() > 0
    }

    /// Ends the sessions of an account.
    ///
    /// - Parameter hash: The token hash of a session to keep; `nil` to end all sessions.
    /// - Returns: The number of ended sessions.
    @discardableResult
    package func removeAll(account: UserID, but hash: [UInt8]? = nil) throws(RecordError) -> Int {
        try connection.prepare("DELETE FROM session WHERE account = ?1 AND hash IS NOT ?2").with(account, hash)
            .changedRows()
    }

    /// Keeps the newest `count` sessions of an account and ends the others.
    ///
    /// - Parameter hash: The token hash of a session that is always kept. Other sessions can have the same creation
    ///   time, so this session might not count among the newest.
    /// - Returns: Whether a session was ended.
    package func trim(account: UserID, keeping count: Int, with hash: [UInt8]) throws(RecordError) -> Bool {
        try connection.prepare(
            """
            DELETE FROM session WHERE account = ?1 AND hash NOT IN (
                SELECT hash FROM session WHERE account = ?1
                ORDER BY hash = ?3 DESC, created DESC, expires DESC LIMIT ?2)
            """
        ).with(account, count, hash).changedRows() > 0
    }

    /// Deletes sessions that expired before `now` (milliseconds since 1970), at most `limit`.
    ///
    /// - Returns: The number of deleted sessions.
    package func removeExpired(before now: Int64, limit: Int) throws(RecordError) -> Int {
        try connection.prepare(
            "DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE expires < ?1 LIMIT ?2)"
        ).with(now, limit).changedRows()
    }
}
