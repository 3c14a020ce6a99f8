package import RecordModel

/// A zone that a database no longer has, for clients that follow all its zones.
package struct LostZone: Hashable, Sendable {
    /// The sequence number of the loss.
    package var sequence: Int64
    /// The account that owns or owned the zone.
    package var owner: UserID
    /// The zone's name.
    package var name: String
    /// The owner's record name, for a shared database: the account may be deleted.
    package var ownerName: String?

    /// Creates a loss.
    package init(sequence: Int64, owner: UserID, name: String, ownerName: String? = nil) {
        self.sequence = sequence
        self.owner = owner
        self.name = name
        self.ownerName = ownerName
    }
}

/// The zones that private and shared databases have lost.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class LostZoneTable {
    private let connection: Connection

    /// The setting with the greatest sequence number of a purged loss.
    private static let purged = "lostZonesPurged"

    /// Uses `connection` for all statements.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Adds a loss.
    ///
    /// - Parameters:
    ///   - account: The account whose database has lost the zone.
    ///   - isShared: Whether the database is the account's shared database.
    ///   - now: The time in milliseconds since 1970.
    package func add(_ zone: LostZone, of account: UserID, isShared: Bool, now: Int64) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO lost_zone (account, is_shared, sequence, owner, name, lost, owner_name)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        ).with(account, isShared, zone.sequence, zone.owner, zone.name, now, zone.ownerName).run()
    }

    /// Returns losses of a database, oldest first.
    package func list(
        of account: UserID, isShared: Bool, after sequence: Int64, through last: Int64, limit: Int
    ) throws(RecordError) -> [LostZone] {
        let list = connection.prepare(
            """
            SELECT sequence, owner, name, owner_name FROM lost_zone
            WHERE account = ?1 AND is_shared = ?2 AND sequence > ?3 AND sequence <= ?4 ORDER BY sequence LIMIT ?5
            """)
        return try list.with(account, isShared, sequence, last, limit).rows {
            LostZone(sequence: $0.next(), owner: $0.next(), name: $0.next(), ownerName: $0.next())
        }
    }

    /// Deletes the losses of a deleted account.
    package func remove(account: UserID) throws(RecordError) {
        try connection.prepare("DELETE FROM lost_zone WHERE account = ?1").with(account).run()
    }

    /// Returns the sequence number up to which losses are deleted. Older positions may have missed a loss.
    package func purgedSequence() throws(RecordError) -> Int64 {
        try connection.prepare("SELECT value FROM setting WHERE name = '\(Self.purged)'").number() ?? 0
    }

    /// Deletes losses from before `oldest` (milliseconds since 1970).
    ///
    /// - Returns: The number of deleted losses. If it is less than `limit`, no old losses are left.
    package func purge(before oldest: Int64, limit: Int) throws(RecordError) -> Int {
        try connection.prepare(
            """
            INSERT INTO setting (name, value)
            SELECT '\(Self.purged)', sequence FROM (
                SELECT max(sequence) AS sequence FROM (
                    SELECT sequence FROM lost_zone WHERE lost < ?1 ORDER BY lost LIMIT ?2))
            WHERE sequence IS NOT NULL
            ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
            """
        ).with(oldest, limit).run()
        return try connection.prepare(
            """
            DELETE FROM lost_zone WHERE (account, is_shared, sequence) IN (
                SELECT account, is_shared, sequence FROM lost_zone WHERE lost < ?1 ORDER BY lost LIMIT ?2)
            """
        ).with(oldest, limit).changedRows()
    }
}
