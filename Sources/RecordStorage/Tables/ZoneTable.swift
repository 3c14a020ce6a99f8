package import RecordModel

/// A stored zone.
package struct ZoneRow: Hashable, Sendable {
    /// The zone's ID.
    package var id: ZoneID
    /// A number that differs between zones of the same name. A sync token belongs to one generation.
    package var generation: Int64
    /// The sequence number up to which tombstones are deleted. The server rejects sync tokens that are older.
    package var purged: Int64
}

/// Zones by scope, owner and name.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class ZoneTable {
    /// The ID of the public database's default zone, which is created with the file.
    package static let publicDefault = ZoneID(rawValue: 1)

    private let connection: Connection
    private let find: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        find = connection.prepare(
            "SELECT id, generation, purged FROM zone WHERE scope = ?1 AND owner = ?2 AND name = ?3")
    }

    /// Returns a zone; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - scope: 0 public, 1 private.
    ///   - owner: The account of a private database, else 0.
    package func find(scope: Int64, owner: UserID, name: String) throws(RecordError) -> ZoneRow? {
        try find.with(scope, owner, name).row { ZoneRow(id: $0.next(), generation: $0.next(), purged: $0.next()) }
    }

    /// Returns whether a zone belongs to the public database.
    package func isPublic(_ id: ZoneID) throws(RecordError) -> Bool {
        try connection.prepare("SELECT scope FROM zone WHERE id = ?1").with(id).number() == 0
    }

    /// Returns the scope, owner and name of a zone; `nil` if there is none. The scope is 2 for a zone of a deleted account.
    package func address(of id: ZoneID) throws(RecordError) -> (scope: Int64, owner: UserID, name: String)? {
        try connection.prepare("SELECT scope, owner, name FROM zone WHERE id = ?1").with(id)
            .row { (scope: $0.next(), owner: $0.next(), name: $0.next()) }
    }

    /// Adds a zone. The generation is the sequence number, so two zones of the same name have different generations.
    /// The new ID was never used before, because readers cache IDs.
    package func add(scope: Int64, owner: UserID, name: String, generation: Int64) throws(RecordError) -> ZoneRow {
        let insert = connection.prepare(
            """
            INSERT INTO zone (id, scope, owner, name, generation)
            SELECT max(max(id), coalesce((SELECT value FROM setting WHERE name = '\(SettingTable.lastZone)'), 0)) + 1,
                ?1, ?2, ?3, ?4
            FROM zone
            RETURNING id
            """)
        insert.with(scope, owner, name, generation)
        return ZoneRow(id: try insert.returnedID(), generation: generation, purged: 0)
    }
}
