package import RecordModel
internal import Cryptography
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The result of signing up or signing in.
package struct Session: Hashable, Sendable {
    /// The bearer token. Only this response contains the token; the database stores its hash.
    package let token: String
    /// When the session ends, in milliseconds since 1970. Later use extends the session.
    package let expires: Int64
    /// The signed-in account.
    package let user: User
}

/// The client's label of a session, such as the name of a device.
package struct SessionLabel: Sendable {
    let text: String

    /// Checks the text of a label.
    ///
    /// - Throws: BAD_REQUEST unless the text has 1 to 100 UTF-8 bytes without control characters.
    package init(_ text: String) throws(RecordError) {
        guard (1...100).contains(text.utf8.count), RecordName(text) != nil else {
            throw .badRequest(
                "A session's label has 1 to 100 bytes and no control characters", details: [("field", .text("label"))])
        }
        self.text = text
    }
}

/// The properties of a session for its owner, without the token.
package struct SessionInfo: Hashable, Sendable {
    /// The public id of the session.
    package let id: String
    /// The client's label.
    package let label: String?
    /// When the session began, in milliseconds since 1970.
    package let created: Int64
    /// When the session was last used, in milliseconds since 1970, with a resolution of about an hour.
    package let used: Int64
    /// When the session ends, in milliseconds since 1970. Later use extends the session.
    package let expires: Int64
    /// Whether the request uses this session.
    package let isCurrent: Bool
}

extension DatabaseLimits {
    /// The lifetime of an unused session in milliseconds.
    var sessionMilliseconds: Int64 { sessionSeconds * 1_000 }

    /// The lifetime of a session in milliseconds if it is unused. The server's setting limits a lifetime of the
    /// session's own.
    func lifetimeMilliseconds(of session: SessionRow) -> Int64 {
        min(sessionMilliseconds, session.lifetime ?? .max)
    }

    /// The shortest time between two renewals of a session, in milliseconds: an hour, or a quarter of the lifetime if
    /// that is shorter.
    func slideMilliseconds(of session: SessionRow) -> Int64 { min(3_600_000, lifetimeMilliseconds(of: session) / 4) }
}

/// Ends, renews and replaces sessions of accounts. `Accounts` begins sessions.
package struct Sessions: Sendable {
    let database: RecordDatabase

    /// The maximum number of sessions per account. When a new session exceeds the maximum, the oldest session ends.
    fileprivate static var perAccount: Int { 100 }

    /// Ends the session with a token.
    ///
    /// - Throws: TRY_AGAIN_LATER if the database accepts no writes.
    package func signOut(_ token: [UInt8]) async throws(RecordError) {
        let hash = SHA256.hash(token).bytes
        try await database.write { transaction throws(RecordError) in
            let ended = try transaction.store.sessions.remove(hash: hash)
            if ended { transaction.rightsChanged = true }
        }
    }

    /// Ends a session of an account.
    ///
    /// - Throws: NOT_FOUND if this account has no session with this id.
    package func end(_ id: String, of account: UserID) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            let ended = try transaction.store.sessions.remove(id: id, account: account)
            guard ended else { throw .sessionNotFound }
            transaction.rightsChanged = true
        }
    }

    /// Ends all sessions of an account.
    ///
    /// - Parameters:
    ///   - token: The token of the session to keep; `nil` for none.
    ///   - actor: The caller of the request, by default the account itself.
    /// - Throws: TRY_AGAIN_LATER if the database accepts no writes.
    package func endAll(
        of account: UserID, but token: [UInt8]?, by actor: AuditActor? = nil
    ) async throws(RecordError) {
        let hash = token.map { SHA256.hash($0).bytes }
        try await database.write { transaction throws(RecordError) in
            let ended = try transaction.store.sessions.removeAll(account: account, but: hash)
            // They were given to some session.
            try transaction.store.notificationTokens.remove(account: account)
            transaction.rightsChanged = true
            // Write no audit entry if no session ended. Each ended session needed a sign-in, so entries are rare.
            guard ended > 0, let row = try transaction.store.accounts.find(id: account) else { return }
            var detail = row.auditDetail
            detail["sessions"] = .integer(Int64(ended))
            try transaction.auditLog.append(
                .sessionsEnd, row.name, by: actor ?? AuditActor(caller: .user(account, roles: [:])), detail: detail)
        }
    }

    /// Replaces the token of a session. The old token becomes invalid.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the session has ended or has another token by now.
    package func rotate(_ token: [UInt8]) async throws(RecordError) -> Session {
        let hash = SHA256.hash(token).bytes
        let new = SecretToken(.session)
        return try await database.write { transaction throws(RecordError) in
            let account = try transaction.sessions.require(hash: hash, of: nil)
            return try transaction.sessions.rotate(hash, to: new, account: account)
        }
    }

    /// Queues a write that renews a session, and returns at once. If the write is lost, a later request repeats it.
    func noteUse(of hash: Digest) {
        database.submit(SessionRenewal(hash: hash.bytes))
    }
}

