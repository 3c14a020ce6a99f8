package import RecordStorage
internal import Synchronization

/// Makes a store fail at its nth step, for tests of the state after the failure.
package final class FaultPlan: Sendable {
    private struct State {
        /// Steps until the failure; negative: never.
        var remaining: Int
        var hasFired = false
        var steps = 0
    }

    let failure: StoreFailure
    /// Whether the failure takes the transaction with it, as SQLite does for some errors.
    let losesTransaction: Bool
    /// Whether every later step fails as well, as on a disk that stays full.
    private let lasts: Bool
    private let state: Mutex<State>

    package init(failAt step: Int, with failure: StoreFailure, losesTransaction: Bool = false, lasts: Bool = false) {
        self.failure = failure
        self.losesTransaction = losesTransaction
        self.lasts = lasts
        state = Mutex(State(remaining: step))
    }

    package var hasFired: Bool { state.withLock { $0.hasFired } }

    /// How many steps have been asked for.
    package var steps: Int { state.withLock { $0.steps } }

    /// Counts a step.
    ///
    /// - Returns: Whether it fails.
    func failsNow() -> Bool {
        state.withLock { state in
            state.steps += 1
            guard state.remaining == 0 else {
                if state.remaining > 0 { state.remaining -= 1 }
                return false
            }
            if !lasts { state.remaining = -1 }
            state.hasFired = true
            return true
        }
    }
}
