import TestSupport
import Testing

@testable import RecordAPI

@Suite struct RateTableTests {
    /// A bucket as one explains it: tokens that come back one by one, in microseconds' worth.
    private struct NaiveBucket {
        var level: UInt64
        let size: UInt64
        var at: UInt64

        mutating func refill(_ now: UInt64) {
            level = min(size, level + (now - at))
            at = now
        }

        mutating func take(_ cost: UInt64, _ now: UInt64) -> Bool {
            refill(now)
            guard level >= cost else { return false }
            level -= cost
            return true
        }
    }

    @Test(arguments: 0..<20)
    func `random requests agree with a naive bucket`(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let table = RateTable(sets: 64)
        let window = UInt64.random(in: 1_000...1_000_000, using: &random)
        let keys = (0..<16).map { _ in UInt64.random(in: .min ... .max, using: &random) }
        var now = UInt64.random(in: 0...1_000_000_000, using: &random)
        var buckets = [UInt64: NaiveBucket]()
        for key in keys { buckets[key] = NaiveBucket(level: window, size: window, at: now) }
        for turn in 0..<5_000 {
            now += UInt64.random(in: 0...(window / 20), using: &random)
            let key = keys[Int.random(in: keys.indices, using: &random)]
            let cost = UInt64.random(in: 1...(window / 8 + 1), using: &random)
            guard var bucket = buckets[key] else { return }
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                bucket.refill(now)
                bucket.level = bucket.level > cost ? bucket.level - cost : 0
                #expect(table.charge(cost, to: key, window: window, now: now).backlog == window - bucket.level)
            case 1:
                bucket.refill(now)
                bucket.level = min(window, bucket.level + cost)
                table.giveBack(cost, to: key, now: now)
            case 2:
                bucket.refill(now)
                #expect(table.backlog(of: key, now: now) == window - bucket.level)
            default:
                let isAdmitted = bucket.take(cost, now)
                let outcome = table.take(cost, from: key, window: window, now: now)
                #expect(outcome.isAdmitted == isAdmitted && outcome.backlog == window - bucket.level, "turn \(turn)")
            }
            buckets[key] = bucket
        }
    }

    @Test func `a full table evicts the fullest bucket`() {
        let table = RateTable(sets: 1)
        // Tags 1 to 8; the third is used least.
        for tag in UInt64(1)...8 { _ = table.take(tag == 3 ? 10 : 100, from: tag << 48, window: 1_000, now: 0) }
        _ = table.take(500, from: 9 << 48, window: 1_000, now: 0)
        #expect(table.backlog(of: 3 << 48, now: 0) == 0)
        for tag in [UInt64(1), 2, 4, 5, 6, 7, 8] { #expect(table.backlog(of: tag << 48, now: 0) == 100) }
        #expect(table.backlog(of: 9 << 48, now: 0) == 500)
        // Evicting full buckets loses no information.
        for tag in UInt64(20)..<28 { _ = table.take(1, from: tag << 48, window: 1_000, now: 1_000) }
        #expect(table.backlog(of: 27 << 48, now: 1_000) == 1)
    }

    @Test func `many threads together take no more tokens than the bucket has`() async {
        let table = RateTable(sets: 1)
        let admitted = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<2_000).count { _ in table.take(1, from: 7 << 48, window: 5_000, now: 1).isAdmitted }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(admitted == 5_000)
    }

    @Test func `an invalid limit is rejected, and a valid limit fills its bucket at its rate`() throws {
        #expect(RateLimit(0, per: .second, burst: 1) == nil)
        #expect(RateLimit(1, per: .second, burst: 0) == nil)
        #expect(RateLimit(100_001, per: .second, burst: 1) == nil)
        #expect(RateLimit(1, per: .hour, burst: 25) == nil)
        let limit = try #require(RateLimit(10, per: .minute, burst: 20))
        #expect(limit.interval == 6_000_000 && limit.window == 120_000_000)
    }
}
