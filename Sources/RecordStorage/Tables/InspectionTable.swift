package import RecordModel

/// The doctor's queries on a database file, on a read-only connection. The doctor reads in slices and uses a new
/// snapshot for each slice, because a long snapshot would prevent a running server from restarting its WAL.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails, and the errors of their closures.
package final class InspectionTable {
    private let connection: Connection
    private let recordSlice: Statement
    private let recordByID: Statement
    private let hasEdge: Statement
    private let largeValue: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) throws(RecordError) {
        self.connection = connection
        // A file with an older layout lacks some columns.
        let isNew = try Migrations.applied(on: connection) >= Migrations.withAccessLists
        let columns = isNew ? RecordRowCursor.columns : RecordRowCursor.columnsWithoutFormerReaders
        recordSlice = connection.prepare("SELECT \(columns), zone FROM record WHERE id > ?1 ORDER BY id LIMIT ?2")
        recordByID = connection.prepare("SELECT \(columns), zone FROM record WHERE id = ?1")
        hasEdge = connection.prepare(
            "SELECT action FROM edge WHERE zone = ?1 AND target = ?2 AND source = ?3 AND field = ?4")
        largeValue = connection.prepare("SELECT value FROM large_value WHERE record = ?1 AND field = ?2")
    }

    /// Runs `body` in one snapshot of the file.
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

    /// Returns SQLite's list of problems with the file; empty if there are none.
    ///
    /// - Parameter isQuick: Whether to skip the comparison of indexes with their tables.
    package func integrityProblems(isQuick: Bool) throws(RecordError) -> [String] {
        try ServerFile.integrityProblems(connection, isQuick: isQuick)
    }

    /// Returns the number of migrations that the file lacks, and the number of migrations in the file that this version
    /// does not know.
    package func migrationState() throws(RecordError) -> (missing: Int, unknown: Int) {
        let applied = Int(try connection.integer("SELECT count(*) FROM migration") ?? 0)
        let known = Migrations.all.count
        return (max(0, known - applied), max(0, applied - known))
    }

    /// Returns whether the file has the migration that adds indexes.
    package func hasIndexes() throws(RecordError) -> Bool {
        try Migrations.applied(on: connection) >= Migrations.withIndexes
    }

    /// Returns whether the file has the migration that adds API keys.
    package func hasKeys() throws(RecordError) -> Bool {
        try Migrations.applied(on: connection) >= Migrations.withKeys
    }

    /// Returns the number of usage counters that differ from the sums over records; `nil` for a file with an older
    /// layout, which gets the counters at the next start.
    ///
    /// The count is one SQL statement, so concurrent writes of a server do not change the result.
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

    /// Returns whether the file has the migration that adds access lists.
    package func hasAccessLists() throws(RecordError) -> Bool {
        try Migrations.applied(on: connection) >= Migrations.withAccessLists
    }

    /// Returns the last reserved sequence number, and the largest sequence number of a record.
    package func sequenceNumbers() throws(RecordError) -> (promised: Int64, used: Int64) {
        (
            try connection.integer("SELECT value FROM setting WHERE name = 'sequence'") ?? 0,
            try connection.integer("SELECT max(sequence) FROM record") ?? 0
        )
    }

    /// The number of records and tombstones of one type.
    package struct TypeCount: Hashable, Sendable {
        /// The type's ID.
        package var type: TypeID
        /// The number of live records.
        package var records: Int
        /// The number of tombstones.
        package var tombstones: Int
    }

    /// Returns the number of records and tombstones per type, in ID order.
    package func counts() throws(RecordError) -> [TypeCount] {
        let statement = connection.prepare(
            """
            SELECT type, count(*) - sum(deleted), sum(deleted) FROM record GROUP BY type ORDER BY type
            """)
        return try statement.rows { TypeCount(type: $0.next(), records: $0.next(), tombstones: $0.next()) }
    }

    /// Returns the numbers of accounts (without service accounts), of service accounts, of sessions, of zones and of
    /// subscriptions.
    package func totals() throws(RecordError) -> (
        accounts: Int, keys: Int, sessions: Int, zones: Int, subscriptions: Int
    ) {
        let accounts = Int(try connection.integer("SELECT count(*) FROM account") ?? 0)
        let applied = try Migrations.applied(on: connection)
        let hasKinds = applied >= Migrations.withAccountKinds
        let keys = hasKinds ? Int(try connection.integer("SELECT count(*) FROM account WHERE kind = 2") ?? 0) : 0
        return (
            accounts - keys, keys,
            Int(try connection.integer("SELECT count(*) FROM session") ?? 0),
            Int(try connection.integer("SELECT count(*) FROM zone") ?? 0),
            applied >= Migrations.withSubscriptions
                ? Int(try connection.integer("SELECT count(*) FROM subscription") ?? 0) : 0
        )
    }

    /// Returns the IDs of all zones.
    package func zones() throws(RecordError) -> Set<ZoneID> {
        Set(try connection.prepare("SELECT id FROM zone").rows { $0.next() })
    }

    // MARK: Records

    /// Calls `body` with each record or tombstone after the number `id`, in the order of numbers, and with its zone.
    ///
    /// - Returns: The number of the last record or tombstone; `nil` if there was none.
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

    /// Calls `body` with one record and its zone, or with `nil` if there is no record with this number.
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

    /// Returns the stored action of a reference edge; `nil` if there is no such edge.
    package func edgeAction(
        zone: ZoneID, target: String, source: RecordNumber, field: Int
    ) throws(RecordError) -> UInt8? {
        try hasEdge.with(zone, target, source, field).row { $0.next() }
    }

    /// A reference edge: a reference with an action other than NONE.
    package struct Edge: Hashable, Sendable {
        /// The zone of both records.
        package var zone: ZoneID
        /// The name of the record that is referred to.
        package var target: String
        /// The number of the referring record.
        package var source: RecordNumber
        /// The number of the field with the reference.
        package var field: Int
    }

    /// Returns at most `limit` edges after `last`, in key order.
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

    /// Calls `body` with the JSON text of a large value, or with `nil` if the large value is missing.
    package func withLargeValue<Value>(
        record: RecordNumber, field: Int, _ body: (UnsafeRawBufferPointer?) throws -> Value
    ) throws -> Value {
        largeValue.with(record, field)
        defer { largeValue.reset() }
        return try body(try largeValue.step() ? largeValue.bytes(0) : nil)
    }

    /// A row of the table of large values, without the value.
    package struct LargeValue: Hashable, Sendable {
        /// The row's ID.
        package var id: Int64
        /// The record's number.
        package var record: RecordNumber
        /// The field's number.
        package var field: Int
    }

    /// Returns at most `limit` large values after the row ID `id`, in ID order.
    package func largeValues(after id: Int64, limit: Int) throws(RecordError) -> [LargeValue] {
        try connection.prepare("SELECT id, record, field FROM large_value WHERE id > ?1 ORDER BY id LIMIT ?2")
            .with(id, limit).rows { LargeValue(id: $0.next(), record: $0.next(), field: $0.next()) }
    }
}
