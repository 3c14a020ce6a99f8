internal import Glibc
internal import Synchronization
internal import Threads

/// How long a reader can keep a snapshot open. An open snapshot prevents a restart of the WAL.
package enum SnapshotLifetime: Int, Sendable {
    /// A snapshot of an event loop, open for milliseconds.
    case turn
    /// A snapshot for a page that takes too long for an event loop, open for up to one second.
    case page
    /// A snapshot for a query that takes too long for an event loop, open for up to the time limit of queries.
    case query
}

/// The signals from the writer to the readers of one database file: new commits, changed permissions, and requests to
/// end snapshots for a checkpoint.
///
/// The writer publishes after COMMIT and before it sends responses. A reader checks before each read. So clients read
/// their own acknowledged writes on any connection, and one snapshot serves many reads while nothing is written.
package final class CommitClock: Sendable {
    private let committed = Atomic<UInt64>(1)
    private let rights = Atomic<UInt64>(1)
    private let sequence: Atomic<Int64>
    private let fileEpoch: Atomic<Int64>
    /// The raw value of the shortest `SnapshotLifetime` whose snapshots are blocked.
    private let blockedLongReaders = Atomic<Int>(CommitClock.nobody)
    private let turns = Atomic<Int>(0)
    private let pages = Atomic<Int>(0)
    private let queries = Atomic<Int>(0)
    private let letsAllIn = Atomic<Bool>(false)
    /// Guards the atomics above for waiting threads. The type is `Bool` instead of `Void`, because a value without
    /// bytes has the address of the lock itself. Exclusive access to the value would then overlap the access to the
    /// lock.
    private let gate = Monitor<Bool>(false)

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - sequence: The last sequence number that was issued when the file was opened.
    ///   - epoch: The newest epoch of the file at that time.
    package init(sequence: Int64 = 0, epoch: Int64 = EpochTable.before) {
        self.sequence = Atomic(sequence)
        fileEpoch = Atomic(epoch)
    }

    /// The number of published commits. A snapshot that begins after this number was loaded contains at least these
    /// commits.
    package var commits: UInt64 {
        committed.load(ordering: .acquiring)
    }

    /// A version that changes when the schema, grants or roles change or a session ends. Caches use the version for
    /// invalidation.
    package var rightsVersion: UInt64 {
        rights.load(ordering: .acquiring)
    }

    /// The last published sequence number. In the microseconds between COMMIT and `publish`, a snapshot can show newer
    /// sequence numbers, with types, grants and roles that no cache contains yet. A cache that checks `rightsVersion`
    /// after loading this number knows all changes up to this number.
    package var publishedSequence: Int64 {
        sequence.load(ordering: .acquiring)
    }

    /// The epoch of all positions that are sealed now (`EpochTable`). It covers each number up to a `publishedSequence`
    /// that was loaded before.
    package var epoch: Int64 {
        fileEpoch.load(ordering: .acquiring)
    }

    /// Publishes a commit. If permissions changed, `rightsVersion` changes before and after the commit becomes visible.
    /// A reader that sees the commit sees the first change, so it does not apply old permissions to new data. The
    /// second change invalidates cache entries that were read from an old snapshot in between.
    ///
    /// - Parameters:
    ///   - last: The last sequence number that the commit used, or an earlier one.
    ///   - epoch: The newest epoch of the file after the commit.
    package func publish(rightsChanged: Bool, through last: Int64, epoch: Int64) {
        if rightsChanged { rights.add(1, ordering: .releasing) }
        // Before the number, so that a thread that loads the number loads its epoch too.
        fileEpoch.store(epoch, ordering: .releasing)
        sequence.store(last, ordering: .releasing)
        committed.add(1, ordering: .releasing)
        if rightsChanged { rights.add(1, ordering: .releasing) }
    }

    /// Blocks until commit `number` is published. This takes the microseconds between COMMIT and `publish`.
    package func waitForCommit(_ number: UInt64) {
        while commits < number { sched_yield() }
    }

    /// The number of open snapshots.
    package var openSnapshots: Int {
        [SnapshotLifetime.turn, .page, .query].reduce(0) { $0 + count(of: $1) }
    }

    /// Waits until no checkpoint blocks the reader, then counts its snapshot as open. An event loop waits for
    /// milliseconds.
    ///
    /// The reader must have no snapshot, because the checkpoint would wait for it.
    func enter(_ length: SnapshotLifetime) {
        // A long-running reader waits for the readers before it. The wait has a limit, in case the writer has ended.
        let deadline = length == .turn ? Deadline.never : .after(Self.longestWait)
        while true {
            add(1, to: length)
            // The reader counts itself and then checks the block; the writer blocks and then counts readers. So at
            // least one of the two notices the other.
            if mayEnter(length) || (length != .turn && deadline.hasPassed()) { return }
            add(-1, to: length)
            gate.wait(until: { _ in mayEnter(length) }, orUntil: deadline, then: { _ in })
        }
    }

    func leave(_ length: SnapshotLifetime) {
        add(-1, to: length)
    }

    /// Returns whether readers of this lifetime should end their snapshots as soon as possible.
    package func isGateClosed(for length: SnapshotLifetime) -> Bool {
        blockedLongReaders.load(ordering: .relaxed) <= length.rawValue
    }

    /// Blocks new long-running readers: first queries, and pages after the last query has ended. So a reader waits only
    /// for the readers before it. Without the block, queries that always overlap would prevent every restart of the
    /// WAL.
    ///
    /// - Returns: Whether no long-running reader has a snapshot. If false, the caller must call this function again, or
    ///   `letIn`.
    package func blockLongSnapshots() -> Bool {
        guard !letsAllIn.load(ordering: .sequentiallyConsistent) else { return true }
        if blockedLongReaders.load(ordering: .relaxed) > SnapshotLifetime.page.rawValue {
            blockedLongReaders.store(SnapshotLifetime.query.rawValue, ordering: .sequentiallyConsistent)
            guard count(of: .query) == 0 else { return false }
            blockedLongReaders.store(SnapshotLifetime.page.rawValue, ordering: .sequentiallyConsistent)
        }
        return count(of: .query) == 0 && count(of: .page) == 0
    }

    /// Unblocks all readers.
    ///
    /// - Parameter forGood: Whether to never block readers again, because the database closes and waits for the
    ///   readers.
    package func letIn(forGood: Bool = false) {
        if forGood { letsAllIn.store(true, ordering: .sequentiallyConsistent) }
        // Changed under the lock, so that no thread checks the old number and then starts to wait.
        gate.withLock { _ in blockedLongReaders.store(Self.nobody, ordering: .sequentiallyConsistent) }
        gate.broadcast()
    }

    /// Blocks all readers, waits until open snapshots have ended, runs `body`, and unblocks the readers.
    ///
    /// - Parameter maxWait: The longest time to wait for open snapshots.
    /// - Returns: The result of `body`; `nil` if a snapshot did not end in time.
    package func withoutReaders<Value, Failure: Error>(
        maxWait: Duration, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        blockedLongReaders.store(SnapshotLifetime.turn.rawValue, ordering: .sequentiallyConsistent)
        defer { letIn() }
        let deadline = Deadline.after(maxWait)
        while openSnapshots > 0 {
            if deadline.hasPassed() { return nil }
            sched_yield()
        }
        return try body()
    }

    private static let nobody = SnapshotLifetime.query.rawValue + 1
    /// The longest time that a reader waits in `enter`. It exceeds the time that the writer waits for long-running
    /// snapshots.
    private static let longestWait = Duration.seconds(15)

    private func mayEnter(_ length: SnapshotLifetime) -> Bool {
        length.rawValue < blockedLongReaders.load(ordering: .sequentiallyConsistent)
    }

    private func add(_ number: Int, to length: SnapshotLifetime) {
        switch length {
        case .turn: turns.add(number, ordering: .sequentiallyConsistent)
        case .page: pages.add(number, ordering: .sequentiallyConsistent)
        case .query: queries.add(number, ordering: .sequentiallyConsistent)
        }
    }

    private func count(of length: SnapshotLifetime) -> Int {
        switch length {
        case .turn: turns.load(ordering: .sequentiallyConsistent)
        case .page: pages.load(ordering: .sequentiallyConsistent)
        case .query: queries.load(ordering: .sequentiallyConsistent)
        }
    }
}
