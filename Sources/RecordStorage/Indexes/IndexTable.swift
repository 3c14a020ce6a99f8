package import RecordModel

/// The tables of index entries on one connection. Each index has a table with one row per entry. All columns of the
/// table form its key, so an entry costs one insertion into one B-tree. `IndexKey` makes the index keys.
///
/// ```
/// index_<id>: zone INTEGER (`RowHome.column`) | key BLOB (`IndexKey`) | record INTEGER; sorted in this order
/// ```
///
/// Tables of indexes with payloads have one more column behind these, `payload INTEGER`.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class IndexTable {
    /// An entry of an index.
    package struct Entry: Hashable, Sendable, Comparable {
        /// The zone or audience.
        package var home: RowHome
        /// The index key.
        package var key: [UInt8]
        /// The record's number.
        package var record: RecordNumber

        /// Creates an entry from its columns.
        package init(home: RowHome, key: [UInt8], record: RecordNumber) {
            self.home = home
            self.key = key
            self.record = record
        }

        package static func < (left: Entry, right: Entry) -> Bool {
            if left.home != right.home { return left.home < right.home }
            if left.key != right.key { return left.key.lexicographicallyPrecedes(right.key) }
            return left.record < right.record
        }
    }

    private struct Statements {
        let insert: Statement
        /// Inserts an entry with a payload, or gives an entry another payload.
        let put: Statement
        let remove: Statement
        let other: Statement
    }

    private let connection: Connection
    private var statements: [IndexID: Statements] = [:]
    private var finders: [IndexID: Statement] = [:]

    /// The maximum number of indexes with cached statements. If an operation exceeds it, all statements are prepared
    /// again.
    private static let cachedIndexes = 256

    /// Uses `connection` for all tables, and caches its statements.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns the name of an index's table.
    package static func name(_ index: IndexID) -> String { "index_\(index)" }

    /// Creates the empty table of an index.
    ///
    /// - Parameter hasPayloads: Whether entries have a payload.
    package func make(_ index: IndexID, hasPayloads: Bool = false) throws(RecordError) {
        let payload = hasPayloads ? "payload INTEGER NOT NULL," : ""
        try connection.execute(
            """
            CREATE TABLE \(Self.name(index)) (
                zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, \(payload)
                PRIMARY KEY (zone, key, record)
            ) WITHOUT ROWID
            """)
    }

    // MARK: Entries

    /// Adds an entry. Does nothing if the entry exists, but gives it the payload.
    ///
    /// - Parameter payload: The payload; `nil` in an index without payloads.
    package func insert(
        home: RowHome, key: UnsafeRawBufferPointer, record: RecordNumber, payload: Int64? = nil, into index: IndexID
    ) throws(RecordError) {
        let statements = try statements(of: index)
        if let payload {
            try statements.put.with(home, key, record, payload).run()
        } else {
            try statements.insert.with(home, key, record).run()
        }
    }

    /// Removes an entry. Does nothing if the entry does not exist, which is normal in an index that is being built.
    package func remove(
        home: RowHome, key: UnsafeRawBufferPointer, record: RecordNumber, from index: IndexID
    ) throws(RecordError) {
        let statement = try statements(of: index).remove
        try statement.with(home, key, record).run()
    }

    /// Returns a record other than `record` with the same key in the same zone or audience; `nil` if there is none.
    package func otherRecord(
        home: RowHome, key: UnsafeRawBufferPointer, than record: RecordNumber, in index: IndexID
    ) throws(RecordError) -> RecordNumber? {
        let statement = try statements(of: index).other
        return try statement.with(home, key, record).id()
    }

    private func statements(of index: IndexID) throws(RecordError) -> Statements {
        if let known = statements[index] { return known }
        let name = Self.name(index)
        let made = Statements(
            insert: connection.prepare("INSERT OR IGNORE INTO \(name) (zone, key, record) VALUES (?1, ?2, ?3)"),
            put: connection.prepare(
                """
                INSERT INTO \(name) (zone, key, record, payload) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT DO UPDATE SET payload = ?4
                """),
            remove: connection.prepare("DELETE FROM \(name) WHERE zone = ?1 AND key = ?2 AND record = ?3"),
            other: connection.prepare(
                "SELECT record FROM \(name) WHERE zone = ?1 AND key = ?2 AND record <> ?3 LIMIT 1"))
        if statements.count >= Self.cachedIndexes { statements.removeAll() }
        statements[index] = made
        return made
    }

    // MARK: Dropping

    /// Deletes the first `count` entries of an index.
    ///
    /// - Returns: Whether the table is empty now.
    package func removeFirst(_ count: Int, of index: IndexID) throws(RecordError) -> Bool {
        let name = Self.name(index)
        let find = connection.prepare(
            "SELECT zone, key, record FROM \(name) ORDER BY zone, key, record LIMIT 1 OFFSET ?1")
        let first = try find.with(count).row { Entry(home: $0.next(), key: $0.next(), record: $0.next()) }
        guard let first else {
            try connection.execute("DELETE FROM \(name)")
            return true
        }
        try connection.prepare("DELETE FROM \(name) WHERE (zone, key, record) < (?1, ?2, ?3)")
            .with(first.home, first.key, first.record).run()
        return false
    }

    /// Drops the table of an index. This is fast if the table is empty.
    package func drop(_ index: IndexID) throws(RecordError) {
        statements[index] = nil
        finders[index] = nil
        try connection.execute("DROP TABLE IF EXISTS \(Self.name(index))")
    }

    // MARK: Scanning

    /// Returns all entries of an index in order, for tests.
    package func entries(of index: IndexID) throws(RecordError) -> [Entry] {
        try entries(of: index, after: nil, limit: .max)
    }

    /// Returns at most `limit` entries of an index after `last`, in order.
    package func entries(of index: IndexID, after last: Entry?, limit: Int) throws(RecordError) -> [Entry] {
        let rows = connection.prepare(
            """
            SELECT zone, key, record FROM \(Self.name(index)) WHERE (zone, key, record) > (?1, ?2, ?3)
            ORDER BY zone, key, record LIMIT ?4
            """)
        return try rows.with(
            last?.home.column ?? RowHome.belowAllColumns, last?.key ?? [], last?.record ?? .lowest, limit
        )
        .rows { Entry(home: $0.next(), key: $0.next(), record: $0.next()) }
    }

    /// Returns the number of entries of an index, in O(n).
    package func count(of index: IndexID) throws(RecordError) -> Int {
        Int(try connection.integer("SELECT count(*) FROM \(Self.name(index))") ?? 0)
    }

    /// Returns whether an index has an entry.
    package func contains(_ entry: Entry, in index: IndexID) throws(RecordError) -> Bool {
        let find: Statement
        if let known = finders[index] {
            find = known
        } else {
            find = connection.prepare(
                "SELECT 1 FROM \(Self.name(index)) WHERE zone = ?1 AND key = ?2 AND record = ?3")
            if finders.count >= Self.cachedIndexes { finders.removeAll() }
            finders[index] = find
        }
        return try find.with(entry.home, entry.key, entry.record).exists()
    }

    /// Returns the IDs of all index tables in the file.
    package func tables() throws(RecordError) -> Set<IndexID> {
        let rows = connection.prepare(
            "SELECT substr(name, 7) FROM sqlite_schema WHERE type = 'table' AND name GLOB 'index_[0-9]*'")
        return Set(try rows.rows { Int64($0.next(String.self)).map(IndexID.init(rawValue:)) }.compactMap(\.self))
    }
}
