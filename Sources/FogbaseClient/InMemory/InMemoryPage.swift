internal import RecordModel

/// The JSON of a page of records: `{"records":[…],"cursor"?,…}`.
struct InMemoryPage {
    private var json = Array(#"{"records":["#.utf8)
    /// The last record of the page, if more records follow.
    private(set) var last: InMemoryRecord?

    init(
        _ records: [InMemoryRecord], limit: Int, of database: InMemoryDatabase, _ call: InMemoryCall
    ) throws(RecordError) {
        var shown: InMemoryRecord?
        for (index, record) in records.enumerated() {
            if index == limit || json.count > database.limits.pageBytes {
                last = shown
                break
            }
            if index > 0 { json.append(UInt8(ascii: ",")) }
            try call.append(record, of: database, to: &json)
            shown = record
        }
        json.append(UInt8(ascii: "]"))
    }

    mutating func close(cursor: String) {
        json += Array(",\"cursor\":\"\(cursor)\"".utf8)
    }

    mutating func append(count: Int) {
        json += Array(",\"count\":\(count)".utf8)
    }

    consuming func finish() -> [UInt8] {
        json + [UInt8(ascii: "}")]
    }
}
