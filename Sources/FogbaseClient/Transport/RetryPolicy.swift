/// The number of times that the client retries a request, and the delays between the attempts.
///
/// The client retries after status 429 and 503, if the server was not reached, and if the response was lost. Repeating
/// a write is safe, because writes of this client have an idempotency key.
public struct RetryPolicy: Sendable {
    /// The maximum number of attempts; 1 means no retries.
    public var attempts: Int
    /// The delay before the second attempt. Each further delay is twice as long. Each delay is shortened randomly by up
    /// to half, so that clients that failed at the same time do not retry at the same time.
    public var firstDelay: Duration
    /// The longest delay. If the server asks for a longer delay, the call throws instead of waiting.
    public var longestDelay: Duration
    /// The function that waits. Tests can replace it.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of attempts, at least 1.
    ///   - firstDelay: The delay before the second attempt. Each further delay is twice as long.
    ///   - longestDelay: The longest delay.
    ///   - sleep: The function that waits. Tests can replace it.
    public init(
        attempts: Int = 4, firstDelay: Duration = .milliseconds(200), longestDelay: Duration = .seconds(15),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.attempts = max(1, attempts)
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.sleep = sleep
    }

    /// Four attempts within about a second. The delays are longer if the server asks for longer delays.
    public static let standard = RetryPolicy()
    /// A single attempt. All errors are thrown immediately.
    public static let never = RetryPolicy(attempts: 1)

    /// Returns the delay before another attempt; `nil` for no further attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of attempts so far.
    ///   - asked: The delay that the server asks for; `nil` if it asks for none.
    ///   - chance: A random number from 0 to 1.
    func delay(after attempt: Int, asked: Duration?, chance: Double = .random(in: 0..<1)) -> Duration? {
        guard attempt < attempts else { return nil }
        if let asked, asked > longestDelay { return nil }
        let doubled = firstDelay * Double(1 << min(attempt - 1, 20))
        let own = min(doubled, longestDelay) * (0.5 + chance / 2)
        return max(own, asked ?? .zero)
    }

    /// Returns the delay before another attempt while the server builds an index; `nil` if the total wait is exhausted.
    ///
    /// The delay from the server is an estimate for large types, and most indexes are ready sooner. The client
    /// therefore retries earlier, with growing delays. The maximum total wait is the same as for all attempts with the
    /// server's delay.
    ///
    /// - Parameters:
    ///   - waits: The number of waits for an index so far.
    ///   - spent: The total of these waits.
    ///   - asked: The delay that the server asks for; `nil` if it asks for none.
    ///   - chance: A random number from 0 to 1.
    func delay(
        forIndex waits: Int, spent: Duration, asked: Duration, chance: Double = .random(in: 0..<1)
    ) -> Duration? {
        let rest = asked * (attempts - 1) - spent
        guard asked <= longestDelay, rest > .zero else { return nil }
        let own = firstDelay * Double(1 << min(waits, 20)) * (0.5 + chance / 2)
        return min(own, asked, rest)
    }
}
