/// Yields until `isTrue` holds, for events on another thread.
///
/// - Returns: `false` if it does not hold within 90 seconds: the suites share two threads, and others may block them.
package func eventually(_ isTrue: () throws -> Bool) async rethrows -> Bool {
    let limit = ContinuousClock.now + .seconds(90)
    while try !isTrue() {
        if ContinuousClock.now > limit { return false }
        await Task.yield()
    }
    return true
}

/// Suspends until the task is cancelled.
package func untilCancelled() async {
    let never = AsyncStream<Void> { _ in }
    for await _ in never {}
}
