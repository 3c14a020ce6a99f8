package import RecordModel
internal import Cryptography
internal import RecordStorage
internal import RecordWire
internal import Threads

/// What signing up and signing in give.
package struct Session: Hashable, Sendable {
    /// The bearer token; shown once, stored as a hash.
    package let token: String
    /// When it ends unless it is used before, in milliseconds since 1970.
    package let expires: Int64
    package let user: User
}

/// What a client calls a session, such as the name of its device: 1 to 100 UTF-8 bytes.
package struct SessionLabel: Sendable {
    let text: String

    package init(_ text: String) throws(RecordError) {
        guard (1...100).contains(text.utf8.count), RecordName(text) != nil else {
            throw .badRequest(
                "A session's label has 1 to 100 bytes and no control characters", details: [("field", .text("label"))])
        }
        self.text = text
    }
}

/// A session as its owner sees it.
package struct SessionInfo: Hashable, Sendable {
    package let id: String
    package let label: String?
    /// Milliseconds since 1970, as all of them.
    package let created: Int64
    /// To the hour.
    package let used: Int64
    package let expires: Int64
    /// Whether the request came with it.
    package let isCurrent: Bool
}

extension DatabaseLimits {
    /// How long an unused session lasts, in milliseconds.
    var sessionMilliseconds: Int64 { sessionSeconds * 1_000 }

    /// The least time between two notes that a session is used: an hour, or less where sessions are short.
    var slideMilliseconds: Int64 { min(3_600_000, sessionMilliseconds / 4) }
}

/// The sessions of accounts. `Accounts` begins them.
package struct Sessions: Sendable {
    let database: RecordDatabase

    /// The sessions that one account may have at once; the oldest ends.
    fileprivate static var perAccount: Int { 100 }

    /// Ends the session of a token.
    package func signOut(_ token: [UInt8]) async throws(RecordError) {
        let hash = SHA256.hash(token).bytes
        try await database.write { transaction throws(RecordError) in
            let ended = try transaction.store.sessions.remove(hash: hash)
            if ended { transaction.rightsChanged = true }
        }
    }

    /// Ends a session of an account.
    ///
    /// - Throws: NOT_FOUND if the account has none with this id, whether or not another has.
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
    ///   - token: That of the session that stays; `nil` for none.
    ///   - actor: Whose request it is: the account itself.
    package func endAll(
        of account: UserID, but token: [UInt8]?, by actor: AuditActor? = nil
    ) async throws(RecordError) {
        let hash = token.map { SHA256.hash($0).bytes }
        try await database.write { transaction throws(RecordError) in
            let ended = try transaction.store.sessions.removeAll(account: account, but: hash)
            transaction.rightsChanged = true
            // Each session that ends was signed in to, which is not done often; nothing that ends is no news.
            guard ended > 0, let row = try transaction.store.accounts.find(id: account) else { return }
            var detail = row.auditDetail
            detail["sessions"] = .integer(Int64(ended))
            try transaction.auditLog.append(
                .sessionsEnd, row.name, by: actor ?? AuditActor(caller: .user(account, roles: [:])), detail: detail)
        }
    }

    /// Gives a session a new token. The old one is good for nothing from then on.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the session has ended meanwhile, or got another token.
    package func rotate(_ token: [UInt8]) async throws(RecordError) -> Session {
        let hash = SHA256.hash(token).bytes
        let new = SecretToken(.session)
        return try await database.write { transaction throws(RecordError) in
            let account = try transaction.sessions.require(hash: hash, of: nil)
            return try transaction.sessions.rotate(hash, to: new, account: account)
        }
    }

    /// Notes in its own time that a session is used. Nobody waits for it, and one that is lost comes again.
    func noteUse(of hash: Digest) {
        database.submit(SessionUse(hash: hash.bytes))
    }
}

/// Puts the end of a session off, as a write among others that nobody waits for.
private final class SessionUse: PendingWrite, @unchecked Sendable {
    private let hash: [UInt8]

    init(hash: [UInt8]) {
        self.hash = hash
        super.init(operations: 0, weight: 1, isAlone: false, startsLazily: true)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        let now = transaction.now
        let limits = transaction.limits
        try transaction.store.sessions.slide(
            hash: hash, now: now, to: now + limits.sessionMilliseconds,
            unlessUsedAfter: now - limits.slideMilliseconds)
    }
}

extension RecordReader {
    package var sessions: SessionReader { SessionReader(store: store) }
}

/// Sessions as a reader finds them.
package struct SessionReader {
    let store: StoreReader

    /// The sessions of an account, the newest first.
    package func list(of account: UserID, token: [UInt8]) throws(RecordError) -> [SessionInfo] {
        let current = SHA256.hash(token).bytes
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

/// What writes do to sessions.
struct SessionWriter {
    let transaction: WriteTransaction
    private var table: SessionTable { transaction.store.sessions }

    /// Signs an account in.
    func open(
        _ token: SecretToken, for account: AccountRow, label: SessionLabel?
    ) throws(RecordError) -> Session {
        let (now, limits) = (transaction.now, transaction.limits)
        let ends = now + limits.sessionLongestSeconds * 1_000
        let row = SessionRow(
            id: SecretToken.makePublicID(), account: account.id, created: now, used: now,
            expires: min(ends, now + limits.sessionMilliseconds), ends: ends, label: label?.text)
        try table.add(row, hash: token.hash)
        let hasEnded = try table.trim(account: account.id, keeping: Sessions.perAccount, with: token.hash)
        // Loops that know the bearer of the oldest session forget it.
        if hasEnded { transaction.rightsChanged = true }
        return Session(token: token.text, expires: row.expires, user: User(account))
    }

    /// The account of a session that has not ended.
    ///
    /// - Parameter account: Whose it must be, if that is known.
    func require(hash: [UInt8], of account: UserID?) throws(RecordError) -> AccountRow {
        guard let session = try table.find(hash: hash), session.expires > transaction.now,
            account == nil || session.account == account,
            let row = try transaction.store.accounts.find(id: session.account)
        else { throw .tokenRejected }
        return row
    }

    /// Gives a session another token.
    func rotate(_ hash: [UInt8], to new: SecretToken, account: AccountRow) throws(RecordError) -> Session {
        let now = transaction.now
        try table.rotate(
            hash: hash, to: new.hash, now: now, expires: now + transaction.limits.sessionMilliseconds)
        let session = try table.find(hash: new.hash)
        transaction.rightsChanged = true
        return Session(token: new.text, expires: session?.expires ?? now, user: User(account))
    }
}

extension RecordError {
    static let sessionNotFound = RecordError(.notFound, "There is no such session of yours")
}
