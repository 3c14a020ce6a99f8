package import RecordModel

/// The writer's side of records: rows, large values and reference edges. No rules, only storage.
package final class RecordTable {
    private let connection: Connection
    private let findByName: Statement
    private let insertRow: Statement
    private let insertListed: Statement
    private let setAccess: Statement
    private let updateRow: Statement
    private let buryRow: Statement
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
        buryRow = connection.prepare(
            """
            UPDATE record SET sequence = ?2, revision = ?3, modifier = ?4, modified = ?5, deleted = 1,
            layout = NULL, fields = NULL WHERE id = ?1
            """)
        removeTombstone = connection.prepare(
            """
            DELETE FROM record INDEXED BY record_by_buried_name
            WHERE zone = ?1 AND name = ?2 AND deleted = 1 AND type = ?3 AND creator = ?4
            AND acl IS NULL AND former IS NULL
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

    /// The live record with a name.
    package func find(zone: ZoneID, name: String) throws(RecordError) -> StoredRecord? {
        findByName.with(zone, name)
        return try read(findByName)
    }

    package func find(id: RecordNumber) throws(RecordError) -> StoredRecord? {
        try read(findByID.with(id))
    }

    /// As `find`, without the record's bytes, which may be many.
    package func row(zone: ZoneID, name: String) throws(RecordError) -> RecordRow? {
        try rowAlone(rowByName.with(zone, name))
    }

    /// As `find`, without the record's bytes.
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

    /// Adds a record. Throws a unique violation if the name is taken.
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

    /// Stores who may read and write a record, and who could read it before.
    package func setAccess(_ row: RecordRow) throws(RecordError) {
        try setAccess.with(row.id, row.access, row.formerReaders).run()
    }

    /// Stores a record's new state: its sequence, revision, modifier, time and fields.
    package func update(_ row: RecordRow, layout: [UInt8], fields: [UInt8]) throws(RecordError) {
        updateRow.with(row.id, row.sequence, row.revision, row.modifier, row.modified, layout, TextBytes(fields))
        try updateRow.run()
    }

    /// Stores when a record was made by the server's clock, where its row says another time.
    package func setReceived(_ time: Int64, record: RecordNumber) throws(RecordError) {
        try connection.prepare("UPDATE record SET received = ?2 WHERE id = ?1").with(record, time).run()
    }

    /// Turns a record into its tombstone.
    package func bury(_ row: RecordRow) throws(RecordError) {
        try buryRow.with(row.id, row.sequence, row.revision, row.modifier, row.modified).run()
    }

    /// Takes away the tombstone that a record with the same name, type and creator replaces in the feed. One of another
    /// type or creator, or with an access list, stays: those who could read that record, and cannot read this one, still
    /// learn that it is gone.
    package func removeTombstone(zone: ZoneID, name: String, type: TypeID, creator: UserID) throws(RecordError) {
        try removeTombstone.with(zone, name, type, creator).run()
    }

    /// Whether a type has a live record in any zone. Walks the table: for schema changes only.
    package func hasRecords(type: TypeID) throws(RecordError) -> Bool {
        try countOfType.with(type).row { $0.next() } ?? false
    }

    // MARK: Large values

    /// Stores the JSON text of a value that the record's own row leaves out.
    package func putLargeValue(record: RecordNumber, field: Int, json: [UInt8]) throws(RecordError) {
        try putLarge.with(record, field, TextBytes(json)).run()
        // The statement keeps its parameters; a megabyte is not worth keeping.
        putLarge.bindNull(3)
    }

    /// The JSON text of a large value; empty if it is missing, which the doctor reports.
    package func largeValue(record: RecordNumber, field: Int) throws(RecordError) -> [UInt8] {
        try findLarge.with(record, field).row { $0.next() } ?? []
    }

    package func removeLargeValue(record: RecordNumber, field: Int) throws(RecordError) {
        try removeLarge.with(record, field).run()
    }

    package func removeLargeValues(record: RecordNumber) throws(RecordError) {
        try removeAllLarge.with(record).run()
    }

    // MARK: Edges

    package func addEdge(
        zone: ZoneID, target: String, source: RecordNumber, field: Int, action: UInt8
    ) throws(RecordError) {
        try addEdge.with(zone, target, source, field, action).run()
    }

    package func removeEdge(zone: ZoneID, target: String, source: RecordNumber, field: Int) throws(RecordError) {
        try removeEdge.with(zone, target, source, field).run()
    }

    /// The internal ids of the records that refer to a target with an action: each once, at most `limit`.
    package func sources(zone: ZoneID, target: String, action: UInt8, limit: Int) throws(RecordError) -> [RecordNumber]
    {
        try findSources.with(zone, target, action, limit).rows { $0.next() }
    }

    /// Some record and field that refer to a target with an action.
    package func firstEdge(
        zone: ZoneID, target: String, action: UInt8
    ) throws(RecordError) -> (source: RecordNumber, field: Int)? {
        try findEdge.with(zone, target, action).row { ($0.next(), $0.next()) }
    }
}
