package import RecordModel

/// What the doctor asks a database file, on a read-only connection. In slices, each a view of its own: a long view would
/// keep a running server from starting its log anew.
package final class InspectionTable {
    private let connection: Connection
    private let recordSlice: Statement
    private let recordByID: Statement
    private let hasEdge: Statement
    private let largeValue: Statement

    package init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        // A file that no newer server has opened yet does not have all columns.
        let isNew = try Migrations.applied(on: connection) >= Migrations.withAccessLists
        let columns = isNew ? RecordRowCursor.columns : RecordRowCursor.columnsWithoutFormerReaders
        recordSlice = connection.prepare("SELECT \(columns), zone FROM record WHERE id > ?1 ORDER BY id LIMIT ?2")
        recordByID = connection.prepare("SELECT \(columns), zone FROM record WHERE id = ?1")
        hasEdge = connection.prepare(
            "SELECT action FROM edge WHERE zone = ?1 AND target = ?2 AND source = ?3 AND field = ?4")
        largeValue = connection.prepare("SELECT value FROM large_value WHERE record = ?1 AND field = ?2")
    }

    /// Runs `body` on one view of the file.
    package func withView<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.execute("BEGIN")
        do {
            let value = try body()
            try connection.execute("COMMIT")
            return value
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    // MARK: The file

    /// What SQLite finds wrong with the file; empty if nothing.
    ///
    /// - Parameter isQuick: Do not compare indexes with their tables.
    package func integrityProblems(isQuick: Bool) throws(RecordError) -> [String] {
        try ServerFile.integrityProblems(connection, isQuick: isQuick)
    }

    /// Whether the file has steps that this version does not know, or lacks some that it does.
    package func migrationState() throws(RecordError) -> (missing: Int, unknown: Int) {
        let applied = Int(try connection.integer("SELECT count(*) FROM migration") ?? 0)
        let known = Migrations.all.count
        return (max(0, known - applied), max(0, applied - known))
    }

    /// Whether the file has had the step that brought indexes.
    package func hasIndexes() throws(RecordError) -> Bool {
        try Migrations.applied(on: connection) >= Migrations.withIndexes
    }

    /// Whether the file has had the step that brought API keys.
    package func hasKeys() throws(RecordError) -> Bool {
        try Migrations.applied(on: connection) >= Migrations.withKeys
    }

    /// How many sums of what accounts take are not those of their records; `nil` for a file of an older version, which gets
    /// them at the next start.
    ///
    /// One statement, so that a server which writes meanwhile changes nothing.
    package func wrongUsage() throws(RecordError) -> Int64? {
        guard try Migrations.applied(on: connection) >= Migrations.withPublicUsage else { return nil }
        return try connection.integer(
            """
            WITH sums AS MATERIALIZED (\(Migrations.allUsageSums))
            SELECT count(*) FROM (
                SELECT owner FROM (
                    SELECT owner, \(Migrations.usageColumns) FROM sums
                    UNION ALL SELECT \(UsageTable.everybody), \(Migrations.usageColumns) FROM sums
                    UNION ALL SELECT owner, -records, -bytes, -asset_bytes, -public_records, -public_bytes,
                        -public_asset_bytes FROM usage)
                GROUP BY owner HAVING sum(records) <> 0 OR sum(bytes) <> 0 OR sum(asset_bytes) <> 0
                    OR sum(public_records) <> 0 OR sum(public_bytes) <> 0 OR sum(public_asset_bytes) <> 0)
            """)
    }

    /// Whether the file has had the step that brought access lists.
    package func hasAccessLists() throws(RecordError) -> Bool {
        try Migrations.applied(on: connection) >= Migrations.withAccessLists
    }

    /// The sequence number up to which the file has promised numbers, and the last that a record bears.
    package func sequenceNumbers() throws(RecordError) -> (promised: Int64, used: Int64) {
        (
            try connection.integer("SELECT value FROM setting WHERE name = 'sequence'") ?? 0,
            try connection.integer("SELECT max(sequence) FROM record") ?? 0
        )
    }

    /// A row of a summary: records and tombstones of one type.
    package struct TypeCount: Hashable, Sendable {
        package var type: TypeID
        package var records: Int
        package var tombstones: Int
    }

    /// Records and tombstones by type number.
    package func counts() throws(RecordError) -> [TypeCount] {
        let statement = connection.prepare(
            """
            SELECT type, count(*) - sum(deleted), sum(deleted) FROM record GROUP BY type ORDER BY type
            """)
        return try statement.rows { TypeCount(type: $0.next(), records: $0.next(), tombstones: $0.next()) }
    }

    /// How many accounts of people and of keys, sessions and zones there are.
    package func totals() throws(RecordError) -> (accounts: Int, keys: Int, sessions: Int, zones: Int) {
        let accounts = Int(try connection.integer("SELECT count(*) FROM account") ?? 0)
        let hasKinds = try Migrations.applied(on: connection) >= Migrations.withAccountKinds
        let keys = hasKinds ? Int(try connection.integer("SELECT count(*) FROM account WHERE kind = 2") ?? 0) : 0
        return (
            accounts - keys, keys,
            Int(try connection.integer("SELECT count(*) FROM session") ?? 0),
            Int(try connection.integer("SELECT count(*) FROM zone") ?? 0)
        )
    }

    /// The numbers of all zones.
    package func zones() throws(RecordError) -> Set<ZoneID> {
        Set(try connection.prepare("SELECT id FROM zone").rows { $0.next() })
    }

    // MARK: Records

    /// Calls `body` with each record and tombstone after an internal number, in its order, and with its zone.
    ///
    /// - Returns: The number of the last one; `nil` if there was none.
    package func forEachRecord(
        after id: RecordNumber, limit: Int, _ body: (RecordRowCursor, ZoneID) throws -> Void
    ) throws -> RecordNumber? {
        recordSlice.with(id, limit)
        defer { recordSlice.reset() }
        var last: RecordNumber?
        while try recordSlice.step() {
            last = RecordNumber(recordSlice, column: 0)
            try body(
                RecordRowCursor(statement: recordSlice), ZoneID(recordSlice, column: RecordRowCursor.behindColumns))
        }
        return last
    }

    /// Calls `body` with one record and its zone, or with `nil` if there is none with this number.
    package func withRecord<Value>(_ id: RecordNumber, _ body: (RecordRowCursor?, ZoneID) throws -> Value) throws
        -> Value
    {
        recordByID.with(id)
        defer { recordByID.reset() }
        guard try recordByID.step() else { return try body(nil, .unassigned) }
        return try body(
            RecordRowCursor(statement: recordByID), ZoneID(recordByID, column: RecordRowCursor.behindColumns))
    }

    // MARK: What belongs to records

    /// The action of an edge, or `nil` if there is no such edge.
    package func edgeAction(
        zone: ZoneID, target: String, source: RecordNumber, field: Int
    ) throws(RecordError) -> UInt8? {
        try hasEdge.with(zone, target, source, field).row { $0.next() }
    }

    /// A row of the table of edges.
    package struct Edge: Hashable, Sendable {
        package var zone: ZoneID
        package var target: String
        package var source: RecordNumber
        package var field: Int
    }

    /// Edges in the order of their key, after one of them.
    package func edges(after last: Edge?, limit: Int) throws(RecordError) -> [Edge] {
        let statement = connection.prepare(
            """
            SELECT zone, target, source, field FROM edge WHERE (zone, target, source, field) > (?1, ?2, ?3, ?4)
            ORDER BY zone, target, source, field LIMIT ?5
            """)
        return
            try statement
            .with(last?.zone ?? .lowest, last?.target ?? "", last?.source ?? .lowest, last?.field ?? -1, limit)
            .rows { Edge(zone: $0.next(), target: $0.next(), source: $0.next(), field: $0.next()) }
    }

    /// Lends the JSON text of a large value; `nil` if it is missing.
    package func withLargeValue<Value>(
        record: RecordNumber, field: Int, _ body: (UnsafeRawBufferPointer?) throws -> Value
    ) throws -> Value {
        largeValue.with(record, field)
        defer { largeValue.reset() }
        return try body(try largeValue.step() ? largeValue.bytes(0) : nil)
    }

    /// A row of the table of large values, without the value.
    package struct LargeValue: Hashable, Sendable {
        package var id: Int64
        package var record: RecordNumber
        package var field: Int
    }

    /// Large values in the order of their numbers, after one of them.
    package func largeValues(after id: Int64, limit: Int) throws(RecordError) -> [LargeValue] {
        try connection.prepare("SELECT id, record, field FROM large_value WHERE id > ?1 ORDER BY id LIMIT ?2")
            .with(id, limit).rows { LargeValue(id: $0.next(), record: $0.next(), field: $0.next()) }
    }
}
