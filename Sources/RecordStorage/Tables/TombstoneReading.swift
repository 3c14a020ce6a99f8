package import RecordModel

/// Counts tombstones, on any connection.
package final class TombstoneReading {
    private let find: Statement

    package init(_ connection: Connection) {
        // Walks the index only: a tenth of a second for a million.
        find = connection.prepare(
            """
            SELECT modified FROM record INDEXED BY record_by_deletion WHERE deleted = 1
            ORDER BY modified DESC LIMIT 1 OFFSET ?1
            """)
    }

    /// When the newest of those was deleted that are too many; `nil` if none is.
    package func newest(beyond count: Int) throws(RecordError) -> Int64? {
        try find.with(count).number()
    }
}
