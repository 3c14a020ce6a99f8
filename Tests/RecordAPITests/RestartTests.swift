import HTTP
import RecordEngine
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// What a client has read before a restart goes on after it, also with what a stream said that was open at the first write
/// after the start. The first write begins an epoch of tokens.
@Suite struct RestartTests {
    /// A feed of zones or changes, and who reads it.
    struct Feed: CustomTestStringConvertible {
        let path: String
        let who: TestDatabase.Who
        /// A write that the feed shows.
        let write: String

        init(_ path: String, as who: TestDatabase.Who, showing write: String = "/records/Post/") {
            (self.path, self.who, self.write) = (path, who, write)
        }

        var testDescription: String { "\(path) as \(who)" }
    }

    private static let feeds = [
        Feed("/changes?", as: .anonymous), Feed("/changes?", as: .stranger), Feed("/changes?", as: .administrator),
        Feed("/changes?type=Post&where=good%20%3E%3D%200", as: .creator),
        Feed("/changes?database=private", as: .creator, showing: "/records/Entry/?database=private"),
        Feed(
            "/changes?database=private&owner={creator}", as: .administrator,
            showing: "/records/Entry/?database=private"),
        Feed("/changes?database=private&zone=A", as: .creator, showing: "/records/Entry/?database=private&zone=A"),
        Feed(
            "/changes?database=shared&owner={creator}&zone=Shared", as: .stranger,
            showing: "/records/Entry/?database=private&zone=Shared"),
        Feed("/changes/zones?database=private", as: .creator, showing: "/records/Entry/?database=private&zone=A"),
        Feed(
            "/changes/zones?database=shared", as: .stranger, showing: "/records/Entry/?database=private&zone=Shared"),
        Feed("/notifications?", as: .creator),
    ]

