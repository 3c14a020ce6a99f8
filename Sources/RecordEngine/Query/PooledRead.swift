internal import RecordModel
internal import Threads

/// One read of a `ReaderPool` that waits for its turn.
struct PooledRead: Sendable {
    /// Starts the work on a thread. The work hands the thread to the next read at its end.
    let run: @Sendable (ThreadExecutor) -> Task<Void, Never>
    /// Ends the read without work.
    let drop: @Sendable () -> Void
    let cancellation: PooledReadCancellation

    /// Starts the work, unless the read was canceled.
    ///
    /// - Returns: Whether the read uses the thread.
    func start(on thread: ThreadExecutor) -> Bool {
        let isRunning = cancellation.state.withLock { state in
            if state.isCancelled { return false }
            state.task = run(thread)
            return true
        }
        if !isRunning { drop() }
        return isRunning
    }
}

/// The connection between the canceled task of a caller and its read, which may wait or run.
final class PooledReadCancellation: Sendable {
    fileprivate struct State {
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    fileprivate let state = Locked(State())

    /// Cancels the work if it runs, and otherwise prevents it from starting.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
