package import RecordModel

/// A stored backup, and the result of its last test.
package struct BackupRow: Hashable, Sendable {
    /// When the backup began, in milliseconds since 1970. The manifest has the same time, so it identifies the backup.
    package var created: Int64
    /// The name of the backup's kind.
    package var kind: String
    /// The name of the directory or file.
    package var name: String
    /// The size of all files in bytes.
    package var bytes: Int64
    /// When the backup was last tested, in milliseconds since 1970; `nil` if it was not tested.
    package var tested: Int64?
    /// The number of problems that the last test found.
    package var problems: Int64
    /// The first problem as a sentence; `nil` if there is none.
    package var problem: String?

    /// Creates a row to store, or a row that was read.
    package init(
        created: Int64, kind: String, name: String, bytes: Int64, tested: Int64? = nil, problems: Int64 = 0,
        problem: String? = nil
    ) {
        self.created = created
        self.kind = kind
        self.name = name
        self.bytes = bytes
        self.tested = tested
        self.problems = problems
        self.problem = problem
    }
}

/// The last backups of the server. A running server keeps all of them in memory.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class BackupTable {
    private let connection: Connection

    /// Uses `connection` for all reads and writes.
    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns all backups, newest first.
    package func all() throws(RecordError) -> [BackupRow] {
        let statement = connection.prepare(
            "SELECT created, kind, name, bytes, tested, problems, problem FROM backup ORDER BY created DESC")
        return try statement.rows { row in
            BackupRow(
                created: row.next(), kind: row.next(), name: row.next(), bytes: row.next(), tested: row.next(),
                problems: row.next(), problem: row.next())
        }
    }

    /// Adds a backup, or replaces one with the same time.
    package func put(_ row: BackupRow) throws(RecordError) {
        try connection.prepare(
            """
            INSERT OR REPLACE INTO backup (created, kind, name, bytes, tested, problems, problem)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """
        ).with(row.created, row.kind, row.name, row.bytes, row.tested, row.problems, row.problem).run()
    }

    /// Deletes all backups but the newest.
    package func keep(_ count: Int) throws(RecordError) {
        try connection.prepare(
            "DELETE FROM backup WHERE created NOT IN (SELECT created FROM backup ORDER BY created DESC LIMIT ?1)"
        ).with(count).run()
    }
}
