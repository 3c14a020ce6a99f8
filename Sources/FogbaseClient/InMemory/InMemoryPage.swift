internal import RecordModel

/// `{"records":[…],"cursor"?,…}`.
struct InMemoryPage {
    private var json = Array(#"{"records":["#.utf8)
    /// The last record of the page, if there are more behind it.
    private(set) var last: KeptRecord?

    init(
        _ records: [KeptRecord], limit: Int, of database: InMemoryDatabase, _ call: InMemoryCall
    ) throws(RecordError) {
        var shown: KeptRecord?
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
