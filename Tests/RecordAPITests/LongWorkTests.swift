import HTTP
import RecordAPI
import RecordEngine
import RecordWire
import Testing

/// Work that would block an event loop runs on other threads, with the same responses.
@Suite struct LongWorkTests {
    private static func text(_ bytes: Int) -> String { String(repeating: "a", count: bytes) }

    private static func engine(_ database: TestDatabase) throws -> RecordDatabase {
        try #require(database.registry.openDatabases.first?.database)
    }

    @discardableResult
    private static func post(_ database: TestDatabase, _ target: String, _ body: String) async -> Response {
        await database.call(.post, target, as: .administrator, body: body)
    }

    @Test func `a long body is parsed on the thread for long bodies, a short one on its event loop`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let short = await Self.post(database, "/records/Post", #"{"fields":{"title":"a"}}"#)
        #expect(short.status == 201)
        let inputs = try Self.engine(database).inputs
        let almost = #"{"fields":{"title":"\#(Self.text(BodyParserThread.minimumBytes - 26))"}}"#
        #expect(almost.utf8.count < BodyParserThread.minimumBytes)
        #expect(await Self.post(database, "/records/Post", almost).status == 201)
        #expect(inputs.reads == 0)
        let text = Self.text(BodyParserThread.minimumBytes)
        let long = await Self.post(database, "/records/Post", #"{"recordName":"long","fields":{"title":"\#(text)"}}"#)
        #expect(long.status == 201)
        #expect(inputs.reads == 1)
        let read = await database.call(.get, "/records/Post/long", as: .administrator)
        #expect(read.json?["fields"]?["title"]?["value"]?.string == text)
        await database.call(.put, "/records/Post/long", as: .administrator, body: almost)
        await database.call(
            .put, "/records/Post/other", as: .administrator, body: #"{"fields":{"title":"\#(text)"}}"#)
        await database.call(
            .patch, "/records/Post/other", as: .administrator, body: #"{"fields":{"title":"\#(text)"}}"#)
        #expect(inputs.reads == 3)
    }

    @Test func `a long batch is parsed there too, each item with its own result`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let text = Self.text(70_000)
        let items = (0..<8).map { number in
            number == 3
                ? #"{"operationType":"update","record":{"recordName":"x","recordType":"Post","fields":{}}}"#
                : #"{"operationType":"create","record":{"recordType":"Post","fields":{"title":"\#(text)"}}}"#
        }
        let response = await Self.post(
            database, "/records", #"{"atomic":false,"operations":[\#(items.joined(separator: ","))]}"#)
        #expect(response.status == 200)
        #expect(try Self.engine(database).inputs.reads == 1)
        let records = response.records
        #expect(records.count == 8)
        for (number, record) in records.enumerated() {
            #expect((record["serverErrorCode"] != nil) == (number == 3), "\(number)")
        }
    }

    @Test func `an invalid long body is rejected like a short one`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await Self.post(database, "/records/Post", #"{"fields":{"title":"a"}}"#)
        for count in [10, BodyParserThread.minimumBytes] {
            let text = Self.text(count)
            let broken = await Self.post(database, "/records/Post", #"{"fields":{"title":"\#(text)"}"#)
            #expect(broken.status == 400 && broken.code == "BAD_REQUEST", "\(broken.text)")
            let unknown = await Self.post(database, "/records/Post", #"{"text":"\#(text)"}"#)
            #expect(unknown.cause == "READ_ONLY_KEY", "\(unknown.text)")
            let wrong = await Self.post(database, "/records/Post", #"{"fields":{"title":["\#(text)"]}}"#)
            #expect(wrong.status == 400, "\(wrong.text)")
            let other = await Self.post(
                database, "/records/Post", #"{"recordType":"Other","fields":{"title":"\#(text)"}}"#)
            #expect(other.status == 400, "\(other.text)")
            let anonymous = await database.call(.post, "/records/Post", body: #"{"fields":{"title":"\#(text)"}}"#)
            #expect(anonymous.status == 401, "\(anonymous.text)")
        }
    }

    @Test func `an idempotency key is valid for its long body and for no other body`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let key = [("Idempotency-Key", "a-key")]
        let body = #"{"fields":{"title":"\#(Self.text(BodyParserThread.minimumBytes))"}}"#
        var tags: [String?] = []
        for _ in 0..<2 {
            let response = await database.call(.post, "/records/Post", as: .administrator, body: body, headers: key)
            #expect(response.status == 201)
            tags.append(response.json?["recordName"]?.string)
        }
        #expect(tags[0] != nil && tags[0] == tags[1])
        let other = await database.call(.post, "/records/Post", as: .administrator, body: body + " ", headers: key)
        #expect(other.cause == "IDEMPOTENCY_KEY_REUSED", "\(other.text)")
    }

    @Test func `the long body of a bulk change is parsed there`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await Self.post(database, "/records/Post", #"{"fields":{"title":"a"}}"#)
        let response = await database.call(
            .patch, "/query/Post?all=true", as: .administrator,
            body: #"{"fields":{"title":"\#(Self.text(BodyParserThread.minimumBytes))"}}"#)
        #expect(response.json?["updated"]?.integer == 1, "\(response.text)")
        #expect(try Self.engine(database).inputs.reads == 1)
    }

    /// The routes whose bodies are documents, each with a body that has `spaces` between its values.
    private static let documents: [(method: HTTPMethod, target: String, body: @Sendable (_ spaces: String) -> String)] =
        [
            (.put, "/schema", { #"{"types":{"Post":{\#($0)"fields":{}}}}"# }),
            (.put, "/grants/Post", { #"{"grants":{\#($0)"_world":["READ"]}}"# }),
            (.put, "/roles/editors", { #"{"members":[\#($0)]}"# }),
            (.post, "/query", { #"{"recordType":"Post",\#($0)"limit":1}"# }),
        ]

    @Test(arguments: documents.indices)
    func `a long document is parsed there and has the same effect as a short one`(_ index: Int) async throws {
        let document = Self.documents[index]
        let database = try await TestDatabase.make(withUsers: false)
        await Self.post(database, "/records/Post", #"{"fields":{}}"#)
        let engine = try Self.engine(database)
        // Queries of anonymous callers do not delay writes.
        let isQuery = document.target == "/query"
        func reads() -> Int { isQuery ? engine.queries.pool.reads : engine.inputs.reads }
        let short = document.body("")
        let almost = document.body(
            String(repeating: " ", count: BodyParserThread.minimumBytes - 1 - short.utf8.count))
        for body in [short, almost] {
            let response = await database.call(document.method, document.target, as: .administrator, body: body)
            #expect((200...201).contains(response.status), "\(response.text)")
        }
        #expect(reads() == 0)
        let long = await database.call(document.method, document.target, as: .administrator, body: almost + " ")
        #expect(long.status == 200, "\(long.text)")
        #expect(reads() == 1)
        let stranger = await database.call(document.method, document.target, body: almost + " ")
        #expect(stranger.status == (document.method == .put ? 401 : 200), "\(stranger.text)")
        #expect(reads() == (document.method == .put ? 1 : 2))
        if isQuery { #expect(engine.inputs.reads == 0) }
        let text = Self.text(BodyParserThread.minimumBytes)
        let broken = await database.call(document.method, document.target, as: .administrator, body: #"{"\#(text)""#)
        #expect(broken.cause == "MALFORMED_JSON", "\(broken.text)")
        let unknown = await database.call(
            document.method, document.target, as: .administrator, body: #"{"\#(text)":1}"#)
        #expect(unknown.status == 400 && unknown.code == "BAD_REQUEST", "\(unknown.text)")
    }

    /// 400 records that make pages of 3 MB: twenty times the output that a loop can produce in its time slice.
    @Test(arguments: ["/records/Post", "/changes"])
    func `a page that exceeds the time of a loop is made on the pool, with the same content`(_ path: String)
        async throws
    {
        let database = try await TestDatabase.make(withUsers: false)
        let text = Self.text(8_000)
        for start in stride(from: 0, to: 400, by: 100) {
            let items = (start..<start + 100).map {
                #"{"operationType":"create","record":{"recordType":"Post","recordName":"r\#($0)","fields":{"title":"\#(text)"}}}"#
            }
            let made = await Self.post(database, "/records", #"{"operations":[\#(items.joined(separator: ","))]}"#)
            #expect(made.status == 200)
        }
        let pages = try Self.engine(database).queries.pages
        let first = await database.call(.get, path + "?limit=1", as: .administrator)
        #expect((first.records + first.changes).count == 1)
        #expect(pages.reads == 0)
        var names: [String?] = []
        var count = 0
        var rest: String? = ""
        // A page ends after a second of reading, which a busy machine may need.
        while let place = rest {
            let page = await database.call(.get, path + "?limit=400" + place, as: .administrator)
            count += 1
            names += (page.records + page.changes).map { $0["recordName"]?.string }
            let token = page.json?["moreComing"] == .bool(true) ? page.json?["token"]?.string : nil
            rest =
                page.json?["cursor"]?.string.map { "&cursor=" + Self.encoded($0) }
                ?? token.map { "&since=" + Self.encoded($0) }
        }
        #expect(pages.reads == count)
        #expect(names == (0..<400).map { "r\($0)" })
        let rejected = await database.call(.get, "/records/Post?cursor=x&limit=400", as: .administrator)
        #expect(rejected.status == 400)
        #expect(pages.reads == count)
    }

    /// Base64 as a value in a query.
    private static func encoded(_ text: String) -> String {
        text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
    }
}
