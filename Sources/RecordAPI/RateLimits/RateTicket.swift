internal import HTTP
internal import RecordEngine
internal import RecordModel

/// The rate limits that apply to one request. The request counts for its address and, if the caller is signed in, for
/// its account. No field of the request can select another bucket.
struct RateTicket {
    /// The rate limiter; `nil` if no limits apply to the request.
    private var limiter: RateLimiter?
    private var rateClass: RateClass
    private let client: IPAddress
    private var account: RateLimiter.Holder?
    /// The status of the bucket with the fewest tokens left.
    private var standing: RateLimitStatus?
    /// The class of the bucket in `standing`.
    private var shown: RateClass
    /// Whether the address is in a network without limits.
    let isExempt: Bool
    /// Whether the address has no sign-in attempts left. Then only an address that has signed in with the name before
    /// may continue, and `standing` is the status of the address's bucket.
    private var isPostponed = false

    init(_ limiter: RateLimiter?, _ rateClass: RateClass?, from client: IPAddress?) {
        self.rateClass = rateClass ?? .read
        shown = self.rateClass
        self.client = client?.customer ?? RateLimiter.unknownClient
        guard let limiter, rateClass != nil else {
            (self.limiter, isExempt) = (nil, false)
            return
        }
        isExempt = client.map { address in limiter.limits.exempt.contains { $0.contains(address) } } ?? false
        self.limiter = isExempt ? nil : limiter
    }

    /// Counts a request by its address and its account.
    ///
    /// The administrator's token belongs to the operator and has no limits. The operator may have chosen a weak token.
    /// So guessing it is limited like guessing passwords: after too many failed credentials from an address, the token
    /// is rejected too.
    ///
    /// - Parameter provesLater: Whether the request signs in. If the address has no attempts left, `beginSignIn` then
    ///   decides.
    /// - Throws: THROTTLED.
    mutating func admit(
        _ caller: Caller, of database: RecordDatabase, provesLater: Bool = false
    ) throws(RecordError) {
        guard let limiter else { return }
        account = RateLimiter.Holder(caller, of: database)
        if account == .administrator(Administrator.bootstrap.id) {
            (account, self.limiter) = (nil, nil)
            guard let limit = limiter.limits.auth else { return }
            let standing = limiter.standing(of: limiter.key(.auth, .failures(client)), limit)
            if !standing.isAdmitted { throw rejection(standing, of: .auth) }
            return
        }
        do throws(RecordError) {
            try take(1)
        } catch {
            guard provesLater else { throw error }
            isPostponed = true
        }
    }

    /// Counts `count` more operations before they are executed, or none if there are too few tokens.
    ///
    /// - Parameter spent: How many tokens the same request has already taken. They are not returned, because the
    ///   request has already been read. Another attempt needs them again.
    /// - Throws: THROTTLED.
    mutating func take(_ count: Int, after spent: Int = 0) throws(RecordError) {
        guard count > 0, let limiter, let limit = limiter.limits[rateClass] else { return }
        let address = limiter.key(rateClass, .address(client))
        let ofAddress = limiter.take(count, from: address, limit, after: spent)
        standing = ofAddress
        guard ofAddress.isAdmitted else { throw rejection(ofAddress, of: rateClass) }
        guard let account else { return }
        let ofAccount = limiter.take(count, from: limiter.key(rateClass, account), limit, after: spent)
        if ofAccount.remaining < ofAddress.remaining || !ofAccount.isAdmitted { standing = ofAccount }
        guard ofAccount.isAdmitted else {
            // The requests of one account must not empty the bucket of other accounts at the same address.
            limiter.giveBack(count, to: address, limit)
            throw rejection(ofAccount, of: rateClass)
        }
    }

    /// Counts records that slices have changed: as many operations as they are hundreds. A hundred records take about
    /// one slice of the writer's time.
    mutating func charge(records count: Int) { charge(count / BulkChanges.recordsPerOperation) }

    /// Counts what a write has cost besides its operations. Ten records that follow from it in its transaction count as
    /// an operation, and a hundred in slices, which let other writes go first. So does a tenth of a millisecond of a
    /// large write.
    mutating func charge(_ cost: WriteCost, operations: Int) {
        charge(max(cost.followers / 10 + cost.sliced / 100, cost.milliseconds * 10 - operations))
    }