    private static func world() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        try await database.addForum()
        for zone in ["A", "Shared"] {
            await database.call(.put, "/zones/\(zone)?database=private", as: .creator)
        }
        try await database.subscribe("s", #"{"type":"query","recordType":"Post"}"#)
        let shared = await database.call(
            .put, "/records/cloudkit.share/s?database=private&zone=Shared", as: .creator,
            body: #"{"fields":{},"participants":[{"userRecordName":"{stranger}"}]}"#)
        try #require(shared.status == 201, "\(shared.text)")
        let guid = try #require(shared.json?["shortGUID"]?.string, "\(shared.text)")
        let accepted = await database.call(.post, "/shares/\(guid)/accept", as: .stranger)
        try #require(accepted.status == 200, "\(accepted.text)")
        return database
    }

    private static func write(_ name: String, to feed: Feed, _ database: TestDatabase) async throws {
        let parts = feed.write.split(separator: "?", maxSplits: 1)
        let target = parts[0] + name + (parts.count > 1 ? "?" + parts[1] : "")
        let made = await database.call(.put, "\(target)", as: .creator, body: #"{"fields":{"good":1}}"#)
        try #require(made.status == 201, "\(made.text)")
    }

    private static func stream(_ feed: Feed, _ database: TestDatabase, after id: String?) async throws -> StreamReader {
        let headers = [("Accept", "text/event-stream")] + (id.map { [("Last-Event-ID", $0)] } ?? [])
        return try StreamReader(await database.call(.get, feed.path, as: feed.who, headers: headers))
    }

    /// Reads a page, and returns the names in it.
    private static func page(
        _ feed: Feed, _ database: TestDatabase, since token: String
    ) async throws -> (names: [String], token: String) {
        let path = feed.path.replacing("&where=good%20%3E%3D%200", with: "")
        let page = await database.call(.get, "\(path)&since=\(PathSegment.encode(token))", as: feed.who)
        try #require(page.status == 200, "\(page.text)")
        let found = ["changes", "zones", "notifications"].flatMap { page.json?[$0]?.array ?? [] }
        let names = found.compactMap { ($0["recordName"] ?? $0["zoneName"])?.string }
        return (names, try #require(page.json?["token"]?.string))
    }

    @Test(arguments: feeds) func `what a stream said after the first write of a start is valid, and loses nothing`(
        feed: Feed
    ) async throws {
        let database = try await Self.world()
        try await Self.write("before", to: feed, database)
        let first = try await Self.stream(feed, database, after: nil)
        _ = try await first.read()
        first.leave()
        var id = try #require(first.lastID)
        for start in 1...3 {
            try await database.restart()
            let stream = try await Self.stream(feed, database, after: id)
            #expect(try await stream.read().map(\.name) == ["caughtup"])
            let silent = try await Self.page(feed, database, since: id)
            #expect(silent.names.isEmpty)
            try await Self.write("first\(start)", to: feed, database)
            let events = try await stream.read()
            #expect(events.count == 1 && !["reset", "end"].contains(events[0].name), "\(events)")
            id = try #require(stream.lastID)
            // The stream stays open beyond the polls.
            #expect(try await Self.page(feed, database, since: id).names.isEmpty)
            // What a page said before the first write goes on too.
            #expect(try await Self.page(feed, database, since: silent.token).names.count == 1)
            try await Self.write("second\(start)", to: feed, database)
            #expect(try await Self.page(feed, database, since: id).names.count == 1)
            #expect(try await stream.read().count == 1)
            stream.leave()
            id = try #require(stream.lastID)
        }
    }

    @Test func `grants of another type do not reset a stream of an administrator or a private database`() async throws {
        let database = try await Self.world()
        var streams: [(Feed, StreamReader)] = []
        var names = 0
        for feed in Self.feeds where feed.who == .administrator || feed.path.contains("private") {
            try await Self.write("before\(names)", to: feed, database)
            names += 1
        }
        try await database.restart()
        for feed in Self.feeds where feed.who == .administrator || feed.path.contains("private") {
            let stream = try await Self.stream(feed, database, after: nil)
            _ = try await stream.read()
            streams.append((feed, stream))
        }
        for (index, (feed, _)) in streams.enumerated() { try await Self.write("after\(index)", to: feed, database) }
        for (_, stream) in streams { _ = try await stream.read() }
        let granted = await database.call(
            .put, "/grants/Secret", as: .administrator, body: #"{"grants":{"_icloud":["CREATE"]}}"#)
        #expect(granted.status == 200, "\(granted.text)")
        for (feed, stream) in streams { #expect(try await stream.read() == [], "\(feed.testDescription)") }
    }

    @Test func `a poll of notifications that waits at the first write of a start goes on`() async throws {
        let database = try await Self.world()
        let feed = Feed("/notifications?", as: .creator)
        var token = try await Self.page(feed, database, since: "").token
        for start in 1...2 {
            try await database.restart()
            let waiting = await database.call(
                .get, "/notifications?wait=30&since=\(PathSegment.encode(token))", as: .creator)
            async let body = waiting.pushedBody()
            try await Self.write("first\(start)", to: feed, database)
            let page = try JSONValue.parse(Array(try await body.utf8))
            #expect(page["notifications"]?.array?.compactMap { $0["recordName"]?.string } == ["first\(start)"])
            try await Self.write("second\(start)", to: feed, database)
            let next = try await Self.page(feed, database, since: try #require(page["token"]?.string))
            #expect(next.names == ["second\(start)"])
            token = next.token
        }
    }

    @Test func `numbers of requests ascend over restarts, and over a clock that was set back`() async throws {
        let database = try await Self.world()
        func requests(after number: Int64) async throws -> (paths: [String], latest: Int64) {
            let response = await database.call(
                .get, "/requests?after=\(number)&path=/records", as: .administrator)
            let found = response.json?["requests"]?.array?.compactMap { $0["path"]?.string } ?? []
            return (found, try #require(response.json?["latest"]?.integer))
        }
        let old = try await requests(after: 0)
        try await database.restart()
        await database.call(.get, "/records/Post/new", as: .creator)
        let new = try await requests(after: old.latest)
        #expect(new.paths == ["/records/Post/new"] && new.latest > old.latest)
        #expect(try await requests(after: new.latest).paths == [])
        #expect(try await requests(after: new.latest + 1_000_000_000_000).paths == ["/records/Post/new"])
        let log = RequestLog(size: 10, start: 1_800_000_000_000)
        #expect(log.latest < 1 << 53)
    }
}
