/// What a cache has on its disk, and which of it was used last. Pure.
struct CacheIndex {
    struct Entry: Hashable {
        /// In bytes; part of the file's name.
        let size: Int
        /// When it was used last, in nanoseconds since 1970.
        var lastUse: Int64
        /// When the file last said so; at most a minute behind.
        var markedUse: Int64
    }

    /// A thumbnail of an original.
    struct Name: Hashable {
        let key: String
        let form: ThumbnailForm
    }

    private var originals: [String: [ThumbnailForm: Entry]] = [:]
    /// The files there are.
    private(set) var count = 0
    /// The space that they take on the disk.
    private(set) var bytes = 0

    /// What a file of this size takes on the disk: whole blocks, and one for the folder. So small files are bounded in number too.
    static func space(for size: Int) -> Int {
        (size + 4095) / 4096 * 4096 + 4096
    }

    subscript(name: Name) -> Entry? {
        originals[name.key]?[name.form]
    }

    /// Whether there is any thumbnail of an original.
    func has(_ key: String) -> Bool {
        originals[key] != nil
    }

    /// Adds a file, in place of one of the same name.
    mutating func add(_ name: Name, size: Int, lastUse: Int64) {
        remove(name)
        originals[name.key, default: [:]][name.form] = Entry(size: size, lastUse: lastUse, markedUse: lastUse)
        count += 1
        bytes += Self.space(for: size)
    }

    /// Notes a use; true if the file should note it too, because it last did more than a minute ago.
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

    /// Removes all of an original, and says what that was.
    mutating func removeAll(of key: String) -> [(name: Name, size: Int)] {
        let entries = (originals[key] ?? [:]).map { (name: Name(key: key, form: $0.key), size: $0.value.size) }
        for entry in entries { remove(entry.name) }
        return entries
    }

    /// Removes what was not used for longest, if there is more than `maxBytes`, until nine tenths of them are left; says
    /// what that was.
    ///
    /// - Complexity: O(n log n), once for each tenth of the cache that is replaced. An order kept up to date would cost
    ///   memory for each file and time for each use.
    mutating func evict(to maxBytes: Int) -> [(name: Name, size: Int)] {
        guard bytes > maxBytes else { return [] }
        let goal = maxBytes - maxBytes / 10
        var all: [(name: Name, entry: Entry)] = []
        all.reserveCapacity(count)
        for (key, forms) in originals {
            for (form, entry) in forms { all.append((Name(key: key, form: form), entry)) }
        }
        all.sort { $0.entry.lastUse < $1.entry.lastUse }
        var evicted: [(name: Name, size: Int)] = []
        for (name, entry) in all {
            guard bytes > goal else { break }
            remove(name)
            evicted.append((name, entry.size))
        }
        return evicted
    }
}
