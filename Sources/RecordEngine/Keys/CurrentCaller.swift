internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// Whoever looks up what callers are, in its own view of the file.
protocol CallerSource {
    var accounts: AccountTable { get }
    var administrators: Administrators? { get }
    var callerTime: Int64 { get }
    var apiKeys: KeyTable { get }
    var schemaTable: SchemaTable { get }
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
            let row = try apiKeys.find(account: key.account)
            guard let row, row.isAlive(at: callerTime) else { throw .tokenRejected }
            return .service(ServiceKey(account: row.account, scope: KeyScope(stored: row.scope)))
        case .administrator(let administrator):
            guard administrator.id != 0 else { return caller }
            guard let current = administrators?.current(administrator.id) else { throw .tokenRejected }
            return .administrator(current)
        }
    }

    /// The number of the last change of grants, or of the caller's roles: what it could see before may differ.
    ///
    /// - Returns: `.max` for an account that is gone.
    func lastChangeOfRights(of caller: Caller, in scope: DatabaseScope) throws(RecordError) -> Int64 {
        guard scope == .publicDatabase else { return 0 }
        return switch caller {
        case .administrator: 0
        // A key's scope stands with its account.
        case .service(let key): try accounts.find(id: key.account)?.granted ?? .max
        case .anonymous: try schemaTable.lastGrantChange()
        case .user(let id, _): max(try schemaTable.lastGrantChange(), try accounts.find(id: id)?.granted ?? .max)
        }
    }
}

extension WriteTransaction: CallerSource {
    var callerTime: Int64 { now }
}

extension RecordReader: CallerSource {
    var accounts: AccountTable { store.accounts }
    var apiKeys: KeyTable { store.keys }
    var schemaTable: SchemaTable { store.schemas }
    var administrators: Administrators? { database.administrators }
    var callerTime: Int64 { WallClock.milliseconds }

    /// The service that bears the token of a key.
    ///
    /// - Returns: Who it is, and until when that need not be looked up again: a minute, so that its use is noted.
    /// - Throws: AUTHENTICATION_FAILED if the key is unknown, revoked or expired, or the token was replaced.
    func service(_ hash: Digest) throws(RecordError) -> KnownCaller {
        try refresh()
        let table = store.keys
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
    private let account: UserID
    private let now: Int64

    init(account: UserID, now: Int64) {
        self.account = account
        self.now = now
        super.init(operations: 0, weight: 1, isAlone: false, startsLazily: true)
    }

    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        try transaction.apiKeys.noteUse(account: account, now: now, unlessAfter: now)
    }
}
