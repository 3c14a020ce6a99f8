/// The files of a cache and their last uses, in memory. The type performs no input or output.
struct CacheIndex {
    struct Entry: Hashable {
        /// The size of the file in bytes. The file name contains the size.
        let size: Int
        /// The last use, in nanoseconds since 1970-01-01 UTC.
        var lastUse: Int64
        /// The last use according to the file's modification time, at most a minute before `lastUse`.
        var markedUse: Int64
    }

    /// The identity of a thumbnail: the key of the original, and the form.
    struct Name: Hashable {
        let key: String
        let form: ThumbnailForm
    }

    private var originals: [String: [ThumbnailForm: Entry]] = [:]
    /// The number of files.
    private(set) var count = 0
    /// The disk space that the files use, in bytes.
    private(set) var bytes = 0

    /// Returns the disk space of a file in bytes: whole blocks, plus one block for the directory. Counting blocks also
    /// limits the number of small files.
    static func space(for size: Int) -> Int {
        (size + 4095) / 4096 * 4096 + 4096
    }

    subscript(name: Name) -> Entry? {
        originals[name.key]?[name.form]
    }

    /// Returns whether any thumbnail of an original exists.
    func has(_ key: String) -> Bool {
        originals[key] != nil
    }

    /// Adds a file. A file of the same name is replaced.
    mutating func add(_ name: Name, size: Int, lastUse: Int64) {
        remove(name)
        originals[name.key, default: [:]][name.form] = Entry(size: size, lastUse: lastUse, markedUse: lastUse)
        count += 1
        bytes += Self.space(for: size)
    }

    /// Records a use of a file at a time in nanoseconds since 1970-01-01 UTC.
    ///
    /// - Returns: Whether to update the file's modification time, because it is more than a minute old.
    mutating func use(_ name: Name, at time: Int64) -> Bool {
        guard var entry = originals[name.key]?[name.form] else { return false }
        entry.lastUse = max(entry.lastUse, time)
        let marks = entry.markedUse < time - 60_000_000_000
        if marks { entry.markedUse = time }
        originals[name.key]?[name.form] = entry
        return marks
    }

    mutating func remove(_ name: Name) {
        guard let entry = originals[name.key]?.removeValue(forKey: name.form) else { return }
        if originals[name.key]?.isEmpty == true { originals[name.key] = nil }
        count -= 1
        bytes -= Self.space(for: entry.size)
    }

    /// Removes all thumbnails of an original and returns them.
    mutating func removeAll(of key: String) -> [(name: Name, size: Int)] {
        let entries = (originals[key] ?? [:]).map { (name: Name(key: key, form: $0.key), size: $0.value.size) }
        for entry in entries { remove(entry.name) }
        return entries
    }

    /// If the files use more than `maxBytes`, evicts the least recently used files until at most nine tenths of
    /// `maxBytes` remain. Returns the evicted files.
    ///
    /// - Complexity: O(n log n), once for each tenth of the cache that is replaced. Maintaining an order would cost
    ///   memory for each file and time for each use.
    mutating func evict(to maxBytes: Int) -> [(name: Name, size: Int)] {
        guard bytes > maxBytes else { return [] }
        let target = maxBytes - maxBytes / 10
        var all: [(name: Name, entry: Entry)] = []
        all.reserveCapacity(count)
        for (key, forms) in originals {
            for (form, entry) in forms { all.append((Name(key: key, form: form), entry)) }
        }
        all.sort { $0.entry.lastUse < $1.entry.lastUse }
        var evicted: [(name: Name, size: Int)] = []
        for (name, entry) in all {
            guard bytes > target else { break }
            remove(name)
            evicted.append((name, entry.size))
        }
        return evicted
    }
}
