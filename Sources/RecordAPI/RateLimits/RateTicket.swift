internal import HTTP
internal import RecordEngine
internal import RecordModel

/// What one request has been counted for. It counts for its address and, if somebody is signed in, for the account: nothing
/// that a request says of itself makes another bucket out of one.
struct RateTicket {
    /// `nil` if nothing is limited for this request.
    private var limiter: RateLimiter?
    private let rateClass: RateClass
    private let client: IPAddress
    private var account: RateLimiter.Holder?
    /// The bucket with the least in it.
    private var standing: RateStanding?
    /// The class of that bucket.
    private var shown: RateClass

    /// Whoever comes without an address, as by a Unix socket, has one bucket with all of his kind.
    private static let unknown = IPAddress(high: .max, low: .max)

    init(_ limiter: RateLimiter?, _ rateClass: RateClass?, from client: IPAddress?) {
        self.rateClass = rateClass ?? .read
        shown = self.rateClass
        self.client = client?.customer ?? Self.unknown
        guard let limiter, rateClass != nil else {
            self.limiter = nil
            return
        }
        let isExempt = client.map { address in limiter.limits.exempt.contains { $0.contains(address) } } ?? false
        self.limiter = isExempt ? nil : limiter
    }

    /// Counts a request by what is known of its caller.
    ///
    /// The administrator's token is the operator's own and not limited. Since an operator may have chosen it badly, it can be
    /// guessed at no faster than passwords: where too many credentials failed, it is not taken either.
    ///
    /// - Throws: THROTTLED.
    mutating func admit(_ caller: Caller, of database: RecordDatabase) throws(RecordError) {
        guard let limiter else { return }
        let database = ObjectIdentifier(database)
        switch caller {
        case .anonymous: break
        case .user(let id, _): account = .account(database: database, id)
        case .service(let key): account = .account(database: database, key.account)
        case .administrator(let administrator) where administrator.id != Administrator.bootstrap.id:
            account = .administrator(administrator.id)
        case .administrator:
            self.limiter = nil
            guard let limit = limiter.limits.auth else { return }
            let standing = limiter.standing(of: limiter.key(.auth, .failures(client)), limit)
            if !standing.isAdmitted { throw refusal(standing, of: .auth) }
            return
        }
        try take(1)
    }

    /// Counts so many more, all or none, before they are done.
    ///
    /// - Parameter spent: What the same request has been counted for already. It is not given back, since somebody has read
    ///   the request by now; and the next attempt needs it again.
    /// - Throws: THROTTLED.
    mutating func take(_ count: Int, after spent: Int = 0) throws(RecordError) {
        guard count > 0, let limiter, let limit = limiter.limits[rateClass] else { return }
        let address = limiter.key(rateClass, .address(client))
        let ofAddress = limiter.take(count, from: address, limit, after: spent)
        standing = ofAddress
        guard ofAddress.isAdmitted else { throw refusal(ofAddress, of: rateClass) }
        guard let account else { return }
        let ofAccount = limiter.take(count, from: limiter.key(rateClass, account), limit, after: spent)
        if ofAccount.remaining < ofAddress.remaining || !ofAccount.isAdmitted { standing = ofAccount }
        guard ofAccount.isAdmitted else {
            // One account must not empty the bucket of its neighbours behind the same address.
            limiter.giveBack(count, to: address, limit)
            throw refusal(ofAccount, of: rateClass)
        }
    }

    /// Counts what has been done already and whose size nobody could know before.
    mutating func charge(_ count: Int) {
        guard count > 0, let limiter, let limit = limiter.limits[rateClass] else { return }
        standing = limiter.charge(count, to: limiter.key(rateClass, .address(client)), limit)
        if let account { _ = limiter.charge(count, to: limiter.key(rateClass, account), limit) }
    }

    /// Counts a credential that was none, and the request that bore it.
    ///
    /// - Throws: THROTTLED, in the place of the refusal, if there were too many.
    mutating func countFailedCredential() throws(RecordError) {
        guard let limiter else { return }
        try take(1)
        guard let limit = limiter.limits.auth else { return }
        let failures = limiter.take(1, from: limiter.key(.auth, .failures(client)), limit)
        if !failures.isAdmitted { throw refusal(failures, of: .auth) }
    }

    /// Tells the client how it stands. Reads tell only when less than a quarter is left: most are small, and many.
    func append(to fields: inout HTTPFields, of status: HTTPStatus) {
        guard let standing else { return }
        guard shown != .read || status == .tooManyRequests || standing.remaining < standing.limit.burst / 4 else {
            return
        }
        standing.append(to: &fields, as: shown)
    }

    // MARK: Signing in

    /// An attempt to sign in to an account, if there may be one now.
    ///
    /// - Throws: THROTTLED after too many that failed.
    /// - Parameter accounts: Whose name it is: a database, or the server's list of administrators.
    func beginSignIn(_ name: String, in accounts: AnyObject) throws(RecordError) -> SignInAttempt? {
        guard let delays = limiter?.delays else { return nil }
        return try delays.begin(name, of: ObjectIdentifier(accounts), from: client)
    }

    private mutating func refusal(_ standing: RateStanding, of rateClass: RateClass) -> RecordError {
        self.standing = standing
        shown = rateClass
        return RecordError(
            .throttled, "Too many requests. Wait as many seconds as 'retryAfter' says",
            details: [("class", .text(rateClass.rawValue))], retryAfter: standing.retryAfter)
    }
}
