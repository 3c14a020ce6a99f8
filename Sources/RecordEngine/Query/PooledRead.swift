internal import Synchronization
internal import Threads

/// One read of a `ReaderPool` that waits for its turn.
struct PooledRead: Sendable {
    /// Starts the work on a thread. The work hands the thread to the next read at its end.
    let start: @Sendable (ThreadExecutor) -> Void
    /// Ends the read without work.
    let drop: @Sendable () -> Void
    let cancellation: PooledReadCancellation
}

/// The connection between the canceled task of a caller and the task of its read.
final class PooledReadCancellation: Sendable {
    private enum Phase: Int, AtomicRepresentable {
        case waiting, running, cancelled
    }

    private let phase = Atomic<Phase>(.waiting)
    /// Written once, before the phase becomes `running`, and read after that.
    private nonisolated(unsafe) var task: Task<Void, Never>?

    /// Connects the task of the read, which has begun. It is canceled if its caller already was.
    func begin(_ task: Task<Void, Never>) {
        self.task = task
        let (isFirst, _) = phase.compareExchange(
            expected: .waiting, desired: .running, ordering: .acquiringAndReleasing)
        if !isFirst { task.cancel() }
    }

    /// Cancels the task of the read as soon as it has begun.
    func cancel() {
        if phase.exchange(.cancelled, ordering: .acquiringAndReleasing) == .running { task?.cancel() }
    }
}