    /// Counts an upload in a request that belongs to another class.
    ///
    /// - Throws: THROTTLED.
    mutating func takeUpload() throws(RecordError) {
        var upload = self
        upload.rateClass = .upload
        do throws(RecordError) {
            try upload.take(1)
        } catch {
            (standing, shown) = (upload.standing, upload.shown)
            throw error
        }
    }

    /// Counts operations that are already executed. Their number was not known in advance.
    mutating func charge(_ count: Int) {
        guard count > 0, let limiter, let limit = limiter.limits[rateClass] else { return }
        standing = limiter.charge(count, to: limiter.key(rateClass, .address(client)), limit)
        if let account { _ = limiter.charge(count, to: limiter.key(rateClass, account), limit) }
    }

    /// Counts a request with an invalid credential.
    ///
    /// - Throws: THROTTLED, instead of the authentication error, after too many invalid credentials.
    mutating func countFailedCredential() throws(RecordError) {
        guard let limiter else { return }
        try take(1)
        guard let limit = limiter.limits.auth else { return }
        let failures = limiter.take(1, from: limiter.key(.auth, .failures(client)), limit)
        if !failures.isAdmitted { throw rejection(failures, of: .auth) }
    }

    /// Appends the rate limit fields. A response to a read has them only if less than a quarter of the tokens is left,
    /// because most of these responses are small and frequent.
    func append(to fields: inout HTTPFields, of status: HTTPStatus) {
        guard let standing else { return }
        guard shown != .read || status == .tooManyRequests || standing.remaining < standing.limit.burst / 4 else {
            return
        }
        standing.append(to: &fields, as: shown)
    }

    // MARK: Signing in

    /// Begins an attempt to sign in to an account; `nil` if sign-ins have no limits.
    ///
    /// If the address has no attempts left, a name that has signed in from the address before has its own attempts. All
    /// such names together have ten times the limit, because each attempt costs a password hash.
    ///
    /// - Parameter accounts: The owner of the account name: a database, or the server's list of administrators.
    /// - Throws: THROTTLED after too many failed attempts.
    func beginSignIn(_ name: String, in accounts: AnyObject) throws(RecordError) -> SignInAttempt? {
        guard let limiter, let delays = limiter.delays else { return nil }
        let accounts = ObjectIdentifier(accounts)
        if isPostponed, !delays.knows(name, of: accounts, from: client) { throw postponed }
        let attempt = try delays.begin(name, of: accounts, from: client)
        guard isPostponed else { return attempt }
        // Check this limit after the delay, so that attempts rejected by the delay use no tokens.
        guard let limit = limiter.limits.auth,
            limiter.take(1, from: limiter.key(.auth, .known(attempt.pair)), limit).isAdmitted,
            limiter.take(1, from: limiter.key(.auth, .acquainted(client)), limit.tenfold).isAdmitted
        else {
            attempt.abandon()
            throw postponed
        }
        return attempt
    }

    /// The error that `admit` did not throw for a sign-in.
    private var postponed: RecordError {
        var ticket = self
        return standing.map { ticket.rejection($0, of: rateClass) }
            ?? RecordError(.throttled, "Wait a little", retryAfter: 1)
    }

    /// Remembers that the owner of a name has authenticated from this address, for example by signing up.
    func remember(_ name: String, in accounts: AnyObject) {
        limiter?.delays?.remember(name, of: ObjectIdentifier(accounts), from: client)
    }

    private mutating func rejection(_ standing: RateLimitStatus, of rateClass: RateClass) -> RecordError {
        self.standing = standing
        shown = rateClass
        return RecordError(
            .throttled,
            """
            Too many requests of the class \(rateClass.rawValue) from this address or account. Wait as many seconds as \
            'retryAfter' says; the setting \(rateClass.setting) allows more
            """,
            details: [("class", .text(rateClass.rawValue)), ("setting", .text(rateClass.setting))],
            retryAfter: standing.retryAfter)
    }
}
