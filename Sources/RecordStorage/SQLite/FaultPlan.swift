/// Makes a connection fail at its nth step, for tests that ask what is left on disk when it does.
///
/// Confined to the connection's thread, like the connection.
package final class FaultPlan {
    /// Steps until the failure; negative: never.
    private var remaining: Int
    private let error: StoreFailure
    /// Whether the failure takes the transaction with it, as SQLite does for some errors.
    package let losesTransaction: Bool
    /// How many steps have been asked for.
    package private(set) var steps = 0
    package private(set) var hasFired = false

    /// Whether every later step fails as well, as on a disk that stays full.
    private let lasts: Bool

    package init(failAt step: Int, with error: StoreFailure, losesTransaction: Bool = false, lasts: Bool = false) {
        self.remaining = step
        self.error = error
        self.losesTransaction = losesTransaction
        self.lasts = lasts
    }

    func check() throws(StoreFailure) {
        steps += 1
        if remaining == 0 {
            if !lasts { remaining = -1 }
            hasFired = true
            throw error
        }
        if remaining > 0 { remaining -= 1 }
    }
}
