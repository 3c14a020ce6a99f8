/// A pool of named threads that start on demand. Jobs are assigned to the threads in turn.
///
/// The pool does not limit the number of waiting jobs; the pool's owner must.
package final class WorkerPool: Sendable {
    private struct State {
        var executors: [ThreadExecutor] = []
        var next = 0
        var isClosed = false
    }

    private let name: String
    private let threads: Int
    private let niceness: Int32
    private let state = Locked(State())

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - name: The prefix of the threads' names; the pool appends a number.
    ///   - threads: The maximum number of threads; at least 1.
    ///   - niceness: See `SystemThread.start`.
    package init(name: String, threads: Int, niceness: Int32 = 0) {
        self.name = name
        self.threads = max(1, threads)
        self.niceness = niceness
    }

    deinit {
        for executor in state.withLock({ $0.executors }) { executor.shutdown() }
    }

    /// Returns the thread for the next job; `nil` if the pool is closed.
    package func next() -> ThreadExecutor? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            if state.executors.count < threads {
                let executor = ThreadExecutor(name: "\(name)-\(state.executors.count)", niceness: niceness)
                state.executors.append(executor)
                return executor
            }
            defer { state.next = (state.next + 1) % threads }
            return state.executors[state.next]
        }
    }

    /// Closes the pool and suspends until all queued jobs have run.
    package func close() async {
        let executors = state.withLock { state in
            state.isClosed = true
            defer { state.executors = [] }
            return state.executors
        }
        for executor in executors { await executor.end() }
    }
}
