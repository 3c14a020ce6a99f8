internal import HTTP
internal import RecordEngine
internal import RecordModel

/// Applies the rate limits, for all loops of a server.
final class RateLimiter: Sendable {
    /// The owner of a bucket. In the class `auth`, an address has two buckets. An app that keeps sending the token of
    /// an ended session must not prevent sign-ins from the same address.
    enum Holder: Hashable {
        case address(IPAddress)
        /// The invalid credentials from an address.
        case failures(IPAddress)
        /// Sign-ins with one name from an address that has signed in with that name before; see `SignInThrottle.known`.
        case known(UInt64)
        /// Sign-ins from an address with all names that have signed in from there before.
        case acquainted(IPAddress)
        case account(database: ObjectIdentifier, UserID)
        /// An administrator, identified by its number in the server's list.
        case administrator(Int64)

        /// The account of a caller; `nil` for anonymous callers.
        init?(_ caller: Caller, of database: RecordDatabase) {
            let database = ObjectIdentifier(database)
            switch caller {
            case .anonymous: return nil
            case .user(let id, _), .participant(let id, _, _): self = .account(database: database, id)
            case .service(let key): self = .account(database: database, key.account)
            case .administrator(let administrator): self = .administrator(administrator.id)
            }
        }
    }

    /// The common holder of clients without an address, such as those on a Unix socket.
    static let unknownClient = IPAddress(high: .max, low: .max)

    let limits: RateLimits
    let delays: SignInThrottle?
    private let table: RateTable
    private let clock: @Sendable () -> UInt64
    /// A secret that is hashed into each key. The process's own hash seed can be disabled by an environment variable.
    private let secret: UInt64

    init(_ limits: RateLimits, table: RateTable = RateTable()) {
        self.limits = limits
        self.table = table
        clock = limits.clock
        secret = UInt64.random(in: .min ... .max)
        delays = limits.auth == nil ? nil : SignInThrottle(secret: secret, clock: clock)
    }

    /// Returns the key of the bucket that an owner has in a class.
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

    /// Takes `count` tokens from a bucket, or none if there are too few.
    ///
    /// - Parameter spent: How many more tokens a repeated attempt needs.
    func take(_ count: Int, from key: UInt64, _ limit: RateLimit, after spent: Int = 0) -> RateLimitStatus {
        standing(
            limit, table.take(cost(count, limit), from: key, window: limit.window, now: microseconds),
            asked: count + spent)
    }

    func charge(_ count: Int, to key: UInt64, _ limit: RateLimit) -> RateLimitStatus {
        standing(limit, table.charge(cost(count, limit), to: key, window: limit.window, now: microseconds), asked: 1)
    }

    func giveBack(_ count: Int, to key: UInt64, _ limit: RateLimit) {
        table.giveBack(cost(count, limit), to: key, now: microseconds)
    }

    /// Returns the status of a bucket without taking a token.
    func standing(of key: UInt64, _ limit: RateLimit) -> RateLimitStatus {
        let backlog = table.backlog(of: key, now: microseconds)
        return standing(
            limit, RateTable.Outcome(isAdmitted: backlog + limit.interval <= limit.window, backlog: backlog), asked: 1)
    }

    private var microseconds: UInt64 { clock() / 1_000 }

    /// Returns the cost in microseconds. The count is clamped: a count greater than any bucket has the same effect, and
    /// nothing overflows.
    private func cost(_ count: Int, _ limit: RateLimit) -> UInt64 {
        limit.interval * UInt64(min(max(count, 0), 2_000_000))
    }

    private func standing(_ limit: RateLimit, _ outcome: RateTable.Outcome, asked count: Int) -> RateLimitStatus {
        let left = limit.window > outcome.backlog ? limit.window - outcome.backlog : 0
        let missing = outcome.isAdmitted ? 0 : min(cost(count, limit), limit.window) - min(left, cost(count, limit))
        return RateLimitStatus(
            isAdmitted: outcome.isAdmitted, limit: limit, remaining: Int(left / limit.interval),
            secondsToFull: Self.seconds(outcome.backlog), retryAfter: max(1, Self.seconds(missing)))
    }

    private static func seconds(_ microseconds: UInt64) -> Int {
        Int((microseconds + 999_999) / 1_000_000)
    }
}

/// The status of a bucket after an attempt.
struct RateLimitStatus {
    let isAdmitted: Bool
    let limit: RateLimit
    /// How many requests are left.
    let remaining: Int
    let secondsToFull: Int
    /// The time in seconds after which the same attempt can succeed; at least 1.
    let retryAfter: Int

    /// Appends the fields of draft-ietf-httpapi-ratelimit-headers-10. In the policy, `q` is the size of the bucket, and
    /// `w` is the time in seconds in which it fills. In the status, `r` is the number of requests left, and `t` is the
    /// time in seconds until the bucket is full.
    func append(to fields: inout HTTPFields, as rateClass: RateClass) {
        let window = (limit.window + 999_999) / 1_000_000
        fields.append(.rateLimitPolicy, "\"\(rateClass.rawValue)\";q=\(limit.burst);w=\(window)")
        fields.append(.rateLimit, "\"\(rateClass.rawValue)\";r=\(remaining);t=\(secondsToFull)")
    }
}
