import Containers
import TestSupport
import Testing

@Suite struct HeapTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `elements come from the least to the greatest`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...40, using: &random)
        let elements = (0..<count).map { _ in Int.random(in: 0...20, using: &random) }
        var atOnce = Heap(elements, by: <)
        var oneByOne = Heap<Int>()
        for element in elements { oneByOne.insert(element, by: <) }
        for least in elements.sorted() {
            #expect(atOnce.min == least && oneByOne.min == least)
            #expect(atOnce.popMin(by: <) == least)
            #expect(oneByOne.popMin(by: <) == least)
        }
        #expect(atOnce.isEmpty && atOnce.popMin(by: <) == nil)
        #expect(oneByOne.isEmpty && oneByOne.min == nil)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the least element is replaced, and unwanted elements are removed`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var elements = (0..<Int.random(in: 1...40, using: &random)).map { _ in Int.random(in: 0...20, using: &random) }
        var heap = Heap(elements, by: <)
        for _ in 0..<20 {
            elements.sort()
            elements[0] = Int.random(in: 0...20, using: &random)
            heap.replaceMin(with: elements[0], by: <)
        }
        elements.removeAll { $0 % 3 == 0 }
        heap.removeAll(where: { $0 % 3 == 0 }, by: <)
        #expect(heap.count == elements.count)
        #expect(elements.indices.map { _ in heap.popMin(by: <) } == elements.sorted())
    }

    @Test func `removing many elements does not scan the heap for each of them`() {
        let count = 10_000
        var comparisons = 0
        func precedes(_ one: UInt64, _ other: UInt64) -> Bool {
            comparisons += 1
            return one < other
        }
        var random = SeededGenerator(seed: 1)
        var heap = Heap((0..<count).map { _ in random.next() }, by: precedes)
        // Twice per level of the tree, and the tree has 14.
        #expect(comparisons <= 3 * count)
        for _ in 0..<1_000 { _ = heap.popMin(by: precedes) }
        #expect(comparisons <= 3 * count + 1_000 * 2 * 14)
    }
}
