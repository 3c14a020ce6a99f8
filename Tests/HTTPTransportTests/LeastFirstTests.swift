import TestSupport
import Testing

@testable import HTTPTransport

/// The order in which those make room who hold answers.
@Suite struct LeastFirstTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `elements come from the least to the greatest`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...40, using: &random)
        let elements = (0..<count).map { _ in Int.random(in: 0...20, using: &random) }
        var queue = LeastFirst(elements)
        #expect((0..<count).map { _ in queue.next() } == elements.sorted())
        #expect(queue.next() == nil)
    }

    @Test func `to take many of a crowd is not to look at the crowd for each of them`() {
        let count = 10_000
        let counter = Counter()
        var random = SeededGenerator(seed: 1)
        var queue = LeastFirst(
            (0..<count).map { _ in Counted(value: random.next(), counter: counter) })
        // Twice per level of the tree, and the tree has 14.
        #expect(counter.comparisons <= 3 * count)
        for _ in 0..<1_000 { _ = queue.next() }
        #expect(counter.comparisons <= 3 * count + 1_000 * 2 * 14)
    }
}

private final class Counter {
    var comparisons = 0
}

private struct Counted: Comparable {
    let value: UInt64
    let counter: Counter

    static func == (one: Counted, other: Counted) -> Bool { one.value == other.value }

    static func < (one: Counted, other: Counted) -> Bool {
        one.counter.comparisons += 1
        return one.value < other.value
    }
}
