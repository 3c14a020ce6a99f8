import Containers
import TestSupport
import Testing

@Suite struct FairQueueTests {
    @Test func `owners take turns, and each one's elements keep their order`() {
        var queue = FairQueue<String, Int>()
        for number in 0..<4 { queue.append(number, for: "a") }
        queue.append(10, for: "b")
        queue.append(20, for: "c")
        queue.append(11, for: "b")
        #expect(queue.count == 7 && queue.count(of: "a") == 4 && queue.count(of: "d") == 0)
        var order: [Int] = []
        while let element = queue.popFirst() { order.append(element) }
        #expect(order == [0, 10, 20, 1, 11, 2, 3])
        #expect(queue.isEmpty && queue.count(of: "a") == 0)
    }

    @Test func `an owner that comes later waits for one element of each other owner`() {
        var queue = FairQueue<String, Int>()
        for number in 0..<1_000 { queue.append(number, for: number.isMultiple(of: 2) ? "a" : "b") }
        _ = queue.popFirst()
        queue.append(-1, for: "late")
        #expect([queue.popFirst(), queue.popFirst(), queue.popFirst()] == [1, 2, -1])
    }

    @Test func `a removed element leaves no turn behind`() {
        var queue = FairQueue<String, Int>()
        queue.append(1, for: "a")
        queue.append(2, for: "b")
        #expect(queue.remove(for: "a") { $0 == 3 } == nil)
        #expect(queue.remove(for: "a") { $0 == 1 } == 1)
        #expect(queue.remove(for: "a") { $0 == 1 } == nil)
        queue.append(4, for: "a")
        #expect([queue.popFirst(), queue.popFirst(), queue.popFirst()] == [2, 4, nil])
    }

    @Test func `random calls give the same as a list of lists`() {
        var random = SeededGenerator(seed: 50)
        var queue = FairQueue<Int, Int>()
        var model: [(owner: Int, elements: [Int])] = []
        for number in 0..<20_000 {
            let owner = Int.random(in: 0..<5, using: &random)
            let place = model.firstIndex { $0.owner == owner }
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10:
                queue.append(number, for: owner)
                if let place { model[place].elements.append(number) } else { model.append((owner, [number])) }
            case 10..<19:
                let popped = queue.popFirst()
                if model.isEmpty {
                    #expect(popped == nil)
                    continue
                }
                var first = model.removeFirst()
                #expect(popped == first.elements.removeFirst())
                if !first.elements.isEmpty { model.append(first) }
            default:
                let wanted = place.flatMap { model[$0].elements.randomElement(using: &random) } ?? -1
                let removed = queue.remove(for: owner) { $0 == wanted }
                #expect(removed == (place == nil ? nil : wanted))
                if let place {
                    model[place].elements.removeAll { $0 == wanted }
                    if model[place].elements.isEmpty { model.remove(at: place) }
                }
            }
            #expect(queue.count == model.reduce(0) { $0 + $1.elements.count })
        }
    }
}
