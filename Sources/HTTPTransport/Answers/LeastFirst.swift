/// Elements that are taken out from the least on, of which most are never taken: to make it takes O(n), and each that is
/// taken O(log n).
struct LeastFirst<Element: Comparable> {
    private var heap: [Element]

    init(_ elements: [Element]) {
        heap = elements
        for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    /// Takes out the least element; `nil` if there is none.
    mutating func next() -> Element? {
        guard let last = heap.popLast() else { return nil }
        guard let first = heap.first else { return last }
        heap[0] = last
        siftDown(0)
        return first
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { return }
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < heap[index] else { return }
            heap.swapAt(child, index)
            index = child
        }
    }
}
