package import RecordModel

/// A zone as stored.
package struct ZoneRow: Hashable, Sendable {
    package var id: ZoneID
    package var generation: Int64
    /// Sync tokens below this sequence number have lost tombstones.
    package var purged: Int64
}

/// Zones by scope, owner and name.
package final class ZoneTable {
    /// The number of the public database's default zone, made with the file.
    package static let publicDefault = ZoneID(rawValue: 1)

    private let connection: Connection
    private let find: Statement

    package init(_ connection: Connection) {
        self.connection = connection
        find = connection.prepare(
            "SELECT id, generation, purged FROM zone WHERE scope = ?1 AND owner = ?2 AND name = ?3")
    }

    /// - Parameters:
    ///   - scope: 0 public, 1 private.
    ///   - owner: The account of a private database, else 0.
    package func find(scope: Int64, owner: UserID, name: String) throws(RecordError) -> ZoneRow? {
        try find.with(scope, owner, name).row { ZoneRow(id: $0.next(), generation: $0.next(), purged: $0.next()) }
    }

    /// Whether a zone is of the public database.
    package func isPublic(_ id: ZoneID) throws(RecordError) -> Bool {
        try connection.prepare("SELECT scope FROM zone WHERE id = ?1").with(id).number() == 0
    }

    /// Makes a zone. Its generation is the sequence number, so no two zones of a name ever share one; and its number is
    /// none that another one has had, since readers remember numbers.
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
