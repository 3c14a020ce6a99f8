internal import RecordModel

/// The JSON of a page of records: `{"records":[…],"cursor"?,"previousCursor"?,…}`.
struct InMemoryPage {
    private var json = Array(#"{"records":["#.utf8)
    /// The records of the page.
    private(set) var records: [InMemoryRecord] = []
    /// The record after which the next page starts; `nil` on the last page.
    private(set) var next: InMemoryRecord?
    /// The record before which the previous page ends; `nil` on the first page.
    private(set) var previous: InMemoryRecord?

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - records: The records after the cursor, or those before it.
    ///   - isBackward: Whether the page ends before a cursor.
    ///   - isFirst: Whether the request has no cursor.
    init(
        _ records: [InMemoryRecord], limit: Int, isBackward: Bool, isFirst: Bool, of database: InMemoryDatabase,
        _ call: InMemoryCall
    ) throws(RecordError) {
        var members: [[UInt8]] = []
        var bytes = json.count
        var hasMore = false
        for record in isBackward ? records.reversed() : records {
            if members.count == limit || bytes > database.limits.pageBytes {
                hasMore = true
                break
            }
            let member = try call.json(of: record, in: database)
            bytes += member.count + (members.isEmpty ? 0 : 1)
            members.append(member)
            self.records.append(record)
        }
        if isBackward {
            members.reverse()
            self.records.reverse()
        }
        for (index, member) in members.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json += member
        }
        json.append(UInt8(ascii: "]"))
        if isBackward || hasMore { next = self.records.last }
        if isBackward ? hasMore : !isFirst { previous = self.records.first }
    }

    /// Appends the cursors.
    ///
    /// - Parameter cursor: Stores the position of a record and returns its cursor.
    mutating func close(_ cursor: (InMemoryRecord) -> String) {
        if let next { json += Array(",\"cursor\":\"\(cursor(next))\"".utf8) }
        if let previous { json += Array(",\"previousCursor\":\"\(cursor(previous))\"".utf8) }
    }

    mutating func append(count: Int) {
        json += Array(",\"count\":\(count)".utf8)
    }

    mutating func append(total: Int) {
        json += Array(",\"total\":{\"value\":\(total),\"relation\":\"exact\"}".utf8)
    }

    mutating func append(expanded: [UInt8]) {
        json += Array(",\"expanded\":".utf8) + expanded
    }

    consuming func finish() -> [UInt8] {
        json + [UInt8(ascii: "}")]
    }
}
