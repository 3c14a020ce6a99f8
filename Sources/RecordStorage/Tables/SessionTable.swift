package import RecordModel

/// A session as stored.
package struct SessionRow: Hashable, Sendable {
    /// Random; what lists show in the place of the token.
    package var id: String
    package var account: UserID
    /// Milliseconds since 1970, as all of them.
    package var created: Int64
    /// When it was last used, to the hour.
    package var used: Int64
    /// When it ends unless it is used before.
    package var expires: Int64
    /// When it ends in any case.
    package var ends: Int64
    package var label: String?

    package init(
        id: String, account: UserID, created: Int64, used: Int64, expires: Int64, ends: Int64, label: String?
    ) {
        self.id = id
        self.account = account
        self.created = created
        self.used = used
        self.expires = expires
        self.ends = ends
        self.label = label
    }
}

/// Sessions by the hashes of their tokens. Readers and the writer each have one on their own connection.
package final class SessionTable {
    private let connection: Connection
    private let byHash: Statement

    private static let columns = "id, account, created, used, expires, ends, label"

    package init(_ connection: Connection) {
        self.connection = connection
        byHash = connection.prepare("SELECT \(Self.columns) FROM session WHERE hash = ?1")
    }

    /// The session of a token, whether or not its time is over.
    package func find(hash: [UInt8]) throws(RecordError) -> SessionRow? {
        try byHash.with(hash).row(read)
    }

    /// The sessions of an account with the hashes of their tokens, the newest first.
    package func list(account: UserID) throws(RecordError) -> [(hash: [UInt8], row: SessionRow)] {
        try connection.prepare(
            "SELECT hash, \(Self.columns) FROM session WHERE account = ?1 ORDER BY created DESC, id"
        ).with(account).rows { ($0.next(), read(&$0)) }
    }

    private func read(_ row: inout Columns) -> SessionRow {
        SessionRow(
            id: row.next(), account: row.next(), created: row.next(), used: row.next(), expires: row.next(),
            ends: row.next(), label: row.next())
    }

    // MARK: Writing

    package func add(_ row: SessionRow, hash: [UInt8]) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO session (hash, id, account, created, used, expires, ends, label)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """
        ).with(hash, row.id, row.account, row.created, row.used, row.expires, row.ends).with(from: 8, row.label).run()
    }

    /// Notes that a session is used and puts its end off, unless that was done a moment ago.
    ///
    /// - Parameters:
    ///   - expires: When it ends now, unless its last end comes before.
    ///   - last: It is left as it is if it was used after that.
    package func slide(hash: [UInt8], now: Int64, to expires: Int64, unlessUsedAfter last: Int64) throws(RecordError) {
        try connection.prepare(
            """
            UPDATE session SET used = ?2, expires = min(ends, ?3) WHERE hash = ?1 AND expires > ?2 AND used <= ?4
            """
        ).with(hash, now, expires, last).run()
    }

    /// Gives a session another token.
    package func rotate(hash: [UInt8], to new: [UInt8], now: Int64, expires: Int64) throws(RecordError) {
        try connection.prepare(
            "UPDATE session SET hash = ?2, used = ?3, expires = min(ends, ?4) WHERE hash = ?1"
        ).with(hash, new, now, expires).run()
    }

    /// - Returns: Whether there was such a session.
    package func remove(hash: [UInt8]) throws(RecordError) -> Bool {
        try connection.prepare("DELETE FROM session WHERE hash = ?1").with(hash).changedRows() > 0
    }

    /// - Returns: Whether the account had such a session.
    package func remove(id: String, account: UserID) throws(RecordError) -> Bool {
        try connection.prepare("DELETE FROM session WHERE account = ?1 AND id = ?2").with(account, id).changedRows() > 0
    }

    /// Ends the sessions of an account.
    ///
    /// - Parameter hash: The one that stays.
    /// - Returns: How many there were.
    @discardableResult
    package func removeAll(account: UserID, but hash: [UInt8]? = nil) throws(RecordError) -> Int {
        try connection.prepare("DELETE FROM session WHERE account = ?1 AND hash IS NOT ?2").with(account, hash)
            .changedRows()
    }

    /// Keeps the newest sessions of an account and ends the others.
    ///
    /// - Parameter hash: The session that stays in any case: others may have been made in the same millisecond.
    /// - Returns: Whether one has ended.
    package func trim(account: UserID, keeping count: Int, with hash: [UInt8]) throws(RecordError) -> Bool {
        try connection.prepare(
            """
            DELETE FROM session WHERE account = ?1 AND hash NOT IN (
                SELECT hash FROM session WHERE account = ?1
                ORDER BY hash = ?3 DESC, created DESC, expires DESC LIMIT ?2)
            """
        ).with(account, count, hash).changedRows() > 0
    }

    package func removeExpired(before now: Int64, limit: Int) throws(RecordError) -> Int {
        try connection.prepare(
            "DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE expires < ?1 LIMIT ?2)"
        ).with(now, limit).changedRows()
    }
}
