internal import RecordModel
internal import Threads

/// When the log is copied into the file.
package struct CheckpointRules: Hashable, Sendable {
    /// The log is copied when it has grown by this many pages (16 MB): it holds up those who write, and a larger one for
    /// longer …
    package var pages = 4_096
    /// … but by this many (4 MB) once single commits are large (2 MB): what they write is not soon written again, so
    /// nothing is gained by waiting, and the copy of a larger log would come on top of them.
    package var pagesOfLarge = 1_024
    package var largeCommit = 512
    /// … and readers are asked to let go of it above this many (64 MB).
    package var restartPages = 16_384
    /// This many (1 MB) are copied when nothing was written for a while: what is in the file is read without looking for
    /// it in the log, and without a call into the system (`bench.py --only point-read`: 16.9 µs before, 15.1 since).
    package var idlePages = 256
    package var idleTime = Duration.seconds(1)
    /// How long a log that is to begin anew waits at most for those who read long.
    package var longestPatience = Duration.seconds(10)

    package init() {}

    /// The rules for a log that is copied whenever it has grown by so many bytes, and begun anew at four times as many.
    ///
    /// A smaller log makes a start after a crash shorter and copies pages more often that are written again; it is also how
    /// the suites have many checkpoints in seconds.
    package init(logBytes: Int) {
        pages = max(1, logBytes / Connection.pageBytes)
        pagesOfLarge = min(pagesOfLarge, pages)
        largeCommit = min(largeCommit, pages)
        restartPages = 4 * pages
        idlePages = min(idlePages, pages)
    }
}

/// What the writer remembers of its checkpoints.
struct Checkpoints {
    let rules: CheckpointRules
    /// The pages that were in the log at the last one.
    private var copiedPages = 0
    /// When something was written last, on the coarse monotonic clock.
    private var lastWrite: UInt64 = 0
    /// The pages that were in the log after the last commit, and whether one since the last copy was large.
    private var pagesBefore = 0
    private var sawLarge = false
    /// Whether somebody waits for the writer to be idle.
    private var isWatched = false
    /// How long those who read long may go on, while the log waits to begin anew.
    private let patience: Duration
    /// The end of that; `nil` while the log does not wait.
    private var restartEnd: Deadline?

    /// - Parameter longestQuery: After which a query is stopped.
    init(_ rules: CheckpointRules, longestQuery: Duration) {
        self.rules = rules
        patience = min(longestQuery + .seconds(1), rules.longestPatience)
    }

    /// Makes a checkpoint if the log has grown enough.
    ///
    /// - Returns: Whether one was made.
    mutating func copyIfDue(on connection: Connection, _ clock: CommitClock) throws(RecordError) -> Bool {
        lastWrite = MonotonicClock.coarse
        let new = newPages(connection)
        let frames = connection.framesInLog
        let isLarge = frames - pagesBefore >= rules.largeCommit
        let waitedForLarge = sawLarge && !isLarge
        pagesBefore = frames
        if isLarge { sawLarge = true }
        if restartEnd != nil {
            try restart(on: connection, clock)
            if restartEnd == nil { return true }
        }
        // Right after a large commit it would hold up for a second time who has waited for that: they come first. Where
        // there is nobody, twice as much (32 MB) is copied at once.
        let due = waitedForLarge ? rules.pagesOfLarge : isLarge ? 2 * rules.pages : rules.pages
        guard new >= due else { return false }
        try copy(on: connection, clock, restarts: frames >= rules.restartPages)
        return true
    }

    /// Makes a checkpoint if the log has grown somewhat, whatever is in it.
    ///
    /// - Returns: Whether one was made.
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

    /// Whether somebody is to wait now until the writer is idle.
    mutating func watch(_ connection: Connection) -> Bool {
        guard !isWatched, restartEnd != nil || newPages(connection) >= rules.idlePages else { return false }
        isWatched = true
        return true
    }

    /// How long it takes at least until the writer counts as idle; zero or less if it is, or if the log waits.
    var timeToIdle: Duration {
        restartEnd != nil ? .zero : rules.idleTime - .nanoseconds(MonotonicClock.coarse &- lastWrite)
    }

    /// When to look again whether those who read long have left; `nil` if nothing waits for them.
    var timeToNextLook: Duration? {
        restartEnd.map { _ in .milliseconds(20) }
    }

    /// The log waits for nobody any more: it cannot be copied.
    mutating func giveUp(_ clock: CommitClock) {
        restartEnd = nil
        clock.letIn()
    }

    /// The pages in the log since the last checkpoint.
    private mutating func newPages(_ connection: Connection) -> Int {
        let pages = connection.framesInLog
        if pages < copiedPages { copiedPages = 0 }
        if pages < pagesBefore { pagesBefore = 0 }
        return pages - copiedPages
    }

    /// - Parameter restarts: Once all is copied, the next write begins the log anew, and readers have no use for it.
    private mutating func copy(
        on connection: Connection, _ clock: CommitClock, restarts: Bool
    ) throws(RecordError) {
        copiedPages = connection.framesInLog
        sawLarge = false
        _ = try connection.checkpoint(.passive)
        if restarts, restartEnd == nil { try restart(on: connection, clock) }
    }

    /// Has the log begin anew, or wait for those who read long.
    private mutating func restart(on connection: Connection, _ clock: CommitClock) throws(RecordError) {
        guard clock.keepOutLongViews() else {
            let end = restartEnd ?? .after(patience)
            // Somebody reads for longer than one may, or in another process: others do not wait for that.
            if end.hasPassed() { giveUp(clock) } else { restartEnd = end }
            return
        }
        if restartEnd != nil {
            restartEnd = nil
            // What their views kept in the log is copied while the loops go on.
            copiedPages = connection.framesInLog
            _ = try connection.checkpoint(.passive)
        }
        // What is left is little; the loops stay out for the milliseconds that it takes.
        let done = try clock.withoutReaders(patience: .milliseconds(100)) { () throws(RecordError) in
            try connection.checkpoint(.restart)
        }
        if done == true { copiedPages = 0 }
    }
}
