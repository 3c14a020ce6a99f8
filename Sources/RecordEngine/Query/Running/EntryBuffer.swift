internal import RecordModel

/// A buffer of index entries: keys in one block of bytes, record ids in an array.
struct EntryBuffer {
    /// The end offset of each key in `bytes`.
    private var ends: [Int] = []
    private var bytes: [UInt8] = []
    /// The record ids, in the order of the entries.
    private(set) var records: [RecordNumber] = []

    var count: Int { records.count }

    /// The last entry, with a copy of its key.
    var last: (key: [UInt8], record: RecordNumber)? {
        records.last.map { (Array(key(count - 1)), $0) }
    }

    /// The key of the entry at an index.
    func key(_ index: Int) -> ArraySlice<UInt8> {
        bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// Adds an entry with a copy of its key.
    mutating func append(_ key: UnsafeRawBufferPointer, record: RecordNumber) {
        bytes.append(contentsOf: key)
        ends.append(bytes.count)
        records.append(record)
    }

    /// Removes all entries but keeps the memory for new ones.
    mutating func removeAll() {
        ends.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        records.removeAll(keepingCapacity: true)
    }

    /// Removes the last entry and all entries with the same key.
    mutating func removeLastRun() {
        guard var start = records.indices.last else { return }
        let last = key(start)
        while start > 0, key(start - 1) == last { start -= 1 }
        ends.removeSubrange(start...)
        records.removeSubrange(start...)
        bytes.removeSubrange((ends.last ?? 0)...)
    }

    /// Reverses the record ids within each run of equal keys.
    mutating func reverseRuns() {
        var start = 0
        while start < count {
            var end = start + 1
            while end < count, key(end) == key(start) { end += 1 }
            records[start..<end].reverse()
            start = end
        }
    }
}
