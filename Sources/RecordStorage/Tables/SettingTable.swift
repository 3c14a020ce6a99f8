package import RecordModel

/// Named numbers of the database file.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class SettingTable {
    private let connection: Connection
    private let find: Statement
    private let put: Statement

    /// The setting with the end of the reserved sequence numbers. Smaller numbers may have been issued.
    package static let reservedSequence = "sequence"
    /// The setting that exists if a record has an earlier creation time than a record with a smaller number.
    package static let clockWentBack = "clockWentBack"

    /// The setting that counts failed commits. Nothing reads it; `overwriteFailedCommit` only needs a row to write.
    package static let failedCommits = "failedCommits"

    /// The setting with the identity of the file that sends webhooks; see `DataDirectory.identity`.
    package static let webhookFile = "webhookFile"

    /// The setting with the largest ID of a deleted zone.
    static let lastZone = "lastZone"

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        find = connection.prepare("SELECT value FROM setting WHERE name = ?1")
        put = connection.prepare(
            "INSERT INTO setting (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value")
    }

    /// Returns the number that is stored under a name; `nil` if there is none.
    package func value(_ name: String) throws(RecordError) -> Int64? {
        try find.with(name).number()
    }

    /// Stores a number under a name, and replaces the previous number.
    package func set(_ name: String, _ value: Int64) throws(RecordError) {
        try put.with(name, value).run()
    }
}
