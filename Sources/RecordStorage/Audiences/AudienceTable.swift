package import RecordModel

/// Audiences: the records of a zone that one principal may read by their access lists.
///
/// A record with a list is in no table under its zone. Under an audience (`RowHome`) it is there once for each principal
/// that may read it, and once for `AudienceKey.everything`. So a page of what a caller may read is a walk through a few ranges, and
/// none of them holds a record that it may not read.
///
/// Confined to the thread of its connection.
package final class AudienceTable {
    private let connection: Connection
    private let find: Statement
    private let add: Statement
    private let addRecord: Statement
    private let removeRecord: Statement

    package init(_ connection: Connection) {
        self.connection = connection
        find = connection.prepare("SELECT id FROM audience WHERE zone = ?1 AND principal = ?2")
        add = connection.prepare("INSERT INTO audience (zone, principal) VALUES (?1, ?2) RETURNING id")
        addRecord = connection.prepare(
            "INSERT OR IGNORE INTO audience_record (audience, type, record, creator) VALUES (?1, ?2, ?3, ?4)")
        removeRecord = connection.prepare(
            "DELETE FROM audience_record WHERE audience = ?1 AND type = ?2 AND record = ?3")
    }

    /// `nil` if there is none yet.
    package func find(zone: ZoneID, _ key: AudienceKey) throws(RecordError) -> AudienceID? {
        try find.with(zone, key).id()
    }

    /// As `find`, made if there is none.
    package func ensure(zone: ZoneID, _ key: AudienceKey) throws(RecordError) -> AudienceID {
        if let known = try find(zone: zone, key) { return known }
        return try add.with(zone, key).returnedID()
    }

    package func add(_ row: RecordRow, to audience: AudienceID) throws(RecordError) {
        try addRecord.with(audience, row.type, row.id, row.creator).run()
    }

    package func remove(_ row: RecordRow, from audience: AudienceID) throws(RecordError) {
        try removeRecord.with(audience, row.type, row.id).run()
    }

    // MARK: Looking through

    /// A row of the table of members.
    package struct Member: Hashable, Sendable {
        package var audience: AudienceID
        package var type: TypeID
        package var record: RecordNumber
        package var creator: UserID
    }

    package func contains(_ row: RecordRow, in audience: AudienceID) throws(RecordError) -> Bool {
        try connection.prepare(
            """
            SELECT 1 FROM audience_record WHERE audience = ?1 AND type = ?2 AND record = ?3 AND creator = ?4
            """
        ).with(audience, row.type, row.id, row.creator).exists()
    }

    /// Members in the order of the table, after one of them.
    package func members(after last: Member?, limit: Int) throws(RecordError) -> [Member] {
        try connection.prepare(
            """
            SELECT audience, type, record, creator FROM audience_record WHERE (audience, type, record) > (?1, ?2, ?3)
            ORDER BY audience, type, record LIMIT ?4
            """
        )
        .with(last?.audience ?? .lowest, last?.type ?? .lowest, last?.record ?? .lowest, limit)
        .rows { Member(audience: $0.next(), type: $0.next(), record: $0.next(), creator: $0.next()) }
    }

    /// By what an audience is found; `nil` if there is none with this number.
    package func audience(_ audience: AudienceID) throws(RecordError) -> (zone: ZoneID, key: AudienceKey)? {
        let row = try connection.prepare("SELECT zone, principal FROM audience WHERE id = ?1").with(audience)
            .row { (zone: $0.next(ZoneID.self), column: $0.next(Int64.self)) }
        return row.flatMap { row in AudienceKey(column: row.column).map { (row.zone, $0) } }
    }
}
