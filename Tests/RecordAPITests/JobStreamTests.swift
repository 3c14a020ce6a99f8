import HTTP
import RecordWire
import TestSupport
import Testing

/// The progress of jobs as server-sent events.
@Suite(.timeLimit(.minutes(1))) struct JobStreamTests {
    private static let accept = [("Accept", "text/event-stream")]

    /// A stream that is read while time passes.
    private final class Reader {
        private let source: any HTTPEventSource
        /// The number of seconds that have passed.
        private(set) var ticks = 0

        init(_ response: Response) throws {
            try #require(response.status == 200, "\(response.text)")
            source = try #require(response.events)
        }

        func leave() { source.clientDidLeave() }
        func stop() { source.serverWillStop() }

        /// Lets time pass until the stream sends something. Returns it; `nil` at the end.
        func next() async throws -> String? {
            let source = source
            let clock = Task {
                var ticks = 0
                while !Task.isCancelled {
                    source.tick(now: 1)
                    ticks += 1
                    await Task.yield()
                }
                return ticks
            }
            let piece = try await source.next()
            clock.cancel()
            ticks += await clock.value
            return piece.map { String(decoding: $0, as: UTF8.self) }
        }

        /// Returns the type and the data of the next event; `nil` at the end. Skips comments.
        func event() async throws -> (type: String, data: JSONValue)? {
            while let text = try await next() {
                if text == ":\n\n" { continue }
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                try #require(lines.count == 4 && lines[2].isEmpty && lines[3].isEmpty, "\(text)")
                try #require(lines[0].hasPrefix("event: ") && lines[1].hasPrefix("data: "), "\(text)")
                return (String(lines[0].dropFirst(7)), try JSONValue.parse(Array(lines[1].dropFirst(6).utf8)))
            }
            return nil
        }
    }

    /// Creates a job that deletes 1,000 records of `creator`, and pauses it.
    private static func paused() async throws -> (TestDatabase, path: String) {
        let database = try await TestDatabase.make()
        for part in 0..<5 {
            let names = (0..<200).map { ("l\(part * 200 + $0)", #"{"number":\#($0)}"#) }
            try await database.make(names, "Log")
        }
        let response = await database.call(
            .delete, "/query/Log?all=true", as: .creator, headers: [("Prefer", "respond-async")])
        let path = try #require(response.field("Location"), "\(response.text)")
        let pause = await database.call(.post, path + "/pause", as: .creator)
        try #require(pause.json?["state"] == "paused", "\(pause.text)")
        return (database, path)
    }

    private static func stream(
        _ database: TestDatabase, _ path: String, as who: TestDatabase.Who = .creator
    ) async throws -> Reader {
        try Reader(await database.call(.get, path, as: who, headers: accept))
    }

    @Test func `a stream sends each new state, and ends after the last`() async throws {
        let (database, path) = try await Self.paused()
        let reader = try await Self.stream(database, path)
        let first = try #require(try await reader.event())
        #expect(first.type == "job" && first.data["state"] == "paused" && first.data["total"]?.integer == 1_000)
        _ = await database.call(.post, path + "/resume", as: .creator)
        var (states, done) = ([String](), first.data["done"]?.integer ?? -1)
        while let (type, job) = try await reader.event() {
            #expect(type == "job" && path.hasSuffix(job["id"]?.string ?? "?"))
            #expect(job["done"]?.integer ?? -1 >= done, "\(job)")
            done = job["done"]?.integer ?? -1
            states.append(job["state"]?.string ?? "")
        }
        #expect(states.last == "succeeded" && states.count { $0 == "succeeded" } == 1, "\(states)")
        #expect(states.dropLast().allSatisfy { $0 == "queued" || $0 == "running" }, "\(states)")
        #expect(done == 1_000)
        #expect(try await reader.next() == nil)
        // A stream of a job that has ended shows it once.
        let late = try await Self.stream(database, path)
        #expect(try await late.event()?.data["state"] == "succeeded")
        #expect(try await late.next() == nil)
    }

    @Test func `a job that does not change is followed by comments, until it is canceled`() async throws {
        let (database, path) = try await Self.paused()
        let reader = try await Self.stream(database, path)
        #expect(try await reader.event()?.data["state"] == "paused")
        let before = reader.ticks
        #expect(try await reader.next() == ":\n\n")
        #expect(reader.ticks - before >= 15)
        #expect(try await reader.next() == ":\n\n")
        _ = await database.call(.post, path + "/cancel", as: .creator)
        let last = try #require(try await reader.event())
        #expect(last.type == "job" && last.data["state"] == "cancelled" && last.data["ended"]?.integer != nil)
        #expect(try await reader.next() == nil)
    }

    @Test func `a stream ends with its client, its server and its session`() async throws {
        let (database, path) = try await Self.paused()
        for end in [Reader.leave, Reader.stop] {
            let reader = try await Self.stream(database, path)
            #expect(try await reader.event()?.type == "job")
            end(reader)()
            #expect(try await reader.next() == nil)
        }
        let reader = try await Self.stream(database, path)
        #expect(try await reader.event()?.type == "job")
        let signOut = await database.call(.delete, "/sessions/current", as: .creator)
        try #require(signOut.status == 204, "\(signOut.text)")
        let end = try #require(try await reader.event())
        #expect(end.type == "end" && end.data["serverErrorCode"] == "AUTHENTICATION_FAILED", "\(end)")
        #expect(end.data["reason"]?.string?.isEmpty == false)
        #expect(try await reader.next() == nil)
    }

    @Test func `unknown jobs and those of others have no stream, but administrators follow all`() async throws {
        let (database, path) = try await Self.paused()
        for (target, who, status) in [
            ("/jobs/unknown", TestDatabase.Who.creator, 404), (path, .member, 404), (path, .stranger, 404),
            (path, .anonymous, 404), ("/jobs/unknown", .administrator, 404),
        ] {
            let response = await database.call(.get, target, as: who, headers: Self.accept)
            #expect(response.status == status && response.events == nil, "\(who) \(response.text)")
            #expect(!response.text.contains("Log"))
        }
        let event = try await Self.stream(database, path, as: .administrator).event()
        #expect(
            event?.data["state"] == "paused" && event?.data["by"]?["kind"] == "user", "\(String(describing: event))")
    }
}
