import Synchronization
import Threads

/// A monotonic clock for event loops that can be set forward.
///
/// Loops that share a clock see its time skip, and their timers fire without a real wait. Servers use
/// ``MonotonicClock`` alone; tests of deadlines use this clock.
package final class LoopClock: Sendable {
    private let skipped = Atomic<UInt64>(0)
    private let wakeUps = Locked<[@Sendable () -> Void]>([])

    /// Creates a clock that shows the time of ``MonotonicClock``.
    package init() {}

    /// The current time in nanoseconds: the time of ``MonotonicClock`` plus all skipped durations.
    package var now: UInt64 {
        MonotonicClock.now &+ skipped.load(ordering: .relaxed)
    }

    /// Sets the clock forward, and wakes the loops that use it so that their timers fire.
    package func skip(_ duration: Duration) {
        skipped.wrappingAdd(duration.clampedNanoseconds, ordering: .relaxed)
        for wakeUp in wakeUps.withLock({ $0 }) { wakeUp() }
    }

    func add(_ loop: EventLoop) {
        wakeUps.withLock { $0.append { [weak loop] in loop?.perform {} } }
    }
}
