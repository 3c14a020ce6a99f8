package import HTTP
internal import Threads

/// A rate limit (token bucket): `count` requests per period in the long run, `burst` requests at once.
package struct RateLimit: Hashable, Sendable {
    /// The unit of time of a limit.
    package enum Period: String, CaseIterable, Sendable {
        case second = "s"
        case minute = "min"
        case hour = "h"

        /// The length of the period in seconds.
        package var seconds: Int {
            switch self {
            case .second: 1
            case .minute: 60
            case .hour: 3_600
            }
        }
    }

    /// How many requests are allowed per period.
    package let count: Int
    /// The unit of time of `count`.
    package let period: Period
    /// How many requests are allowed at once (the size of the bucket).
    package let burst: Int

    /// Creates a limit. `nil` unless both numbers are positive, the rate is at most 100,000 per second, the burst is at
    /// most 1,000,000, and an empty bucket fills within a day.
    package init?(_ count: Int, per period: Period, burst: Int) {
        guard count > 0, burst > 0, count <= 100_000 * period.seconds, burst <= 1_000_000 else { return nil }
        self.count = count
        self.period = period
        self.burst = burst
        guard window <= 86_400_000_000 else { return nil }
    }

    /// A limit with ten times the rate and ten times the burst, or the same limit if the result would be invalid.
    var tenfold: RateLimit { RateLimit(count * 10, per: period, burst: burst * 10) ?? self }

    /// The time in microseconds after which one more request is allowed; at least 1.
    var interval: UInt64 { max(1, UInt64(period.seconds) * 1_000_000 / UInt64(count)) }

    /// The time in microseconds in which an empty bucket fills.
    var window: UInt64 { interval * UInt64(burst) }
}

/// The rate limits of a server. Each limit applies per address, and also per account for all addresses of the account.
package struct RateLimits: Sendable {
    /// The limit of sign-ins, password changes and invalid credentials; `nil` for no limit.
    package var auth = RateLimit(10, per: .minute, burst: 20)
    /// The limit of sign-ups.
    package var signUp = RateLimit(10, per: .minute, burst: 20)
    /// The limit of reads. Thousands of people may share one address, and one page of an app may need dozens of
    /// requests.
    package var read = RateLimit(2_000, per: .second, burst: 20_000)
    /// The limit of writes.
    package var write = RateLimit(500, per: .second, burst: 10_000)
    /// The limit of uploads.
    package var upload = RateLimit(50, per: .second, burst: 1_000)
    /// The limit of administration.
    package var administer = RateLimit(50, per: .second, burst: 500)
    /// The networks to which no limits apply.
    package var exempt: [IPNetwork] = []
    /// A monotonic clock in nanoseconds. The limits count seconds, so a precision of a few milliseconds is enough.
    package var clock: @Sendable () -> UInt64 = { MonotonicClock.coarse }

    /// Creates the default limits.
    package init() {}

    /// The limit of a class; `nil` for no limit.
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
