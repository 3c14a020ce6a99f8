package import RecordModel

/// A reader's view of the file, held open as long as nothing is committed, and never while its thread waits.
///
/// Confined to the thread of its connection.
package final class Snapshot {
    private let begin: Statement
    private let pin: Statement
    private let commit: Statement
    private let clock: CommitClock
    private let connection: Connection
    private let length: ViewLength
    /// The commits that the view holds at least, by the clock.
    package private(set) var seen: UInt64 = 0
    /// The change of the log that the view was opened at, or an earlier one.
    private var seenChange: UInt32?
    private var isOpen = false
    /// How often a snapshot was opened: a figure for `/metrics`.
    package private(set) var openings: UInt64 = 0

    /// - Parameter length: How long a view may be held open.
    package init(_ connection: Connection, clock: CommitClock, length: ViewLength = .turn) {
        begin = connection.prepare("BEGIN")
        // BEGIN alone opens no view, the first read does. A view that opened later than `refresh` could show commits
        // whose rights the thread has not looked at.
        pin = connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1")
        commit = connection.prepare("COMMIT")
        self.clock = clock
        self.connection = connection
        self.length = length
    }

    deinit {
        if isOpen { clock.leave(length) }
    }

    /// Makes the view at least as new as everything that was acknowledged, or that any other view has shown, before this
    /// call. No cursor may be open.
    ///
    /// The log's own number tells whether there is anything newer: it moves as soon as a view that opens can show the commit.
    /// The clock moves somewhat later, before the write is acknowledged: by it alone, a client could be shown a write in
    /// the microseconds between the two, and on another connection not be shown it again.
    package func refresh() throws(RecordError) {
        // Loaded before the snapshot opens, so that it can only be newer than what it claims to have seen.
        let commits = clock.commits
        // And after that of the commits: what was published by then has moved it.
        let change = connection.logChange
        if isOpen, !clock.isGateClosed(for: length), change.map({ $0 == seenChange }) ?? (commits == seen) {
            seen = commits
            return
        }
        end()
        clock.enter(length)
        do throws(RecordError) {
            try begin.run()
            try pin.run()
        } catch {
            try? connection.cleanUp { () throws(RecordError) in try commit.run() }
            clock.leave(length)
            throw error
        }
        isOpen = true
        seen = commits
        seenChange = change
        openings += 1
    }

    /// Lets go of the view, before the thread waits for something.
    package func end() {
        guard isOpen else { return }
        do throws(RecordError) {
            try commit.run()
        } catch {
            // It wrote nothing, so that nothing is lost; but the next one must be able to begin.
            try? connection.cleanUp { () throws(RecordError) in try connection.execute("ROLLBACK") }
        }
        isOpen = false
        clock.leave(length)
    }
}
