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

    /// - Parameter opening: See `RecordList`.
    init(_ opening: StaticString) {
        records = RecordList(opening)
    }
}

/// When a page is full. Beside the page, since it is asked for each record.
struct PageBounds {
    /// The most records.
    let limit: Int
    /// Beyond so many bytes no further record is taken.
    let bytes: Int
    private var read = 0

    /// A page ends, whatever it shows of its records, when it has read this many times the bytes that it may show: a
    /// thousand names can cost a gigabyte to look up.
    private static let readPerShown = 4

    init(limit: Int, _ limits: DatabaseLimits) {
        self.limit = limit
        bytes = limits.pageBytes
    }

    /// Counts what was read for a record.
    mutating func didRead(_ bytes: Int) {
        read += bytes
    }

    /// Whether a page with so many records and bytes takes no further record.
    func areReached(by records: Int, _ bytes: Int) -> Bool {
        records == limit || bytes > self.bytes || read / Self.readPerShown > self.bytes
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
