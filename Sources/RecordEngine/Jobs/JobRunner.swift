internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// Runs the jobs of callers, a few at a time, in the order of their creation.
final class JobRunner: Sendable {
    private struct State {
        var running: Set<JobID> = []
        /// The number of tasks that run jobs.
        var tasks = 0
        /// The number of further tasks, whose jobs wait for the rate limits of their callers.
        var waiting = 0
        /// Whether `start` was called while all tasks were there. A task that has found no job then looks again.
        var wasStarted = false
    }

    private let state = Locked(State())
    private let firstPause: Duration
    private let sleep: @Sendable (Duration) async -> Void

    /// The maximum number of jobs that run at a time. The others wait.
    private static let mostRunning = 2
    /// The maximum number of jobs that let others run while they wait for a rate limit. Each keeps a file open.
    private static let mostWaiting = 16
    /// The longest pause before a retry, unless `firstPause` is longer.
    private static let longestPause = Duration.seconds(60)
    /// The number of consecutive internal errors that end a job.
    private static let internalErrors = 5

    /// - Parameters:
    ///   - firstPause: The pause after a failure that may pass. Each consecutive failure doubles it.
    ///   - sleep: Suspends for a pause.
    init(firstPause: Duration, sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) })
    {
        self.firstPause = firstPause
        self.sleep = sleep
    }

    /// Starts the jobs that wait, and returns at once.
    func start(in database: RecordDatabase) {
        let starts = state.withLock { state in
            guard state.tasks < Self.mostRunning else {
                state.wasStarted = true
                return false
            }
            state.tasks += 1
            return true
        }
        // The task keeps the database until its job ends, as a write in the queue does.
        if starts { Task.detached { await self.runAll(in: database) } }
    }

    private func runAll(in database: RecordDatabase) async {
        repeat {
            while !isSurplus, let id = await claim(in: database) {
                await run(id, in: database)
                try? await database.jobs.sweepFiles()
                state.withLock { _ = $0.running.remove(id) }
            }
        } while looksAgain(in: database)
    }

    /// Whether a task too many runs, because its job has waited for a rate limit and gone on.
    private var isSurplus: Bool { state.withLock { $0.tasks > Self.mostRunning } }

    /// Returns whether a job may have been added since the last claim. If not, the task is over.
    private func looksAgain(in database: RecordDatabase) -> Bool {
        state.withLock { state in
            guard state.wasStarted, state.tasks <= Self.mostRunning, database.isHealthy else {
                state.tasks -= 1
                return false
            }
            state.wasStarted = false
            return true
        }
    }

    /// Takes the next job; `nil` if none waits or the database is closing.
    private func claim(in database: RecordDatabase) async -> JobID? {
        try? await database.write { transaction throws(RecordError) in
            // On the writer's thread, so that two tasks do not take the same job.
            let running = self.state.withLock { $0.running }
            let id = try transaction.jobs.claim(except: running)
            if let id { self.state.withLock { _ = $0.running.insert(id) } }
            return id
        }
    }

    /// Runs a job until it ends, is paused, or the database closes. After a failure that may pass, tries again later.
    private func run(_ id: JobID, in database: RecordDatabase) async {
        var failures = 0
        var work = JobWork(id, in: database)
        while true {
            do throws(RecordError) {
                try await database.slices.run(work, in: database)
                guard let pause = work.pause else { return }
                await wait(pause, in: database)
            } catch {
                guard database.isHealthy else { return }
                failures = work.hasAdvanced ? 1 : failures + 1
                guard Self.mayPass(error, failures) else {
                    let json = JobWriter.json(error)
                    try? await database.write { transaction throws(RecordError) in
                        try transaction.store.jobs.set(.failed, of: id, now: transaction.now, error: json)
                    }
                    return
                }
                await sleep(min(firstPause * (1 << min(failures - 1, 6)), max(firstPause, Self.longestPause)))
                work = JobWork(id, in: database)
            }
        }
    }

    /// Waits for the rate limit of a job's caller. Another job runs meanwhile.
    private func wait(_ pause: Duration, in database: RecordDatabase) async {
        let letsOthersRun = state.withLock { state in
            guard state.waiting < Self.mostWaiting else { return false }
            state.waiting += 1
            state.tasks -= 1
            return true
        }
        if letsOthersRun { start(in: database) }
        await sleep(min(pause, Self.longestPause))
        guard letsOthersRun else { return }
        state.withLock { state in
            state.waiting -= 1
            state.tasks += 1
        }
    }

    private static func mayPass(_ error: RecordError, _ failures: Int) -> Bool {
        switch error.code {
        case .tryAgainLater, .throttled: true
        case .quotaExceeded: error.cause == .storageFull
        case .internalError: failures < internalErrors
        default: error.cause == .storageFull
        }
    }
}
