import Synchronization

/// The bytes of request bodies that handlers hold at this moment, over all connections.
final class BodyBudget: Sendable {
    private let used = Atomic<Int>(0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes `count` bytes, or returns `false` and takes none if that would pass the limit.
    func reserve(_ count: Int) -> Bool {
        if used.add(count, ordering: .relaxed).newValue <= limit { return true }
        used.subtract(count, ordering: .relaxed)
        return false
    }

    /// Gives `count` bytes back.
    func release(_ count: Int) {
        if count > 0 { used.subtract(count, ordering: .relaxed) }
    }

    /// Bytes in use.
    var inUse: Int { used.load(ordering: .relaxed) }
}
