internal import Foundation
internal import RecordWire

extension Database {
    /// Finds records: one page of them.
    ///
    /// A query sees every write that was acknowledged before it was sent.
    public func fetch<Model>(_ query: Query<Model>) async throws -> Page<Model> {
        try await page(query, cursor: nil)
    }

    /// The page behind another.
    public func fetch<Model>(after cursor: Cursor<Model>) async throws -> Page<Model> {
        try await page(cursor.query, cursor: cursor.token)
    }

    /// Finds records, and counts how many there are in all.
    public func fetchCounting<Model>(_ query: Query<Model>) async throws -> Page<Model> {
        try await page(query, cursor: nil, counts: true)
    }

    /// Counts the records that meet a condition.
    public func count<Model>(_ query: Query<Model>) async throws -> Int {
        let page = try await page(query.fields([]), cursor: nil, counts: true, limit: 1)
        guard let count = page.count else { throw FogbaseError.notFogbase(status: 200, "The answer has no count") }
        return count
    }

    /// The first record that a query finds; `nil` if there is none.
    public func first<Model>(_ query: Query<Model>) async throws -> Stored<Model>? {
        try await page(query, cursor: nil, limit: 1).results.first?.get()
    }

    /// All records that a query finds, page after page as they are asked for.
    public func records<Model>(_ query: Query<Model>) -> Records<Model> {
        Records(database: self, query: query)
    }

    func page<Model>(
        _ query: Query<Model>, cursor: String?, counts: Bool = false, limit: Int? = nil
    ) async throws -> Page<Model> {
        query.report?(cursor == nil ? "Query: \(query)" : "Query: next page of \(query)")
        var call = Call("POST", "query")
        call.setJSON(try query.body(cursor: cursor, counts: counts, limit: limit))
        let response = try await connection.send(call)
        var page = Page<Model>()
        let rest = try response.readRecords(list: "records") { scanner in
            do {
                page.results.append(.success(try Stored(&scanner)))
            } catch let error as FogbaseError {
                page.results.append(.failure(error))
            }
        }
        page.next = rest["cursor"]?.string.map { Cursor(query: query, token: $0) }
        page.count = rest["count"]?.integer.map { Int($0) }
        page.notices = rest["notices"]?.array?.compactMap(Self.notice) ?? []
        if let report = query.report { Self.report(page, to: report) }
        return page
    }

    /// A notice as a sentence. Those of one answer may differ in their index alone.
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

/// The records of a query, one after the other, over all pages.
///
/// ```swift
/// for try await post in database.records(query) { … }
/// ```
///
/// A record that does not fit the model ends it with that error: it never leaves one out unseen.
public struct Records<Model: RecordDecodable>: AsyncSequence, Sendable {
    let database: Database
    let query: Query<Model>

    /// Where one loop over the records stands.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let database: Database
        let query: Query<Model>
        var cursor: String?
        var page: ArraySlice<Result<Stored<Model>, FogbaseError>> = []
        var isLast = false

        public mutating func next() async throws -> Stored<Model>? {
            while page.isEmpty {
                guard !isLast else { return nil }
                let answer = try await database.page(query, cursor: cursor)
                page = answer.results[...]
                cursor = answer.next?.token
                isLast = answer.next == nil
            }
            return try page.removeFirst().get()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(database: database, query: query)
    }
}
