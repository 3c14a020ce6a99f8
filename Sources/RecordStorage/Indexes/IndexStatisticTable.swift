package import RecordModel

/// What was last found out about how the entries of indexes are spread. Old by nature, and never needed for an answer to
/// be right.
package final class IndexStatisticTable {
    private let connection: Connection

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// What is kept of one index.
    package struct Row: Sendable {
        package var index: IndexID
        /// How many entries it had.
        package var entries: Int64
        /// How many entries lie between two samples.
        package var step: Int64
        /// As the engine writes them.
        package var samples: [UInt8]

        package init(index: IndexID, entries: Int64, step: Int64, samples: [UInt8]) {
            self.index = index
            self.entries = entries
            self.step = step
            self.samples = samples
        }
    }

    /// All that is kept.
    package func load() throws(RecordError) -> [Row] {
        try connection.prepare("SELECT index_id, entries, step, samples FROM index_statistic").rows { row in
            Row(index: row.next(), entries: row.next(), step: row.next(), samples: row.next())
        }
    }

    /// Stores what was found, and forgets what belongs to indexes that are gone.
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
