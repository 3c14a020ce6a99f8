package import RecordModel

/// The openings of a file in which something was written, each with a random number of its own, the epoch.
///
/// Of a file and its copies, each goes on with sequence numbers where the copy was made: a number alone does not tell
/// whose it is. Together with the epoch in which it was given it does, since what one file has given after the copy bears an
/// epoch that the other one does not know.
package final class OpeningTable {
    /// What tokens of servers count as that knew no epochs.
    package static let before: Int64 = 0

    private let connection: Connection
    private let newest: Statement
    private let end: Statement

    /// More than a server is started in its life; older ones are forgotten.
    private static let kept = 10_000

    package init(_ connection: Connection) {
        self.connection = connection
        newest = connection.prepare("SELECT epoch FROM opening ORDER BY number DESC LIMIT 1")
        end = connection.prepare(
            """
            SELECT later.sequence FROM opening LEFT JOIN opening AS later ON later.number = opening.number + 1
            WHERE opening.epoch = ?1
            """)
    }

    /// The epoch of what is given now.
    package func current() throws(RecordError) -> Int64 {
        try newest.number() ?? Self.before
    }

    /// The last number that an epoch may have given, `.max` for the current one.
    ///
    /// - Returns: `nil` for an epoch that is not of this file, or forgotten.
    package func lastNumber(of epoch: Int64) throws(RecordError) -> Int64? {
        try end.with(epoch).row { $0.next(Int64?.self) ?? .max }
    }

    /// Begins an epoch.
    ///
    /// - Parameter sequence: The last number that may have been given before it.
    package func add(epoch: Int64, after sequence: Int64) throws(RecordError) {
        try connection.prepare(
            "INSERT INTO opening (number, epoch, sequence) SELECT max(number) + 1, ?1, ?2 FROM opening"
        ).with(epoch, sequence).run()
        try connection.execute("DELETE FROM opening WHERE number <= (SELECT max(number) FROM opening) - \(Self.kept)")
    }
}
