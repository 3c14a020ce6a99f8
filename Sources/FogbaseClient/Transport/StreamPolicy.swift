/// The times and the randomness of event streams.
package struct StreamPolicy: Sendable {
    /// The time without a received byte after which a stream is broken. Servers send a byte at least every 15 seconds.
    package var silence = Duration.seconds(45)
    /// The longest random delay before a broken stream is opened again. It doubles with each failure in a row.
    package var firstDelay = Duration.seconds(1)
    /// The limit of the doubled delay.
    package var longestDelay = Duration.seconds(60)
    /// The time for which a feed polls after two streams in a row were opened without a received byte. Some proxies
    /// hold responses back until they are complete.
    package var pollingTime = Duration.seconds(300)
    /// The clock of `silence`. The delays have that of the retry policy.
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Returns a random number from 0 to 1.
    package var random: @Sendable () -> Double = { .random(in: 0..<1) }

    /// Creates the policy of apps.
    package init() {}

    /// Returns the delay before a stream is opened again: exponential backoff with full jitter, so that the clients of
    /// a server that restarts do not connect at the same time.
    ///
    /// - Parameters:
    ///   - failures: The number of streams since the last event.
    ///   - asked: The delay that the server asks for; `nil` if it asks for none. The random delay comes after it.
    func delay(after failures: Int, asked: Duration?) -> Duration {
        let longest = min(longestDelay, firstDelay * Double(1 << min(failures, 20)))
        return (asked ?? .zero) + longest * random()
    }
}
