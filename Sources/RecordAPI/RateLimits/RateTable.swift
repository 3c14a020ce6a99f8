internal import Synchronization

/// Token buckets in a fixed amount of memory, shared by all loops without a lock.
///
/// A bucket is stored as the time at which it will be full (the generic cell rate algorithm, ITU-T I.371). Taking a
/// token moves this time into the future by the token's interval. A token is denied if the time would then be further
/// away than the time that the whole bucket takes to fill. So a bucket is one word, a full bucket needs no entry, and
/// buckets refill without any work.
///
/// ```
/// word, 64 bits:  bits of the key's hash, 16 | time in microseconds, 48
/// set, 64 bytes:  8 words, one cache line
/// ```
///
/// The other bits of the hash select the set. If all eight words are in use, the bucket closest to full is evicted,
/// because it loses the least. Two keys of a set with the same 16 bits share a bucket (one pair in about 10,000). An
/// attacker cannot search for such a pair, because the hash contains a secret.
///
/// Unchecked: the words are atomic. Their memory is freed when the last reference to the table is released.
final class RateTable: @unchecked Sendable {
    /// The result of an attempt to take tokens.
    struct Outcome: Hashable {
        let isAdmitted: Bool
        /// The time in microseconds until the bucket is full.
        let backlog: UInt64
    }

    private static let ways = 8
    private static let timeBits: UInt64 = 48
    private static let timeMask: UInt64 = 1 << timeBits - 1

    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let count: Int

    /// Creates a table of full buckets.
    ///
    /// - Parameter sets: The number of sets, a power of two. Each set has eight buckets in 64 bytes.
    init(sets: Int = 8_192) {
        precondition(sets > 0 && sets & (sets - 1) == 0, "The number of sets is a power of two")
        count = sets * Self.ways
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<UInt64>.stride, alignment: 64)
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
        for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
    }

    deinit {
        words.deinitialize(count: count)
        UnsafeMutableRawPointer(words).deallocate()
    }

    /// Takes tokens from a bucket, or none if there are too few.
    ///
    /// - Parameters:
    ///   - key: A uniformly distributed hash that contains a secret.
    ///   - cost: The time in microseconds in which the tokens refill.
    ///   - window: The time in microseconds in which the whole bucket fills.
    ///   - now: The time of a monotonic clock in microseconds. Calls of different threads may be slightly out of order.
    func take(_ cost: UInt64, from key: UInt64, window: UInt64, now: UInt64) -> Outcome {
        change(key, now: now) { fullAt in
            let next = max(fullAt, now) + cost
            return next - now <= window ? next : nil
        }
    }

    /// Takes tokens for work that is already done. If there are too few tokens, takes all of them.
    func charge(_ cost: UInt64, to key: UInt64, window: UInt64, now: UInt64) -> Outcome {
        change(key, now: now) { fullAt in max(fullAt, min(max(fullAt, now) + cost, now + window)) }
    }

    /// Returns tokens that were taken but not used.
    func giveBack(_ cost: UInt64, to key: UInt64, now: UInt64) {
        _ = change(key, now: now) { fullAt in fullAt > now ? fullAt - min(cost, fullAt - now) : nil }
    }

    /// Returns the time in microseconds until a bucket is full.
    func backlog(of key: UInt64, now: UInt64) -> UInt64 {
        change(key, now: now) { _ in nil }.backlog
    }

    /// Replaces the time at which a bucket is full. `next` may be called several times. If `next` returns `nil`, the
    /// bucket stays unchanged.
    @inline(__always)
    private func change(_ key: UInt64, now: UInt64, _ next: (UInt64) -> UInt64?) -> Outcome {
        let tag = key >> Self.timeBits
        let set = words + Int(truncatingIfNeeded: key & UInt64(count / Self.ways - 1)) * Self.ways
        while true {
            var place = 0
            var old: UInt64 = 0
            var earliest = UInt64.max
            var isKnown = false
            for index in 0..<Self.ways {
                // Relaxed ordering is enough: no other memory depends on the word.
                let word = set[index].load(ordering: .relaxed)
                if word >> Self.timeBits == tag {
                    (place, old, isKnown) = (index, word, true)
                    break
                }
                let time = word & Self.timeMask
                if time < earliest { (place, old, earliest) = (index, word, time) }
            }
            let fullAt = isKnown ? old & Self.timeMask : 0
            guard let changed = next(fullAt) else {
                return Outcome(isAdmitted: false, backlog: fullAt > now ? fullAt - now : 0)
            }
            let word = tag << Self.timeBits | changed & Self.timeMask
            if set[place].compareExchange(expected: old, desired: word, ordering: .relaxed).exchanged {
                return Outcome(isAdmitted: true, backlog: changed > now ? changed - now : 0)
            }
        }
    }
}
