internal import Synchronization
internal import Threads

/// Whether the database has a slice of some long work under way, such as the building of indexes. There is one at a time: each, when it is committed, submits
/// the next, behind the writes that have come meanwhile.
final class SliceTurns: Sendable {
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
