package import RecordModel

/// The database file for data of the whole server: named administrators, their sessions, the audit log of their
/// actions, and the list of backups. The file is in the data directory.
package enum ServerFile {
    /// Returns the path of the file.
    package static func path(in dataDirectory: String) -> String { dataDirectory + "/" + name }

    /// The name of the file.
    package static let name = "server.sqlite"

    /// Runs the missing migrations.
    ///
    /// - Throws: INTERNAL_ERROR if a newer version wrote the file; INTERNAL_ERROR or TRY_AGAIN_LATER if the store
    ///   fails.
    package static func migrate(_ connection: Connection) throws(RecordError) {
        try Migrations.run(steps, on: connection)
    }

    /// Runs the missing migrations. If the disk is full, first makes space; see `Migrations.runMakingSpace`.
    ///
    /// - Throws: `StoreFailure`, or `DataDirectory.Problem` if there is no space.
    package static func migrateMakingSpace(_ connection: Connection) throws {
        try Migrations.makingRoom(on: connection) { () throws(RecordError) in try migrate(connection) }
    }

    /// Returns the number of migrations that the file lacks, and the number of migrations in the file that this version
    /// does not know.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package static func migrationState(_ connection: Connection) throws(RecordError) -> (missing: Int, unknown: Int) {
        let applied = try Migrations.applied(on: connection)
        return (max(0, steps.count - applied), max(0, applied - steps.count))
    }

    /// Returns SQLite's list of problems with the file; empty if there are none.
    ///
    /// - Parameter isQuick: Whether to skip the comparison of indexes with their tables.
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package static func integrityProblems(_ connection: Connection, isQuick: Bool) throws(RecordError) -> [String] {
        let check: SQL = isQuick ? "PRAGMA quick_check(20)" : "PRAGMA integrity_check(20)"
        let lines: [String] = try connection.prepare(check).rows { $0.next() }
        return lines == ["ok"] ? [] : lines
    }

    /// The migrations. A released migration is never edited; each change is a new migration.
    private static let steps = [
        Migrations.Migration(name: "administrators", sql: administrators),
        Migrations.Migration(name: "audit", sql: Migrations.audit),
        Migrations.Migration(name: "audit of refusals", sql: Migrations.auditOfRejections),
        Migrations.Migration(name: Migrations.runningTotalsName, sql: Migrations.auditCounts),
        Migrations.Migration(name: "backups", sql: backups),
    ]

    private static let administrators = """
        -- disabled: since when, in milliseconds since 1970. Numbers are never given again: they stand in cursors.
        CREATE TABLE administrator (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            role TEXT NOT NULL,
            password TEXT NOT NULL,
            created INTEGER NOT NULL,
            disabled INTEGER
        );
        -- id: random, for lists; the token's hash is never shown. expires moves with use, ends does not.
        CREATE TABLE administrator_session (
            hash BLOB PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            administrator INTEGER NOT NULL,
            created INTEGER NOT NULL,
            used INTEGER NOT NULL,
            expires INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            label TEXT
        ) WITHOUT ROWID;
        CREATE INDEX administrator_session_by_administrator ON administrator_session (administrator);
        -- How many commits have failed; what it is for is that it is written (`FileTransaction.overwriteFailedCommit`).
        CREATE TABLE failed_commit (position INTEGER PRIMARY KEY CHECK (position = 1), count INTEGER NOT NULL);
        INSERT INTO failed_commit VALUES (1, 0);
        """

    private static let backups = """
        -- created: of the manifest. tested: NULL before the first test. All times are in milliseconds since 1970.
        CREATE TABLE backup (
            created INTEGER PRIMARY KEY,
            kind TEXT NOT NULL,
            name TEXT NOT NULL,
            bytes INTEGER NOT NULL,
            tested INTEGER,
            problems INTEGER NOT NULL,
            problem TEXT
        );
        """
}
