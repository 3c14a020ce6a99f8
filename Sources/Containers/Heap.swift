/// A binary min-heap: O(1) access to the least element, O(log n) insertion and removal.
///
/// Each call that orders elements takes the order as a closure (`precedes`), so that it can use the caller's data. All
/// calls on one heap must use the same order. Public, so that other modules can inline it.
public struct Heap<Element> {
    @usableFromInline var elements: [Element]

    /// Creates an empty heap.
    @inlinable public init() {
        elements = []
    }

    /// Creates a heap of `elements` in O(n).
    @inlinable public init(_ elements: [Element], by precedes: (Element, Element) -> Bool) {
        self.elements = elements
        order(by: precedes)
    }

    /// The number of elements.
    @inlinable public var count: Int { elements.count }
    /// Whether the heap has no elements.
    @inlinable public var isEmpty: Bool { elements.isEmpty }
    /// The least element; `nil` if the heap is empty.
    @inlinable public var min: Element? { elements.first }

    /// Inserts an element in O(log n).
    @inlinable public mutating func insert(_ element: Element, by precedes: (Element, Element) -> Bool) {
        elements.append(element)
        var index = elements.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard precedes(elements[index], elements[parent]) else { return }
            elements.swapAt(index, parent)
            index = parent
        }
    }

    /// Removes and returns the least element in O(log n); `nil` if the heap is empty.
    @inlinable public mutating func popMin(by precedes: (Element, Element) -> Bool) -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let least = elements.first else { return last }
        elements[0] = last
        siftDown(0, by: precedes)
        return least
    }

    /// Replaces the least element by `element` in O(log n). One call is cheaper than `popMin` and `insert`.
    ///
    /// - Precondition: The heap is not empty.
    @inlinable public mutating func replaceMin(with element: Element, by precedes: (Element, Element) -> Bool) {
        elements[0] = element
        siftDown(0, by: precedes)
    }

    /// Removes all elements for which `isUnwanted` returns true, in O(n).
    @inlinable public mutating func removeAll(
        where isUnwanted: (Element) -> Bool, by precedes: (Element, Element) -> Bool
    ) {
        elements.removeAll(where: isUnwanted)
        order(by: precedes)
    }

    @inlinable mutating func order(by precedes: (Element, Element) -> Bool) {
        for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { siftDown(index, by: precedes) }
    }

    @inlinable mutating func siftDown(_ start: Int, by precedes: (Element, Element) -> Bool) {
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < elements.count else { return }
            if child + 1 < elements.count, precedes(elements[child + 1], elements[child]) { child += 1 }
            guard precedes(elements[child], elements[index]) else { return }
            elements.swapAt(child, index)
            index = child
        }
    }
}

extension Heap: Sendable where Element: Sendable {}
