@testable import RecordEngine
import Testing

@Suite struct WriteQueueTests {
    private static func write(_ weight: Int, isAlone: Bool = false) -> PendingWrite {
        PendingWrite(operations: weight, weight: weight, isAlone: isAlone, startsLazily: false)
    }

    private static func weights(_ group: [PendingWrite]) -> [Int] { group.map(\.weight) }

    @Test func `groups keep the order, up to their size`() {
        var queue = WriteQueue()
        for weight in [3, 4, 5] { queue.append(Self.write(weight)) }
        #expect(Self.weights(queue.takeGroup(maxOperations: 8)) == [3, 4])
        #expect(Self.weights(queue.takeGroup(maxOperations: 8)) == [5])
        #expect(queue.takeGroup(maxOperations: 8).isEmpty)
    }

    @Test func `a write larger than a group is a group of its own`() {
        var queue = WriteQueue()
        for weight in [300, 1] { queue.append(Self.write(weight)) }
        #expect(Self.weights(queue.takeGroup(maxOperations: 256)) == [300])
        #expect(Self.weights(queue.takeGroup(maxOperations: 256)) == [1])
    }

    @Test func `small writes wait for one large one, and large ones for a group of small ones`() {
        var queue = WriteQueue()
        for weight in [200, 201, 202] { queue.append(Self.write(weight, isAlone: true)) }
        for weight in 1...5 { queue.append(Self.write(weight)) }
        #expect(Self.weights(queue.takeGroup(maxOperations: 256)) == [200])
        #expect(Self.weights(queue.takeGroup(maxOperations: 12)) == [1, 2, 3, 4])
        #expect(Self.weights(queue.takeGroup(maxOperations: 12)) == [201])
        queue.append(Self.write(6))
        #expect(Self.weights(queue.takeGroup(maxOperations: 12)) == [5, 6])
        #expect(Self.weights(queue.takeGroup(maxOperations: 12)) == [202])
        #expect(queue.count == 0)
    }

    @Test func `small writes that waited for the writer go before large ones`() {
        var queue = WriteQueue()
        for weight in [200, 201, 1, 2] { queue.append(Self.write(weight)) }
        queue.didHoldUp()
        #expect(Self.weights(queue.takeGroup(maxOperations: 256)) == [1, 2])
        #expect(Self.weights(queue.takeGroup(maxOperations: 256)) == [200])
        #expect(Self.weights(queue.takeGroup(maxOperations: 256)) == [201])
    }

    @Test func `a write that is put back is next`() {
        var queue = WriteQueue()
        for weight in [70, 71, 1, 2] { queue.append(Self.write(weight)) }
        let group = queue.takeGroup(maxOperations: 256)
        #expect(Self.weights(group) == [70, 71, 1, 2])
        queue.putBack(group[1...])
        #expect(Self.weights(queue.takeGroup(maxOperations: 256)) == [1, 2])
        #expect(Self.weights(queue.takeGroup(maxOperations: 256)) == [71])
    }
}
