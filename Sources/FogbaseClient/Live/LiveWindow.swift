/// The first records of a query's result, kept up to date change by change.
///
/// The window has some records more than the app sees. When a visible record leaves, one of these follows.
struct LiveWindow<Model: RecordDecodable> {
    struct Entry: Sendable {
        var name: String
        var key: LiveOrder.Key
        var result: Result<Stored<Model>, FogbaseError>
    }

    /// The number of records that the app sees.
    let limit: Int
    /// The maximum number of records in the window.
    let capacity: Int
    private(set) var entries: [Entry] = []
    /// Whether the result has records behind the window.
    var hasMore = false

    /// The number of records beyond the visible ones, unless these make a page of the maximum size.
    static func capacity(for limit: Int) -> Int {
        max(limit, min(limit + max(10, limit / 4), RequestSizes.usual.pageSize))
    }

    /// Whether the app should see more records than the window has.
    var isShort: Bool { entries.count < limit && hasMore }

    /// The records that the app sees, and the errors of those that do not fit the model.
    var visible: (records: [Stored<Model>], failures: [FogbaseError]) {
        var (records, failures): ([Stored<Model>], [FogbaseError]) = ([], [])
        for entry in entries.prefix(limit) {
            switch entry.result {
            case .success(let record): records.append(record)
            case .failure(let error): failures.append(error)
            }
        }
        return (records, failures)
    }

    init(limit: Int, capacity: Int) {
        (self.limit, self.capacity) = (limit, capacity)
    }

    /// Appends the next record of a page. If it has moved since the page before, its earlier entry is removed.
    mutating func append(_ entry: Entry) {
        remove(entry.name)
        entries.append(entry)
    }

    /// Removes a record, if the window has it.
    mutating func remove(_ name: String) {
        entries.removeAll { $0.name == name }
    }

    /// Inserts a new or changed record where it belongs.
    ///
    /// - Returns: False if the place is unknown. The query must then be sent again.
    mutating func put(_ entry: Entry, in order: LiveOrder) -> Bool {
        if let index = entries.firstIndex(where: { $0.name == entry.name }) {
            guard entries[index].key != entry.key else {
                entries[index] = entry
                return true
            }
            entries.remove(at: index)
        }
        let index = entries.firstIndex { order.isBefore(entry.key, $0.key) } ?? entries.count
        if index > 0, !order.isBefore(entries[index - 1].key, entry.key) { return false }
        // Behind the last record, there are others that the window does not know.
        if index == entries.count, hasMore { return true }
        entries.insert(entry, at: index)
        if entries.count > capacity {
            entries.removeLast()
            hasMore = true
        }
        return true
    }
}
