package import RecordModel

/// A reader's snapshot of the file. A snapshot stays open until there is a new commit. The reader ends
/// the snapshot before its thread waits.
///
/// Confined to the thread of its connection.
package final class Snapshot {
    private let begin: Statement
    private let pin: Statement
    private let commit: Statement
    private let clock: CommitClock
    private let connection: Connection
    private let length: SnapshotLifetime
    /// The minimum number of commits that the snapshot contains, counted by the `CommitClock`.
    package private(set) var seen: UInt64 = 0
    /// The WAL's change number when the snapshot began, or an earlier one.
    private var seenChange: UInt32?
    private var isOpen = false
    /// See `CommitClock.epoch`.
    package var epoch: Int64 { clock.epoch }
    /// The number of snapshots that were begun, for `/metrics`.
    package private(set) var openings: UInt64 = 0

    /// Prepares the SQL statements on `connection`.
    ///
    /// - Parameter length: The lifetime of the snapshots.
    package init(_ connection: Connection, clock: CommitClock, length: SnapshotLifetime = .turn) {
        begin = connection.prepare("BEGIN")
        // BEGIN starts no snapshot, the first read does. A snapshot that started after `refresh` could show commits
        // whose permissions the thread has not checked.
        pin = connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1")
        commit = connection.prepare("COMMIT")
        self.clock = clock
        self.connection = connection
        self.length = length
    }

    deinit {
        if isOpen { clock.leave(length) }
    }

    /// Refreshes the snapshot for read-your-writes consistency. The snapshot then contains all commits that were
    /// acknowledged, or visible in any other snapshot, before this call. No cursor may be open.
    ///
    /// The WAL's change number shows whether there is a newer commit. The change number changes when a new snapshot can
    /// see the commit. The clock changes a few microseconds later, before the write is acknowledged. With the clock
    /// alone, a client could see a write in between, and afterwards not see this write on another connection.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func refresh() throws(RecordError) {
        // Loaded before the snapshot begins, so that the snapshot contains at least these commits.
        let commits = clock.commits
        // Loaded after `commits`: each commit counted there has already changed this number.
        let change = connection.walChange
        if isOpen, !clock.isGateClosed(for: length), isCurrent(change, commits) {
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

    /// Ends the snapshot if there is a newer commit. A single read afterwards then sees all acknowledged commits, as
    /// after `refresh`, and costs nothing if it is never made.
    package func endIfOutdated() {
        if isOpen, !isCurrent(connection.walChange, clock.commits) { end() }
    }

    private func isCurrent(_ change: UInt32?, _ commits: UInt64) -> Bool {
        change.map { $0 == seenChange } ?? (commits == seen)
    }

    /// Ends the snapshot. Call it before the thread waits.
    package func end() {
        guard isOpen else { return }
        do throws(RecordError) {
            try commit.run()
        } catch {
            // The transaction wrote nothing, so nothing is lost, but it must end before the next transaction can begin.
            try? connection.cleanUp { () throws(RecordError) in try connection.execute("ROLLBACK") }
        }
        isOpen = false
        clock.leave(length)
    }
}
