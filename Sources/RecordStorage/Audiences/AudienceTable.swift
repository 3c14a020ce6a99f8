package import RecordModel

/// Audiences: ACL posting lists. An audience lists the records of a zone that one principal can read by their access
/// lists.
///
/// A record with an access list has no index entries under its zone. It has entries under each audience (`RowHome`) of
/// a principal that can read it, and under `AudienceKey.everything`. So a page for a caller is a merge of a few
/// key ranges, and none of these ranges contains a record that the caller cannot read.
///
/// Confined to the thread of its connection. Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AudienceTable {
    private let connection: Connection
    private let find: Statement
    private let add: Statement
    private let addRecord: Statement
    private let removeRecord: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        find = connection.prepare("SELECT id FROM audience WHERE zone = ?1 AND principal = ?2")
        add = connection.prepare("INSERT INTO audience (zone, principal) VALUES (?1, ?2) RETURNING id")
        addRecord = connection.prepare(
            "INSERT OR IGNORE INTO audience_record (audience, type, record, creator) VALUES (?1, ?2, ?3, ?4)")
        removeRecord = connection.prepare(
            "DELETE FROM audience_record WHERE audience = ?1 AND type = ?2 AND record = ?3")
    }

    /// Returns the ID of the audience of a key; `nil` if no such audience was added yet.
    package func find(zone: ZoneID, _ key: AudienceKey) throws(RecordError) -> AudienceID? {
        try find.with(zone, key).id()
    }

    /// Returns the ID of the audience of a key. Adds the audience if it does not exist.
    package func ensure(zone: ZoneID, _ key: AudienceKey) throws(RecordError) -> AudienceID {
        if let known = try find(zone: zone, key) { return known }
        return try add.with(zone, key).returnedID()
    }

    /// Adds a record to an audience.
    package func add(_ row: RecordRow, to audience: AudienceID) throws(RecordError) {
        try addRecord.with(audience, row.type, row.id, row.creator).run()
    }

    /// Removes a record from an audience.
    package func remove(_ row: RecordRow, from audience: AudienceID) throws(RecordError) {
        try removeRecord.with(audience, row.type, row.id).run()
    }

    // MARK: Scanning

    /// A record in an audience.
    package struct Member: Hashable, Sendable {
        /// The audience's ID.
        package var audience: AudienceID
        /// The record's type.
        package var type: TypeID
        /// The record's number.
        package var record: RecordNumber
        /// The user that created the record.
        package var creator: UserID
    }

    /// Returns whether an audience contains a record.
    package func contains(_ row: RecordRow, in audience: AudienceID) throws(RecordError) -> Bool {
        try connection.prepare(
            """
            SELECT 1 FROM audience_record WHERE audience = ?1 AND type = ?2 AND record = ?3 AND creator = ?4
            """
        ).with(audience, row.type, row.id, row.creator).exists()
    }

    /// Returns at most `limit` members after `last`, in table order.
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

    /// Returns the zone and key of an audience; `nil` if there is no such audience.
    package func audience(_ audience: AudienceID) throws(RecordError) -> (zone: ZoneID, key: AudienceKey)? {
        let row = try connection.prepare("SELECT zone, principal FROM audience WHERE id = ?1").with(audience)
            .row { (zone: $0.next(ZoneID.self), column: $0.next(Int64.self)) }
        return row.flatMap { row in AudienceKey(column: row.column).map { (row.zone, $0) } }
    }
}
