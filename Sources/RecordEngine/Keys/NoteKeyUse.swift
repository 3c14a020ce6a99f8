internal import RecordModel
internal import RecordStorage
internal import Threads

extension APIKeys {
    /// The shortest time between two writes of a key's use, in milliseconds.
    static var useMilliseconds: Int64 { 60_000 }

    /// Queues a write that records the use of a key, and returns at once. If the write is lost, a later request repeats
    /// it.
    func noteUse(of key: APIKeyRow, now: Int64) {
        // Also after the clock went back.
        func isDue(_ used: Int64?) -> Bool { used.map { abs(now - $0) >= Self.useMilliseconds } ?? true }
        guard isDue(key.used) else { return }
        let isNoted = database.keyUses.withLock { uses in
            guard isDue(uses[key.account]) else { return false }
            uses[key.account] = now
            return true
        }
        if isNoted { database.submit(APIKeyUse(account: key.account, now: now)) }
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
        try transaction.store.keys.noteUse(account: account, now: now)
    }
}
