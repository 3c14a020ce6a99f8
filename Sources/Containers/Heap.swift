/// A binary min-heap: of all elements the least is at hand, and one is added or taken out in O(log n).
///
/// Each call that orders elements is told how (`precedes`), so that an order may depend on what the caller has at hand; it
/// must be the same one in every call. Public, so that other modules inline it.
public struct Heap<Element> {
    @usableFromInline var elements: [Element]

    /// A heap without elements.
    @inlinable public init() {
        elements = []
    }

    /// A heap of `elements`, in O(n).
    @inlinable public init(_ elements: [Element], by precedes: (Element, Element) -> Bool) {
        self.elements = elements
        order(by: precedes)
    }

    @inlinable public var count: Int { elements.count }
    @inlinable public var isEmpty: Bool { elements.isEmpty }
    /// The least element.
    @inlinable public var min: Element? { elements.first }

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

    /// Takes out the least element; `nil` if there is none.
    @inlinable public mutating func popMin(by precedes: (Element, Element) -> Bool) -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let least = elements.first else { return last }
        elements[0] = last
        siftDown(0, by: precedes)
        return least
    }

    /// Puts `element` in the place of the least one: cheaper than to take that out and to insert this.
    ///
    /// - Precondition: The heap has an element.
    @inlinable public mutating func replaceMin(with element: Element, by precedes: (Element, Element) -> Bool) {
        elements[0] = element
        siftDown(0, by: precedes)
    }

    /// Takes out all elements for which `isUnwanted` holds, in O(n).
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
