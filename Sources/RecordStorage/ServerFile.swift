package import RecordModel

/// The file of what belongs to a server as a whole and to none of its databases: named administrators, their sessions,
/// and the audit of both. It is in the data folder.
package enum ServerFile {
    package static func path(in dataFolder: String) -> String { dataFolder + "/" + name }

    package static let name = "server.sqlite"

    /// Brings the file to the newest layout. A file of a newer server is refused.
    package static func migrate(_ connection: Connection) throws(RecordError) {
        try Migrations.run(steps, on: connection)
    }

    /// As `migrate`; see `Migrations.runMakingRoom`.
    package static func migrateMakingRoom(_ connection: Connection) throws {
        try Migrations.makingRoom(on: connection) { () throws(RecordError) in try migrate(connection) }
    }

    /// How many steps of the layout the file lacks, or has that this version does not know.
    package static func migrationState(_ connection: Connection) throws(RecordError) -> (missing: Int, unknown: Int) {
        let applied = try Migrations.applied(on: connection)
        return (max(0, steps.count - applied), max(0, applied - steps.count))
    }

    /// What SQLite finds wrong with the file; empty if nothing.
    ///
    /// - Parameter isQuick: Do not compare indexes with their tables.
    package static func integrityProblems(_ connection: Connection, isQuick: Bool) throws(RecordError) -> [String] {
        let check: SQL = isQuick ? "PRAGMA quick_check(20)" : "PRAGMA integrity_check(20)"
        let lines: [String] = try connection.prepare(check).rows { $0.next() }
        return lines == ["ok"] ? [] : lines
    }

    /// Released steps are never edited; a change is a new step.
    private static let steps = [
        Migrations.Migration(name: "administrators", sql: administrators),
        Migrations.Migration(name: "audit", sql: Migrations.audit),
        Migrations.Migration(name: "audit of refusals", sql: Migrations.auditOfRefusals),
        Migrations.Migration(name: Migrations.keptSumsName, sql: Migrations.auditCounts),
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
}
