import FogbaseClient
import Foundation
import Testing

/// Feeds that stream, with scripted responses.
@Suite struct FeedStreamTests {
    typealias Script = ScriptedStreams.Script

    private static let caughtUp = "event: caughtup\ndata: {\"token\":\"p\"}\nid: p\n\n"

    private static func change(_ name: String, id: String, deleted: Bool = false) -> String {
        let rest = deleted ? #""deleted":true"# : #""recordChangeTag":"1","fields":{}"#
        return "event: change\ndata: {\"recordName\":\"\(name)\",\"recordType\":\"Post\",\(rest)}\nid: \(id)\n\n"
    }

    /// A feed over scripted streams.
    private struct Feed {
        let transport: ScriptedStreams
        let waits = Waits()
        var iterator: ChangeFeed.Iterator

        /// The streams are silent for as long as `silence` lasts; without it, forever.
        init(_ scripts: [Script], silence: (@Sendable (Duration) async throws -> Void)? = nil) throws {
            transport = ScriptedStreams(scripts)
            let waits = waits
            let retry = RetryPolicy(attempts: 1) { try await waits.sleep($0) }
            let url = try #require(URL(string: "http://test.invalid"))
            var fogbase = Fogbase(url, retry: retry, transport: transport)
            fogbase.streaming.random = { 0.5 }
            fogbase.streaming.sleep = silence ?? { _ in try await Task.sleep(for: .seconds(3_600)) }
            iterator = fogbase.container().publicDatabase.changeFeed(every: .seconds(7)).makeAsyncIterator()
        }

        /// The next event: the changed and deleted names and the token.
        mutating func next() async throws -> String {
            guard case .changes(let page)? = try await iterator.next() else { return "startOver" }
            let deleted = page.deleted.map { "-\($0.name)" }
            return (page.changed.map(\.name) + deleted + ["@" + page.token.text]).joined(separator: " ")
        }
    }

