import Glibc

/// The monotonic clock, for deadlines and measurements.
package enum MonotonicClock {
    /// Nanoseconds since an unspecified moment before the process started.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// The same time at the resolution of the kernel's timer tick (1 to 4 ms). Reading this is several times cheaper
    /// than `now`.
    package static var coarse: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// The processor time of the current thread. It stands still while the thread waits for a processor.
package enum ThreadClock {
    /// Nanoseconds since the thread started. Reading this is a system call.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// The system time, which can jump in both directions.
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

/// A moment on the monotonic clock at which an operation times out.
package struct Deadline: Hashable, Comparable, Sendable {
    /// Nanoseconds on `MonotonicClock`.
    package let nanoseconds: UInt64

    /// Creates a deadline at `nanoseconds` on `MonotonicClock`.
    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// A deadline that never passes.
    package static let never = Deadline(nanoseconds: .max)

    /// Returns the moment `duration` after `start`. A negative duration counts as zero; an overflow gives `never`.
    package static func after(_ duration: Duration, from start: UInt64 = MonotonicClock.now) -> Deadline {
        let (sum, overflow) = start.addingReportingOverflow(duration.clampedNanoseconds)
        return overflow ? .never : Deadline(nanoseconds: sum)
    }

    /// Returns whether the deadline is at or before `now`.
    package func hasPassed(at now: UInt64 = MonotonicClock.now) -> Bool {
        nanoseconds <= now
    }

    /// Returns the time left at `now`; zero if the deadline has passed.
    package func remaining(at now: UInt64 = MonotonicClock.now) -> Duration {
        guard nanoseconds > now else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - now))
    }

    package static func < (left: Deadline, right: Deadline) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in nanoseconds; zero if negative, `UInt64.max` if greater than 584 years.
    package var clampedNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflow || carry ? .max : sum
    }
}
