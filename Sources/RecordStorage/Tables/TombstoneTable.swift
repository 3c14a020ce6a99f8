package import RecordModel

/// Old tombstones, taken away in slices.
package final class TombstoneTable {
    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Takes away tombstones of deletions before a time, and moves each zone's mark: sync tokens below it are refused.
    ///
    /// - Returns: How many went; fewer than `limit` means that none are left.
    package func purge(before oldest: Int64, limit: Int) throws(RecordError) -> Int {
        try connection.prepare(
            """
            WITH old (zone, sequence) AS (
                SELECT zone, sequence FROM record INDEXED BY record_by_deletion
                WHERE deleted = 1 AND modified < ?1 ORDER BY modified, id LIMIT ?2)
            UPDATE zone SET purged = max(purged, (SELECT max(sequence) FROM old WHERE old.zone = zone.id))
            WHERE id IN (SELECT zone FROM old)
            """
        ).with(oldest, limit).run()
        return try connection.prepare(
            """
            DELETE FROM record WHERE id IN (
                SELECT id FROM record INDEXED BY record_by_deletion
                WHERE deleted = 1 AND modified < ?1 ORDER BY modified, id LIMIT ?2)
            """
        ).with(oldest, limit).changedRows()
    }
}
