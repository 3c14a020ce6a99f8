package import RecordModel

/// The epochs of a file. An epoch is a random number; each server start that writes to the file adds one.
///
/// A file and its restored copy both continue with the same sequence number, so a sequence number alone does not
/// identify the file. A sequence number and its epoch identify the file: after the copy, each file uses epochs that the
/// other file does not contain.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class EpochTable {
    /// The epoch that applies to a sync token without an epoch.
    package static let before: Int64 = 0

    private let connection: Connection
    private let newest: Statement
    private let end: Statement

    /// The maximum number of stored epochs. `add` deletes older epochs.
    private static let kept = 10_000

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        newest = connection.prepare("SELECT epoch FROM opening ORDER BY number DESC LIMIT 1")
        end = connection.prepare(
            """
            SELECT later.sequence FROM opening LEFT JOIN opening AS later ON later.number = opening.number + 1
            WHERE opening.epoch = ?1
            """)
    }

    /// Returns the newest epoch. `CommitClock.epoch` gives the same without a statement.
    package func current() throws(RecordError) -> Int64 {
        try newest.number() ?? Self.before
    }

    /// Returns the last sequence number that an epoch may have issued; `.max` for the current epoch.
    ///
    /// - Returns: `nil` if the epoch is unknown or was deleted.
    package func lastNumber(of epoch: Int64) throws(RecordError) -> Int64? {
        try end.with(epoch).row { $0.next(Int64?.self) ?? .max }
    }

    /// Returns the epoch in which a sequence number was issued; `before` for an epoch that was deleted.
    package func epoch(of sequence: Int64) throws(RecordError) -> Int64 {
        try connection.prepare("SELECT epoch FROM opening WHERE sequence < ?1 ORDER BY number DESC LIMIT 1")
            .with(sequence).number() ?? Self.before
    }

    /// Makes `epoch` the current epoch.
    ///
    /// - Parameter sequence: The last sequence number that the previous epoch may have issued.
    package func add(epoch: Int64, after sequence: Int64) throws(RecordError) {
        try connection.prepare(
            "INSERT INTO opening (number, epoch, sequence) SELECT max(number) + 1, ?1, ?2 FROM opening"
        ).with(epoch, sequence).run()
        try connection.execute("DELETE FROM opening WHERE number <= (SELECT max(number) FROM opening) - \(Self.kept)")
    }
}
