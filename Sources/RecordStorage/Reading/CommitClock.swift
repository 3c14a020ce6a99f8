internal import Glibc
internal import Synchronization
internal import Threads

/// What the writer tells the readers of one database file: that something was committed, that rights have changed, and
/// that a checkpoint wants them to let go of the log.
///
/// The writer publishes after COMMIT and before it hands out answers; a reader looks before each read. So a client reads
/// its own acknowledged writes on any connection, and a snapshot serves many reads while nothing is written.
package final class CommitClock: Sendable {
    private let committed = Atomic<UInt64>(1)
    private let rights = Atomic<UInt64>(1)
    private let sequence: Atomic<Int64>
    private let closed = Atomic<Bool>(false)
    private let open = Atomic<Int>(0)
    /// Guards no value, yet has one: a value without bytes has the address of the lock itself, and whoever may change the one
    /// seems to change the other.
    private let gate = Monitor<Bool>(false)

    /// - Parameter sequence: The last number of the one sequence that was given when the file was opened.
    package init(sequence: Int64 = 0) {
        self.sequence = Atomic(sequence)
    }

    /// The number of published commits. A snapshot opened after loading it holds at least those.
    package var commits: UInt64 {
        committed.load(ordering: .acquiring)
    }

    /// Changes with the schema, grants, roles and sessions that end: what caches of them hang on.
    package var rightsVersion: UInt64 {
        rights.load(ordering: .acquiring)
    }

    /// The last number of the one sequence that was published. A view may show newer ones in the microseconds between COMMIT
    /// and `publish`, and types, grants and roles with them that no cache has; what hangs on the rights version and looks
    /// at it after loading this knows all that came with numbers up to this one.
    package var publishedSequence: Int64 {
        sequence.load(ordering: .acquiring)
    }

    /// Publishes a commit. The rights version moves before it and again behind it: who sees the commit sees the first
    /// move, so nothing new is judged by old rights; and what was read from an old view between the two, and cached, is
    /// thrown away by the second.
    ///
    /// - Parameter last: The last number of the one sequence that the commit has used, or one before it.
    package func publish(rightsChanged: Bool, through last: Int64) {
        if rightsChanged { rights.add(1, ordering: .releasing) }
        sequence.store(last, ordering: .releasing)
        committed.add(1, ordering: .releasing)
        if rightsChanged { rights.add(1, ordering: .releasing) }
    }

    /// Waits until a commit is published: the microseconds between COMMIT and `publish`.
    package func waitForCommit(_ number: UInt64) {
        while commits < number { sched_yield() }
    }

    /// Snapshots that readers hold open.
    package var openSnapshots: Int {
        open.load(ordering: .sequentiallyConsistent)
    }

    /// Counts a reader in, as soon as no checkpoint is under way: a matter of milliseconds.
    ///
    /// The reader must hold no snapshot, or the checkpoint waits for it in turn.
    func enter() {
        while true {
            open.add(1, ordering: .sequentiallyConsistent)
            // Counted first and looked second; the writer closes first and counts second: one of them sees the other.
            if !closed.load(ordering: .sequentiallyConsistent) { return }
            open.subtract(1, ordering: .sequentiallyConsistent)
            gate.wait(until: { _ in !closed.load(ordering: .sequentiallyConsistent) }, then: { _ in })
        }
    }

    func leave() {
        open.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Whether readers are asked to end their snapshots at the next occasion.
    package var isGateClosed: Bool {
        closed.load(ordering: .relaxed)
    }

    /// Keeps readers out while `body` runs, once those inside have left.
    ///
    /// - Parameter patience: How long to wait for them.
    /// - Returns: What `body` returned, or `nil` if a reader did not leave in time.
    package func withoutReaders<Value, Failure: Error>(
        patience: Duration, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        closed.store(true, ordering: .sequentiallyConsistent)
        defer {
            // Under the lock, so that nobody falls asleep between looking and waiting.
            gate.withLock { _ in closed.store(false, ordering: .sequentiallyConsistent) }
            gate.broadcast()
        }
        let deadline = Deadline.after(patience)
        while openSnapshots > 0 {
            if deadline.hasPassed() { return nil }
            sched_yield()
        }
        return try body()
    }
}
