import Synchronization

/// An executor with one named thread that runs jobs in the order of arrival.
///
/// Use it for code that blocks, such as SQLite. An actor returns the executor as its `unownedExecutor`; a task takes it
/// as its `executorPreference`.
///
/// No job is dropped. `shutdown` waits until the queue is empty. A job can still arrive after that: the last hop of a
/// task that outlived its owner. Such a job runs on a new, short-lived thread of the same name. There is never more
/// than one thread at a time. The thread keeps the executor alive until `shutdown`.
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
    /// `SystemThread.current` of the thread; zero while there is no thread.
    private let thread = Atomic<UInt>(0)

    /// Starts the thread.
    ///
    /// - Parameter niceness: See `SystemThread.start`.
    package init(name: String, niceness: Int32 = 0) {
        self.name = name
        self.niceness = niceness
        startThread()
    }

    /// Whether the calling code runs on this executor's thread.
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

    /// Ends the thread when its queue is empty, and blocks until then. If called on the thread itself, does not wait.
    package func shutdown() {
        requestEnd()
        guard !isOnThread else { return }
        state.wait(until: { !$0.isRunning }, then: { _ in })
    }

    /// Ends the thread when its queue is empty, and suspends until then. A job of this executor must not call this.
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
                    // Clear this under the lock: the next thread stores its own identifier after it has taken the lock.
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
