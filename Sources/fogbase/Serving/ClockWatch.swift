import Threads

/// Notices when the system clock is set: it then moves unlike the monotonic clock.
struct ClockWatch {
    private var last: (wall: Int64, monotonic: UInt64)?
    /// Whether the system clock was set back since the start.
    private(set) var hasGoneBack = false

    /// The difference in milliseconds from which on a change is reported. Time services make smaller ones all the time.
    private static let tolerance: Int64 = 5_000

    /// Compares the clocks with those of the last call.
    ///
    /// - Parameters:
    ///   - wall: The system time in milliseconds since 1970.
    ///   - monotonic: The monotonic time in nanoseconds.
    /// - Returns: A sentence for the operator if the system clock was set; else `nil`.
    mutating func check(wall: Int64 = WallClock.milliseconds, monotonic: UInt64 = MonotonicClock.now) -> String? {
        defer { last = (wall, monotonic) }
        guard let last else { return nil }
        let jump = wall - last.wall - Int64(clamping: (monotonic &- last.monotonic) / 1_000_000)
        guard abs(jump) > Self.tolerance else { return nil }
        guard jump < 0 else {
            return "The system clock went \(jump / 1_000) s forward: it was set, or the machine slept."
        }
        hasGoneBack = true
        return
            "The system clock was set \(-jump / 1_000) s back. New changes get its time, so older records can have later times. Schedules follow it."
    }
}
