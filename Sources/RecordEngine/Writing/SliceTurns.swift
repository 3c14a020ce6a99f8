internal import Threads

/// Whether the database has a slice of some long work under way, such as the building of indexes. There is one at a time: each, when it is committed, submits
/// the next, behind the writes that have come meanwhile.
final class SliceTurns: Sendable {
    private struct State {
        var isRunning = false
        /// What came while a slice was under way may be work that it has not seen.
        var isAskedAgain = false
        /// Slices that have failed since one was committed.
        var failures = 0
        var waiting: [UnsafeContinuation<Void, Never>] = []

        mutating func end() -> [UnsafeContinuation<Void, Never>] {
            defer {
                isRunning = false
                isAskedAgain = false
                waiting = []
            }
            return waiting
        }
    }

    private let state = Locked(State())
    private let firstPause: Duration

    /// - Parameter firstPause: After how long a slice that failed is tried again; each further failure doubles it.
    init(firstPause: Duration) {
        self.firstPause = firstPause
    }

    /// The longest time after which a slice that failed is tried again.
    private static let longestPause = Duration.seconds(30)

    /// Whether the caller is to submit a slice; otherwise one is under way and another will follow it.
    func begin() -> Bool {
        state.withLock { state in
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
            state.failures = 0
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
    ///
    /// - Returns: When to begin again, of which the caller must take care: a disk that is full, or a queue, is not so for
    ///   ever.
    func didFail() -> Duration {
        let (failures, waiting) = state.withLock { state in
            state.failures += 1
            return (state.failures, state.end())
        }
        for continuation in waiting { continuation.resume() }
        return min(firstPause * (1 << min(failures - 1, 8)), max(firstPause, Self.longestPause))
    }

    /// Whether the last slice failed: the next one does as little as it can.
    var hasFailed: Bool { state.withLock { $0.failures > 0 } }

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
