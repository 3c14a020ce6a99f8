package import RecordModel

/// Reads runs of the record table in the order of record numbers, to estimate the sizes of types.
///
/// Confined to the thread of its connection. Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class RecordSampler {
    private let run: Statement
    private let ends: Statement

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        run = connection.prepare(
            """
            SELECT id, type, deleted,
                length(name) + coalesce(length(layout), 0) + coalesce(length(CAST(fields AS BLOB)), 0)
                    + coalesce(length(acl), 0)
            FROM record WHERE id >= ?1 ORDER BY id LIMIT ?2
            """)
        ends = connection.prepare("SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM record")
    }

    /// A row of the record table, which may be a tombstone.
    package struct Row: Sendable {
        package let id: Int64
        package let type: TypeID
        package let isDeleted: Bool
        /// The bytes of the name, the fields and the access list.
        package let bytes: Int
    }

    /// The smallest and the largest record number; an empty range if there are no records.
    package func numbers() throws(RecordError) -> ClosedRange<Int64>? {
        let found: (Int64, Int64)? = try ends.row { row in (row.next(), row.next()) }
        guard let (first, last) = found, first <= last else { return nil }
        return first...last
    }

    /// Returns up to `limit` rows from a number on.
    package func rows(from first: Int64, limit: Int) throws(RecordError) -> [Row] {
        try run.with(first, limit).rows { row in
            Row(id: row.next(), type: row.next(), isDeleted: row.next() != (0 as Int64), bytes: row.next())
        }
    }
}
