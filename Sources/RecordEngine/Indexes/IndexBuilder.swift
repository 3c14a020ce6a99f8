internal import RecordModel
internal import Synchronization
internal import Threads

/// How large the pieces are in which indexes are built.
package struct IndexBuilding: Hashable, Sendable {
    /// An index on at most so many records is built inside the request that makes it.
    package var recordsAtOnce = 5_000
    /// … as long as the indexes that one request makes get no more entries than this.
    package var entriesAtOnce = 20_000
    /// The time of a slice while other writes wait.
    package var busyNanoseconds: UInt64 = 1_000_000
    /// The time of a slice while none do.
    package var idleNanoseconds: UInt64 = 4_000_000
    /// The most records that one slice looks at, and entries that it takes away.
    package var recordsPerSlice = Int.max

    package init() {}
}

/// Whether the database has a slice of index work under way. There is one at a time: each, when it is committed, submits
/// the next, behind the writes that have come meanwhile.
final class IndexBuilder: Sendable {
    private struct State {
        var isRunning = false
        /// What came while a slice was under way may be work that it has not seen.
        var isAskedAgain = false
        var waiting: [UnsafeContinuation<Void, Never>] = []

        mutating func end() -> [UnsafeContinuation<Void, Never>] {
            defer { self = State() }
            return waiting
        }
    }

    private let state = Locked(State())
    /// When to try again after a slice that failed, on the coarse monotonic clock; 0 for not at all.
    private let retry = Atomic<UInt64>(0)

    /// A disk that is full, or a queue, is not so for ever, and asking costs little.
    private static let retryNanoseconds: UInt64 = 1_000_000_000

    /// Whether a slice that failed can be tried again now.
    var isDue: Bool {
        let time = retry.load(ordering: .relaxed)
        return time != 0 && MonotonicClock.coarse > time
    }

    /// Whether the caller is to submit a slice; otherwise one is under way and another will follow it.
    func begin() -> Bool {
        retry.store(0, ordering: .relaxed)
        return state.withLock { state in
            if state.isRunning {
                state.isAskedAgain = true
                return false
            }
            state.isRunning = true
            return true
        }
    }

    /// A slice was committed.
    ///
    /// - Returns: Whether another one is to be submitted.
    func didCommit(hasMore: Bool) -> Bool {
        let (goesOn, waiting) = state.withLock { state -> (Bool, [UnsafeContinuation<Void, Never>]) in
            if hasMore || state.isAskedAgain {
                state.isAskedAgain = false
                return (true, [])
            }
            return (false, state.end())
        }
        for continuation in waiting { continuation.resume() }
        return goesOn
    }

    /// A slice failed, or was refused.
    func didFail() {
        retry.store(MonotonicClock.coarse &+ Self.retryNanoseconds, ordering: .relaxed)
        let waiting = state.withLock { $0.end() }
        for continuation in waiting { continuation.resume() }
    }

    /// Suspends until no slice is under way.
    func wait() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let isRunning = state.withLock { state in
                if state.isRunning { state.waiting.append(continuation) }
                return state.isRunning
            }
            if !isRunning { continuation.resume() }
        }
    }
}

extension RecordDatabase {
    /// Sees to it that indexes are built, and tables of dropped ones taken away, in slices among other writes. Returns at
    /// once. Happens by itself when the database opens and when its schema changes.
    package nonisolated func buildIndexes() {
        if indexBuilder.begin() { submit(IndexSlice(self)) }
    }

    /// Waits until nothing is left to build and to drop, or until that has failed or the database was closed.
    package nonisolated func indexesAreBuilt() async {
        await indexBuilder.wait()
    }
}

/// One slice of index work as a write among others. When it is committed it submits the next one; when the database
/// closes, that is refused, and so the work ends.
private final class IndexSlice: PendingWrite, @unchecked Sendable {
    private let database: RecordDatabase
    private var outcome: WriteTransaction.SliceOutcome?

    init(_ database: RecordDatabase) {
        self.database = database
        super.init(operations: 0, weight: 1, isAlone: false, startsLazily: false)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        outcome = nil
        let building = transaction.indexBuilding
        let database = database
        outcome = try transaction.indexSlice { started in
            let isBusy = transaction.groupSize > 1 || database.queueDepth > 0
            let time = isBusy ? building.busyNanoseconds : building.idleNanoseconds
            return MonotonicClock.now &- started < time
        }
    }

    override func finish(_ failure: RecordError?) {
        guard failure == nil, let outcome else { return database.indexBuilder.didFail() }
        database.indexProgress.didCommit(building: outcome.building, added: outcome.added)
        if database.indexBuilder.didCommit(hasMore: outcome.hasMore) { database.submit(IndexSlice(database)) }
    }
}
