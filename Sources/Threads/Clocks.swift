import Glibc

/// Time that never goes backwards, for deadlines and measurements.
package enum MonotonicClock {
    /// Nanoseconds since some moment before the process started.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// The same to the last tick of the kernel's timer (1 to 4 ms), several times cheaper to ask for.
    package static var coarse: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// The time of day, which may jump.
package enum WallClock {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    package static var seconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec)
    }
}

/// A moment on the monotonic clock after which something is given up.
package struct Deadline: Hashable, Comparable, Sendable {
    /// Nanoseconds on `MonotonicClock`.
    package let nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment that never comes.
    package static let never = Deadline(nanoseconds: .max)

    /// The moment `duration` after `start`; a negative duration counts as zero, a huge one as never.
    package static func after(_ duration: Duration, from start: UInt64 = MonotonicClock.now) -> Deadline {
        let (sum, overflow) = start.addingReportingOverflow(duration.clampedNanoseconds)
        return overflow ? .never : Deadline(nanoseconds: sum)
    }

    /// Whether the moment has come.
    package func hasPassed(at now: UInt64 = MonotonicClock.now) -> Bool {
        nanoseconds <= now
    }

    /// What is left; zero once it has passed.
    package func remaining(at now: UInt64 = MonotonicClock.now) -> Duration {
        guard nanoseconds > now else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - now))
    }

    package static func < (left: Deadline, right: Deadline) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds: zero if negative, `UInt64.max` beyond 584 years.
    package var clampedNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflow || carry ? .max : sum
    }
}
