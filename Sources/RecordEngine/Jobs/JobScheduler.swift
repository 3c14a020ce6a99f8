internal import RecordModel
internal import RecordStorage
internal import Threads

/// Runs the long work of a database.
///
/// Of each job one slice is in the queue at a time. When it is committed the next one is submitted, behind the writes that
/// have come meanwhile. When the database closes, the next slice is refused, and so the job ends.
final class JobScheduler: Sendable {
    private typealias Waiter = UnsafeContinuation<RecordError?, Never>

    private struct State {
        let job: any Job
        /// Whether a slice is under way. If not, the last one failed and the job waits for its next attempt.
        var isRunning = false
        /// Whether it was begun again meanwhile: there may be work that the slice under way has not seen.
        var isAskedAgain = false
        /// Slices in a row that failed.
        var failures = 0
        var waiters: [Waiter] = []
    }

    private let jobs = Locked<[ObjectIdentifier: State]>([:])
    private let firstPause: Duration
    private let sleep: @Sendable (Duration) async -> Void

    /// The longest pause before a job is tried again, unless the first one is longer.
    private static let longestPause = Duration.seconds(30)

    /// - Parameters:
    ///   - firstPause: After how long a job whose slice failed is tried again; each further failure doubles it.
    ///   - sleep: Suspends for a pause.
    init(firstPause: Duration, sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) })
    {
        self.firstPause = firstPause
        self.sleep = sleep
    }

    /// The jobs that are under way or wait for their next attempt.
    var count: Int { jobs.withLock { $0.count } }

    /// Begins a job, and returns at once. If a slice of it is under way, another one follows it in any case.
    func begin(_ job: any Job, in database: RecordDatabase) {
        begin(job, in: database, nil)
    }

    /// Runs a job to its end.
    ///
    /// - Throws: The error with which the job ended.
    func run(_ job: any Job, in database: RecordDatabase) async throws(RecordError) {
        let failure = await withUnsafeContinuation { begin(job, in: database, $0) }
        if let failure { throw failure }
    }

    /// Suspends until a job is done, or its last slice has failed.
    func wait(for job: any Job) async {
        _ = await withUnsafeContinuation { (waiter: Waiter) in
            let isRunning = jobs.withLock { jobs in
                guard jobs[ObjectIdentifier(job)]?.isRunning == true else { return false }
                jobs[ObjectIdentifier(job)]?.waiters.append(waiter)
                return true
            }
            if !isRunning { waiter.resume(returning: nil) }
        }
    }

    private func begin(_ job: any Job, in database: RecordDatabase, _ waiter: Waiter?) {
        let wasRunning = jobs.withLock { jobs in
            var state = jobs[ObjectIdentifier(job)] ?? State(job: job)
            let wasRunning = state.isRunning
            state.isAskedAgain = wasRunning
            state.isRunning = true
            if let waiter { state.waiters.append(waiter) }
            jobs[ObjectIdentifier(job)] = state
            return wasRunning
        }
        if !wasRunning { database.submit(JobSlice(of: job, self, database)) }
    }

    fileprivate func didCommit(_ slice: JobSlice, _ progress: JobProgress) {
        guard let work = slice.job.didCommit(progress) else { return goOn(after: slice, progress) }
        Task.detached {
            do throws(RecordError) {
                try await work()
                self.goOn(after: slice, progress)
            } catch {
                self.didFail(slice, error)
            }
        }
    }

    private func goOn(after slice: JobSlice, _ progress: JobProgress) {
        let ended = jobs.withLock { jobs -> State? in
            if !progress.hasMore, jobs[slice.id]?.isAskedAgain != true { return jobs.removeValue(forKey: slice.id) }
            jobs[slice.id]?.isAskedAgain = false
            jobs[slice.id]?.failures = 0
            return nil
        }
        guard let ended else { return slice.database.submit(slice) }
        for waiter in ended.waiters { waiter.resume(returning: nil) }
    }

    fileprivate func didFail(_ slice: JobSlice, _ error: RecordError) {
        switch slice.job.didFail(error) {
        case .again: slice.database.submit(slice)
        case .end(let error):
            let ended = jobs.withLock { $0.removeValue(forKey: slice.id) }
            for waiter in ended?.waiters ?? [] { waiter.resume(returning: error) }
        case .later: pause(slice, error)
        }
    }

    /// Begins a job again after a while, whether or not anybody writes meanwhile: a disk, or a queue, is not full for ever.
    private func pause(_ slice: JobSlice, _ error: RecordError) {
        let (failures, waiters) = jobs.withLock { jobs in
            var state = jobs[slice.id] ?? State(job: slice.job)
            let waiters = state.waiters
            state.failures += 1
            state.isRunning = false
            state.waiters = []
            jobs[slice.id] = state
            return (state.failures, waiters)
        }
        for waiter in waiters { waiter.resume(returning: error) }
        guard slice.database.isHealthy else { return }
        let pause = min(firstPause * (1 << min(failures - 1, 8)), max(firstPause, Self.longestPause))
        Task.detached { [self, job = slice.job, weak database = slice.database] in
            await sleep(pause)
            if let database, database.isHealthy { begin(job, in: database) }
        }
    }
}

/// One slice of a job as a write among others; the same object is every slice of a job in turn.
private final class JobSlice: PendingWrite, @unchecked Sendable {
    let job: any Job
    let database: RecordDatabase
    private let scheduler: JobScheduler
    private var progress: JobProgress?

    var id: ObjectIdentifier { ObjectIdentifier(job) }

    init(of job: any Job, _ scheduler: JobScheduler, _ database: RecordDatabase) {
        self.job = job
        self.scheduler = scheduler
        self.database = database
        super.init(operations: job.operations, weight: job.weight, isAlone: false, startsLazily: false)
    }

    override var frees: Bool { job.frees }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        progress = nil
        var budget = SliceBudget(job.pace, in: transaction, waiting: database.queueDepth)
        progress = try job.slice(transaction, &budget)
    }

    override func finish(_ failure: RecordError?) {
        if failure == nil, let progress {
            scheduler.didCommit(self, progress)
        } else {
            scheduler.didFail(self, failure ?? .databaseUnavailable)
        }
    }
}
