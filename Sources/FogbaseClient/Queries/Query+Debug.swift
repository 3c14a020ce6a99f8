internal import RecordWire

extension Query {
    /// Sends the query, and returns how the server found the records: the plan, the indexes, the rows and the time.
    ///
    /// ```swift
    /// print(try await Query<Post>().filter(.thread, equals: "sea").sorted(by: .createdAt).debug(in: database))
    /// ```
    ///
    /// In development, the server first adds the indexes that the query needs, as it does for each query.
    ///
    /// - Throws: The errors of `fetch`, such as `FogbaseError.badRequest` if the query lacks an index. The in-memory
    ///   server has no plans: `FogbaseError`.
    public func debug(in database: Database) async throws -> QueryReport {
        try await QueryReport(of: self, over: database.connection)
    }
}

/// How the server found the records of a query. Its `description` is for people.
public struct QueryReport: Sendable {
    /// The query as text.
    public let query: String
    /// The plan in lines for people. Callers that may not read all records of the type see only the condition.
    public let plan: String
    /// The indexes and other sources that were read, such as `index (thread, -createdTimestamp)`, without duplicates.
    public let indexes: [String]
    /// The condition that was tested on each record, because no index serves it; `nil` for none.
    public let residual: String?
    /// Whether the server had to sort the records, because no index has their order.
    public let isSorted: Bool
    /// The number of records of the page.
    public let returnedRows: Int
    /// The number of index entries and records that were read; `nil` if the caller may not read the schema.
    public let examinedRows: Int?
    /// The estimate on which the plan is based; `nil` if the caller may not read the schema.
    public let estimatedRows: Int?
    /// The time that the query took on the server; `nil` if the caller may not read the schema.
    public let serverTime: Duration?
    /// The time from the request to the response, with the network.
    public let roundTrip: Duration
    /// What would make the query faster, and which indexes the server has added for it.
    public internal(set) var advice: [String]

    /// Sends a query and asks for its plan.
    fileprivate init<Model>(of query: Query<Model>, over connection: Connection) async throws {
        guard case .object(var body) = try query.body() else { preconditionFailure("The body of a query is an object") }
        body["explain"] = true
        var call = Call("POST", "query")
        call.setJSON(.object(body))
        let clock = ContinuousClock()
        let start = clock.now
        let response = try await connection.send(call).readTree()
        self.init(query.description, response, roundTrip: clock.now - start)
        // Only callers that may read the schema see the advice. They also see the time on the server.
        if serverTime != nil { advice += await Self.advice(on: Model.recordType, connection) }
    }

    /// The indexes that would help slow queries of a type.
    private static func advice(on type: String, _ connection: Connection) async -> [String] {
        guard let tree = try? await connection.send(Call("GET", "schema", "advice")).readTree() else { return [] }
        return (tree["advice"]?.array ?? []).compactMap { entry in
            guard entry["recordType"]?.string == type, let index = entry["index"]?.array else { return nil }
            let columns = index.compactMap(\.string).joined(separator: ", ")
            return "an index on (\(columns)) would help queries with \(entry["where"]?.string ?? "")"
        }
    }

    private init(_ query: String, _ response: JSONValue, roundTrip: Duration) {
        let plan = response["plan"]
        self.query = query
        self.plan = plan?["text"]?.string ?? ""
        var indexes: [String] = []
        for name in plan?["access"]?.array?.compactMap({ $0["index"]?.string }) ?? [] where !indexes.contains(name) {
            indexes.append(name)
        }
        self.indexes = indexes
        residual = plan?["residual"]?.string
        isSorted = plan?["sort"]?.string == "sorted"
        returnedRows = Int(plan?["returnedRows"]?.integer ?? Int64(response["records"]?.array?.count ?? 0))
        examinedRows = plan?["examinedRows"]?.integer.map { Int($0) }
        estimatedRows = plan?["estimatedRows"]?.integer.map { Int($0) }
        serverTime = plan?["milliseconds"]?.double.map { .microseconds(Int64($0 * 1_000)) }
        self.roundTrip = roundTrip
        advice = []
        for notice in response["notices"]?.array ?? [] where notice["code"]?.string == "INDEX_ADDED" {
            advice.append("the server has added the index (\(notice["index"]?.string ?? ""))")
        }
        if let examinedRows, examinedRows > 100, examinedRows > 10 * max(returnedRows, 1) {
            advice.append(
                "\(examinedRows) rows were read for \(returnedRows) records: the indexes serve little of the query")
        }
    }
}

extension QueryReport: CustomStringConvertible {
    /// The report in lines.
    public var description: String {
        var lines = ["query: \(query)"]
        lines += plan.split(separator: "\n").map { "plan: \($0)" }
        if !indexes.isEmpty { lines.append("indexes: \(indexes.joined(separator: "; "))") }
        let figures = [
            "\(returnedRows) returned", examinedRows.map { "\($0) examined" }, estimatedRows.map { "\($0) estimated" },
        ]
        lines.append("rows: \(figures.compactMap { $0 }.joined(separator: ", "))")
        let times = [serverTime.map { "\($0) on the server" }, "\(roundTrip) with the network"]
        lines.append("time: \(times.compactMap { $0 }.joined(separator: ", "))")
        lines += advice.map { "advice: \($0)" }
        return lines.joined(separator: "\n")
    }
}
