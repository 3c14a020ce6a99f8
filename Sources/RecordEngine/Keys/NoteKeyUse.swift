internal import RecordModel
internal import RecordStorage
internal import Threads

extension APIKeys {
    /// The shortest time between two writes of a key's use, in milliseconds.
    static var useMilliseconds: Int64 { 60_000 }

    /// Queues a write that records the use of a key, and returns at once. If the write is lost, a later request repeats
    /// it.
    func noteUse(of key: APIKeyRow, now: Int64) {
        let last = now - Self.useMilliseconds
        guard (key.used ?? .min) <= last else { return }
        let isDue = database.keyUses.withLock { uses in
            guard (uses[key.account] ?? .min) <= last else { return false }
            uses[key.account] = now
            return true
        }
        if isDue { database.submit(APIKeyUse(account: key.account, now: now)) }
    }
}

/// The pending write that records the use of a key. No task waits for this write.
private final class APIKeyUse: PendingWrite, @unchecked Sendable {
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
