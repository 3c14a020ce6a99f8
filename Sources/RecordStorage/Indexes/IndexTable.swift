package import RecordModel

/// The tables of indexes, on one connection: a row per entry, ordered by zone, key and record, and nothing besides the
/// key, so that an entry costs one insertion into one tree. `IndexKey` makes the keys.
package final class IndexTable {
    /// A row of an index.
    package struct Entry: Hashable, Sendable, Comparable {
        package var home: RowHome
        package var key: [UInt8]
        /// The internal number of the record.
        package var record: RecordNumber

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
        let remove: Statement
        let other: Statement
    }

    private let connection: Connection
    private var statements: [IndexID: Statements] = [:]
    private var finders: [IndexID: Statement] = [:]

    /// So many indexes keep their statements; they are prepared again beyond it.
    private static let cachedIndexes = 256

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// The name of an index's table.
    package static func name(_ index: IndexID) -> String { "index_\(index)" }

    /// Makes the table of an index, empty.
    package func make(_ index: IndexID) throws(RecordError) {
        try connection.execute(
            """
            CREATE TABLE \(Self.name(index)) (
                zone INTEGER NOT NULL, key BLOB NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (zone, key, record)
            ) WITHOUT ROWID
            """)
    }

    // MARK: Entries

    /// Adds an entry; does nothing if it is there.
    package func insert(
        home: RowHome, key: UnsafeRawBufferPointer, record: RecordNumber, into index: IndexID
    ) throws(RecordError) {
        let statement = try statements(of: index).insert
        try statement.with(home, key, record).run()
    }

    /// Takes an entry away; does nothing if there is none, as in an index that is still being built.
    package func remove(
        home: RowHome, key: UnsafeRawBufferPointer, record: RecordNumber, from index: IndexID
    ) throws(RecordError) {
        let statement = try statements(of: index).remove
        try statement.with(home, key, record).run()
    }

    /// Some other record of a home that has the key.
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
            remove: connection.prepare("DELETE FROM \(name) WHERE zone = ?1 AND key = ?2 AND record = ?3"),
            other: connection.prepare(
                "SELECT record FROM \(name) WHERE zone = ?1 AND key = ?2 AND record <> ?3 LIMIT 1"))
        if statements.count >= Self.cachedIndexes { statements.removeAll() }
        statements[index] = made
        return made
    }

    // MARK: Dropping

    /// Takes away the first entries of an index.
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

    /// Takes away the table of an index, which is quick once it is empty.
    package func drop(_ index: IndexID) throws(RecordError) {
        statements[index] = nil
        finders[index] = nil
        try connection.execute("DROP TABLE IF EXISTS \(Self.name(index))")
    }

    // MARK: Looking through

    /// All entries of an index in their order, for tests.
    package func entries(of index: IndexID) throws(RecordError) -> [Entry] {
        try entries(of: index, after: nil, limit: .max)
    }

    /// Entries of an index in their order, after one of them.
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

    /// How many entries an index has. Walks it.
    package func count(of index: IndexID) throws(RecordError) -> Int {
        Int(try connection.integer("SELECT count(*) FROM \(Self.name(index))") ?? 0)
    }

    /// Whether an index has an entry.
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

    /// The numbers of all tables of indexes that the file has.
    package func tables() throws(RecordError) -> Set<IndexID> {
        let rows = connection.prepare(
            "SELECT substr(name, 7) FROM sqlite_schema WHERE type = 'table' AND name GLOB 'index_[0-9]*'")
        return Set(try rows.rows { Int64($0.next(String.self)).map(IndexID.init(rawValue:)) }.compactMap(\.self))
    }
}
