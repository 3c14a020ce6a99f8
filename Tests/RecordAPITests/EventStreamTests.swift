import HTTP
import RecordEngine
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

@Suite struct EventStreamTests {
    private func forum() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        try await database.addForum()
        return database
    }

    @Test func `a stream sends what is there, then what happens, with a token after each`() async throws {
        let database = try await forum()
        let stream = try await database.stream("?type=Post", as: .stranger)
        let first = try await stream.read()
        #expect(first.map(\.name) == ["change", "change", "caughtup"])
        #expect(first.map(\.record) == ["p1", "p2", nil])
        #expect(first[2].json?["token"]?.string == first[2].id)
        await database.call(.patch, "/records/Post/p1", as: .creator, body: #"{"fields":{"title":"shore"}}"#)
        await database.call(.delete, "/records/Post/p2", as: .creator)
        let next = try await stream.read()
        #expect(next.map(\.name) == ["change", "change"])
        #expect(next[0].json?["fields"]?["title"]?["value"]?.string == "shore")
        #expect(next[1].json?["deleted"]?.bool == true)
        #expect(Set((first + next).compactMap(\.id)).count == 5)
        #expect(stream.retries == ["2000"])
    }

    @Test func `each id continues without a gap or a repetition`() async throws {
        let database = try await forum()
        for number in 0..<5 {
            await database.call(.put, "/records/Post/q\(number)", as: .creator, body: #"{"fields":{"title":"x"}}"#)
        }
        let all = try await database.stream("?type=Post", as: .stranger).read().filter { $0.name == "change" }
        #expect(all.count == 7)
        for (index, event) in all.enumerated() {
            let rest = try await database.stream("?type=Post", as: .stranger, after: event.id).read()
            #expect(rest.compactMap(\.record) == all[(index + 1)...].compactMap(\.record))
            let token = try #require(event.id)
            let page = await database.call(
                .get, "/changes?type=Post&since=\(PathSegment.encode(token))", as: .stranger)
            #expect(page.changes.compactMap { $0["recordName"]?.string } == all[(index + 1)...].compactMap(\.record))
        }
    }

    @Test func `a stream from now on has no earlier change, and a page neither`() async throws {
        let database = try await forum()
        let stream = try await database.stream("?since=now", as: .stranger)
        #expect(try await stream.read().map(\.name) == ["caughtup"])
        let page = await database.call(.get, "/changes?since=now", as: .stranger)
        #expect(page.changes.isEmpty && page.json?["moreComing"]?.bool == false)
        await database.call(.put, "/records/Post/p3", as: .creator, body: #"{"fields":{"title":"new"}}"#)
        #expect(try await stream.read().compactMap(\.record) == ["p3"])
        let token = try #require(page.json?["token"]?.string)
        let next = await database.call(.get, "/changes?since=\(PathSegment.encode(token))", as: .stranger)
        #expect(next.changes.count == 1)
    }

    @Test func `a record that no longer matches leaves, and one that never could does not`() async throws {
        let database = try await forum()
        let query = "?type=Post&where=good%20%3E%3D%20%25%40&arg=2"
        let stream = try await database.stream(query, as: .stranger)
        #expect(try await stream.read().map(\.name) == ["leave", "leave", "caughtup"].suffix(1))
        func put(_ name: String, _ good: Int) async {
            await database.call(.put, "/records/Post/\(name)", as: .creator, body: #"{"fields":{"good":\#(good)}}"#)
        }
        await put("a", 1)
        #expect(try await stream.read() == [])
        await put("a", 2)
        #expect(try await stream.read().map(\.name) == ["change"])
        await put("a", 1)
        let left = try await stream.read()
        #expect(left.map(\.name) == ["leave"] && left.first?.record == "a")
        await put("b", 3)
        await database.call(.delete, "/records/Post/b", as: .creator)
        await put("b", 1)
        // The deletion stays in the feed, although a record with the same name exists again.
        let events = try await stream.read()
        #expect(events.map(\.name) == ["change"] && events.first?.json?["deleted"]?.bool == true)
    }

    @Test func `a record that a caller loses leaves its stream, and is deleted without a condition`() async throws {
        let database = try await forum()
        await database.call(
            .put, "/records/Post/a", as: .creator,
            body: #"{"fields":{"title":"x"},"acl":{"{creator}":["READ","WRITE"],"{stranger}":["READ"]}}"#)
        let plain = try await database.stream("?type=Post", as: .stranger)
        let filtered = try await database.stream("?type=Post&where=title%20%3D%3D%20%22x%22", as: .stranger)
        #expect(try await plain.read().contains { $0.record == "a" })
        #expect(try await filtered.read().contains { $0.record == "a" })
        let change = await database.call(
            .patch, "/records/Post/a", as: .creator, body: #"{"acl":{"{creator}":["READ","WRITE"]}}"#)
        #expect(change.status == 200, "\(change.text)")
        let lost = try await plain.read()
        #expect(lost.map(\.name) == ["change"] && lost.first?.json?["deleted"]?.bool == true)
        #expect(try await filtered.read().map(\.name) == ["leave"])
        await database.call(.patch, "/records/Post/a", as: .creator, body: #"{"fields":{"title":"y"}}"#)
        #expect(try await plain.read() == [])
        #expect(try await filtered.read() == [])
    }

    @Test func `a change of grants resets a stream, which starts from the beginning with the new rights`() async throws
    {
        let database = try await forum()
        let stream = try await database.stream("?type=Post&type=Secret", as: .member)
        #expect(try await stream.read().compactMap(\.record) == ["p1", "p2", "s1"])
        let granted = await database.call(
            .put, "/grants/Secret", as: .administrator, body: #"{"grants":{"_icloud":["CREATE"]}}"#)
        #expect(granted.status == 200, "\(granted.text)")
        let events = try await stream.read()
        #expect(events.map(\.name) == ["reset", "change", "change", "caughtup"])
        #expect(events.compactMap(\.record) == ["p1", "p2"])
        await database.call(.patch, "/records/Secret/s1", as: .administrator, body: #"{"fields":{"title":"z"}}"#)
        #expect(try await stream.read() == [])
    }

    @Test func `a disabled user's stream ends with the reason, and so does that of an ended session`() async throws {
        let database = try await forum()
        let streams = [
            try await database.stream(as: .stranger), try await database.stream(as: .creator),
        ]
        for stream in streams { _ = try await stream.read() }
        await database.call(.patch, "/users/{stranger}", as: .administrator, body: #"{"disabled":true}"#)
        await database.call(.delete, "/sessions/current", as: .creator)
        for stream in streams {
            let events = try await stream.read()
            #expect(events.map(\.name) == ["end"])
            #expect(events.first?.json?["serverErrorCode"]?.string == "AUTHENTICATION_FAILED")
            #expect(stream.hasEnded && stream.retries.count == 2)
        }
    }

    @Test func `a filtered stream tells its position without an event`() async throws {
        let database = try await forum()
        let stream = try await database.stream("?type=Secret&since=now", as: .member)
        _ = try await stream.read()
        let before = stream.lastID
        await database.call(.put, "/records/Post/p9", as: .creator, body: #"{"fields":{"title":"x"}}"#)
        #expect(try await stream.read() == [])
        #expect(stream.silentIDs == 1 && stream.lastID != before)
    }

    @Test func `a stream of a private database begins before its first write`() async throws {
        let database = try await forum()
        let stream = try await database.stream("?database=private", as: .creator)
        #expect(try await stream.read().map(\.name) == ["caughtup"])
        await database.call(
            .put, "/records/Entry/e1?database=private", as: .creator, body: #"{"fields":{"title":"x"}}"#)
        #expect(try await stream.read().compactMap(\.record) == ["e1"])
        let other = await database.call(
            .get, "/changes?database=private&owner={creator}", as: .stranger,
            headers: [("Accept", "text/event-stream")])
        #expect(other.status == 403)
    }

    @Test func `a stream ends when its client leaves or the server stops`() async throws {
        let database = try await forum()
        let (left, stopped) = (
            try await database.stream("?type=Post", as: .stranger),
            try await database.stream("?type=Post", as: .stranger)
        )
        #expect(try await left.read().count == 3)
        #expect(try await stopped.read().count == 3)
        left.leave()
        stopped.stop()
        #expect(try await left.read() == [])
        #expect(try await stopped.read() == [])
        #expect(left.hasEnded && stopped.hasEnded)
        let retry = try #require(stopped.retries.last.flatMap { Int($0) })
        #expect((1_000...5_000).contains(retry))
    }

    @Test func `a ticket opens one stream as its creator, with its parameters`() async throws {
        let database = try await forum()
        let made = await database.call(.post, "/changes/tickets?type=Secret", as: .member)
        #expect(made.status == 201 && made.field("Cache-Control") == "no-store")
        let url = try #require(made.json?["url"]?.string)
        let accept = [("Accept", "text/event-stream")]
        let wrong = await database.call(.get, url + "&type=Post", headers: accept)
        #expect(wrong.status == 400)
        #expect(await database.call(.get, url, headers: accept).status == 401)
        let second = try #require(
            await database.call(.post, "/changes/tickets?type=Secret", as: .member).json?["url"]?.string)
        let stream = try StreamReader(await database.call(.get, second, headers: accept))
        #expect(try await stream.read().compactMap(\.record) == ["s1"])
        let again = await database.call(.get, second, headers: accept)
        #expect(again.status == 401 && again.code == "AUTHENTICATION_FAILED")
        let third = try #require(
            await database.call(.post, "/changes/tickets?type=Secret", as: .member).json?["url"]?.string)
        let id = try #require(stream.lastID)
        let resumed = try StreamReader(
            await database.call(.get, third + "&since=\(PathSegment.encode(id))", headers: accept))
        #expect(try await resumed.read().map(\.name) == ["caughtup"])
    }

    @Test(arguments: [
        ("?limit=5", 400, "BAD_REQUEST"), ("?where=good%20%3E%201", 400, "BAD_REQUEST"),
        ("?type=Post&type=Secret&where=good%20%3E%201", 400, "BAD_REQUEST"),
        ("?type=Post&where=good%20%3E", 400, "BAD_REQUEST"), ("?type=Post&where=nothing%20%3E%201", 400, "BAD_REQUEST"),
        ("?type=a%20b", 400, "BAD_REQUEST"),
        ("?ticket=abc", 401, "AUTHENTICATION_FAILED"),
    ])
    func `a stream that cannot be opened is an error`(query: String, status: Int, code: String) async throws {
        let database = try await forum()
        let response = await database.call(
            .get, "/changes" + query, as: .stranger, headers: [("Accept", "text/event-stream")])
        #expect(response.status == status && response.code == code, "\(response.text)")
        #expect(response.events == nil)
    }

    @Test func `a condition on a type that the caller may not read is rejected`() async throws {
        let database = try await forum()
        let response = await database.call(
            .get, "/changes?type=Secret&where=title%20%3D%3D%20%22x%22", headers: [("Accept", "text/event-stream")])
        #expect(response.status == 401 && response.code == "AUTHENTICATION_REQUIRED", "\(response.text)")
    }

    @Test func `a page takes no condition, and other media types get none`() async throws {
        let database = try await forum()
        let page = await database.call(.get, "/changes?type=Post&where=good%20%3E%201", as: .stranger)
        #expect(page.status == 400 && page.text.contains("text/event-stream"))
        let html = await database.call(.get, "/changes", as: .stranger, headers: [("Accept", "text/html")])
        #expect(html.status == 406)
        let typed = await database.call(.get, "/changes?type=Secret&type=Drop", as: .member)
        #expect(typed.changes.compactMap { $0["recordName"]?.string } == ["s1"])
    }
}
