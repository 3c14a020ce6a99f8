package import RecordModel

/// Statistics about the distribution of index entries. Statistics can be outdated, but the results of
/// queries do not depend on statistics.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class IndexStatisticTable {
    private let connection: Connection

    /// Uses `connection` for all reads and writes.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// The statistics of one index.
    package struct Row: Sendable {
        /// The index's ID.
        package var index: IndexID
        /// The number of index entries when the statistics were collected.
        package var entries: Int64
        /// The number of entries between two samples.
        package var step: Int64
        /// The samples, in the engine's encoding.
        package var samples: [UInt8]

        /// Creates a row to store, or a row that was read.
        package init(index: IndexID, entries: Int64, step: Int64, samples: [UInt8]) {
            self.index = index
            self.entries = entries
            self.step = step
            self.samples = samples
        }
    }

    /// Returns all statistics.
    package func load() throws(RecordError) -> [Row] {
        try connection.prepare("SELECT index_id, entries, step, samples FROM index_statistic").rows { row in
            Row(index: row.next(), entries: row.next(), step: row.next(), samples: row.next())
        }
    }

    /// Stores the statistics of an index, and deletes the statistics of indexes that no longer exist.
    package func put(_ row: Row) throws(RecordError) {
        try connection.prepare(
            """
            INSERT INTO index_statistic (index_id, entries, step, samples) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (index_id) DO UPDATE
            SET entries = excluded.entries, step = excluded.step, samples = excluded.samples
            """
        ).with(row.index, row.entries, row.step, row.samples).run()
        try connection.execute("DELETE FROM index_statistic WHERE index_id NOT IN (SELECT id FROM index_definition)")
    }
}
