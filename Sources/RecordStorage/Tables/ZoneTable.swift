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

/// A zone in a list of zones.
package struct ZoneEntry: Hashable, Sendable {
    /// The zone's ID.
    package var id: ZoneID
    /// The account that owns the zone.
    package var owner: UserID
    /// The zone's name.
    package var name: String
    /// When the zone was created, in milliseconds since 1970; `nil` for a default zone.
    package var created: Int64?
    /// The sequence number of the newest change in the zone or of the zone itself.
    package var changed: Int64

    /// Creates an entry.
    package init(id: ZoneID, owner: UserID, name: String, created: Int64?, changed: Int64) {
        self.id = id
        self.owner = owner
        self.name = name
        self.created = created
        self.changed = changed
    }
}

/// Zones by scope, owner and name.
///
/// A zone of a private database is created by its owner, except the default zone, which the first write creates. A
/// deleted zone is detached: its row has the scope `detached` and its ID as its name until sliced work has deleted the
/// zone's records.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class ZoneTable {
    /// The ID of the public database's default zone, which is created with the file.
    package static let publicDefault = ZoneID(rawValue: 1)

    /// The scope of zones that no request finds any more.
    static let detached = 2

    private let connection: Connection
    private let find: Statement
    private let touch: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        find = connection.prepare(
            "SELECT id, generation, purged FROM zone WHERE scope = ?1 AND owner = ?2 AND name = ?3")
        touch = connection.prepare(
            """
            UPDATE zone SET changed = max(changed, coalesce(
                (SELECT max(sequence) FROM record INDEXED BY record_by_sequence WHERE record.zone = zone.id), 0))
            WHERE id = ?1
            """)
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

    /// Returns a page of the custom zones of all accounts, in the order of their numbers.
    package func customOfAll(after id: ZoneID, limit: Int) throws(RecordError) -> [ZoneEntry] {
        try connection.prepare(
            """
            SELECT id, owner, name, created, changed FROM zone
            WHERE id > ?1 AND scope = 1 AND created IS NOT NULL ORDER BY id LIMIT ?2
            """
        ).with(id, limit).rows {
            ZoneEntry(id: $0.next(), owner: $0.next(), name: $0.next(), created: $0.next(), changed: $0.next())
        }
    }

    /// Adds a zone. The generation is the sequence number, so two zones of the same name have different generations.
    /// The new ID was never used before, because readers cache IDs.
    ///
    /// - Parameter created: When a custom zone is created, in milliseconds since 1970; `nil` for a default zone.
    package func add(
        scope: Int64, owner: UserID, name: String, generation: Int64, created: Int64? = nil
    ) throws(RecordError) -> ZoneRow {
        let insert = connection.prepare(
            """
            INSERT INTO zone (id, scope, owner, name, generation, changed, created)
            SELECT max(max(id), coalesce((SELECT value FROM setting WHERE name = '\(SettingTable.lastZone)'), 0)) + 1,
                ?1, ?2, ?3, ?4, ?5, ?6
            FROM zone
            RETURNING id
            """)
        insert.with(scope, owner, name, generation, created == nil ? 0 : generation, created)
        return ZoneRow(id: try insert.returnedID(), generation: generation, purged: 0)
    }

    // MARK: Custom zones

    /// Returns the custom zones of an account in the order of their names.
    ///
    /// - Parameter name: The name after which the list starts; `nil` for the first zone.
    package func custom(of owner: UserID, after name: String?, limit: Int) throws(RecordError) -> [ZoneEntry] {
        let list = connection.prepare(
            """
            SELECT id, owner, name, created, changed FROM zone
            WHERE scope = 1 AND owner = ?1 AND name > ?2 AND created IS NOT NULL ORDER BY name LIMIT ?3
            """)
        return try list.with(owner, name ?? "", limit).rows { Self.entry(&$0) }
    }

    /// Returns the zone of a record; `nil` for a record that does not exist.
    package func zone(of record: RecordNumber) throws(RecordError) -> ZoneID? {
        try connection.prepare("SELECT zone FROM record WHERE id = ?1").with(record).row { $0.next() }
    }

    /// Returns the custom zone with an ID; `nil` if there is none.
    package func custom(_ id: ZoneID) throws(RecordError) -> ZoneEntry? {
        try connection.prepare(
            "SELECT id, owner, name, created, changed FROM zone WHERE id = ?1 AND scope = 1 AND created IS NOT NULL"
        ).with(id).row { Self.entry(&$0) }
    }

    /// Returns the number of custom zones of an account, at most `limit`.
    package func countCustom(of owner: UserID, limit: Int) throws(RecordError) -> Int {
        let count = connection.prepare(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM zone WHERE scope = 1 AND owner = ?1 AND created IS NOT NULL LIMIT ?2)
            """)
        return Int(try count.with(owner, limit).number() ?? 0)
    }

    /// Returns the custom zones of an account that changed after a sequence number, oldest change first.
    package func changed(
        of owner: UserID, after sequence: Int64, through last: Int64, limit: Int
    ) throws(RecordError) -> [ZoneEntry] {
        let list = connection.prepare(
            """
            SELECT id, owner, name, created, changed FROM zone INDEXED BY zone_by_change
            WHERE scope = 1 AND owner = ?1 AND changed > ?2 AND changed <= ?3 ORDER BY changed LIMIT ?4
            """)
        return try list.with(owner, sequence, last, limit).rows { Self.entry(&$0) }
    }

    /// Stores that a custom zone has the changes of its newest record. Called once per commit, because followers of the
    /// database see commits and not single writes.
    package func noteChange(in id: ZoneID) throws(RecordError) {
        try touch.with(id).run()
    }

    /// Detaches a zone, so that no request finds it. Its name is free again at once.
    package func detach(_ id: ZoneID) throws(RecordError) {
        try connection.prepare(
            "UPDATE zone SET scope = \(Self.detached), name = CAST(id AS TEXT) WHERE id = ?1"
        ).with(id).run()
    }

    /// Returns a detached zone whose owner still has its account, with its owner; `nil` if there is none. The other
    /// detached zones are deleted with their owners' data.
    package func firstDetached() throws(RecordError) -> (id: ZoneID, owner: UserID)? {
        try connection.prepare(
            """
            SELECT id, owner FROM zone
            WHERE scope = \(Self.detached) AND owner NOT IN (SELECT account FROM account_removal)
            ORDER BY owner, name LIMIT 1
            """
        ).row { ($0.next(), $0.next()) }
    }

    private static func entry(_ columns: inout Columns) -> ZoneEntry {
        ZoneEntry(
            id: columns.next(), owner: columns.next(), name: columns.next(), created: columns.next(),
            changed: columns.next())
    }
}
