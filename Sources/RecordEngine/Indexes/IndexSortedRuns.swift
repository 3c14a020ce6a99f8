internal import Containers
internal import RecordModel

/// Sorts index entries by a merge sort in memory. Entries are gathered in runs; the runs are sorted, then merged as
/// they are read.
///
/// Inserting in the order of record creation could touch a different index page for each entry. Inserting in index
/// order touches each page once for all its entries, so the page is written and synced once.
final class IndexSortedRuns {
    struct Entry {
        let index: IndexID
        let record: RecordNumber
        /// The zone of the record.
        let zone: ZoneID
        fileprivate let start: UInt32
        fileprivate let count: UInt32
        let home: RowHome
        /// Whether only one record of the zone may have the key.
        let isUnique: Bool
        /// The payload; `nil` in indexes without payloads.
        let payload: Int64?
    }

    private var keys: [UInt8] = []
    private var entries: [Entry] = []
    /// The end index of each finished run in `entries`.
    private var ends: [Int] = []
    /// The unread entries of each run. The minimum of the heap is the run with the first entry.
    private var heap = Heap<Range<Int>>()
    private var isMerging = false

    /// The number of entries added.
    var count: Int { entries.count }
    /// The memory in bytes that the entries use.
    var bytes: Int { keys.count + entries.count * MemoryLayout<Entry>.stride }

    /// Adds an entry to the open run.
    ///
    /// - Parameters:
    ///   - key: The key of the entry. The keys of all entries together may have at most 4 GB.
    ///   - payload: The payload; `nil` in indexes without payloads.
    func append(
        _ key: some Collection<UInt8>, index: IndexID, home: RowHome, record: RecordNumber, zone: ZoneID,
        isUnique: Bool, payload: Int64? = nil
    ) {
        let start = UInt32(keys.count)
        keys.append(contentsOf: key)
        entries.append(
            Entry(
                index: index, record: record, zone: zone, start: start, count: UInt32(key.count), home: home,
                isUnique: isUnique, payload: payload))
    }

    /// Sorts the entries added since the last run. Sorting time grows faster than the length of a run, so runs should
    /// be short.
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

    /// Removes and returns the next entry, ordered by index, home, key and record. No entries may be added after the
    /// first call.
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

    /// Calls `body` with the key of an entry. The pointer is valid only during the call.
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

    /// Whether the first entry of one run precedes the first entry of the other.
    private func precedes(_ one: Range<Int>, _ other: Range<Int>, _ keys: UnsafeRawBufferPointer) -> Bool {
        Self.precedes(entries[one.lowerBound], entries[other.lowerBound], keys)
    }

    private static func precedes(_ left: Entry, _ right: Entry, _ keys: UnsafeRawBufferPointer) -> Bool {
        if left.index != right.index { return left.index < right.index }
        if left.home != right.home { return left.home < right.home }
        let common = Int(min(left.count, right.count))
        var done = 0
        // Compare eight bytes at a time as one integer.
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
