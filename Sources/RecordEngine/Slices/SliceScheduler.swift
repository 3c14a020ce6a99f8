internal import RecordModel
internal import RecordStorage
internal import Threads

/// Runs the sliced work of a database, slice by slice.
///
/// The writer's queue holds one slice of each work at a time. After a slice is committed, the scheduler appends the next slice to the
/// queue, behind the writes that have arrived meanwhile. When the database closes, its queue rejects the next slice,
/// which ends the work.
final class SliceScheduler: Sendable {
    private typealias Waiter = UnsafeContinuation<RecordError?, Never>

    private struct State {
        let sliced: any SlicedWork
        /// Whether a slice is queued or running. If false, the last slice failed and the work waits for its next
        /// attempt.
        var isRunning = false
        /// Whether `begin` was called again. If true, the current slice may have missed new work.
        var needsAnotherSlice = false
        /// The number of consecutive failed slices.
        var failures = 0
        var waiters: [Waiter] = []
    }

    private let works = Locked<[ObjectIdentifier: State]>([:])
    private let firstPause: Duration
    private let sleep: @Sendable (Duration) async -> Void

    /// The longest pause before a retry, unless `firstPause` is longer.
    private static let longestPause = Duration.seconds(30)

    /// - Parameters:
    ///   - firstPause: The pause after the first failed slice. Each further failure doubles the pause.
    ///   - sleep: Suspends for a pause.
    init(firstPause: Duration, sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) })
    {
        self.firstPause = firstPause
        self.sleep = sleep
    }

    /// The number of works that run or wait for their next attempt.
    var count: Int { works.withLock { $0.count } }

    /// Starts sliced work and returns immediately. If a slice of the work is already running, another slice follows it.
    func begin(_ sliced: any SlicedWork, in database: RecordDatabase) {
        begin(sliced, in: database, nil)
    }

    /// Runs sliced work and waits for its end.
    ///
    /// - Throws: The error that ended the work, or the error of a failed slice after which the work pauses.
    func run(_ sliced: any SlicedWork, in database: RecordDatabase) async throws(RecordError) {
        let failure = await withUnsafeContinuation { begin(sliced, in: database, $0) }
        if let failure { throw failure }
    }

    /// Waits until sliced work ends or one of its slices fails. Returns immediately if no slice of the work is queued or
    /// running.
    func wait(for sliced: any SlicedWork) async {
        _ = await withUnsafeContinuation { (waiter: Waiter) in
            let isRunning = works.withLock { works in
                guard works[ObjectIdentifier(sliced)]?.isRunning == true else { return false }
                works[ObjectIdentifier(sliced)]?.waiters.append(waiter)
                return true
            }
            if !isRunning { waiter.resume(returning: nil) }
        }
    }

    private func begin(_ sliced: any SlicedWork, in database: RecordDatabase, _ waiter: Waiter?) {
        let wasRunning = works.withLock { works in
            var state = works[ObjectIdentifier(sliced)] ?? State(sliced: sliced)
            let wasRunning = state.isRunning
            state.needsAnotherSlice = wasRunning
            state.isRunning = true
            if let waiter { state.waiters.append(waiter) }
            works[ObjectIdentifier(sliced)] = state
            return wasRunning
        }
        if !wasRunning { database.submit(QueuedSlice(of: sliced, self, database)) }
    }

    fileprivate func didCommit(_ slice: QueuedSlice, _ progress: SliceProgress) {
        guard let work = slice.sliced.didCommit(progress) else { return goOn(after: slice, progress) }
        Task.detached {
            do throws(RecordError) {
                try await work()
                self.goOn(after: slice, progress)
            } catch {
                self.didFail(slice, error)
            }
        }
    }

    private func goOn(after slice: QueuedSlice, _ progress: SliceProgress) {
        let ended = works.withLock { works -> State? in
            if !progress.hasMore, works[slice.id]?.needsAnotherSlice != true {
                return works.removeValue(forKey: slice.id)
            }
            works[slice.id]?.needsAnotherSlice = false
            works[slice.id]?.failures = 0
            return nil
        }
        guard let ended else { return slice.database.submit(slice) }
        for waiter in ended.waiters { waiter.resume(returning: nil) }
    }

    fileprivate func didFail(_ slice: QueuedSlice, _ error: RecordError) {
        switch slice.sliced.didFail(error) {
        case .again: slice.database.submit(slice)
        case .end(let error):
            let ended = works.withLock { $0.removeValue(forKey: slice.id) }
            for waiter in ended?.waiters ?? [] { waiter.resume(returning: error) }
        case .later: pause(slice, error)
        }
    }

    /// Restarts sliced work after a pause, even without another write. A full disk or a full queue may be temporary.
    private func pause(_ slice: QueuedSlice, _ error: RecordError) {
        let (failures, waiters) = works.withLock { works in
            var state = works[slice.id] ?? State(sliced: slice.sliced)
            let waiters = state.waiters
            state.failures += 1
            state.isRunning = false
            state.waiters = []
            works[slice.id] = state
            return (state.failures, waiters)
        }
        for waiter in waiters { waiter.resume(returning: error) }
        guard slice.database.isHealthy else { return }
        let pause = min(firstPause * (1 << min(failures - 1, 8)), max(firstPause, Self.longestPause))
        Task.detached { [self, sliced = slice.sliced, weak database = slice.database] in
            await sleep(pause)
            if let database, database.isHealthy { begin(sliced, in: database) }
        }
    }
}

/// A slice as a write in the queue. Sliced work uses one object for all its slices.
private final class QueuedSlice: PendingWrite, @unchecked Sendable {
    let sliced: any SlicedWork
    let database: RecordDatabase
    private let scheduler: SliceScheduler
    private var progress: SliceProgress?

    var id: ObjectIdentifier { ObjectIdentifier(sliced) }

    init(of sliced: any SlicedWork, _ scheduler: SliceScheduler, _ database: RecordDatabase) {
        self.sliced = sliced
        self.scheduler = scheduler
        self.database = database
        super.init(operations: sliced.operations, weight: sliced.weight, isAlone: false, startsLazily: sliced.isOfItems)
    }

    override var frees: Bool { sliced.frees }

    override var callerAccount: UserID? { sliced.account }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        progress = nil
        var budget = SliceBudget(sliced.pace, in: transaction, waiting: database.queueDepth)
        progress = try sliced.slice(transaction, &budget)
    }

    override func finish(_ failure: RecordError?) {
        if failure == nil, let progress {
            scheduler.didCommit(self, progress)
        } else {
            scheduler.didFail(self, failure ?? .databaseUnavailable)
        }
    }
}
