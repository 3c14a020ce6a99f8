internal import Foundation
internal import RecordWire

extension Database {
    /// Fetches the first page of a query.
    ///
    /// The result includes all writes that the server acknowledged before the query was sent.
    ///
    /// - Throws: `FogbaseError.badRequest` if the query is invalid; `invalidArgument` if a query cannot use one of its
    ///   values or properties.
    public func fetch<Model>(_ query: Query<Model>) async throws -> Page<Model> {
        try await page(query, cursor: nil)
    }

    /// Fetches the next page of a query.
    ///
    /// - Parameter cursor: The ``Page/next`` cursor of the previous page.
    /// - Throws: `FogbaseError.tokenExpired` if the cursor has expired: start with the first page.
    public func fetch<Model>(after cursor: Cursor<Model>) async throws -> Page<Model> {
        try await page(cursor.query, cursor: cursor.token)
    }

    /// Fetches the previous page of a query. Its records have the order of the query.
    ///
    /// - Parameter cursor: The ``Page/previous`` cursor of a page.
    /// - Throws: `FogbaseError.tokenExpired` if the cursor has expired: start with the first page.
    public func fetch<Model>(before cursor: Cursor<Model>) async throws -> Page<Model> {
        try await page(cursor.query, cursor: nil, before: cursor.token)
    }

    /// Fetches the first page of a query together with the number of all matching records (``Page/count``).
    ///
    /// - Throws: `FogbaseError.badRequest` if the query is invalid; `invalidArgument` if a query cannot use one of its
    ///   values or properties.
    public func fetchCounting<Model>(_ query: Query<Model>) async throws -> Page<Model> {
        try await page(query, cursor: nil, counts: true)
    }

    /// Returns the number of records that match a query.
    ///
    /// - Throws: `FogbaseError.badRequest` if the query is invalid; `invalidArgument` if a query cannot use one of its
    ///   values or properties.
    public func count<Model>(_ query: Query<Model>) async throws -> Int {
        let page = try await page(query.fields([]), cursor: nil, counts: true, limit: 1)
        guard let count = page.count else { throw FogbaseError.notFogbase(status: 200, "The response has no count") }
        return count
    }

    /// Fetches the first record of a query; `nil` if no record matches.
    ///
    /// - Throws: `FogbaseError.decoding` if the record does not fit the model; `badRequest` if the query is invalid;
    ///   `invalidArgument` if a query cannot use one of its values or properties.
    public func first<Model>(_ query: Query<Model>) async throws -> Stored<Model>? {
        try await page(query, cursor: nil, limit: 1).results.first?.get()
    }

    /// Returns all records of a query as an asynchronous sequence that fetches the pages on demand.
    ///
    /// ```swift
    /// for try await post in database.records(query) { print(post.title) }
    /// ```
    public func records<Model>(_ query: Query<Model>) -> Records<Model> {
        Records(database: self, query: query)
    }

    func page<Model>(
        _ query: Query<Model>, cursor: String?, before: String? = nil, counts: Bool = false, limit: Int? = nil
    ) async throws -> Page<Model> {
        var page = Page<Model>()
        let rest = try await connection.readPage(
            of: query, cursor: cursor, before: before, counts: counts, limit: limit
        ) { scanner in
            page.results.append(try scanner.result())
        }
        page.previous = rest["previousCursor"]?.string.map { Cursor(query: query, token: $0) }
        page.expanded = ExpandedRecords(rest["expanded"])
        page.highlights = (rest["highlights"]?.array ?? []).map { record in
            var found: [Model.Fields: Highlight] = [:]
            for member in record.object?.members ?? [] {
                if let field = Model.Fields(rawValue: member.key) { found[field] = Highlight(member.value) }
            }
            return found
        }
        page.next = rest["cursor"]?.string.map { Cursor(query: query, token: $0) }
        page.count = rest["count"]?.integer.map { Int($0) }
        page.notices = rest["notices"]?.array?.compactMap(Self.notice) ?? []
        if let report = query.report { Self.report(page, to: report) }
        return page
    }

    /// Formats a notice of the server as a sentence. The sentence includes the record type and index, so that it
    /// differs from other notices.
    private static func notice(_ tree: JSONValue) -> String? {
        guard let reason = tree["reason"]?.string else { return nil }
        let subject = [tree["recordType"]?.string, (tree["index"]?.string).map { "index \($0)" }].compactMap { $0 }
        return subject.isEmpty ? reason : "\(subject.joined(separator: ", ")): \(reason)"
    }

    private static func report<Model>(_ page: Page<Model>, to report: (String) -> Void) {
        for notice in page.notices { report("Notice: \(notice)") }
        for result in page.results {
            switch result {
            case .success(let stored): report("Record \(stored.id): \(ModelText.line(stored.model))")
            case .failure(let error): report("Record \(error.recordName ?? ""): \(error.reason)")
            }
        }
        report("\(page.results.count) records\(page.next == nil ? "" : ", and more")")
    }
}

extension Connection {
    /// Fetches a page of a query.
    ///
    /// - Parameter each: Called for each record, in order.
    /// - Returns: The other members of the response.
    func readPage<Model>(
        of query: Query<Model>, cursor: String?, before: String? = nil, counts: Bool = false, limit: Int?,
        _ each: (inout RecordScanner) throws -> Void
    ) async throws -> JSONObject {
        let place = before == nil ? cursor == nil ? "" : "next page of " : "previous page of "
        query.report?("Query: \(place)\(query)")
        var call = Call("POST", "query")
        call.setJSON(try query.body(cursor: cursor, before: before, counts: counts, limit: limit))
        return try await send(call).readRecords(list: "records", each)
    }
}

/// All records of a query, as an asynchronous sequence over all pages.
///
/// ```swift
/// for try await post in database.records(query) { … }
/// ```
///
/// If a record does not fit the model, the sequence throws ``FogbaseError/decoding(_:)`` and ends.
public struct Records<Model: RecordDecodable>: AsyncSequence, Sendable {
    let database: Database
    let query: Query<Model>

    /// The iterator over the records.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let database: Database
        let query: Query<Model>
        var cursor: String?
        var page: ArraySlice<Result<Stored<Model>, FogbaseError>> = []
        var isLast = false

        public mutating func next() async throws -> Stored<Model>? {
            while page.isEmpty {
                guard !isLast else { return nil }
                let response = try await database.page(query, cursor: cursor)
                page = response.results[...]
                cursor = response.next?.token
                isLast = response.next == nil
            }
            return try page.removeFirst().get()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(database: database, query: query)
    }
}
