internal import RecordModel
package import RecordWire

/// A page of records with additional results. The protocol layer writes the page into the response.
package struct RecordPage: Sendable {
    /// How a page ends, and how the client continues.
    package enum End: Hashable, Sendable {
        /// There are no more records.
        case complete
        /// There may be more records. The next page starts at this cursor.
        case cursor(String)
        /// The sync token of a change feed, and whether more changes exist already.
        case token(String, moreComing: Bool)
    }

    /// The records as JSON.
    package var records: RecordList
    /// The groups of an aggregate as JSON, instead of records: `{"groups":[…]` and perhaps `,"moreGroups":true`.
    package var groups: [UInt8]?
    /// How the page ends.
    package var end = End.complete
    /// The cursor of the page before this one, for `before`; `nil` for the first page.
    package var previousCursor: String?
    /// The total number of matches on all pages, if the request asked for it.
    package var count: Int?
    /// The approximate number of matches, if the request asked for it.
    package var total: RecordTotal?
    /// Notices about the indexes that the query has added.
    package var notices: [QueryNotice] = []
    /// The `plan` member of the response, if the request asked for it.
    package var plan: JSONValue?

    /// The `highlights` member of the response, if the request has `highlight`.
    package var highlights: JSONValue?
    /// The JSON of the `expanded` member of the response, if the request has `expand`.
    package var expanded: [UInt8]?

    /// - Parameter opening: The protocol's text before the records, see `RecordList`.
    init(_ opening: StaticString) {
        records = RecordList(opening)
    }
}

/// The limits of a page. They are separate from the page, because they are checked for each record.
struct PageLimits {
    /// The maximum number of records.
    let limit: Int
    /// The size of a page in bytes above which no further record is added.
    let bytes: Int
    private var read = 0

    /// A page also ends when the bytes read for it reach this multiple of its byte limit, however few bytes it shows.
    /// Looking up a thousand names can require reading a gigabyte.
    private static let readPerShown = 4

    init(limit: Int, bytes: Int) {
        self.limit = limit
        self.bytes = bytes
    }

    /// Adds the bytes that were read for a record.
    mutating func didRead(_ bytes: Int) {
        read += bytes
    }

    /// Returns whether a page with this many records and bytes is full.
    func areReached(by records: Int, _ bytes: Int) -> Bool {
        records == limit || bytes > self.bytes || read / Self.readPerShown > self.bytes
    }
}

/// A notice about an index that a query has added.
package struct QueryNotice: Sendable {
    private let index: String
    private let type: String
    private let isReady: Bool

    init(index: IndexDefinition, of type: RecordTypeDefinition) {
        self.index = type.names(of: index.shape).joined(separator: ", ")
        self.type = type.name.text
        isReady = index.isReady
    }

    /// The notice as a JSON object: `{"code":"INDEX_ADDED","recordType","index","reason"}`.
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
