/// A reader's view of the file, held open as long as nothing is committed, and never while its thread waits.
///
/// Confined to the thread of its connection.
package final class Snapshot {
    private let begin: Statement
    private let pin: Statement
    private let commit: Statement
    private let clock: CommitClock
    /// The commits that the view holds at least, by the clock.
    package private(set) var seen: UInt64 = 0
    private var isOpen = false
    /// How often a snapshot was opened: a figure for `/metrics`.
    package private(set) var openings: UInt64 = 0

    package init(_ connection: Connection, clock: CommitClock) throws(StoreError) {
        begin = try connection.prepare("BEGIN")
        // BEGIN alone opens no view, the first read does. A view that opened later than `refresh` could show commits
        // whose rights the thread has not looked at.
        pin = try connection.prepare("SELECT 1 FROM sqlite_schema LIMIT 1")
        commit = try connection.prepare("COMMIT")
        self.clock = clock
    }

    deinit {
        if isOpen { clock.leave() }
    }

    /// Makes the view at least as new as everything that was acknowledged before this call. No cursor may be open.
    package func refresh() throws(StoreError) {
        // Loaded before the snapshot opens, so that it can only be newer than what it claims to have seen.
        let commits = clock.commits
        if isOpen, commits == seen, !clock.isGateClosed { return }
        end()
        clock.enter()
        do throws(StoreError) {
            try begin.run()
            try pin.run()
        } catch {
            try? commit.run()
            clock.leave()
            throw error
        }
        isOpen = true
        seen = commits
        openings += 1
    }

    /// Lets go of the view, before the thread waits for something.
    package func end() {
        guard isOpen else { return }
        // A read transaction cannot fail to end in a way that matters: on an error the next BEGIN tells.
        try? commit.run()
        isOpen = false
        clock.leave()
    }
}
