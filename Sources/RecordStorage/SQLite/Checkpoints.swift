internal import RecordModel
internal import Threads

/// The rules that decide when the WAL is checkpointed (copied into the database file). Sizes are in pages of 4 KiB.
package struct CheckpointPolicy: Hashable, Sendable {
    /// The growth of the WAL since the last checkpoint that starts the next one (16 MiB). A checkpoint delays writers;
    /// a larger checkpoint delays writers longer.
    package var pages = 4_096
    /// The growth of the WAL that starts the next checkpoint after large commits (4 MiB). Pages of large commits are
    /// rarely written again soon, so waiting saves no copies. And a large commit already delays writers, so its
    /// checkpoint should be short.
    package var pagesOfLarge = 1_024
    /// The minimum size of a large commit (2 MiB).
    package var largeCommit = 512
    /// The length at which the WAL is restarted (64 MiB). Readers must then end their snapshots.
    package var restartPages = 16_384
    /// The growth of the WAL that starts a checkpoint when the writer is idle (1 MiB). Readers read a page in the file
    /// without a lookup in the WAL and without a system call (measured with `bench.py --only point-read`: 15.1 instead
    /// of 16.9 µs).
    package var idlePages = 256
    /// The time after the last write at which the writer counts as idle.
    package var idleTime = Duration.seconds(1)
    /// The longest wait for long-running readers before a restart of the WAL.
    package var longestWait = Duration.seconds(10)

    /// Creates the default policy.
    package init() {}

    /// Creates a policy that checkpoints whenever the WAL has grown by `walBytes`, and restarts it at four times that
    /// size.
    ///
    /// A smaller WAL makes a start after a crash faster, but copies pages that are written again more often. Tests use
    /// it to get many checkpoints in seconds.
    package init(walBytes: Int) {
        pages = max(1, walBytes / Connection.pageBytes)
        pagesOfLarge = min(pagesOfLarge, pages)
        largeCommit = min(largeCommit, pages)
        restartPages = 4 * pages
        idlePages = min(idlePages, pages)
    }
}

/// The state of the writer's checkpoints.
struct Checkpoints {
    let rules: CheckpointPolicy
    /// The number of pages in the WAL at the last checkpoint.
    private var copiedPages = 0
    /// The time of the last write on the coarse monotonic clock.
    private var lastWrite: UInt64 = 0
    /// The number of pages in the WAL after the last commit, and whether a commit since the last checkpoint was large.
    private var pagesBefore = 0
    private var sawLarge = false
    /// Whether a task already waits for the writer to be idle.
    private var isWatched = false
    /// The longest time that readers may delay a restart of the WAL.
    private let maxWait: Duration
    /// When a pending restart of the WAL is given up; `nil` if no restart is pending.
    private var restartEnd: Deadline?

    /// Creates the state.
    ///
    /// - Parameter longestQuery: The time limit of queries.
    init(_ rules: CheckpointPolicy, longestQuery: Duration) {
        self.rules = rules
        maxWait = min(longestQuery + .seconds(1), rules.longestWait)
    }

    /// Checkpoints if the WAL has grown enough.
    ///
    /// - Returns: Whether there was a checkpoint.
    mutating func copyIfDue(on connection: Connection, _ clock: CommitClock) throws(RecordError) -> Bool {
        lastWrite = MonotonicClock.coarse
        let new = newPages(connection)
        let frames = connection.walFrames
        let isLarge = frames - pagesBefore >= rules.largeCommit
        let waitedForLarge = sawLarge && !isLarge
        pagesBefore = frames
        if isLarge { sawLarge = true }
        if restartEnd != nil {
            try restart(on: connection, clock)
            if restartEnd == nil { return true }
        }
        // No checkpoint right after a large commit: requests that waited for the commit would wait for the checkpoint
        // too. These requests run first. If the WAL has grown by 32 MiB, the checkpoint is made anyway.
        let due = waitedForLarge ? rules.pagesOfLarge : isLarge ? 2 * rules.pages : rules.pages
        guard new >= due else { return false }
        try copy(on: connection, clock, restarts: frames >= rules.restartPages)
        return true
    }

    /// Checkpoints while the writer is idle, with a lower threshold.
    ///
    /// - Returns: Whether there was a checkpoint.
    mutating func copyWhenIdle(on connection: Connection, _ clock: CommitClock) throws(RecordError) -> Bool {
        isWatched = false
        let waited = restartEnd != nil
        if waited {
            try restart(on: connection, clock)
        } else {
            guard newPages(connection) >= rules.idlePages else { return false }
            try copy(on: connection, clock, restarts: true)
        }
        isWatched = restartEnd != nil
        return !waited || !isWatched
    }

    /// Returns whether the caller should now wait for the writer to be idle.
    mutating func watch(_ connection: Connection) -> Bool {
        guard !isWatched, restartEnd != nil || newPages(connection) >= rules.idlePages else { return false }
        isWatched = true
        return true
    }

    /// The minimum time until the writer counts as idle; zero or less if the writer is idle or a restart is pending.
    var timeToIdle: Duration {
        restartEnd != nil ? .zero : rules.idleTime - .nanoseconds(MonotonicClock.coarse &- lastWrite)
    }

    /// The time until the next check for long-running readers; `nil` if no restart is pending.
    var timeToNextLook: Duration? {
        restartEnd.map { _ in .milliseconds(20) }
    }

    /// Cancels a pending restart of the WAL and unblocks the readers, for example because the WAL cannot be copied.
    mutating func giveUp(_ clock: CommitClock) {
        restartEnd = nil
        clock.letIn()
    }

    /// The number of pages written to the WAL since the last checkpoint.
    private mutating func newPages(_ connection: Connection) -> Int {
        let pages = connection.walFrames
        if pages < copiedPages { copiedPages = 0 }
        if pages < pagesBefore { pagesBefore = 0 }
        return pages - copiedPages
    }

    /// Copies the WAL.
    ///
    /// - Parameter restarts: Whether to also restart the WAL: the next write then starts at the beginning of the WAL.
    ///   No reader may use the WAL.
    private mutating func copy(
        on connection: Connection, _ clock: CommitClock, restarts: Bool
    ) throws(RecordError) {
        copiedPages = connection.walFrames
        sawLarge = false
        _ = try connection.checkpoint(.passive)
        if restarts, restartEnd == nil { try restart(on: connection, clock) }
    }

    /// Restarts the WAL, or leaves the restart pending while long-running readers have snapshots.
    private mutating func restart(on connection: Connection, _ clock: CommitClock) throws(RecordError) {
        guard clock.blockLongSnapshots() else {
            let end = restartEnd ?? .after(maxWait)
            // A reader exceeds the time limit, or belongs to another process. Stop waiting.
            if end.hasPassed() { giveUp(clock) } else { restartEnd = end }
            return
        }
        if restartEnd != nil {
            restartEnd = nil
            // The frames that long-running snapshots needed are copied while the event loops continue to read.
            copiedPages = connection.walFrames
            _ = try connection.checkpoint(.passive)
        }
        // Little is left to copy, so the event loops wait only for milliseconds.
        let done = try clock.withoutReaders(maxWait: .milliseconds(100)) { () throws(RecordError) in
            try connection.checkpoint(.restart)
        }
        if done == true { copiedPages = 0 }
    }
}
