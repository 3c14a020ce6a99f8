/// Runs something until it once took less than a limit, and returns the shortest time it took.
///
/// Work that is slow is slow each time; work that only waited for a processor is not.
///
/// - Parameters:
///   - limit: What is looked for; a shorter time ends the attempts.
///   - attempts: How often it runs at most.
package func shortestTime(
    below limit: Duration, attempts: Int = 3, isolation: isolated (any Actor)? = #isolation,
    of body: () async throws -> Void
) async rethrows -> Duration {
    let clock = ContinuousClock()
    var shortest: Duration?
    for _ in 0..<attempts {
        let start = clock.now
        try await body()
        let took = start.duration(to: clock.now)
        shortest = min(took, shortest ?? took)
        if took < limit { break }
    }
    return shortest ?? .zero
}
