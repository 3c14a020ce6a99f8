package import RecordModel

/// Deletes old tombstones in slices.
package final class TombstoneTable {
    private let connection: Connection

    /// Uses `connection` for all deletions.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Deletes tombstones from before `oldest` (milliseconds since 1970). The server then rejects sync tokens that are
    /// older than a deleted tombstone (`purged`).
    ///
    /// - Returns: The number of deleted tombstones. If it is less than `limit`, no old tombstones are left.
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
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
