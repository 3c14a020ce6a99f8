import HTTP
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// The rate limit of what jobs write.
@Suite struct JobRateTests {
    private let clock = TestClock()

    /// A server whose callers may write `burst` times at once, and ten times per millisecond of the clock.
    static func make(burst: Int, exempt: [IPNetwork] = [], clock: TestClock) async throws -> TestDatabase {
        var limits = RateLimits()
        limits.exempt = exempt
        limits.write = RateLimit(10_000, per: .second, burst: burst)
        limits.clock = { clock.now }
        let test = try await TestDatabase.make { [limits] in $0.rateLimits = limits }
        let schema = await test.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"Post":{"fields":{"n":{"type":"INT64","indexes":["QUERYABLE"]}},"#
                + #""grants":{"_icloud":["CREATE","READ","WRITE"]}}}}"#)
        try #require(schema.status == 200, "\(schema.text)")
        return test
    }

    static func lines(_ count: Int, _ name: String) -> String {
        (0..<count).map { #"{"recordName":"\#(name)\#($0)","recordType":"Post","fields":{"n":\#($0)}}"# }
            .joined(separator: "\n")
    }

    /// Starts an import, and returns the path of its job.
    static func start(
        _ test: TestDatabase, _ text: String, as who: TestDatabase.Who, _ options: String = ""
    ) async throws -> String {
        let file = try await TransferRoutesTests.upload(test, text, as: who)
        let response = await test.call(
            .post, "/imports", as: who, body: #"{"file":\#(file),"format":"jsonLines"\#(options)}"#)
        return try #require(response.field("Location"), "\(response.text)")
    }

    /// Waits until a job has done so many records.
    static func wait(_ test: TestDatabase, _ path: String, done: Int64) async throws -> JSONValue {
        var pauses = Pauses()
        while true {
            let job = try #require(await test.call(.get, path, as: .administrator).json)
            if job["done"]?.integer ?? 0 >= done { return job }
            try #require(["queued", "running"].contains(job["state"]?.string ?? ""), "\(job)")
            await pauses.pause()
        }
    }

    private static func job(_ test: TestDatabase, _ path: String) async -> JSONValue {
        await test.call(.get, path, as: .administrator).json ?? .null
    }

    @Test func `rows of an import count as writes of its caller, and it waits while others go on`() async throws {
        let test = try await Self.make(burst: 100, clock: clock)
        // As many as run at a time. Starting one is a write too.
        let first = try await Self.start(test, Self.lines(230, "a"), as: .creator)
        let second = try await Self.start(test, Self.lines(230, "b"), as: .stranger)
        for path in [first, second] { #expect(try await Self.wait(test, path, done: 99)["state"] == "running") }
        // The operator has no limits.
        let other = try await TransferRoutesTests.importing(test, Self.lines(1_000, "c"), #""format":"jsonLines""#)
        #expect(other["state"] == "succeeded" && other["done"]?.integer == 1_000, "\(other)")
        for path in [first, second] { #expect(await Self.job(test, path)["done"]?.integer == 99) }
        // Requests take from the same limit.
        let write = await test.call(.post, "/records/Post", as: .creator, body: #"{"fields":{}}"#)
        #expect(write.status == 429, "\(write.text)")
        clock.pass(milliseconds: 6)
        for path in [first, second] { #expect(try await Self.wait(test, path, done: 159)["done"]?.integer == 159) }
        clock.pass(milliseconds: 10)
        for path in [first, second] {
            let job = try await Self.wait(test, path, done: 230)
            #expect(job["done"]?.integer == 230 && job["skipped"]?.integer == 0, "\(job)")
        }
        let count = await test.call(.get, "/query/Post?count=true&limit=1", as: .administrator)
        #expect(count.json?["count"]?.integer == 1_460, "\(count.text)")
    }

    @Test func `a dry run writes nothing, and has no limit`() async throws {
        let test = try await Self.make(burst: 10, clock: clock)
        let path = try await Self.start(test, Self.lines(500, "a"), as: .creator, #","dryRun":true"#)
        #expect(try await Self.wait(test, path, done: 500)["done"]?.integer == 500)
    }

    @Test func `an import from a network without limits has none, and goes on so after a restart`() async throws {
        let test = try await Self.make(
            burst: 10, exempt: [try #require(IPNetwork("192.0.2.0/24"))], clock: clock)
        let path = try await Self.start(test, Self.lines(5_000, "a"), as: .creator)
        try await test.restart()
        #expect(try await Self.wait(test, path, done: 5_000)["task"]?["rateExempt"] == true)
    }

    @Test func `a hundred records of a bulk change by a job count as a write`() async throws {
        let test = try await Self.make(burst: 5, clock: clock)
        _ = try await TransferRoutesTests.importing(test, Self.lines(1_000, "a"), #""format":"jsonLines""#)
        let response = await test.call(
            .delete, "/query/Post?all=true", as: .creator, headers: [("Prefer", "respond-async")])
        let path = try #require(response.field("Location"), "\(response.text)")
        #expect(try await Self.wait(test, path, done: 400)["state"] == "running")
        _ = try await TransferRoutesTests.importing(test, Self.lines(1, "b"), #""format":"jsonLines""#)
        #expect(await Self.job(test, path)["done"]?.integer == 400)
        clock.pass(milliseconds: 1)
        #expect(try await Self.wait(test, path, done: 900)["done"]?.integer == 900)
        clock.pass(milliseconds: 1)
        #expect(try await Self.wait(test, path, done: 1_000)["done"]?.integer == 1_000)
    }

    @Test func `a job that waits for the limit can be canceled`() async throws {
        let test = try await Self.make(burst: 20, clock: clock)
        let path = try await Self.start(test, Self.lines(100, "a"), as: .creator)
        _ = try await Self.wait(test, path, done: 19)
        #expect(await test.call(.post, path + "/cancel", as: .administrator).json?["state"] == "cancelled")
        clock.pass(seconds: 1)
        // The limit allows others now.
        let next = try await TransferRoutesTests.importing(
            test, Self.lines(10, "b"), #""format":"jsonLines""#, as: .creator)
        #expect(next["state"] == "succeeded", "\(next)")
        #expect(await Self.job(test, path)["done"]?.integer == 19)
    }
}
