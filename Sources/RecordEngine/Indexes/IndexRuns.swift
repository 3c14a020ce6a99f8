internal import Containers
internal import RecordModel

/// Entries of indexes on their way into the tables, in runs that are sorted one by one and merged as they are taken out.
///
/// In the order in which records were made, entries touch a page of an index for each of its values. In the order of the
/// index a page is touched once for all that it gets, and so it is written and synced once.
final class IndexRuns {
    struct Entry {
        /// The number of the index.
        let index: IndexID
        /// The internal number of the record.
        let record: RecordNumber
        /// The zone of the record.
        let zone: ZoneID
        fileprivate let start: UInt32
        fileprivate let count: UInt32
        let home: RowHome
        /// Whether no other record of the zone may have the key.
        let isUnique: Bool
    }

    private var keys: [UInt8] = []
    private var entries: [Entry] = []
    /// Where the runs that have ended end.
    private var ends: [Int] = []
    /// What is left of each run; the least is the one whose first entry comes first.
    private var heap = Heap<Range<Int>>()
    private var isMerging = false

    /// The entries that were added.
    var count: Int { entries.count }
    /// The memory that they take.
    var bytes: Int { keys.count + entries.count * MemoryLayout<Entry>.stride }

    /// Adds an entry to the run that is open.
    ///
    /// - Parameter key: At most 4 GB in all entries together.
    func append(_ key: [UInt8], index: IndexID, home: RowHome, record: RecordNumber, zone: ZoneID, isUnique: Bool) {
        let start = UInt32(keys.count)
        keys.append(contentsOf: key)
        entries.append(
            Entry(
                index: index, record: record, zone: zone, start: start, count: UInt32(key.count), home: home,
                isUnique: isUnique))
    }

    /// Sorts what was added since the last run, which takes longer than in proportion: to be called before it is much.
    func endRun() {
        let run = (ends.last ?? 0)..<entries.count
        guard !run.isEmpty else { return }
        keys.withUnsafeBytes { keys in
            entries.withUnsafeMutableBufferPointer { entries in
                var entries = UnsafeMutableBufferPointer(rebasing: entries[run])
                entries.sort { Self.precedes($0, $1, keys) }
            }
        }
        ends.append(run.upperBound)
    }

    /// Takes out the entry that comes first by index, home, key and record; nothing can be added any more.
    func next() -> Entry? {
        if !isMerging { beginMerge() }
        guard let first = heap.min else { return nil }
        keys.withUnsafeBytes { keys in
            if first.count > 1 {
                heap.replaceMin(with: first.lowerBound + 1..<first.upperBound) { precedes($0, $1, keys) }
            } else {
                _ = heap.popMin { precedes($0, $1, keys) }
            }
        }
        return entries[first.lowerBound]
    }

    /// The key of an entry, which must not leave `body`.
    func withKey<Value, Failure: Error>(
        of entry: Entry, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try keys.withUnsafeBufferPointer { keys throws(Failure) in
            let start = Int(entry.start)
            return try body(
                UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: keys[start..<start + Int(entry.count)])))
        }
    }

    private func beginMerge() {
        isMerging = true
        endRun()
        let runs = zip([0] + ends, ends).map { $0..<$1 }
        heap = keys.withUnsafeBytes { keys in Heap(runs) { precedes($0, $1, keys) } }
    }

    /// Whether the first entry of a run comes before that of another.
    private func precedes(_ one: Range<Int>, _ other: Range<Int>, _ keys: UnsafeRawBufferPointer) -> Bool {
        Self.precedes(entries[one.lowerBound], entries[other.lowerBound], keys)
    }

    private static func precedes(_ left: Entry, _ right: Entry, _ keys: UnsafeRawBufferPointer) -> Bool {
        if left.index != right.index { return left.index < right.index }
        if left.home != right.home { return left.home < right.home }
        let common = Int(min(left.count, right.count))
        var done = 0
        // Eight bytes at a time, as one number.
        while done + 8 <= common {
            let one = word(left, done, keys)
            let other = word(right, done, keys)
            if one != other { return one < other }
            done += 8
        }
        while done < common {
            let one = keys[Int(left.start) + done]
            let other = keys[Int(right.start) + done]
            if one != other { return one < other }
            done += 1
        }
        if left.count != right.count { return left.count < right.count }
        return left.record < right.record
    }

    private static func word(_ entry: Entry, _ offset: Int, _ keys: UnsafeRawBufferPointer) -> UInt64 {
        UInt64(bigEndian: keys.loadUnaligned(fromByteOffset: Int(entry.start) + offset, as: UInt64.self))
    }
}
