/// Waits until `isTrue` holds, for events on another thread.
///
/// - Returns: `false` if it does not hold within 90 seconds: the suites share two threads, and others may block them.
package func eventually(_ isTrue: () throws -> Bool) async rethrows -> Bool {
    let limit = ContinuousClock.now + .seconds(90)
    var pauses = Pauses()
    while try !isTrue() {
        if ContinuousClock.now > limit { return false }
        await pauses.pause()
    }
    return true
}

/// The pauses of a loop that waits for work on other threads or in another process. The first ones only let other tasks
/// run. A loop of those alone would take a whole core from the work that it waits for, so the later ones take a
/// millisecond.
package struct Pauses {
    private var count = 0

    package init() {}

    package mutating func pause() async {
        count += 1
        if count < 100 {
            await Task.yield()
        } else {
            try? await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// Suspends until the task is cancelled.
package func untilCancelled() async {
    let never = AsyncStream<Void> { _ in }
    for await _ in never {}
}
