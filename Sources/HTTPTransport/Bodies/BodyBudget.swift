import Synchronization

/// The bytes of request bodies that handlers hold at this moment, over all connections.
///
/// The last eighth is for bodies that came with their heads: large ones that crawl in may take all the rest, and small
/// requests are still answered.
final class BodyBudget: Sendable {
    private let used = Atomic<Int>(0)
    private let limit: Int
    private let streamedLimit: Int

    init(limit: Int) {
        self.limit = limit
        streamedLimit = limit - limit / 8
    }

    /// Takes `count` bytes that have come already, or returns `false` and takes none if that would pass the limit.
    func reserve(_ count: Int) -> Bool {
        reserve(count, within: limit)
    }

    /// The same for a piece of a body of which more will come.
    func reserveStreamed(_ count: Int) -> Bool {
        reserve(count, within: streamedLimit)
    }

    /// Takes up to `count` bytes for what is about to come of a body, as many as there are; returns how many.
    func reserveStreamed(upTo count: Int) -> Int {
        var before = used.load(ordering: .relaxed)
        while true {
            let granted = min(count, streamedLimit - before)
            guard granted > 0 else { return 0 }
            let (isExchanged, now) = used.weakCompareExchange(
                expected: before, desired: before + granted, ordering: .relaxed)
            if isExchanged { return granted }
            before = now
        }
    }

    private func reserve(_ count: Int, within limit: Int) -> Bool {
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
