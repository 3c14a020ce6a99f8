/// Index keys one after another in one block of bytes.
package struct KeyList: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// The payload of each key; empty for keys without payloads.
    private var payloads: [Int64] = []

    /// Creates an empty list.
    package init() {}

    /// The number of keys.
    package var count: Int { ends.count }

    /// The positions of the keys.
    package var indices: Range<Int> { ends.indices }

    /// The length of all keys in bytes.
    package var size: Int { bytes.count }

    /// Appends the key that a closure appends to the bytes.
    package mutating func append(_ body: (inout [UInt8]) -> Void) {
        body(&bytes)
        ends.append(bytes.count)
    }

    /// Appends the key that a closure appends to the bytes, with a payload.
    package mutating func append(payload: Int64, _ body: (inout [UInt8]) -> Void) {
        append(body)
        payloads.append(payload)
    }

    /// Returns the payload of a key; 0 for keys without payloads.
    package func payload(_ position: Int) -> Int64 { payloads.isEmpty ? 0 : payloads[position] }

    /// Removes all keys but keeps the memory for new ones.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        payloads.removeAll(keepingCapacity: true)
    }

    /// Returns a key.
    package subscript(_ position: Int) -> ArraySlice<UInt8> {
        bytes[(position == 0 ? 0 : ends[position - 1])..<ends[position]]
    }

    /// The keys as separate arrays.
    package var all: [[UInt8]] { indices.map { Array(self[$0]) } }

    /// Sorts the keys and removes duplicates. The keys have no payloads.
    package mutating func sort() {
        var order = indices.sorted { self[$0].lexicographicallyPrecedes(self[$1]) }
        var distinct = 0
        for position in order.indices where position == 0 || self[order[position]] != self[order[distinct - 1]] {
            order.swapAt(distinct, position)
            distinct += 1
        }
        var sorted = KeyList()
        for position in order[..<distinct] { sorted.append { $0.append(contentsOf: self[position]) } }
        self = sorted
    }
}
