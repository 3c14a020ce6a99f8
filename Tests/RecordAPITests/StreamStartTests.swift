import Foundation
import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// What a browser's `EventSource` meets when it connects. It connects again after a response with status 200, and after no
/// other one; and it sends no empty id back.
@Suite struct StreamStartTests {
    private static let accept = ("Accept", "text/event-stream")

    private static func world() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.call(.put, "/zones/A?database=private", as: .creator)
        try await database.subscribe("s", #"{"type":"query","recordType":"Post"}"#)
        return database
    }

    private static func open(
        _ path: String, as who: TestDatabase.Who, after id: String? = nil, _ database: TestDatabase
    ) async throws -> StreamReader {
        let headers = [accept] + (id.map { [("Last-Event-ID", $0)] } ?? [])
        return try StreamReader(await database.call(.get, path, as: who, headers: headers))
    }

    @Test(arguments: [
        ("/changes?type=Post", ["p1", "p2"]), ("/changes/zones?database=private", ["A"]), ("/notifications?", []),
    ])
    func `a stream with an id that cannot be used begins with a reset`(path: String, all: [String]) async throws {
        let database = try await Self.world()
        let foreign = try await Self.open(path, as: .member, database)
        _ = try await foreign.read()
        let ids = ["abc", "AAAA", try #require(foreign.lastID)]
        for id in ids {
            for (path, header) in [(path, id), ("\(path)&since=\(PathSegment.encode(id))", nil)] as [(String, String?)]
            {
                let stream = try await Self.open(path, as: .creator, after: header, database)
                let events = try await stream.read()
                #expect(events.first?.name == "reset" && events.last?.name == "caughtup", "\(path) \(id): \(events)")
                #expect(events.first?.json?["reason"]?.string?.isEmpty == false && events.first?.id?.isEmpty == false)
                let names = events.compactMap { $0.record ?? $0.json?["zoneName"]?.string }
                #expect(names == all, "\(path) \(id)")
                // Other requests get an error, which their clients can read.
                let page = await database.call(.get, "\(path)&since=\(PathSegment.encode(id))", as: .creator)
                #expect(page.status == 400, "\(page.text)")
            }
        }
    }

    @Test func `a stream after forgotten deletions begins with a reset`() async throws {
        let database = try await Self.world()
        let first = try await Self.open("/changes?type=Post", as: .creator, database)
        _ = try await first.read()
        first.leave()
        try await database.erase("Post/p1")
        let store = try #require(database.registry.openDatabases.first?.database)
        #expect(try await store.maintenance.forgetDeletions(olderThan: -60) == 1)
        let id = try #require(first.lastID)
        let stream = try await Self.open("/changes?type=Post", as: .creator, after: id, database)
        #expect(try await stream.read().map(\.name) == ["reset", "change", "caughtup"])
    }

    @Test func `a stream that is cut right after a reset begins at the beginning, whatever its URL says`() async throws
    {
        let database = try await Self.world()
        let path = "/changes?type=Post&since=now"
        let stream = try await Self.open(path, as: .creator, database)
        #expect(try await stream.read().map(\.name) == ["caughtup"])
        let granted = await database.call(
            .put, "/grants/Secret", as: .administrator, body: #"{"grants":{"_icloud":["CREATE"]}}"#)
        try #require(granted.status == 200, "\(granted.text)")
        let piece = try await stream.readBusy()
        #expect(piece.map(\.name) == ["reset"])
        stream.leave()
        let again = try await Self.open(path, as: .creator, after: stream.lastID, database)
        #expect(try await again.read().compactMap(\.record) == ["p1", "p2"])
        // The same text is a start of pages, too.
        let page = await database.call(.get, "/changes?type=Post&since=beginning", as: .creator)
        #expect(page.changes.count == 2)
    }

    @Test func `a stream of a database without a write goes on from its beginning`() async throws {
        let database = try await Self.world()
        let path = "/changes?database=private&since=now"
        let stream = try await Self.open(path, as: .stranger, database)
        let events = try await stream.read()
        #expect(events.map(\.name) == ["caughtup"])
        stream.leave()
        await database.call(
            .put, "/records/Entry/e1?database=private", as: .stranger, body: #"{"fields":{"title":"x"}}"#)
        let again = try await Self.open(path, as: .stranger, after: stream.lastID, database)
        #expect(try await again.read().compactMap(\.record) == ["e1"])
    }

    @Test(arguments: ["/changes", "/changes/zones?database=private", "/notifications", "/jobs/x"])
    func `a stream beyond a rate limit says when to come again`(path: String) async throws {
        let clock = TestClock()
        let database = try await TestDatabase.make { configuration in
            var limits = RateLimits()
            limits.clock = { clock.now }
            limits.read = RateLimit(1, per: .minute, burst: 1)
            configuration.rateLimits = limits
        }
        _ = await database.call(.get, "/records/Post", as: .creator)
        let other = await database.call(.get, path, as: .creator)
        #expect(other.status == 429, "\(other.text)")
        let response = await database.call(.get, path, as: .creator, headers: [Self.accept])
        #expect(response.status == 200 && response.field("Content-Type") == "text/event-stream", "\(response.text)")
        #expect(response.field("Cache-Control") == "no-store")
        let lines = response.text.components(separatedBy: "\n")
        #expect(lines[0].hasPrefix(": {") && lines[0].contains(#""serverErrorCode":"THROTTLED""#), "\(lines)")
        let retry = try #require(lines.first { $0.hasPrefix("retry: ") }?.dropFirst(7))
        #expect((60_000...62_000).contains(try #require(Int(retry))), "\(retry)")
        #expect(response.text.hasSuffix("\n\n"))
    }

    @Test func `a ticket survives a response that asks for a new attempt`() async throws {
        let clock = TestClock()
        let database = try await TestDatabase.make { configuration in
            var limits = RateLimits()
            limits.clock = { clock.now }
            limits.read = RateLimit(1, per: .minute, burst: 1)
            configuration.rateLimits = limits
        }
        let made = await database.call(.post, "/changes/tickets", as: .creator)
        let url = try #require(made.json?["url"]?.string, "\(made.text)")
        _ = await database.call(.get, "/records/Post", as: .creator)
        for _ in 0..<2 {
            let response = await database.call(.get, url, headers: [Self.accept])
            #expect(response.status == 200 && response.text.contains("\nretry: "), "\(response.text)")
        }
        clock.pass(seconds: 61)
        let stream = try StreamReader(await database.call(.get, url, headers: [Self.accept]))
        #expect(try await stream.read().last?.name == "caughtup")
        #expect(await database.call(.get, url, headers: [Self.accept]).status == 401)
    }

    @Test func `a stream of a server that stops says when to come again`() async throws {
        let database = try await Self.world()
        database.context.closeReaders()
        await database.registry.close()
        let response = await database.call(.get, "/changes", as: .creator, headers: [Self.accept])
        #expect(response.status == 200 && response.text.contains("\nretry: "), "\(response.text)")
        #expect(await database.call(.get, "/changes", as: .creator).status == 503)
    }

    @Test func `what a new attempt meets again has another status`() async throws {
        let database = try await Self.world()
        for (path, who, status) in [
            ("/changes?limit=1", TestDatabase.Who.creator, 400), ("/changes?ticket=abc", .anonymous, 401),
            ("/changes?database=private&owner={creator}", .stranger, 403),
            ("/changes?database=private&zone=None", .creator, 404), ("/jobs/none", .creator, 404),
            ("/notifications", .anonymous, 401),
        ] {
            let response = await database.call(.get, path, as: who, headers: [Self.accept])
            #expect(response.status == status && response.events == nil, "\(path): \(response.text)")
        }
    }

    @Test func `a full disk is no defect of the server`() {
        #expect(RecordError(.internalError, "x").isDefect)
        #expect(!RecordError(.internalError, "x", cause: .storageFull).isDefect)
        #expect(!RecordError(.tryAgainLater, "x").isDefect)
    }
}
