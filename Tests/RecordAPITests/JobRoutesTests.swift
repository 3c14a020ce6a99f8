import HTTP
import RecordWire
import TestSupport
import Testing

/// Bulk changes that become jobs, and the routes of jobs.
@Suite struct JobRoutesTests {
    private static func filled(_ count: Int) async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        try await database.make((0..<count).map { ("l\($0)", #"{"number":\#($0)}"#) }, "Log")
        return database
    }

    private static let preference = [("Prefer", "respond-async, return=minimal")]

    /// Waits until a job has ended.
    private static func end(_ database: TestDatabase, _ path: String) async -> JSONValue? {
        var pauses = Pauses()
        while true {
            let job = await database.call(.get, path, as: .creator).json
            guard ["queued", "running"].contains(job?["state"]?.string ?? "") else { return job }
            await pauses.pause()
        }
    }

    @Test func `a deletion that prefers an asynchronous response is a job with a location`() async throws {
        let database = try await Self.filled(6)
        let response = await database.call(
            .delete, queryTarget("Log", [("where", "number < 4")]), as: .creator, headers: Self.preference)
        #expect(response.status == 202, "\(response.text)")
        #expect(response.field("Preference-Applied") == "respond-async")
        let path = try #require(response.field("Location"))
        #expect(path == "/jobs/\(response.json?["id"]?.string ?? "")")
        let job = await Self.end(database, path)
        #expect(job?["state"] == "succeeded" && job?["done"]?.integer == 4, "\(String(describing: job))")
        #expect(job?["by"]?["kind"] == "user" && job?["task"]?["where"] == "number < 4")
        #expect(await database.call(.get, path, as: .member).status == 404)
        let list = await database.call(.get, "/jobs?limit=1", as: .creator)
        #expect(list.json?["jobs"]?.array?.count == 1 && list.json?["cursor"] == nil, "\(list.text)")
        #expect(await database.call(.get, "/jobs?unfinished=true", as: .creator).json?["jobs"]?.array == [])
        #expect(await database.call(.post, path + "/cancel", as: .creator).status == 409)
        #expect(await database.call(.get, "/jobs?cursor=x", as: .creator).status == 400)
    }

    @Test func `an administrator without the right to private databases sees no zone of a job there`() async throws {
        let database = try await TestDatabase.make()
        try await database.make([("p1", #"{"title":"x"}"#)], "Post")
        await database.call(.put, "/zones/Diary-kx94?database=private", as: .creator)
        let response = await database.call(
            .delete, queryTarget("Post", [("where", "title == 'x'"), ("database", "private"), ("zone", "Diary-kx94")]),
            as: .creator, headers: Self.preference)
        try #require(response.status == 202, "\(response.text)")
        let job = await Self.end(database, try #require(response.field("Location")))
        let path = "/jobs/\(job?["id"]?.string ?? "")"
        #expect(job?["zone"] == "Diary-kx94" && job?["owner"] != nil, "\(String(describing: job))")
        let developer = try await AdministratorRoutesTests.add(database, "dev", "developer")
        for path in [path, "/jobs"] {
            let seen = await database.call(.get, path, token: developer)
            #expect(seen.status == 200 && seen.text.contains(#""database":"private""#), "\(seen.text)")
            #expect(!seen.text.contains("kx94") && !seen.text.contains("title =="), "\(seen.text)")
            let owner = await database.call(.get, path, as: .administrator)
            #expect(owner.text.contains("Diary-kx94"), "\(owner.text)")
        }
    }

    @Test func `a change with a key that is repeated gets the same job`() async throws {
        let database = try await Self.filled(3)
        let headers = Self.preference + [("Idempotency-Key", "k")]
        func send() async -> Response {
            await database.call(
                .patch, queryTarget("Log", [("where", "number >= 0")]), as: .creator,
                body: #"{"fields":{"count":{"increment":10}}}"#, headers: headers)
        }
        let first = await send()
        _ = await Self.end(database, try #require(first.field("Location")))
        let second = await send()
        #expect(first.status == 202 && second.status == 202, "\(first.text)")
        #expect(first.field("Location") == second.field("Location"))
        #expect(second.field("Idempotency-Replayed") == "true" && second.json?["state"] == "succeeded")
        let record = await database.call(.get, "/records/Log/l1", as: .creator)
        #expect(record.json?["fields"]?["count"]?["value"]?.integer == 10, "\(record.text)")
    }

    @Test(.timeLimit(.minutes(1))) func `a stream shows a job that changes, and ends with it`() async throws {
        let database = try await Self.filled(3)
        let response = await database.call(
            .delete, queryTarget("Log", [("where", "number >= 0")]), as: .creator, headers: Self.preference)
        let path = try #require(response.field("Location"))
        let accept = [("Accept", "text/event-stream")]
        let open = await database.call(.get, path, as: .creator, headers: accept)
        #expect(open.field("Content-Type") == "text/event-stream" && open.field("X-Accel-Buffering") == "no")
        let source = try #require(open.events)
        let clock = Task {
            while !Task.isCancelled {
                source.tick(now: 1)
                await Task.yield()
            }
        }
        var text = ""
        while let piece = try await source.next() { text += String(decoding: piece, as: UTF8.self) }
        clock.cancel()
        #expect(text.hasPrefix("event: job\ndata: {") && text.hasSuffix("\n\n"), "\(text)")
        let last = text.split(separator: "\n").last { $0.hasPrefix("data: ") }
        let job = try JSONValue.parse(Array(try #require(last).dropFirst(6).utf8))
        #expect(job["state"] == "succeeded" && job["done"]?.integer == 3, "\(text)")
        #expect(await database.call(.get, path, as: .member, headers: accept).status == 404)
        let left = try #require(await database.call(.get, path, as: .creator, headers: accept).events)
        left.clientDidLeave()
        #expect(try await left.next() == nil)
    }

    @Test func `dry runs and anonymous callers have no jobs`() async throws {
        let database = try await Self.filled(2)
        let dry = await database.call(
            .delete, "/query/Log?all=true&dryRun=true", as: .creator, headers: Self.preference)
        #expect(dry.status == 200 && dry.json?["matched"]?.integer == 2, "\(dry.text)")
        #expect(await database.call(.get, "/jobs").status == 401)
    }
}
