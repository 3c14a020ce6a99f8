internal import RecordModel
package import RecordWire

/// A page of records, and what else was asked for. The protocol that answers writes it into its envelope.
package struct RecordPage: Sendable {
    /// Where a page ends, and how its reader goes on.
    package enum End: Hashable, Sendable {
        /// Nothing is left.
        case complete
        /// The text with which to ask for the next page.
        case cursor(String)
        /// Of a feed: the text with which to ask for what comes behind the page, and whether there is something already.
        case token(String, moreComing: Bool)
    }

    package var records: RecordList
    package var end = End.complete
    /// How many records match on all pages, if that was asked for.
    package var count: Int?
    /// The indexes that the query has caused.
    package var notices: [QueryNotice] = []
    /// How the query was run, if that was asked for: the member `plan` of its answer.
    package var plan: JSONValue?

    private let limit: Int
    private let limitBytes: Int
    private var read = 0

    /// A page ends, whatever it shows of its records, when it has read this many times the bytes that it may show: a
    /// thousand names can cost a gigabyte to look up.
    private static let readPerShown = 4
    private static let firstReservation = 262_144

    /// - Parameters:
    ///   - opening: See `RecordList`.
    ///   - limit: The most records.
    ///   - bytes: Beyond so many no further record is taken.
    init(_ opening: StaticString, limit: Int, bytes: Int) {
        records = RecordList(opening)
        self.limit = limit
        limitBytes = bytes
    }

    /// Whether it takes no further record.
    var isFull: Bool {
        records.count == limit || records.bytes > limitBytes || read / Self.readPerShown > limitBytes
    }

    /// Counts what was read for a record.
    mutating func didRead(_ bytes: Int) {
        read += bytes
        // The others are likely to be as long as the first.
        if records.count == 1 {
            records.json.reserveCapacity(min(records.json.count * (limit + 1), Self.firstReservation))
        }
    }
}

/// An index that a query has caused.
package struct QueryNotice: Sendable {
    private let index: String
    private let type: String
    private let isReady: Bool

    init(index: IndexDefinition, of type: RecordTypeDefinition) {
        self.index = type.names(of: index.columns).joined(separator: ", ")
        self.type = type.name.text
        isReady = index.isReady
    }

    /// `{"code":"INDEX_ADDED","recordType","index","reason"}`.
    package var json: JSONValue {
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
