package import RecordWire

/// A query for the records of a model.
///
/// A query is a value. Each method returns a changed copy.
///
/// ```swift
/// let query = Query<Post>()
///     .filter(.author, equals: user)
///     .filter(.topics, anyIn: topics)
///     .sorted(by: .createdAt, ascending: false)
///     .limit(to: 20)
/// let page = try await database.fetch(query)
/// ```
public struct Query<Model: RecordDecodable>: Sendable {
    /// How a condition is combined with the conditions before it.
    public enum Join: Hashable, Sendable {
        /// A record must match both the new and the earlier conditions.
        case and
        /// A record must match the new condition or the earlier conditions.
        case or
    }

    /// The predicate; `nil` matches every record of the type.
    public private(set) var filter: Filter<Model>?
    /// The sort fields in order. A minus sign precedes each descending sort field.
    private(set) var sorts: [String] = []
    /// The maximum number of records in a page; `nil` uses the server's default.
    public private(set) var pageSize: Int?
    /// The fields to request; `nil` requests all fields.
    var desiredFields = Model.desiredKeys
    /// The paths of `expand`, as text.
    private(set) var expansions: [String] = []
    private var highlights: Search<Model>.Highlights?
    private(set) var report: (@Sendable (String) -> Void)?

    /// Creates a query for all records of the model's type.
    public init() {}

    /// Creates a query for the records that match a predicate.
    public init(_ filter: Filter<Model>) {
        self.filter = filter
    }

    /// Creates a query for the records that match a search.
    public init(_ search: Search<Model>) {
        filter = search.filter
        sorts = search.sort.map { [$0] } ?? []
        highlights = search.highlights
    }

    /// Creates a query with an additional sort field. Without sort fields, records are in the order of creation.
    init(_ query: Query, sortedBy name: String, ascending: Bool) {
        self = query
        sorts.append(ascending ? name : "-\(name)")
    }

    /// Returns the query with an additional condition.
    public func filter(_ filter: Filter<Model>, _ join: Join = .and) -> Query {
        var query = self
        switch (self.filter, join) {
        case (nil, _): query.filter = filter
        case (let present?, .and): query.filter = present && filter
        case (let present?, .or): query.filter = present || filter
        }
        return query
    }

    /// Returns the query with an additional condition, given as text with a value for each placeholder.
    public func filter(_ text: String, _ values: any FieldConvertible...) -> Query {
        filter(Filter(text, values))
    }

    /// Returns the query with a page size of 1 to 1,000 records. The server's default is 100 records.
    public func limit(to count: Int) -> Query {
        var query = self
        query.pageSize = count
        return query
    }

    /// Returns the query limited to some fields. The model must be able to decode a record without the other fields.
    public func fields(_ fields: [Model.Fields]) -> Query {
        var query = self
        query.desiredFields = fields.map(\.rawValue)
        return query
    }

    /// Returns the query for all fields, including those that the model does not have.
    public func allFields() -> Query {
        var query = self
        query.desiredFields = nil
        return query
    }

    /// Returns the query with debug output. The output shows the query when it is sent, and each record of the
    /// response.
    ///
    /// - Parameter report: A function that outputs one line. The default function prints the line.
    public func debug(_ report: @escaping @Sendable (String) -> Void = { print($0) }) -> Query {
        var query = self
        query.report = report
        return query
    }

    /// Returns the query with additional records in ``Page/expanded``:
    ///
    /// ```swift
    /// Query<Comment>().expanding(.author)
    /// Query<Post>().expanding(paths: .from(Comment.self, by: .post, limit: 3, sort: "-createdTimestamp"))
    /// ```
    ///
    /// - Parameters:
    ///   - fields: Reference fields. The records to which they refer are added.
    ///   - paths: Longer paths, and paths to the records that refer to those of the page.
    public func expanding(_ fields: Model.Fields..., paths: Expansion<Model>...) -> Query {
        var query = self
        query.expansions += fields.map(\.rawValue) + paths.map(\.text)
        return query
    }

    /// The query as text, for logs.
    public var description: String {
        var text = Model.recordType
        if let filter { text += " where \(filter.readableText)" }
        if !sorts.isEmpty { text += " sorted by \(sorts.joined(separator: ", "))" }
        if let pageSize { text += " limit \(pageSize)" }
        return text
    }

    /// Returns the body of `POST /query`.
    ///
    /// - Throws: `FogbaseError.invalidArgument` if a condition cannot be sent.
    package func body(
        cursor: String? = nil, before: String? = nil, counts: Bool = false, limit: Int? = nil
    ) throws -> JSONValue {
        if let problem = filter?.problem { throw FogbaseError.invalidArgument(problem) }
        var body = JSONObject([("recordType", .string(Model.recordType))])
        if let filter {
            body["where"] = .string(filter.text)
            if !filter.arguments.isEmpty { body["args"] = .array(filter.arguments) }
        }
        if !sorts.isEmpty { body["sort"] = .array(sorts.map(JSONValue.string)) }
        body["limit"] = (limit ?? pageSize).map { .integer(Int64($0)) }
        body["fields"] = desiredFields.map { .array($0.map(JSONValue.string)) }
        body["cursor"] = cursor.map(JSONValue.string)
        body["before"] = before.map(JSONValue.string)
        if !expansions.isEmpty { body["expand"] = .array(expansions.map(JSONValue.string)) }
        highlights?.add(to: &body)
        if counts { body["count"] = true }
        return .object(body)
    }
}

extension Query: CustomStringConvertible {}
