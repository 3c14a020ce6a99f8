package import RecordModel

/// Records on the writer's connection: rows, large values and reference edges. The table only stores; it checks no
/// rules.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class RecordTable {
    private let connection: Connection
    private let findByName: Statement
    private let insertRow: Statement
    private let insertListed: Statement
    private let setAccess: Statement
    private let updateRow: Statement
    private let updateFields: Statement
    private let takeRow: Statement
    private let insertTombstone: Statement
    private let removeTombstone: Statement
    private let putLarge: Statement
    private let findLarge: Statement
    private let removeLarge: Statement
    private let removeAllLarge: Statement
    private let addEdge: Statement
    private let removeEdge: Statement
    private let findEdge: Statement
    private let findSources: Statement
    private let findByID: Statement
    private let rowByName: Statement
    private let rowByID: Statement
    private let countOfType: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        findByName = connection.prepare(
            "SELECT \(RecordRowCursor.columns) FROM record WHERE zone = ?1 AND name = ?2 AND deleted = 0")
        findByID = connection.prepare("SELECT \(RecordRowCursor.columns) FROM record WHERE id = ?1")
        rowByName = connection.prepare(
            "SELECT \(RecordRowCursor.rowColumns) FROM record WHERE zone = ?1 AND name = ?2 AND deleted = 0")
        rowByID = connection.prepare("SELECT \(RecordRowCursor.rowColumns) FROM record WHERE id = ?1")
        insertRow = connection.prepare(
            """
            INSERT INTO record
            (id, zone, name, type, sequence, revision, creator, created, modifier, modified, layout, fields)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """)
        insertListed = connection.prepare(
            """
            INSERT INTO record
            (id, zone, name, type, sequence, revision, creator, created, modifier, modified, layout, fields, acl)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            """)
        setAccess = connection.prepare("UPDATE record SET acl = ?2, former = ?3 WHERE id = ?1")
        updateRow = connection.prepare(
            """
            UPDATE record SET sequence = ?2, revision = ?3, modifier = ?4, modified = ?5, layout = ?6, fields = ?7
            WHERE id = ?1
            """)
        updateFields = connection.prepare("UPDATE record SET layout = ?2, fields = ?3 WHERE id = ?1")
        takeRow = connection.prepare("DELETE FROM record WHERE id = ?1 RETURNING zone, name, acl, former, received")
        insertTombstone = connection.prepare(
            """
            INSERT INTO record
            (id, zone, name, type, sequence, revision, creator, created, modifier, modified, deleted, acl, former, received)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 1, ?11, ?12, ?13)
            """)
        removeTombstone = connection.prepare(
            """
            DELETE FROM record INDEXED BY record_by_buried_name
            WHERE zone = ?1 AND name = ?2 AND deleted = 1 AND type = ?3 AND creator = ?4
            AND acl IS NULL AND former IS NULL AND sequence < (
                SELECT max(sequence) FROM record INDEXED BY record_by_buried_name
                WHERE zone = ?1 AND name = ?2 AND deleted = 1 AND type = ?3 AND creator = ?4
                AND acl IS NULL AND former IS NULL)
            """)
        putLarge = connection.prepare(
            """
            INSERT INTO large_value (record, field, value) VALUES (?1, ?2, ?3)
            ON CONFLICT (record, field) DO UPDATE SET value = excluded.value
            """)
        findLarge = connection.prepare("SELECT value FROM large_value WHERE record = ?1 AND field = ?2")
        removeLarge = connection.prepare("DELETE FROM large_value WHERE record = ?1 AND field = ?2")
        removeAllLarge = connection.prepare("DELETE FROM large_value WHERE record = ?1")
        addEdge = connection.prepare(
            "INSERT OR REPLACE INTO edge (zone, target, source, field, action) VALUES (?1, ?2, ?3, ?4, ?5)")
        removeEdge = connection.prepare(
            "DELETE FROM edge WHERE zone = ?1 AND target = ?2 AND source = ?3 AND field = ?4")
        findEdge = connection.prepare(
            "SELECT source, field FROM edge WHERE zone = ?1 AND target = ?2 AND action = ?3 LIMIT 1")
        findSources = connection.prepare(
            "SELECT DISTINCT source FROM edge WHERE zone = ?1 AND target = ?2 AND action = ?3 LIMIT ?4")
        countOfType = connection.prepare("SELECT EXISTS (SELECT 1 FROM record WHERE type = ?1 AND deleted = 0)")
    }

    /// Returns the live record with a name; `nil` if there is none.
    package func find(zone: ZoneID, name: String) throws(RecordError) -> StoredRecord? {
        findByName.with(zone, name)
        return try read(findByName)
    }

    /// Returns the record or tombstone with a number; `nil` if there is none.
    package func find(id: RecordNumber) throws(RecordError) -> StoredRecord? {
        try read(findByID.with(id))
    }

    /// Returns the row of the live record with a name, without layout and fields, which can be large.
    package func row(zone: ZoneID, name: String) throws(RecordError) -> RecordRow? {
        try rowAlone(rowByName.with(zone, name))
    }

    /// Returns the row of the record or tombstone with a number, without layout and fields.
    package func row(id: RecordNumber) throws(RecordError) -> RecordRow? {
        try rowAlone(rowByID.with(id))
    }

    private func rowAlone(_ statement: Statement) throws(RecordError) -> RecordRow? {
        defer { statement.reset() }
        return try statement.step() ? RecordRowCursor(statement: statement).row : nil
    }

    private func read(_ statement: Statement) throws(RecordError) -> StoredRecord? {
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let cursor = RecordRowCursor(statement: statement)
        return StoredRecord(
            row: cursor.row, name: [UInt8](cursor.name), layout: [UInt8](cursor.layout),
            fields: [UInt8](cursor.fields))
    }

    /// Adds a record.
    ///
    /// - Throws: INTERNAL_ERROR if the name is taken.
    package func insert(
        _ row: RecordRow, zone: ZoneID, name: String, layout: [UInt8], fields: [UInt8]
    ) throws(RecordError) {
        let statement = row.access == nil ? insertRow : insertListed
        statement
            .with(row.id, zone, name, row.type, row.sequence, row.revision, row.creator)
            .with(from: 8, row.created, row.modifier, row.modified, layout, TextBytes(fields))
        if let access = row.access { statement.bind(13, blob: access) }
        try statement.run()
    }

    /// Replaces the stored access list and former readers of a record.
    package func setAccess(_ row: RecordRow) throws(RecordError) {
        try setAccess.with(row.id, row.access, row.formerReaders).run()
    }

    /// Replaces the stored sequence number, revision, modifier, modification time, layout and fields of a record.
    package func update(_ row: RecordRow, layout: [UInt8], fields: [UInt8]) throws(RecordError) {
        updateRow.with(row.id, row.sequence, row.revision, row.modifier, row.modified, layout, TextBytes(fields))
        try updateRow.run()
    }

    /// Replaces the stored form of a record's fields, and nothing else.
    package func setFields(layout: [UInt8], fields: [UInt8], record: RecordNumber) throws(RecordError) {
        try updateFields.with(record, layout, TextBytes(fields)).run()
    }

    /// Stores the creation time of an imported record by the server's clock, in milliseconds since 1970. The row's own
    /// creation time comes from the import.
    package func setReceived(_ time: Int64, record: RecordNumber) throws(RecordError) {
        try connection.prepare("UPDATE record SET received = ?2 WHERE id = ?1").with(record, time).run()
    }

    /// Replaces a record's row by a tombstone, in two statements. The stored access list and former readers stay.
    ///
    /// SQLite merges a page with its neighbors when a row is deleted from it, but not when a row becomes smaller. With an
    /// UPDATE, each page of deleted records would stay as it is, with a few tombstones in it.
    package func writeTombstone(_ row: RecordRow) throws(RecordError) {
        defer { takeRow.reset() }
        guard try takeRow.with(row.id).step() else { return }
        let statement = insertTombstone
        statement.bind(1, row.id.rawValue)
        statement.bind(2, takeRow.integer(0))
        statement.bind(3, text: takeRow.bytes(1))
        statement.with(
            from: 4, row.type, row.sequence, row.revision, row.creator, row.created, row.modifier, row.modified)
        for (index, column) in [(11, 2), (12, 3)] as [(Int32, Int32)] {
            if takeRow.isNull(column) {
                statement.bindNull(index)
            } else {
                statement.bind(index, blob: takeRow.bytes(column))
            }
        }
        statement.bind(13, takeRow.isNull(4) ? nil : takeRow.integer(4))
        try statement.run()
    }

    /// Deletes the older tombstones of the name of a new record, with the same type and creator.
    ///
    /// The newest one of them stays: a feed with a condition that the new record does not match must still report the
    /// deletion. A tombstone of another type or creator, or with an access list, stays too: callers that could
    /// read the old record, but not the new one, need to see the deletion.
    package func removeTombstone(zone: ZoneID, name: String, type: TypeID, creator: UserID) throws(RecordError) {
        try removeTombstone.with(zone, name, type, creator).run()
    }

    /// Returns whether a type has a live record in any zone. The query scans the table, so use it for schema changes
    /// only.
    package func hasRecords(type: TypeID) throws(RecordError) -> Bool {
        try countOfType.with(type).row { $0.next() } ?? false
    }

    /// Returns the number of a type's live records in all zones, at most `limit`. The query scans the table, so use it for
    /// schema changes only.
    package func count(type: TypeID, limit: Int) throws(RecordError) -> Int {
        try connection.prepare(
            "SELECT count(*) FROM (SELECT 1 FROM record WHERE type = ?1 AND deleted = 0 LIMIT ?2)"
        ).with(type, limit).row { $0.next() } ?? 0
    }

    /// Returns live records of a type in any zones, at most `limit`. The query scans the table, so use it for schema
    /// changes only.
    package func records(type: TypeID, limit: Int) throws(RecordError) -> [(record: RecordNumber, zone: ZoneID)] {
        try connection.prepare("SELECT id, zone FROM record WHERE type = ?1 AND deleted = 0 LIMIT ?2")
            .with(type, limit).rows { (record: $0.next(), zone: $0.next()) }
    }

    // MARK: Large values

    /// Stores the JSON text of a value that is too large for the record's row.
    package func putLargeValue(record: RecordNumber, field: Int, json: [UInt8]) throws(RecordError) {
        try putLarge.with(record, field, TextBytes(json)).run()
        // The statement keeps its parameters; release the copy of the value.
        putLarge.bindNull(3)
    }

    /// Returns the JSON text of a large value; empty if the large value is missing. The doctor reports missing values.
    package func largeValue(record: RecordNumber, field: Int) throws(RecordError) -> [UInt8] {
        try findLarge.with(record, field).row { $0.next() } ?? []
    }

    /// Deletes a large value.
    package func removeLargeValue(record: RecordNumber, field: Int) throws(RecordError) {
        try removeLarge.with(record, field).run()
    }

    /// Deletes all large values of a record.
    package func removeLargeValues(record: RecordNumber) throws(RecordError) {
        try removeAllLarge.with(record).run()
    }

    // MARK: Edges

    /// Adds or replaces a reference edge.
    package func addEdge(
        zone: ZoneID, target: String, source: RecordNumber, field: Int, action: UInt8
    ) throws(RecordError) {
        try addEdge.with(zone, target, source, field, action).run()
    }

    /// Deletes a reference edge.
    package func removeEdge(zone: ZoneID, target: String, source: RecordNumber, field: Int) throws(RecordError) {
        try removeEdge.with(zone, target, source, field).run()
    }

    /// Returns the numbers of the records that refer to a target with an action, at most `limit`. Each number occurs
    /// once.
    package func sources(zone: ZoneID, target: String, action: UInt8, limit: Int) throws(RecordError) -> [RecordNumber]
    {
        try findSources.with(zone, target, action, limit).rows { $0.next() }
    }

    /// Returns a record and the field that refers to a target with an action; `nil` if there is none.
    package func firstEdge(
        zone: ZoneID, target: String, action: UInt8
    ) throws(RecordError) -> (source: RecordNumber, field: Int)? {
        try findEdge.with(zone, target, action).row { ($0.next(), $0.next()) }
    }
}