/// The pending write that renews a session. No task waits for this write.
private final class SessionRenewal: PendingWrite, @unchecked Sendable {
    private let hash: [UInt8]

    init(hash: [UInt8]) {
        self.hash = hash
        super.init(operations: 0, weight: 1, isAlone: false, startsLazily: true)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        let now = transaction.now
        let limits = transaction.limits
        guard let session = try transaction.store.sessions.find(hash: hash) else { return }
        try transaction.store.sessions.slide(
            hash: hash, now: now, to: now + limits.lifetimeMilliseconds(of: session),
            unlessUsedAfter: now - limits.slideMilliseconds(of: session))
    }
}

extension RecordReader {
    /// Reads sessions.
    package var sessions: SessionReader { SessionReader(store: store) }
}

/// Reads sessions.
package struct SessionReader {
    let store: StoreReader

    /// Returns the sessions of an account, the newest first.
    ///
    /// - Parameter token: The token of the request, to mark the current session; `nil` if the request is of somebody else.
    /// - Throws: The store's error.
    package func list(of account: UserID, token: [UInt8]? = nil) throws(RecordError) -> [SessionInfo] {
        let current = token.map { SHA256.hash($0).bytes }
        let now = WallClock.milliseconds
        return try store.sessions.list(account: account)
            .filter { $0.row.expires > now }
            .map { hash, row in
                SessionInfo(
                    id: row.id, label: row.label, created: row.created, used: row.used, expires: row.expires,
                    isCurrent: hash == current)
            }
    }
}

/// Writes sessions.
struct SessionWriter {
    let transaction: WriteTransaction
    private var table: SessionTable { transaction.store.sessions }

    /// Begins a session.
    ///
    /// - Parameter lifetime: The lifetime of the session if it is unused, in milliseconds; `nil` for the server's
    ///   setting, which is also the maximum.
    func open(
        _ token: SecretToken, for account: AccountRow, label: SessionLabel?, lifetime: Int64? = nil
    ) throws(RecordError) -> Session {
        let (now, limits) = (transaction.now, transaction.limits)
        let ends = now + limits.sessionLongestSeconds * 1_000
        var row = SessionRow(
            id: SecretToken.makePublicID(), account: account.id, created: now, used: now, expires: ends, ends: ends,
            label: label?.text, lifetime: lifetime)
        row.expires = min(ends, now + limits.lifetimeMilliseconds(of: row))
        try table.add(row, hash: token.hash)
        let hasEnded = try table.trim(account: account.id, keeping: Sessions.perAccount, with: token.hash)
        // Make readers clear their caller caches, since they may contain the ended session.
        if hasEnded { transaction.rightsChanged = true }
        return Session(token: token.text, expires: row.expires, user: User(account))
    }

    /// Returns the account of a valid session.
    ///
    /// - Parameter account: The account that the session must belong to; `nil` for any account.
    /// - Throws: AUTHENTICATION_FAILED.
    func require(hash: [UInt8], of account: UserID?) throws(RecordError) -> AccountRow {
        guard let session = try table.find(hash: hash), session.expires > transaction.now,
            account == nil || session.account == account,
            let row = try transaction.store.accounts.find(id: session.account)
        else { throw .tokenRejected }
        return row
    }

    /// Replaces the token of a session.
    func rotate(_ hash: [UInt8], to new: SecretToken, account: AccountRow) throws(RecordError) -> Session {
        let now = transaction.now
        let lifetime = try table.find(hash: hash).map(transaction.limits.lifetimeMilliseconds)
        try table.rotate(
            hash: hash, to: new.hash, now: now, expires: now + (lifetime ?? transaction.limits.sessionMilliseconds))
        let session = try table.find(hash: new.hash)
        transaction.rightsChanged = true
        return Session(token: new.text, expires: session?.expires ?? now, user: User(account))
    }
}

extension RecordError {
    static let sessionNotFound = RecordError(.notFound, "There is no such session of yours")
}
