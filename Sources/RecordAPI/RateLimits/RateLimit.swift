package import HTTP
internal import Threads

/// How often something may happen: `count` times a period in the long run, `burst` times at once.
package struct RateLimit: Hashable, Sendable {
    package enum Period: String, CaseIterable, Sendable {
        case second = "s"
        case minute = "min"
        case hour = "h"

        package var seconds: Int {
            switch self {
            case .second: 1
            case .minute: 60
            case .hour: 3_600
            }
        }
    }

    package let count: Int
    package let period: Period
    package let burst: Int

    /// `nil` unless all are positive, there are at most 100,000 a second, and an empty bucket is full again within a day.
    package init?(_ count: Int, per period: Period, burst: Int) {
        guard count > 0, burst > 0, count <= 100_000 * period.seconds, burst <= 1_000_000 else { return nil }
        self.count = count
        self.period = period
        self.burst = burst
        guard window <= 86_400_000_000 else { return nil }
    }

    /// Ten times as many, in a bucket ten times as large, if there can be such a limit.
    var tenfold: RateLimit { RateLimit(count * 10, per: period, burst: burst * 10) ?? self }

    /// Microseconds in which one more becomes free; at least one.
    var interval: UInt64 { max(1, UInt64(period.seconds) * 1_000_000 / UInt64(count)) }

    /// Microseconds in which an empty bucket is full.
    var window: UInt64 { interval * UInt64(burst) }
}

/// The limits of a server. They hold for each address, and for each account whatever address it comes from.
package struct RateLimits: Sendable {
    /// `nil` for no limit.
    package var auth = RateLimit(10, per: .minute, burst: 20)
    package var signUp = RateLimit(10, per: .minute, burst: 20)
    /// Thousands of people may share one address, and one page of an app asks dozens of times.
    package var read = RateLimit(2_000, per: .second, burst: 20_000)
    package var write = RateLimit(500, per: .second, burst: 10_000)
    package var upload = RateLimit(50, per: .second, burst: 1_000)
    package var administer = RateLimit(50, per: .second, burst: 500)
    /// Who comes from here is not limited.
    package var exempt: [IPNetwork] = []
    /// Nanoseconds that never go backwards. What counts seconds needs no more than a few milliseconds' precision.
    package var clock: @Sendable () -> UInt64 = { MonotonicClock.coarse }

    package init() {}

    package subscript(rateClass: RateClass) -> RateLimit? {
        switch rateClass {
        case .auth: auth
        case .read: read
        case .write: write
        case .upload: upload
        case .administer: administer
        case .signUp: signUp
        }
    }
}
