import Synchronization

/// Counts the bytes of request bodies in memory, over all connections, and limits them.
///
/// The last eighth is reserved for bodies that arrived with their heads. Large bodies that arrive slowly can use only
/// the other seven eighths, so small requests still succeed.
final class BodyBudget: Sendable {
    private let used = Atomic<Int>(0)
    private let limit: Int
    private let streamedLimit: Int

    init(limit: Int) {
        self.limit = limit
        streamedLimit = limit - limit / 8
    }

    /// Counts `count` bytes that have arrived. If that would exceed the limit, returns `false` and counts nothing.
    func reserve(_ count: Int) -> Bool {
        reserve(count, within: limit)
    }

    /// Counts `count` bytes of a streamed body. If that would exceed the limit for streamed bodies, returns `false` and
    /// counts nothing.
    func reserveStreamed(_ count: Int) -> Bool {
        reserve(count, within: streamedLimit)
    }

    /// Counts up to `count` bytes that a streamed body is about to use, as many as the limit allows. Returns how many
    /// bytes were counted.
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

    /// Releases `count` bytes.
    func release(_ count: Int) {
        if count > 0 { used.subtract(count, ordering: .relaxed) }
    }

    /// The number of bytes counted now.
    var inUse: Int { used.load(ordering: .relaxed) }
}
