internal import RecordModel
internal import RecordWire

/// The JSON of a page, while it grows.
struct QueryAnswer {
    var json: [UInt8] = []
    private(set) var count = 0
    /// Where the last record of a full page stands.
    private(set) var last: QueryPlace?
    private(set) var hasMore = false
    private var read = 0
    private let limit: Int
    private let limits: DatabaseLimits

    init(limit: Int, limits: DatabaseLimits) {
        self.limit = limit
        self.limits = limits
        json.appendLiteral("{\"records\":[")
    }

    /// Whether the page takes another record; if not, there are more.
    mutating func hasRoom() -> Bool {
        if isFull {
            hasMore = true
            return false
        }
        if count > 0 { json.append(UInt8(ascii: ",")) }
        return true
    }

    private var isFull: Bool {
        count == limit || json.count > limits.pageBytes || read / RecordReader.readPerShown > limits.pageBytes
    }

    /// Counts a record that was appended.
    ///
    /// - Parameters:
    ///   - bytes: What was read for it beyond what it shows.
    ///   - place: Its place, which is asked for if the page ends with it.
    mutating func didAppend(read bytes: Int, _ place: () -> QueryPlace) {
        count += 1
        read += bytes
        if isFull { last = place() }
        // The others are likely to be as long as the first.
        if count == 1 { json.reserveCapacity(min(json.count * (limit + 1), Self.firstReservation)) }
    }

    mutating func endRecords() {
        json.append(UInt8(ascii: "]"))
    }

    mutating func append(cursor: String) {
        json.appendLiteral(",\"cursor\":")
        json.appendString(cursor)
    }

    mutating func append(count: Int) {
        json.appendLiteral(",\"count\":")
        json.appendInteger(Int64(count))
    }

    mutating func append(_ notices: [QueryNotice]) {
        json.appendLiteral(",\"notices\":")
        JSONValue.array(notices.map(\.json)).write(to: &json)
    }

    mutating func append(_ plan: JSONValue) {
        json.appendLiteral(",\"plan\":")
        plan.write(to: &json)
    }

    mutating func finish() -> [UInt8] {
        json.append(UInt8(ascii: "}"))
        return json
    }

    private static let firstReservation = 262_144

    /// The answer where there can be no records.
    static func empty(wantsCount: Bool) -> [UInt8] {
        Array((wantsCount ? #"{"records":[],"count":0}"# : #"{"records":[]}"#).utf8)
    }
}

/// An index that a query has caused.
struct QueryNotice: Sendable {
    let index: String
    let type: String
    let isReady: Bool

    init(index: IndexDefinition, of type: RecordTypeDefinition) {
        self.index = type.names(of: index.columns).joined(separator: ", ")
        self.type = type.name.text
        isReady = index.isReady
    }

    var json: JSONValue {
        let reason =
            isReady
            ? "An index was added for this query. Production needs it in its schema"
            : "An index was added for this query and is being built"
        return .object(
            JSONObject([
                ("code", .string("INDEX_ADDED")), ("recordType", .string(type)), ("index", .string(index)),
                ("reason", .string(reason)),
            ]))
    }
}

extension IndexWish {
    /// The columns of the first index that is wished for.
    func fieldNames(in type: RecordTypeDefinition) -> [String] {
        if let shape = indexes.first { return type.names(of: shape.columns) }
        return options.keys.sorted().prefix(1).compactMap { type[id: $0]?.name.text }
    }
}
