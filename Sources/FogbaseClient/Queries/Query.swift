package import RecordWire

/// A query for the records of a model. Every step returns a copy, so a query can be kept and refined.
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
    /// How a further condition joins those that are there.
    public enum Join: Hashable, Sendable {
        /// Both have to be met.
        case and
        /// One of both has to be met.
        case or
    }

    /// What the records must meet; `nil` is every record of the type.
    public private(set) var filter: Filter<Model>?
    /// Field names in the order in which they sort, with a minus in front for descending.
    private(set) var sorts: [String] = []
    /// The most records of a page; `nil` leaves it to the server.
    public private(set) var pageSize: Int?
    private(set) var desiredFields = Model.desiredKeys
    private(set) var report: (@Sendable (String) -> Void)?

    /// All records of the model's type, a page at a time.
    public init() {}

    /// The records of the model's type that meet a condition.
    public init(_ filter: Filter<Model>) {
        self.filter = filter
    }

    /// Adds a condition.
    public func filter(_ filter: Filter<Model>, _ join: Join = .and) -> Query {
        var query = self
        switch (self.filter, join) {
        case (nil, _): query.filter = filter
        case (let present?, .and): query.filter = present && filter
        case (let present?, .or): query.filter = present || filter
        }
        return query
    }

    /// Adds a condition as text, with a value for each placeholder.
    public func filter(_ text: String, _ values: any FieldConvertible...) -> Query {
        filter(Filter(text, values))
    }

    /// The most records of a page, 1 to 1,000; the server's own is 100.
    public func limit(to count: Int) -> Query {
        var query = self
        query.pageSize = count
        return query
    }

    /// Asks for these fields alone. A model that is to be read from them must do without the others.
    public func fields(_ fields: [Model.Fields]) -> Query {
        var query = self
        query.desiredFields = fields.map(\.rawValue)
        return query
    }

    /// Asks for all fields, also those that the model does not have.
    public func allFields() -> Query {
        var query = self
        query.desiredFields = nil
        return query
    }

    /// Prints the query when it is sent, and each record that comes.
    public func debug(_ report: @escaping @Sendable (String) -> Void = { print($0) }) -> Query {
        var query = self
        query.report = report
        return query
    }

    /// Adds a field to sort by. Without any, records come in the order of creation.
    func sorted(byName name: String, _ ascending: Bool) -> Query {
        var query = self
        query.sorts.append(ascending ? name : "-\(name)")
        return query
    }

    /// The query for people.
    public var description: String {
        var text = Model.recordType
        if let filter { text += " where \(filter.readableText)" }
        if !sorts.isEmpty { text += " sorted by \(sorts.joined(separator: ", "))" }
        if let pageSize { text += " limit \(pageSize)" }
        return text
    }

    /// The query as `POST /query` takes it.
    package func body(cursor: String? = nil, counts: Bool = false, limit: Int? = nil) throws -> JSONValue {
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
        if counts { body["count"] = true }
        return .object(body)
    }
}

extension Query: CustomStringConvertible {}
