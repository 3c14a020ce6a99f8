package import RecordModel

/// Reads the tables of indexes: ranges of keys in either direction, from any position in them.
///
/// Confined to the thread of its connection. Statements are prepared once per index and shape.
package final class IndexReading {
    private let connection: Connection
    private var statements: [Shape: Statement] = [:]

    private struct Shape: Hashable {
        enum Verb: Hashable {
            case scan(ScanCursor.Rows, isBackward: Bool, isBehindPosition: Bool)
            case count, countAll, sample, countEverything
        }
        let index: IndexID
        let verb: Verb
        var lane = 0
    }

    /// Statements are few per index; beyond this many they are all prepared anew.
    private static let cachedStatements = 512

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// The indexes that it has statements for.
    package var preparedIndexes: Set<IndexID> {
        Set(statements.keys.lazy.map(\.index))
    }

    /// Lets go of the statements for indexes that are gone.
    package func forget(allBut indexes: Set<IndexID>) {
        guard statements.keys.contains(where: { !indexes.contains($0.index) }) else { return }
        statements = statements.filter { indexes.contains($0.key.index) }
    }

    /// Keys from `lower` on and below `upper`; `nil` means no upper bound.
    package struct KeyRange: Hashable, Sendable {
        package var lower: [UInt8]
        package var upper: [UInt8]?

        package init(lower: [UInt8], upper: [UInt8]?) {
            self.lower = lower
            self.upper = upper
        }
    }

    /// Stands on the first entry of a range; further ones follow by key and record. The caller finishes the cursor.
    ///
    /// - Parameters:
    ///   - position: The entry behind which to begin, in the direction of the scan; it lies in the range. `nil` for the
    ///     range's beginning.
    ///   - isBackward: Whether keys and records descend.
    ///   - lane: Cursors of different lanes may be open at once.
    /// - Returns: `nil` if there is none.
    package func scan(
        _ index: IndexID, home: RowHome, _ range: KeyRange, after position: (key: [UInt8], record: RecordNumber)?,
        isBackward: Bool, reading rows: ScanCursor.Rows, lane: Int = 0
    ) throws(RecordError) -> ScanCursor? {
        let verb = Shape.Verb.scan(rows, isBackward: isBackward, isBehindPosition: position != nil)
        let statement = try statement(index, verb, lane: lane)
        let upper = range.upper ?? Self.aboveAll
        statement.with(home)
        if let position {
            statement.with(from: 2, position.key, position.record, isBackward ? range.lower : upper)
        } else {
            statement.with(from: 2, range.lower, upper)
        }
        return try statement.firstRow().map { ScanCursor($0, rows) }
    }

    /// Counts the entries of a range.
    ///
    /// - Parameter limit: Counting stops there; `Int.max` for all of them.
    package func count(
        _ index: IndexID, home: RowHome, _ range: KeyRange, limit: Int = .max
    ) throws(RecordError) -> Int {
        let statement = try statement(index, limit == .max ? .countAll : .count)
        statement.with(home, range.lower, range.upper ?? Self.aboveAll)
        if limit != .max { statement.with(from: 4, limit) }
        return try statement.row { $0.next() } ?? 0
    }

    /// Walks the whole table in order and hands out every nth entry.
    ///
    /// - Parameters:
    ///   - position: The entry behind which to begin.
    ///   - limit: The most entries to walk.
    ///   - body: Gets the home and the key of a sample.
    /// - Returns: Where the walk ended; `nil` at the table's end.
    package func sample(
        _ index: IndexID, every step: Int, after position: IndexTable.Entry?, limit: Int,
        _ body: (RowHome, UnsafeRawBufferPointer) -> Void
    ) throws(RecordError) -> IndexTable.Entry? {
        let statement = try statement(index, .sample)
        statement.with(
            position?.home.column ?? RowHome.belowAllColumns, position?.key ?? [], position?.record ?? .lowest, limit)
        defer { statement.reset() }
        var walked = 0
        var last: IndexTable.Entry?
        while try statement.step() {
            walked += 1
            if walked % step == 0 { body(RowHome(statement, column: 0), statement.bytes(1)) }
            if walked == limit {
                last = IndexTable.Entry(
                    home: RowHome(statement, column: 0), key: statement.blob(1),
                    record: RecordNumber(statement, column: 2))
            }
        }
        return last
    }

    /// How many entries a table has.
    package func countEverything(_ index: IndexID) throws(RecordError) -> Int {
        try statement(index, .countEverything).row { $0.next() } ?? 0
    }

    /// No key begins with this byte (see `IndexKey`).
    private static let aboveAll: [UInt8] = [0xFF]

    private func statement(_ index: IndexID, _ verb: Shape.Verb, lane: Int = 0) throws(RecordError) -> Statement {
        let shape = Shape(index: index, verb: verb, lane: lane)
        if let known = statements[shape] { return known }
        // The number of the table is ours; nothing that a user wrote reaches this text.
        let table = IndexTable.name(index)
        let sql: SQL =
            switch verb {
            case .scan(let rows, let isBackward, let isBehindPosition):
                Self.scanSQL(table, rows, isBackward, isBehindPosition)
            case .count:
                """
                SELECT count(*) FROM
                (SELECT 1 FROM \(table) WHERE zone = ?1 AND key >= ?2 AND key < ?3 LIMIT ?4)
                """
            case .sample:
                """
                SELECT zone, key, record FROM \(table) WHERE (zone, key, record) > (?1, ?2, ?3)
                ORDER BY zone, key, record LIMIT ?4
                """
            case .countEverything: "SELECT count(*) FROM \(table)"
            case .countAll: "SELECT count(*) FROM \(table) WHERE zone = ?1 AND key >= ?2 AND key < ?3"
            }
        if statements.count >= Self.cachedStatements { statements.removeAll() }
        let prepared = connection.prepare(sql)
        statements[shape] = prepared
        return prepared
    }

    /// A bound of the position, which is never outside the range, is what SQLite seeks by; two bounds on one side would make
    /// it begin at the range's. A range from its beginning has a statement of its own: SQLite compares each row with a
    /// position once more, key and record, although it has sought by it.
    private static func scanSQL(
        _ table: String, _ rows: ScanCursor.Rows, _ isBackward: Bool, _ isBehindPosition: Bool
    ) -> SQL {
        let range =
            switch (isBehindPosition, isBackward) {
            case (false, _): "i.key >= ?2 AND i.key < ?3"
            case (true, false): "(i.key, i.record) > (?2, ?3) AND i.key < ?4"
            case (true, true): "(i.key, i.record) < (?2, ?3) AND i.key >= ?4"
            }
        let order = isBackward ? "i.key DESC, i.record DESC" : "i.key, i.record"
        switch rows {
        case .entries:
            return "SELECT i.record, i.key FROM \(table) AS i WHERE i.zone = ?1 AND \(range) ORDER BY \(order)"
        case .records:
            return """
                SELECT \(RecordCursor.joinedColumns), i.key FROM \(table) AS i CROSS JOIN record AS r ON r.id = i.record
                WHERE i.zone = ?1 AND \(range) ORDER BY \(order)
                """
        }
    }
}