    @Test func `a feed streams from the token of its last page`() async throws {
        var feed = try Feed([.events(["retry: 2000\n\n" + Self.caughtUp, Self.change("a", id: "1")], .staysSilent)])
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "a @1")
        #expect(await feed.transport.calls == ["page", "stream p"])
        #expect(feed.waits.all.isEmpty)
    }

    @Test func `pieces end anywhere, and what has arrived makes a page`() async throws {
        let text = Self.caughtUp + Self.change("a", id: "1") + Self.change("b", id: "2", deleted: true)
        var feed = try Feed([
            .events(text.utf8.map { String(UnicodeScalar($0)) }), .events([text], .staysSilent),
        ])
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "a @1")
        #expect(try await feed.next() == "-b @2")
        // A page between two streams has no news.
        #expect(try await feed.next() == "a -b @2")
        #expect(await feed.transport.calls == ["page", "stream p", "page 2", "stream p"])
    }

    @Test func `a page has a record once, in its last state`() async throws {
        let text =
            Self.change("a", id: "1") + Self.change("b", id: "2") + Self.change("a", id: "3", deleted: true)
            + Self.change("a", id: "4")
        var feed = try Feed([.events([text], .staysSilent)])
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "a b @2")
        #expect(try await feed.next() == "-a @3")
        #expect(try await feed.next() == "a @4")
    }

    @Test func `an id without an event moves the token`() async throws {
        var feed = try Feed([.events([Self.caughtUp, ":\n\n", "id: 5\n\n"], .staysSilent)])
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "@5")
    }

    @Test func `a reset starts over, after the changes before it`() async throws {
        let reset = "event: reset\ndata: {\"reason\":\"test\"}\nid:\n\n"
        var feed = try Feed([.events([Self.change("a", id: "1") + reset + Self.change("b", id: "2")])])
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "a @1")
        #expect(try await feed.next() == "startOver")
        #expect(try await feed.next() == "@p")
        #expect(await feed.transport.calls == ["page", "stream p", "page"])
    }

    @Test func `the delay before the next stream grows until an event arrives`() async throws {
        var feed = try Feed([
            .events(["retry: 2000\n\n"]), .events([":\n\n"], .breaks), .unreachable, .events([":\n\n"]),
            .events([Self.caughtUp]), .events([":\n\n"]), .events([Self.change("a", id: "1")], .staysSilent),
        ])
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "a @1")
        // The random part is half of 1, 2, 4, 8 and again 1 and 2 seconds.
        #expect(feed.waits.all == [2.5, 1, 2, 4, 0.5, 1].map { Duration.seconds($0) })
    }

    @Test func `the server's delays come before the random one`() async throws {
        let busy = #"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"test","retryAfter":9}"#
        var feed = try Feed([
            .response(503, busy), .events(["event: end\ndata: \(busy)\n\nretry: 3000\n\n"]),
            .events(["retry: 3000\n\n" + Self.caughtUp]), .events([Self.change("a", id: "1")], .staysSilent),
        ])
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "a @1")
        #expect(feed.waits.all == [9.5, 10, 3.5].map { Duration.seconds($0) })
    }

    @Test func `a page after the end of a stream says that the session has ended`() async throws {
        let ended = #"{"serverErrorCode":"AUTHENTICATION_FAILED","reason":"test"}"#
        var feed = try Feed([.events([Self.caughtUp, "event: end\ndata: \(ended)\n\n"])])
        #expect(try await feed.next() == "@p")
        await feed.transport.rejectPage(401, #"{"serverErrorCode":"AUTHENTICATION_REQUIRED","reason":"test"}"#)
        let error = await #expect(throws: FogbaseError.self) { _ = try await feed.next() }
        guard case .notAuthenticated? = error else { throw error ?? CancellationError() }
        #expect(feed.waits.all.isEmpty)
    }

    @Test(arguments: [
        Script.response(200, #"{"changes":[],"token":"q","moreComing":false}"#),
        .response(406, #"{"serverErrorCode":"BAD_REQUEST","reason":"test"}"#),
        .response(414, #"{"serverErrorCode":"BAD_REQUEST","reason":"test"}"#),
        .response(502, "<html>Bad Gateway</html>", type: "text/html"), .events(["event: change\ndata: {\n\n"]),
    ])
    func `without streams, a feed polls, and tries again after some minutes`(script: Script) async throws {
        var feed = try Feed([script, .events([Self.change("a", id: "1")], .staysSilent)])
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "a @1")
        // 7 × 1.5ⁿ seconds, at most 60, until there are 300.
        #expect(feed.waits.all.prefix(3) == [.seconds(7), .seconds(10.5), .seconds(15.75)])
        #expect(feed.waits.all.reduce(.zero, +) >= .seconds(300) && feed.waits.all.count == 9)
        #expect(await feed.transport.calls.count { $0.hasPrefix("stream") } == 2)
    }

    @Test func `a feed polls if a proxy holds the events back`() async throws {
        let silences = Waits()
        var feed = try Feed([.events([], .staysSilent), .lost]) { try await silences.sleep($0) }
        #expect(try await feed.next() == "@p")
        let (waits, transport) = (feed.waits, feed.transport)
        waits.before(4) { await transport.rejectPage(403, #"{"serverErrorCode":"ACCESS_DENIED","reason":"test"}"#) }
        await #expect(throws: FogbaseError.self) { _ = try await feed.next() }
        // Two streams, then the polling interval.
        #expect(waits.all == [.seconds(0.5), .seconds(1), .seconds(7), .seconds(10.5)])
        #expect(silences.all == [.seconds(45)])
        #expect(await transport.calls == ["page", "stream p", "page p", "stream p", "page p", "page p", "page p"])
    }

    @Test func `a stream that falls silent is opened again`() async throws {
        let silences = Waits()
        var feed = try Feed([
            .events([Self.caughtUp], .staysSilent), .events([Self.change("a", id: "1")], .staysSilent),
        ]) { duration in
            try await silences.sleep(duration)
            // The first part arrives in time. Afterwards, 45 seconds pass.
            if silences.all.count != 2 { try await Task.sleep(for: .seconds(3_600)) }
        }
        #expect(try await feed.next() == "@p")
        #expect(try await feed.next() == "a @1")
        #expect(feed.waits.all == [.seconds(0.5)])
        #expect(silences.all == [.seconds(45), .seconds(45), .seconds(45)])
    }
}
