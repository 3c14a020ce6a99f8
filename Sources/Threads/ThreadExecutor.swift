import Synchronization

/// One named thread that runs the jobs of whatever is pinned to it, in the order in which they came.
///
/// For code that blocks, such as SQLite: an actor returns it as its `unownedExecutor`, a task takes it as its
/// `executorPreference`. No job is ever dropped: `shutdown` lets the queue run empty, and a job that comes later still
/// (the last hop of a task that outlived its owner) gets a short-lived thread of the same name. There is never more than
/// one thread at a time. The thread keeps the executor alive until `shutdown`.
package final class ThreadExecutor: SerialExecutor, TaskExecutor, Sendable {
    private struct State {
        var jobs: [UnownedJob] = []
        var isWaiting = false
        var isStopping = false
        var isRunning = true
        var enders: [CheckedContinuation<Void, Never>] = []
    }

    /// The name of the thread.
    package let name: String
    private let niceness: Int32
    private let state = Monitor(State())
    /// `SystemThread.current` of the thread; zero while there is none.
    private let thread = Atomic<UInt>(0)

    /// Starts the thread.
    ///
    /// - Parameter niceness: See `SystemThread.start`.
    package init(name: String, niceness: Int32 = 0) {
        self.name = name
        self.niceness = niceness
        startThread()
    }

    /// Whether the caller runs on this executor's thread.
    package var isOnThread: Bool {
        thread.load(ordering: .relaxed) == SystemThread.current
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (wakes, starts) = state.withLock { state in
            state.jobs.append(job)
            let starts = !state.isRunning
            state.isRunning = true
            return (state.isWaiting, starts)
        }
        if starts {
            startThread()
        } else if wakes {
            state.broadcast()
        }
    }

    package func checkIsolated() {
        precondition(isOnThread, "Work of the thread \(name) ran on another thread")
    }

    package func isIsolatingCurrentContext() -> Bool? {
        isOnThread
    }

    /// Ends the thread once its queue is empty, and blocks until then. From the thread itself it only asks for the end.
    package func shutdown() {
        requestEnd()
        guard !isOnThread else { return }
        state.wait(until: { !$0.isRunning }, then: { _ in })
    }

    /// Ends the thread once its queue is empty, and suspends until then. Not to be called from the thread's own jobs.
    package func end() async {
        requestEnd()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let hasEnded = state.withLock { state in
                if state.isRunning { state.enders.append(continuation) }
                return !state.isRunning
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func requestEnd() {
        state.withLock { $0.isStopping = true }
        state.broadcast()
    }

    private func startThread() {
        SystemThread.start(name: name, niceness: niceness) { [self] in run() }
    }

    private func run() {
        thread.store(SystemThread.current, ordering: .relaxed)
        let serial = asUnownedSerialExecutor()
        let task = asUnownedTaskExecutor()
        var batch: [UnownedJob] = []
        while true {
            let enders: [CheckedContinuation<Void, Never>]? = state.wait(
                until: { state in
                    let isReady = !state.jobs.isEmpty || state.isStopping
                    state.isWaiting = !isReady
                    return isReady
                },
                then: { state in
                    guard state.jobs.isEmpty else {
                        swap(&state.jobs, &batch)
                        return nil
                    }
                    state.isRunning = false
                    // Cleared under the lock: a successor thread stores its own value after taking it.
                    thread.store(0, ordering: .relaxed)
                    defer { state.enders = [] }
                    return state.enders
                })
            if let enders {
                state.broadcast()
                for ender in enders { ender.resume() }
                return
            }
            for job in batch {
                job.runSynchronously(isolatedTo: serial, taskExecutor: task)
            }
            batch.removeAll(keepingCapacity: batch.count <= 1024)
        }
    }
}
