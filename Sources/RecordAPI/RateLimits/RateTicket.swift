internal import HTTP
internal import RecordEngine
internal import RecordModel

/// What one request has been counted for. It counts for its address and, if somebody is signed in, for the account: nothing
/// that a request says of itself makes another bucket out of one.
struct RateTicket {
    /// `nil` if nothing is limited for this request.
    private var limiter: RateLimiter?
    private var rateClass: RateClass
    private let client: IPAddress
    private var account: RateLimiter.Holder?
    /// The bucket with the least in it.
    private var standing: RateStanding?
    /// The class of that bucket.
    private var shown: RateClass
    /// The address may not sign in now, unless it turns out to be one that has signed in with the name before. `standing` is its
    /// bucket's.
    private var isPostponed = false

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
    /// - Parameter provesLater: The request signs in: where its address has no attempt left, `beginSignIn` decides.
    /// - Throws: THROTTLED.
    mutating func admit(
        _ caller: Caller, of database: RecordDatabase, provesLater: Bool = false
    ) throws(RecordError) {
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
        do throws(RecordError) {
            try take(1)
        } catch {
            guard provesLater else { throw error }
            isPostponed = true
        }
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

    /// Counts an upload that comes with a request of another class.
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
    /// If others have used up the attempts of the address, a name that has signed in from it before has attempts of its own,
    /// and all such names together ten times as many: each attempt costs a password hash.
    ///
    /// - Parameter accounts: Whose name it is: a database, or the server's list of administrators.
    /// - Throws: THROTTLED after too many that failed.
    func beginSignIn(_ name: String, in accounts: AnyObject) throws(RecordError) -> SignInAttempt? {
        guard let limiter, let delays = limiter.delays else { return nil }
        let accounts = ObjectIdentifier(accounts)
        if isPostponed, !delays.knows(name, of: accounts, from: client) { throw postponed }
        let attempt = try delays.begin(name, of: accounts, from: client)
        guard isPostponed else { return attempt }
        // After the delay: guesses that it rejects use up nothing.
        guard let limit = limiter.limits.auth,
            limiter.take(1, from: limiter.key(.auth, .known(attempt.pair)), limit).isAdmitted,
            limiter.take(1, from: limiter.key(.auth, .acquainted(client)), limit.tenfold).isAdmitted
        else {
            attempt.abandon()
            throw postponed
        }
        return attempt
    }

    /// What was not said when the request came.
    private var postponed: RecordError {
        var ticket = self
        return standing.map { ticket.refusal($0, of: rateClass) }
            ?? RecordError(.throttled, "Wait a little", retryAfter: 1)
    }

    /// Remembers that somebody has proven a name from this address, as by signing up.
    func remember(_ name: String, in accounts: AnyObject) {
        limiter?.delays?.remember(name, of: ObjectIdentifier(accounts), from: client)
    }

    private mutating func refusal(_ standing: RateStanding, of rateClass: RateClass) -> RecordError {
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
