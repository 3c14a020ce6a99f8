/// How often and how long the client tries again what may work later: answers 429 and 503, a server that is not reached, and
/// a lost answer to what is safe to repeat. Every write of this client is: it carries an idempotency key.
public struct RetryPolicy: Sendable {
    /// How often a request is sent in all; 1 never tries again.
    public var attempts: Int
    /// The wait before the second attempt; each further one is twice as long, and each is shortened by chance, so that
    /// clients that failed together do not come back together.
    public var firstDelay: Duration
    /// The longest wait. A server that asks for a longer one gets no other attempt: the app is told.
    public var longestDelay: Duration
    /// Waits; tests put a clock of theirs here.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - attempts: How often a request is sent in all, at least 1.
    ///   - firstDelay: The wait before the second attempt; each further one is twice as long.
    ///   - longestDelay: The longest wait.
    ///   - sleep: Waits; tests put a clock of theirs here.
    public init(
        attempts: Int = 4, firstDelay: Duration = .milliseconds(200), longestDelay: Duration = .seconds(15),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.attempts = max(1, attempts)
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.sleep = sleep
    }

    /// Four attempts in all, the last about a second after the first unless the server asks for more.
    public static let standard = RetryPolicy()
    /// One attempt: whatever fails is told at once.
    public static let never = RetryPolicy(attempts: 1)

    /// How long to wait before another attempt; `nil` if there is to be none.
    ///
    /// - Parameters:
    ///   - attempt: How often the request was sent by now.
    ///   - asked: What the server asked for.
    ///   - chance: From 0 to 1.
    func delay(after attempt: Int, asked: Duration?, chance: Double = .random(in: 0..<1)) -> Duration? {
        guard attempt < attempts else { return nil }
        if let asked, asked > longestDelay { return nil }
        let doubled = firstDelay * Double(1 << min(attempt - 1, 20))
        let own = min(doubled, longestDelay) * (0.5 + chance / 2)
        return max(own, asked ?? .zero)
    }

    /// How long to wait for an index that is being built; `nil` if it was waited for long enough.
    ///
    /// What the server asks for is a guess that holds for large types, and most indexes are there sooner. So it is asked
    /// again soon and then ever later, and for as long in all as all attempts would wait that do as they are asked.
    ///
    /// - Parameters:
    ///   - waits: How often it was waited for by now.
    ///   - spent: How long.
    ///   - asked: What the server asked for.
    ///   - chance: From 0 to 1.
    func delay(
        forIndex waits: Int, spent: Duration, asked: Duration, chance: Double = .random(in: 0..<1)
    ) -> Duration? {
        let rest = asked * (attempts - 1) - spent
        guard asked <= longestDelay, rest > .zero else { return nil }
        let own = firstDelay * Double(1 << min(waits, 20)) * (0.5 + chance / 2)
        return min(own, asked, rest)
    }
}
