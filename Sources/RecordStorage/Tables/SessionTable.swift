package import RecordModel

/// A session as stored.
package struct SessionRow: Hashable, Sendable {
    /// Random; what lists show in the place of the token.
    package var id: String
    package var account: Int64
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
        id: String, account: Int64, created: Int64, used: Int64, expires: Int64, ends: Int64, label: String?
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

    package init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        byHash = try connection.prepare("SELECT \(Self.columns) FROM session WHERE hash = ?1")
    }

    /// The session of a token, whether or not its time is over.
    package func find(hash: [UInt8]) throws(RecordError) -> SessionRow? {
        byHash.bind(1, blob: hash)
        return try byHash.row { read($0, from: 0) }
    }

    /// The sessions of an account with the hashes of their tokens, the newest first.
    package func list(account: Int64) throws(RecordError) -> [(hash: [UInt8], row: SessionRow)] {
        let statement = try connection.prepare(
            "SELECT hash, \(Self.columns) FROM session WHERE account = ?1 ORDER BY created DESC, id")
        statement.bind(1, account)
        return try statement.rows { ($0.blob(0), read($0, from: 1)) }
    }

    private func read(_ statement: Statement, from column: Int32) -> SessionRow {
        SessionRow(
            id: statement.text(column), account: statement.integer(column + 1), created: statement.integer(column + 2),
            used: statement.integer(column + 3), expires: statement.integer(column + 4),
            ends: statement.integer(column + 5), label: statement.optionalText(column + 6))
    }

    // MARK: Writing

    package func add(_ row: SessionRow, hash: [UInt8]) throws(RecordError) {
        let insert = try connection.prepare(
            """
            INSERT INTO session (hash, id, account, created, used, expires, ends, label)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            """)
        insert.bind(1, blob: hash)
        insert.bind(2, text: row.id)
        insert.bind(3, row.account)
        insert.bind(4, row.created)
        insert.bind(5, row.used)
        insert.bind(6, row.expires)
        insert.bind(7, row.ends)
        insert.bind(8, optionalText: row.label)
        try insert.run()
    }

    /// Notes that a session is used and puts its end off, unless that was done a moment ago.
    ///
    /// - Parameters:
    ///   - expires: When it ends now, unless its last end comes before.
    ///   - last: It is left as it is if it was used after that.
    package func slide(hash: [UInt8], now: Int64, to expires: Int64, unlessUsedAfter last: Int64) throws(RecordError) {
        let update = try connection.prepare(
            """
            UPDATE session SET used = ?2, expires = min(ends, ?3) WHERE hash = ?1 AND expires > ?2 AND used <= ?4
            """)
        update.bind(1, blob: hash)
        update.bind(2, now)
        update.bind(3, expires)
        update.bind(4, last)
        try update.run()
    }

    /// Gives a session another token.
    package func rotate(hash: [UInt8], to new: [UInt8], now: Int64, expires: Int64) throws(RecordError) {
        let update = try connection.prepare(
            "UPDATE session SET hash = ?2, used = ?3, expires = min(ends, ?4) WHERE hash = ?1")
        update.bind(1, blob: hash)
        update.bind(2, blob: new)
        update.bind(3, now)
        update.bind(4, expires)
        try update.run()
    }

    /// - Returns: Whether there was such a session.
    package func remove(hash: [UInt8]) throws(RecordError) -> Bool {
        let statement = try connection.prepare("DELETE FROM session WHERE hash = ?1")
        statement.bind(1, blob: hash)
        try statement.run()
        return connection.changes > 0
    }

    /// - Returns: Whether the account had such a session.
    package func remove(id: String, account: Int64) throws(RecordError) -> Bool {
        let statement = try connection.prepare("DELETE FROM session WHERE account = ?1 AND id = ?2")
        statement.bind(1, account)
        statement.bind(2, text: id)
        try statement.run()
        return connection.changes > 0
    }

    /// Ends the sessions of an account.
    ///
    /// - Parameter hash: The one that stays.
    /// - Returns: How many there were.
    @discardableResult
    package func removeAll(account: Int64, but hash: [UInt8]? = nil) throws(RecordError) -> Int {
        let statement = try connection.prepare("DELETE FROM session WHERE account = ?1 AND hash IS NOT ?2")
        statement.bind(1, account)
        if let hash { statement.bind(2, blob: hash) } else { statement.bindNull(2) }
        try statement.run()
        return connection.changes
    }

    /// Keeps the newest sessions of an account and ends the others.
    ///
    /// - Parameter hash: The session that stays in any case: others may have been made in the same millisecond.
    /// - Returns: Whether one has ended.
    package func trim(account: Int64, keeping count: Int, with hash: [UInt8]) throws(RecordError) -> Bool {
        let statement = try connection.prepare(
            """
            DELETE FROM session WHERE account = ?1 AND hash NOT IN (
                SELECT hash FROM session WHERE account = ?1
                ORDER BY hash = ?3 DESC, created DESC, expires DESC LIMIT ?2)
            """)
        statement.bind(1, account)
        statement.bind(2, Int64(count))
        statement.bind(3, blob: hash)
        try statement.run()
        return connection.changes > 0
    }

    package func removeExpired(before now: Int64, limit: Int) throws(RecordError) -> Int {
        let statement = try connection.prepare(
            "DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE expires < ?1 LIMIT ?2)")
        statement.bind(1, now)
        statement.bind(2, Int64(limit))
        try statement.run()
        return connection.changes
    }
}
