internal import Glibc
internal import Synchronization
internal import Threads

/// How long a reader may keep a view of the file open. While one is, the log cannot begin anew.
package enum ViewLength: Int, Sendable {
    /// An event loop's: milliseconds.
    case turn
    /// That of a page which is too long for a loop: a second.
    case page
    /// That of a query which is too long for a loop: as long as a query may take.
    case query
}

/// What the writer tells the readers of one database file: that something was committed, that rights have changed, and
/// that a checkpoint wants them to let go of the log.
///
/// The writer publishes after COMMIT and before it hands out answers; a reader looks before each read. So a client reads
/// its own acknowledged writes on any connection, and a snapshot serves many reads while nothing is written.
package final class CommitClock: Sendable {
    private let committed = Atomic<UInt64>(1)
    private let rights = Atomic<UInt64>(1)
    private let sequence: Atomic<Int64>
    /// Views of this length, by `ViewLength`, and of greater ones are kept out.
    private let keptOut = Atomic<Int>(CommitClock.nobody)
    private let turns = Atomic<Int>(0)
    private let pages = Atomic<Int>(0)
    private let queries = Atomic<Int>(0)
    private let letsAllIn = Atomic<Bool>(false)
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
        [ViewLength.turn, .page, .query].reduce(0) { $0 + count(of: $1) }
    }

    /// Counts a reader in, as soon as no checkpoint keeps it out: a matter of milliseconds for a turn.
    ///
    /// The reader must hold no snapshot, or the checkpoint waits for it in turn.
    func enter(_ length: ViewLength) {
        // Whoever reads long waits for what another one began before; not for ever, should the writer have ended.
        let deadline = length == .turn ? Deadline.never : .after(Self.longestWait)
        while true {
            add(1, to: length)
            // Counted first and looked second; the writer closes first and counts second: one of them sees the other.
            if mayEnter(length) || (length != .turn && deadline.hasPassed()) { return }
            add(-1, to: length)
            gate.wait(until: { _ in mayEnter(length) }, orUntil: deadline, then: { _ in })
        }
    }

    func leave(_ length: ViewLength) {
        add(-1, to: length)
    }

    /// Whether readers of this length are asked to end their snapshots at the next occasion.
    package func isGateClosed(for length: ViewLength) -> Bool {
        keptOut.load(ordering: .relaxed) <= length.rawValue
    }

    /// Keeps those out who read long: queries first, and pages once no query is left, so that nobody is kept out longer than
    /// those before it take. Two queries that overlap all the time would else keep the log from ever beginning anew.
    ///
    /// - Returns: Whether none of them has a view. If not, the call is to be repeated, or taken back by `letIn`.
    package func keepOutLongViews() -> Bool {
        guard !letsAllIn.load(ordering: .sequentiallyConsistent) else { return true }
        if keptOut.load(ordering: .relaxed) > ViewLength.page.rawValue {
            keptOut.store(ViewLength.query.rawValue, ordering: .sequentiallyConsistent)
            guard count(of: .query) == 0 else { return false }
            keptOut.store(ViewLength.page.rawValue, ordering: .sequentiallyConsistent)
        }
        return count(of: .query) == 0 && count(of: .page) == 0
    }

    /// Keeps nobody out any more.
    ///
    /// - Parameter forGood: Nor from now on: the database closes, and waits for those who read.
    package func letIn(forGood: Bool = false) {
        if forGood { letsAllIn.store(true, ordering: .sequentiallyConsistent) }
        // Under the lock, so that nobody falls asleep between looking and waiting.
        gate.withLock { _ in keptOut.store(Self.nobody, ordering: .sequentiallyConsistent) }
        gate.broadcast()
    }

    /// Keeps readers out while `body` runs, once those inside have left; then lets all in.
    ///
    /// - Parameter patience: How long to wait for them.
    /// - Returns: What `body` returned, or `nil` if a reader did not leave in time.
    package func withoutReaders<Value, Failure: Error>(
        patience: Duration, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        keptOut.store(ViewLength.turn.rawValue, ordering: .sequentiallyConsistent)
        defer { letIn() }
        let deadline = Deadline.after(patience)
        while openSnapshots > 0 {
            if deadline.hasPassed() { return nil }
            sched_yield()
        }
        return try body()
    }

    private static let nobody = ViewLength.query.rawValue + 1
    /// Longer than the writer's patience with long views.
    private static let longestWait = Duration.seconds(15)

    private func mayEnter(_ length: ViewLength) -> Bool {
        length.rawValue < keptOut.load(ordering: .sequentiallyConsistent)
    }

    private func add(_ number: Int, to length: ViewLength) {
        switch length {
        case .turn: turns.add(number, ordering: .sequentiallyConsistent)
        case .page: pages.add(number, ordering: .sequentiallyConsistent)
        case .query: queries.add(number, ordering: .sequentiallyConsistent)
        }
    }

    private func count(of length: ViewLength) -> Int {
        switch length {
        case .turn: turns.load(ordering: .sequentiallyConsistent)
        case .page: pages.load(ordering: .sequentiallyConsistent)
        case .query: queries.load(ordering: .sequentiallyConsistent)
        }
    }
}
