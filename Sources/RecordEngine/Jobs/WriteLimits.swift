package import RecordModel
internal import Threads

/// Limits how fast callers write. Jobs take from the same limit as the requests of their caller.
package protocol WriteLimiter: Sendable {
    /// Returns how many operations a caller may execute now; `nil` if the caller has no limit.
    func allowance(of caller: Caller, in database: RecordDatabase) -> WriteAllowance?

    /// Counts operations that a caller has executed.
    func charge(_ operations: Int, to caller: Caller, in database: RecordDatabase)
}

/// What a rate limit leaves to a caller.
package struct WriteAllowance: Hashable, Sendable {
    /// The number of operations that the caller may execute now.
    package var operations: Int
    /// How long a caller with no operation left waits.
    package var pause: Duration

    /// Creates an allowance from its parts.
    package init(operations: Int, pause: Duration) {
        self.operations = operations
        self.pause = pause
    }
}

/// The limiter of all databases of a server. The interface, which has the rate limits, is made after the databases.
package final class WriteLimits: Sendable {
    private let current = Locked<(any WriteLimiter)?>(nil)

    /// Sets no limits.
    package init() {}

    /// The limiter; `nil` if writes have no limits.
    package var limiter: (any WriteLimiter)? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
