package import RecordModel

/// Finds the oldest tombstones to keep when their number is limited. Works on any connection.
package final class TombstoneCounter {
    private let find: Statement

    /// Prepares the SQL statement on `connection`.
    package init(_ connection: Connection) {
        // The statement scans only the index: about 0.1 s for a million tombstones.
        find = connection.prepare(
            """
            SELECT modified FROM record INDEXED BY record_by_deletion WHERE deleted = 1
            ORDER BY modified DESC LIMIT 1 OFFSET ?1
            """)
    }

    /// Skips the newest `count` tombstones and returns the deletion time of the next one, in milliseconds since 1970;
    /// `nil` if there are at most `count` tombstones.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func newest(beyond count: Int) throws(RecordError) -> Int64? {
        try find.with(count).number()
    }
}
