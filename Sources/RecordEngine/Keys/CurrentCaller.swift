internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// Whoever looks up what callers are, in its own view of the file.
protocol CallerSource {
    var accounts: AccountTable { get }
    var administrators: Administrators? { get }
    var callerTime: Int64 { get }
    func keyTable() throws(RecordError) -> KeyTable
}

extension CallerSource {
    /// A caller with the rights that it has now: what it asked for may take its time, or have waited for its turn.
    ///
    /// - Throws: AUTHENTICATION_FAILED if the account is gone or disabled, the key revoked or expired, the administrator gone or
    ///   disabled.
    func current(_ caller: Caller) throws(RecordError) -> Caller {
        switch caller {
        case .anonymous: return caller
        case .user(let id, _):
            guard let row = try accounts.find(id: id), row.disabled == nil else { throw .tokenRejected }
            return .user(id, roles: try accounts.roles(of: id))
        case .service(let key):
            let keys = try keyTable()
            let row = try keys.find(account: key.account)
            guard let row, row.isAlive(at: callerTime) else { throw .tokenRejected }
            return .service(ServiceKey(account: row.account, scope: KeyScope(stored: row.scope)))
        case .administrator(let administrator):
            guard administrator.id != 0 else { return caller }
            guard let current = administrators?.current(administrator.id) else { throw .tokenRejected }
            return .administrator(current)
        }
    }
}

extension WriteTransaction: CallerSource {
    var callerTime: Int64 { now }
    func keyTable() -> KeyTable { apiKeys }
}

extension RecordReader: CallerSource {
    var administrators: Administrators? { database.administrators }
    var callerTime: Int64 { WallClock.milliseconds }

    /// The service that bears the token of a key.
    ///
    /// - Returns: Who it is, and until when that need not be looked up again: a minute, so that its use is noted.
    /// - Throws: AUTHENTICATION_FAILED if the key is unknown, revoked or expired, or the token was replaced.
    func service(_ hash: Digest) throws(RecordError) -> KnownCaller {
        try refresh()
        let table = try keyTable()
        let now = WallClock.milliseconds
        let found = try table.find(hash: hash.bytes)
        guard let found, found.key.isAlive(at: now), found.expires > now else { throw .tokenRejected }
        database.noteUse(ofKey: found.key, now: now)
        let key = ServiceKey(account: found.key.account, scope: KeyScope(stored: found.key.scope))
        return KnownCaller(
            caller: .service(key), expires: min(found.expires, now + RecordDatabase.keyUseMilliseconds),
            slides: .max)
    }
}

extension RecordDatabase {
    /// How often the use of a key is noted at most.
    static var keyUseMilliseconds: Int64 { 60_000 }

    /// Notes in its own time that a key is used. Nobody waits for it, and one that is lost comes again.
    nonisolated func noteUse(ofKey key: KeyRow, now: Int64) {
        let last = now - Self.keyUseMilliseconds
        guard (key.used ?? .min) <= last else { return }
        let isDue = keyUses.withLock { uses in
            guard (uses[key.account] ?? .min) <= last else { return false }
            uses[key.account] = now
            return true
        }
        if isDue { submit(KeyUse(account: key.account, now: now)) }
    }
}

/// Writes down that a key is used, as a write among others that nobody waits for.
private final class KeyUse: PendingWrite, @unchecked Sendable {
    private let account: Int64
    private let now: Int64

    init(account: Int64, now: Int64) {
        self.account = account
        self.now = now
        super.init(operations: 0, weight: 1, isAlone: false, startsLazily: true)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        try transaction.apiKeys.noteUse(account: account, now: now, unlessAfter: now)
    }
}
