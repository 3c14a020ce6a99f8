internal import Synchronization

/// Token buckets in a fixed piece of memory, shared by all loops without a lock.
///
/// A bucket is the moment at which it will be full again (the generic cell rate algorithm, ITU-T I.371): taking a token moves
/// the moment away by the token's interval, and there are none left when it would be further away than the whole bucket takes
/// to fill. So a bucket is one word, a full one needs no place, and time refills all of them without anybody's doing.
///
/// A word has 48 bits of microseconds and 16 bits of the key's hash. Eight words make a set, which is one cache line; the rest
/// of the hash chooses the set. If all eight are in use, the one that is closest to full makes room: it forgets least. Two
/// keys of a set with the same 16 bits share a bucket, one pair in some 10,000; nobody can look for such a pair, since the hash
/// has a secret.
///
/// Unchecked: the words are atomic, and their place is freed with the last reference.
final class RateTable: @unchecked Sendable {
    /// What became of an attempt.
    struct Outcome: Hashable {
        let isAdmitted: Bool
        /// Microseconds until the bucket is full.
        let backlog: UInt64
    }

    private static let ways = 8
    private static let timeBits: UInt64 = 48
    private static let timeMask: UInt64 = 1 << timeBits - 1

    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let count: Int

    /// - Parameter sets: A power of two; eight buckets each, 64 bytes.
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

    /// Takes tokens from a bucket, all or none.
    ///
    /// - Parameters:
    ///   - key: A hash with a secret, evenly spread.
    ///   - cost: What the tokens take to come back, in microseconds.
    ///   - window: What the whole bucket takes.
    ///   - now: Microseconds since the process began, or so; never less than before but for other threads' hurry.
    func take(_ cost: UInt64, from key: UInt64, window: UInt64, now: UInt64) -> Outcome {
        change(key, now: now) { fullAt in
            let next = max(fullAt, now) + cost
            return next - now <= window ? next : nil
        }
    }

    /// Takes tokens that are owed: as many as there are.
    func charge(_ cost: UInt64, to key: UInt64, window: UInt64, now: UInt64) -> Outcome {
        change(key, now: now) { fullAt in max(fullAt, min(max(fullAt, now) + cost, now + window)) }
    }

    /// Puts tokens back that were taken for nothing.
    func giveBack(_ cost: UInt64, to key: UInt64, now: UInt64) {
        _ = change(key, now: now) { fullAt in fullAt > now ? fullAt - min(cost, fullAt - now) : nil }
    }

    /// Microseconds until a bucket is full.
    func backlog(of key: UInt64, now: UInt64) -> UInt64 {
        change(key, now: now) { _ in nil }.backlog
    }

    /// Replaces the moment at which a bucket is full. `next` may be called several times; `nil` leaves everything as it is.
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
                // A word says all there is to say: no other memory hangs on its order.
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
