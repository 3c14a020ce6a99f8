import RecordModel
import Testing

@testable import RecordEngine

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

    // MARK: Turns of accounts

    /// The write of an account.
    private final class AccountWrite: PendingWrite, @unchecked Sendable {
        let name: String
        private let owner: UserID

        init(_ name: String, of owner: Int64, weight: Int = 1) {
            self.name = name
            self.owner = UserID(rawValue: owner)
            super.init(operations: 1, weight: weight, isAlone: weight > 100, startsLazily: true)
        }

        override var callerAccount: UserID? { owner }
    }

    private static func names(_ group: [PendingWrite]) -> [String] { group.map { ($0 as? AccountWrite)?.name ?? "?" } }

    /// One account sends 16 changes of shares, each of which rewrites thousands of records. Nobody knows before.
    @Test func `after a write that many records followed, its account's writes wait for those of others`() {
        var queue = WriteQueue()
        let changes = (0..<16).map { AccountWrite("a\($0)", of: 1) }
        for write in changes { queue.append(write) }
        queue.append(AccountWrite("b0", of: 2))
        let first = queue.takeGroup(maxOperations: 256)
        #expect(first.count == 17)
        // The time of the group is over after its first write.
        queue.didRunHeavy(changes[0])
        queue.putBack(first[1...])
        var order: [String] = []
        for turn in 1..<6 {
            queue.append(AccountWrite("b\(turn)", of: 2))
            order += Self.names(queue.takeGroup(maxOperations: 256))
        }
        #expect(order == ["b0", "b1", "a1", "b2", "b3", "a2", "b4", "b5"])
    }

    @Test func `accounts take turns with their large writes`() {
        var queue = WriteQueue()
        for number in 0..<4 { queue.append(AccountWrite("a\(number)", of: 1, weight: 200)) }
        for number in 0..<2 { queue.append(AccountWrite("b\(number)", of: 2, weight: 200)) }
        queue.append(AccountWrite("c0", of: 3, weight: 200))
        let order = (0..<7).flatMap { _ in Self.names(queue.takeGroup(maxOperations: 256)) }
        #expect(order == ["a0", "b0", "a1", "b1", "a2", "c0", "a3"])
    }

    @Test func `an account counts as heavy for a while only`() {
        var queue = WriteQueue()
        queue.didRunHeavy(AccountWrite("a", of: 1))
        for _ in 0..<64 { _ = queue.takeGroup(maxOperations: 256) }
        queue.append(AccountWrite("a0", of: 1))
        queue.append(AccountWrite("b0", of: 2))
        #expect(Self.names(queue.takeGroup(maxOperations: 256)) == ["a0", "b0"])
    }

    @Test func `thousands of heavy accounts are not remembered for ever`() {
        var queue = WriteQueue()
        for number in 0..<10_000 { queue.didRunHeavy(AccountWrite("a", of: Int64(number))) }
        #expect(queue.heavyAccountCount <= 1_024)
    }
}
