internal import RecordModel
internal import RecordStorage
internal import Threads

extension APIKeys {
    /// How often the use of a key is noted at most.
    static var useMilliseconds: Int64 { 60_000 }

    /// Notes in its own time that a key is used. Nobody waits for it, and one that is lost comes again.
    func noteUse(of key: KeyRow, now: Int64) {
        let last = now - Self.useMilliseconds
        guard (key.used ?? .min) <= last else { return }
        let isDue = database.keyUses.withLock { uses in
            guard (uses[key.account] ?? .min) <= last else { return false }
            uses[key.account] = now
            return true
        }
        if isDue { database.submit(KeyUse(account: key.account, now: now)) }
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
        try transaction.store.keys.noteUse(account: account, now: now, unlessAfter: now)
    }
}
