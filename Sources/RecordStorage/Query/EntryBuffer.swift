package import RecordModel

/// Entries of an index, read in one go: keys in one block of bytes, record ids beside them.
package struct EntryBuffer: Sendable {
    /// Where each key ends in `bytes`.
    private var ends: [Int] = []
    private var bytes: [UInt8] = []
    /// The ids of the records, in the order of their entries.
    package private(set) var records: [RecordNumber] = []

    package init() {}

    package var count: Int { records.count }
    package var isEmpty: Bool { records.isEmpty }

    /// The key of an entry.
    package func key(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// Adds an entry; its key is copied.
    package mutating func append(_ key: UnsafeRawBufferPointer, record: RecordNumber) {
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
        records.append(record)
    }

    /// Empties it and keeps its memory.
    package mutating func removeAll() {
        ends.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
    }

    /// Leaves the first entries and drops the others.
    package mutating func removeLast(_ count: Int) {
        guard count > 0 else { return }
        ends.removeLast(count)
        records.removeLast(count)
        bytes.removeSubrange((ends.last ?? 0)...)
    }

    /// Turns around the records of each run of equal keys.
    package mutating func reverseRuns() {
        var start = 0
        while start < count {
            var end = start + 1
            while end < count, key(end) == key(start) { end += 1 }
            records[start..<end].reverse()
            start = end
        }
    }
}
