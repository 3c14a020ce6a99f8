package import RecordModel

/// Numbers that belong to the database file.
package final class SettingTable {
    private let connection: Connection
    private let find: Statement
    private let put: Statement

    /// The sequence numbers below this one may have been given.
    package static let reservedSequence = "sequence"
    /// Set when a record was made at an earlier time than one before it.
    package static let clockWentBack = "clockWentBack"

    /// Counts commits that have failed; what it is for is that it is written (`overwriteFailedCommit`).
    package static let failedCommits = "failedCommits"

    /// The greatest number of a zone that was taken away.
    static let lastZone = "lastZone"

    package init(_ connection: Connection) {
        self.connection = connection
        find = connection.prepare("SELECT value FROM setting WHERE name = ?1")
        put = connection.prepare(
            "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    }

    package func value(_ name: String) throws(RecordError) -> Int64? {
        try find.with(name).number()
    }

    package func set(_ name: String, _ value: Int64) throws(RecordError) {
        try put.with(name, value).run()
    }
}
