/// A worker pool: named threads, each started when it is first needed, to which work goes in turn.
///
/// It has no bound of its own on what waits: its owner knows how much is too much.
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

    /// - Parameters:
    ///   - name: Of the threads, each with its number.
    ///   - threads: How many there are at most; at least 1.
    ///   - niceness: See `SystemThread.start`.
    package init(name: String, threads: Int, niceness: Int32 = 0) {
        self.name = name
        self.threads = max(1, threads)
        self.niceness = niceness
    }

    deinit {
        for executor in state.withLock({ $0.executors }) { executor.shutdown() }
    }

    /// The thread for the next piece of work; `nil` once the pool is closed.
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

    /// Takes no more work and waits for what runs.
    package func close() async {
        let executors = state.withLock { state in
            state.isClosed = true
            defer { state.executors = [] }
            return state.executors
        }
        for executor in executors { await executor.end() }
    }
}
