import HTTP
import RecordWire
import TestSupport
import Testing

/// With `as`, an administrator gets the response that the named caller gets.
@Suite struct ReadAsTests {
    private static let targets = [
        "/records/Post?fields=title", "/records/Post/p1", "/records/Secret", "/records/Secret/s1",
        "/records/Secret/none",
        "/records/Drop", "/records/Drop/d1", "/query/Secret?count=true", "/query/None",
        "/query/Post?where=nothing%20%3D%3D",
        "/query/Post?aggregate=count", "/records/Post/p1?expand=createdUserRecordName",
        "/records/Private?database=private",
        "/records/Private/x?database=private", "/records/Post/p1/data",
    ]

    private static func database() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let target = "/records/Private/x?database=private"
        let made = await database.call(.put, target, as: .creator, body: #"{"fields":{"note":"mine"}}"#)
        try #require(made.status == 201, "\(made.text)")
        let data = await database.call(
            .patch, "/records/Post/p1", as: .creator, body: #"{"fields":{"data":{"value":"c2Vh","type":"BYTES"}}}"#)
        try #require(data.status == 200, "\(data.text)")
        return database
    }

    @Test(arguments: [TestDatabase.Who.anonymous, .stranger, .creator, .member])
    func `the response is the caller's own`(who: TestDatabase.Who) async throws {
        let database = try await Self.database()
        let name = who == .anonymous ? "anonymous" : "{\(who.rawValue)}"
        for target in Self.targets {
            let own = await database.call(.get, target, as: who)
            let read = await database.call(
                .get, target + (target.contains("?") ? "&" : "?") + "as=\(name)", as: .administrator)
            #expect(read.status == own.status, "\(target): \(own.text), but \(read.text)")
            #expect(read.text == own.text, "\(target)")
            #expect(read.field("ETag") == own.field("ETag"), "\(target)")
        }
        let body = #"{"recordType":"Secret","count":true}"#
        let own = await database.call(.post, "/query", as: who, body: body)
        let read = await database.call(.post, "/query?as=\(name)", as: .administrator, body: body)
        #expect((read.status, read.text) == (own.status, own.text))
    }

    @Test func `a key is read as by its name, with its scope`() async throws {
        let database = try await Self.database()
        let made = await database.call(
            .post, "/keys", as: .administrator,
            body: #"{"name":"posts","scope":{"types":["Post"],"actions":["read"]}}"#)
        let token = try #require(made.json?["token"]?.string, "\(made.text)")
        for target in ["/records/Post", "/records/Secret", "/records/Private?database=private"] {
            let own = await database.call(.get, target, token: token)
            let read = await database.call(
                .get, target + (target.contains("?") ? "&" : "?") + "as=key:posts", as: .administrator)
            #expect((read.status, read.text) == (own.status, own.text), "\(target)")
        }
    }

    @Test func `what a key may not read is no note about the key`() async throws {
        let database = try await Self.database()
        let made = await database.call(
            .post, "/keys", as: .administrator,
            body: #"{"name":"posts","scope":{"types":["Post"],"actions":["read"]}}"#)
        let token = try #require(made.json?["token"]?.string, "\(made.text)")
        func notes() async -> Int? {
            await database.call(.get, "/audit?action=key.outOfScope", as: .administrator).json?["entries"]?.array?.count
        }
        #expect(await database.call(.get, "/records/Secret/s1?as=key:posts", as: .administrator).status == 404)
        #expect(await notes() == 0)
        #expect(await database.call(.get, "/records/Secret/s1", token: token).status == 404)
        #expect(await notes() == 1)
    }

    @Test func `only administrators may, only to read, and only as callers that could`() async throws {
        let database = try await Self.database()
        let disabled = await database.call(
            .patch, "/users/{stranger}", as: .administrator, body: #"{"disabled":true}"#)
        try #require(disabled.status == 200)
        await database.play([
            Scenario("a user", .creator, .get, "/records/Post?as={member}", 403, contains: ["as", "administrators"]),
            Scenario("as itself", .creator, .get, "/records/Post?as={creator}", 403),
            Scenario("nobody", .anonymous, .get, "/records/Post?as=anonymous", 401),
            Scenario("nobody known", .administrator, .get, "/records/Post?as=nobody", 404),
            Scenario("a name", .administrator, .get, "/records/Secret/s1?as=ann", 200, contains: ["hidden"]),
            Scenario("an administrator", .administrator, .get, "/records/Post?as=administrator:viewer", 400),
            Scenario(
                "who cannot sign in", .administrator, .get, "/records/Post?as={stranger}", 400, contains: ["disabled"]),
            Scenario("twice", .administrator, .get, "/records/Post?as=ann&as=eve", 400),
            Scenario("a write", .administrator, .delete, "/records/Post/p1?as=ann", 400, contains: ["Unknown query"]),
            Scenario("a bulk deletion", .administrator, .delete, "/query/Post?all=true&as=ann", 400),
            Scenario("and the record is there", .administrator, .get, "/records/Post/p1", 200),
        ])
    }

    @Test func `reading a private database as its owner is in the audit log`() async throws {
        let database = try await Self.database()
        let read = await database.call(.get, "/records/Private?database=private&as={creator}", as: .administrator)
        #expect(read.text.contains("mine"))
        // The note does not wait for its write. A later write waits for both.
        await database.call(.put, "/records/Post/later", as: .administrator, body: #"{"fields":{"title":"x"}}"#)
        let log = await database.call(.get, "/audit?action=user.privateDatabase", as: .administrator)
        #expect(log.text.contains(database.filled("{creator}")), "\(log.text)")
    }
}
