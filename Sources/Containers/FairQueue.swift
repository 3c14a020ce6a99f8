/// A queue that serves its owners in turn (round-robin): each `popFirst` takes the oldest element of the next owner.
///
/// An owner with a thousand elements delays another owner by one element at a time. Elements of one owner keep their
/// order.
public struct FairQueue<Owner: Hashable, Element> {
    /// The elements of each owner that has any.
    private var elements: [Owner: Line<Element>] = [:]
    /// The owners with elements, in the order of their turns.
    private var turns = Line<Owner>()

    /// The number of elements of all owners.
    public private(set) var count = 0
    /// Whether the queue has no elements.
    public var isEmpty: Bool { count == 0 }

    /// Creates an empty queue.
    public init() {}

    /// Returns the number of elements of an owner in O(1).
    public func count(of owner: Owner) -> Int { elements[owner]?.count ?? 0 }

    /// Adds an element behind the other elements of its owner in O(1). An owner without other elements gets the last
    /// turn.
    public mutating func append(_ element: Element, for owner: Owner) {
        let isNew = elements[owner] == nil
        elements[owner, default: Line()].append(element)
        if isNew { turns.append(owner) }
        count += 1
    }

    /// Removes and returns the oldest element of the owner whose turn it is, in amortized O(1); `nil` if the queue is
    /// empty. The owner then gets the last turn.
    public mutating func popFirst() -> Element? {
        guard let owner = turns.popFirst(), let element = elements[owner]?.popFirst() else { return nil }
        count -= 1
        if elements[owner]?.count == 0 { elements[owner] = nil } else { turns.append(owner) }
        return element
    }

    /// Removes and returns the first element of an owner that meets a condition; `nil` if there is none.
    ///
    /// - Complexity: O(n) in the number of the owner's elements, and in that of owners.
    public mutating func remove(for owner: Owner, where condition: (Element) -> Bool) -> Element? {
        guard let element = elements[owner]?.remove(where: condition) else { return nil }
        count -= 1
        if elements[owner]?.count == 0 {
            elements[owner] = nil
            _ = turns.remove { $0 == owner }
        }
        return element
    }

    /// A first-in, first-out queue in one array.
    private struct Line<Item> {
        private var items: [Item?] = []
        private var start = 0

        var count: Int { items.count - start }

        mutating func append(_ item: Item) { items.append(item) }

        mutating func popFirst() -> Item? {
            guard start < items.count else { return nil }
            defer {
                items[start] = nil
                start += 1
                // Each element is moved at most once for each element that was taken.
                if start > items.count / 2 {
                    items.removeFirst(start)
                    start = 0
                }
            }
            return items[start]
        }

        mutating func remove(where condition: (Item) -> Bool) -> Item? {
            guard let index = items[start...].firstIndex(where: { $0.map(condition) ?? false }) else { return nil }
            return items.remove(at: index)
        }
    }
}
