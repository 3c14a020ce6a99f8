import HTTP
import RecordWire
import Testing

/// A client of `GET /notifications` that continues where it has stopped.
final class NotificationClient {
    private let database: TestDatabase
    private let who: TestDatabase.Who
    /// The token of the last page; `nil` before the first.
    var token: String?

    init(_ database: TestDatabase, as who: TestDatabase.Who, since token: String? = nil) {
        self.database = database
        self.who = who
        self.token = token
    }

    /// Reads one page, and returns its notifications in short: `sub create Post/p1`.
    func page(_ query: String = "") async throws -> (notifications: [String], moreComing: Bool) {
        let since = token.map { "&since=" + $0.replacing("+", with: "%2B") } ?? ""
        let response = await database.call(.get, "/notifications?\(query)\(since)", as: who)
        try #require(response.status == 200, "\(response.text)")
        token = try #require(response.json?["token"]?.string)
        let found = response.json?["notifications"]?.array ?? []
        return (found.map(Self.short), response.json?["moreComing"] == true)
    }

    /// Reads until there are no more.
    func read(_ query: String = "") async throws -> [String] {
        var all: [String] = []
        while true {
            let (notifications, moreComing) = try await page(query)
            all += notifications
            guard moreComing else { return all }
        }
    }

    static func short(_ json: JSONValue) -> String {
        let name = json["subscriptionID"]?.string ?? "?"
        if let record = json["recordName"]?.string {
            return "\(name) \(json["reason"]?.string ?? "?") \(json["recordType"]?.string ?? "?")/\(record)"
        }
        return name + (json["zone"]?.string.map { " in \($0)" } ?? "")
    }
}

extension TestDatabase {
    /// Stores a subscription.
    @discardableResult
    func subscribe(
        _ name: String, _ body: String, as who: Who = .creator, in scope: String = "", status: Int = 201
    ) async throws -> Response {
        let response = await call(.put, "/subscriptions/\(name)?\(scope)", as: who, body: body)
        try #require(response.status == status, "\(response.text)")
        return response
    }

    /// Creates or changes a record with a number.
    func write(_ path: String, _ number: Int = 0, as who: Who = .creator, more: String = "") async throws {
        let response = await call(.put, "/records/\(path)", as: who, body: #"{"fields":{"n":\#(number)}\#(more)}"#)
        try #require([200, 201].contains(response.status), "\(response.text)")
    }

    func erase(_ path: String, as who: Who = .creator) async throws {
        let response = await call(.delete, "/records/\(path)", as: who)
        try #require(response.status == 204, "\(response.text)")
    }
}

extension Response {
    /// The body of a response that waits. The time of the wait passes.
    func waitedBody() async throws -> String {
        let source = try #require(events, "\(text)")
        source.tick(now: 1)
        source.tick(now: 100_000_000_000)
        return try await body(of: source)
    }

    /// The body of a response that waits, as soon as it has one.
    func pushedBody() async throws -> String {
        try await body(of: try #require(events, "\(text)"))
    }

    private func body(of source: any HTTPEventSource) async throws -> String {
        var body: [UInt8] = []
        while let piece = try await source.next() { body += piece }
        return String(decoding: body, as: UTF8.self)
    }
}
