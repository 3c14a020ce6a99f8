internal import HTTP
internal import RecordModel

/// Counts requests, for all loops of a server.
final class RateLimiter: Sendable {
    /// Whose bucket it is. The two of an address in the class `auth` are apart: an app that goes on sending the token of an
    /// ended session must not keep its neighbours, nor itself, from signing in.
    enum Holder: Hashable {
        case address(IPAddress)
        /// Credentials from an address that were none.
        case failures(IPAddress)
        /// Signing in with a name from an address that has signed in with it before: see `SignInDelays.known`.
        case known(UInt64)
        /// All such names of an address together.
        case acquainted(IPAddress)
        case account(database: ObjectIdentifier, UserID)
        /// By its number in the server's list.
        case administrator(Int64)
    }

    let limits: RateLimits
    let delays: SignInDelays?
    private let table: RateTable
    private let clock: @Sendable () -> UInt64
    /// On top of the process's own, which an environment variable can take away.
    private let secret: UInt64

    init(_ limits: RateLimits, table: RateTable = RateTable()) {
        self.limits = limits
        self.table = table
        clock = limits.clock
        secret = UInt64.random(in: .min ... .max)
        delays = limits.auth == nil ? nil : SignInDelays(secret: secret, clock: clock)
    }

    /// Where a holder's bucket of a class lies.
    func key(_ rateClass: RateClass, _ holder: Holder) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(secret)
        switch holder {
        case .address(let address):
            hasher.combine(UInt64(rateClass.index))
            hasher.combine(address.high)
            hasher.combine(address.low)
        case .failures(let address):
            hasher.combine(UInt64(rateClass.index) | 1 << 8)
            hasher.combine(address.high)
            hasher.combine(address.low)
        case .known(let pair):
            hasher.combine(UInt64(rateClass.index) | 4 << 8)
            hasher.combine(pair)
        case .acquainted(let address):
            hasher.combine(UInt64(rateClass.index) | 5 << 8)
            hasher.combine(address.high)
            hasher.combine(address.low)
        case .account(let database, let id):
            hasher.combine(UInt64(rateClass.index) | 2 << 8)
            hasher.combine(UInt(bitPattern: database))
            hasher.combine(id)
        case .administrator(let id):
            hasher.combine(UInt64(rateClass.index) | 3 << 8)
            hasher.combine(id)
        }
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

    /// - Parameter spent: What another attempt needs besides.
    func take(_ count: Int, from key: UInt64, _ limit: RateLimit, after spent: Int = 0) -> RateStanding {
        standing(
            limit, table.take(cost(count, limit), from: key, window: limit.window, now: microseconds),
            asked: count + spent)
    }

    func charge(_ count: Int, to key: UInt64, _ limit: RateLimit) -> RateStanding {
        standing(limit, table.charge(cost(count, limit), to: key, window: limit.window, now: microseconds), asked: 1)
    }

    func giveBack(_ count: Int, to key: UInt64, _ limit: RateLimit) {
        table.giveBack(cost(count, limit), to: key, now: microseconds)
    }

    /// What there is, without taking any.
    func standing(of key: UInt64, _ limit: RateLimit) -> RateStanding {
        let backlog = table.backlog(of: key, now: microseconds)
        return standing(
            limit, RateTable.Outcome(isAdmitted: backlog + limit.interval <= limit.window, backlog: backlog), asked: 1)
    }

    private var microseconds: UInt64 { clock() / 1_000 }

    /// Beyond every bucket, all counts are alike; and nothing overflows.
    private func cost(_ count: Int, _ limit: RateLimit) -> UInt64 {
        limit.interval * UInt64(min(max(count, 0), 2_000_000))
    }

    private func standing(_ limit: RateLimit, _ outcome: RateTable.Outcome, asked count: Int) -> RateStanding {
        let left = limit.window > outcome.backlog ? limit.window - outcome.backlog : 0
        let missing = outcome.isAdmitted ? 0 : min(cost(count, limit), limit.window) - min(left, cost(count, limit))
        return RateStanding(
            isAdmitted: outcome.isAdmitted, limit: limit, remaining: Int(left / limit.interval),
            secondsToFull: Self.seconds(outcome.backlog), retryAfter: max(1, Self.seconds(missing)))
    }

    private static func seconds(_ microseconds: UInt64) -> Int {
        Int((microseconds + 999_999) / 1_000_000)
    }
}

/// How a bucket stands after an attempt.
struct RateStanding {
    let isAdmitted: Bool
    let limit: RateLimit
    /// How many more there are.
    let remaining: Int
    let secondsToFull: Int
    /// Seconds until the same attempt can succeed; at least one.
    let retryAfter: Int

    /// Appends the fields of draft-ietf-httpapi-ratelimit-headers-10: the policy `q` in `w` seconds is the bucket and what it
    /// takes to fill; `r` are left, and in `t` seconds it is full.
    func append(to fields: inout HTTPFields, as rateClass: RateClass) {
        let window = (limit.window + 999_999) / 1_000_000
        fields.append(.rateLimitPolicy, "\"\(rateClass.rawValue)\";q=\(limit.burst);w=\(window)")
        fields.append(.rateLimit, "\"\(rateClass.rawValue)\";r=\(remaining);t=\(secondsToFull)")
    }
}
