package import RecordModel

/// Reads index tables: key ranges in both directions, from any position.
///
/// Confined to the thread of its connection. Statements are prepared once per index and shape. Its functions throw
/// INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class IndexScanner {
    private let connection: Connection
    private var statements: [Shape: Statement] = [:]

    private struct Shape: Hashable {
        enum Verb: Hashable {
            case scan(ScanCursor.Rows, isBackward: Bool, startsAfterPosition: Bool)
            case count, countAll, groups, sample, countEverything
        }
        let index: IndexID
        let verb: Verb
        var lane = 0
    }

    /// The maximum number of cached statements. If a scan exceeds it, all statements are prepared again.
    private static let cachedStatements = 512

    /// Creates a scanner on `connection`. Statements are prepared on first use.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// The indexes with prepared statements.
    package var preparedIndexes: Set<IndexID> {
        Set(statements.keys.lazy.map(\.index))
    }

    /// Releases the statements of all indexes except `indexes`.
    package func forget(allBut indexes: Set<IndexID>) {
        guard statements.keys.contains(where: { !indexes.contains($0.index) }) else { return }
        statements = statements.filter { indexes.contains($0.key.index) }
    }

    /// A key range: from `lower` inclusive to `upper` exclusive. `nil` means no upper bound.
    package struct KeyRange: Hashable, Sendable {
        /// The first possible key.
        package var lower: [UInt8]
        /// The first key after the range.
        package var upper: [UInt8]?

        /// Creates a range from its bounds.
        package init(lower: [UInt8], upper: [UInt8]?) {
            self.lower = lower
            self.upper = upper
        }
    }

    /// Returns a cursor at the first entry of a range, in the order of key and record. The caller must finish the
    /// cursor.
    ///
    /// - Parameters:
    ///   - position: An entry in the range. The scan starts after it, in the direction of the scan. `nil` for the start
    ///     of the range.
    ///   - isBackward: Whether keys and records descend.
    ///   - lane: Cursors of different lanes can be open at the same time.
    /// - Returns: The cursor; `nil` if there is no entry.
    package func scan(
        _ index: IndexID, home: RowHome, _ range: KeyRange, after position: (key: [UInt8], record: RecordNumber)?,
        isBackward: Bool, reading rows: ScanCursor.Rows, lane: Int = 0
    ) throws(RecordError) -> ScanCursor? {
        let verb = Shape.Verb.scan(rows, isBackward: isBackward, startsAfterPosition: position != nil)
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

    /// Returns the number of entries of a range.
    ///
    /// - Parameter limit: The maximum result. Counting stops at this number; `Int.max` counts all entries.
    package func count(
        _ index: IndexID, home: RowHome, _ range: KeyRange, limit: Int = .max
    ) throws(RecordError) -> Int {
        let statement = try statement(index, limit == .max ? .countAll : .count)
        statement.with(home, range.lower, range.upper ?? Self.aboveAll)
        if limit != .max { statement.with(from: 4, limit) }
        return try statement.row { $0.next() } ?? 0
    }

    /// Calls `body` with each distinct key of a range, in ascending order, and the number of its entries. SQLite
    /// compares and counts the entries in one statement.
    ///
    /// - Parameter body: Receives a key, valid only during the call. Returns whether to go on.
    package func forEachKey(
        _ index: IndexID, home: RowHome, _ range: KeyRange,
        _ body: (UnsafeRawBufferPointer, Int) throws(RecordError) -> Bool
    ) throws(RecordError) {
        let statement = try statement(index, .groups)
        statement.with(home, range.lower, range.upper ?? Self.aboveAll)
        defer { statement.reset() }
        while try statement.step() {
            guard try body(statement.bytes(0), Int(statement.integer(1))) else { return }
        }
    }

    /// Scans a whole table in order and passes every nth entry of each home to `body`.
    ///
    /// - Parameters:
    ///   - step: The number of entries of a home from one sample to the next.
    ///   - inHome: The number of entries of the home of `position` up to `position`; updated by the scan.
    ///   - position: The scan starts after this entry; `nil` for the start of the table.
    ///   - limit: The maximum number of entries to scan.
    ///   - body: Receives the home and the key of a sample.
    /// - Returns: The last scanned entry; `nil` if the scan reached the end of the table.
    package func sample(
        _ index: IndexID, every step: Int, after position: IndexTable.Entry?, _ inHome: inout Int, limit: Int,
        _ body: (RowHome, UnsafeRawBufferPointer) -> Void
    ) throws(RecordError) -> IndexTable.Entry? {
        let statement = try statement(index, .sample)
        statement.with(
            position?.home.column ?? RowHome.belowAllColumns, position?.key ?? [], position?.record ?? .lowest, limit)
        defer { statement.reset() }
        var scanned = 0
        var home = position?.home
        var last: IndexTable.Entry?
        while try statement.step() {
            scanned += 1
            let current = RowHome(statement, column: 0)
            inHome = current == home ? inHome + 1 : 1
            home = current
            if inHome % step == 0 { body(current, statement.bytes(1)) }
            if scanned == limit {
                last = IndexTable.Entry(
                    home: current, key: statement.blob(1), record: RecordNumber(statement, column: 2))
            }
        }
        return last
    }

    /// Returns the number of entries of a table.
    package func countEverything(_ index: IndexID) throws(RecordError) -> Int {
        try statement(index, .countEverything).row { $0.next() } ?? 0
    }

    /// A key greater than all index keys, because no index key starts with this byte (see `IndexKey`).
    private static let aboveAll: [UInt8] = [0xFF]

    private func statement(_ index: IndexID, _ verb: Shape.Verb, lane: Int = 0) throws(RecordError) -> Statement {
        let shape = Shape(index: index, verb: verb, lane: lane)
        if let known = statements[shape] { return known }
        // The number of the table is an integer of the server; no user input reaches this text.
        let table = IndexTable.name(index)
        let sql: SQL =
            switch verb {
            case .scan(let rows, let isBackward, let startsAfterPosition):
                Self.scanSQL(table, rows, isBackward, startsAfterPosition)
            case .count:
                """
                SELECT count(*) FROM
                (SELECT 1 FROM \(table) WHERE zone = ?1 AND key >= ?2 AND key < ?3 LIMIT ?4)
                """
            case .groups:
                """
                SELECT key, count(*) FROM \(table) WHERE zone = ?1 AND key >= ?2 AND key < ?3
                GROUP BY key ORDER BY key
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

    /// Returns the SQL of a scan.
    ///
    /// The position lies in the range and replaces the bound where the scan starts. With both a position and a bound on
    /// this side, SQLite would seek to the bound. A scan from the start of a range has its own statement without a
    /// position, because after the seek SQLite compares each row with the position (key and record) again.
    private static func scanSQL(
        _ table: String, _ rows: ScanCursor.Rows, _ isBackward: Bool, _ startsAfterPosition: Bool
    ) -> SQL {
        let range =
            switch (startsAfterPosition, isBackward) {
            case (false, _): "i.key >= ?2 AND i.key < ?3"
            case (true, false): "(i.key, i.record) > (?2, ?3) AND i.key < ?4"
            case (true, true): "(i.key, i.record) < (?2, ?3) AND i.key >= ?4"
            }
        let order = isBackward ? "i.key DESC, i.record DESC" : "i.key, i.record"
        switch rows {
        case .entries:
            return "SELECT i.record, i.key FROM \(table) AS i WHERE i.zone = ?1 AND \(range) ORDER BY \(order)"
        case .payloads:
            return "SELECT i.record, i.payload FROM \(table) AS i WHERE i.zone = ?1 AND \(range) ORDER BY \(order)"
        case .records:
            return """
                SELECT \(RecordCursor.joinedColumns), i.key FROM \(table) AS i CROSS JOIN record AS r ON r.id = i.record
                WHERE i.zone = ?1 AND \(range) ORDER BY \(order)
                """
        }
    }
}
