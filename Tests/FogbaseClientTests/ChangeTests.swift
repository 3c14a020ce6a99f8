import FogbaseClient
import Foundation
import RecordModel
import Testing

@Suite struct ChangeTests {
    private func save(_ names: [String], in database: Database, number: Int = 0) async throws {
        var batch = Batch()
        for name in names {
            var record = Record("Post", name: name)
            record["number"] = number
            _ = try batch.save(record, policy: .allFields)
        }
        _ = try await database.perform(batch)
    }

    @Test func `pages of changes lead from one to the next, with deletions`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let names = (0..<25).map { "post-\($0)" }
        try await save(names, in: database)
        var seen: [String] = []
        var token: ChangeToken?
        var pages = 0
        while true {
            let page = try await database.changes(since: token, limit: 10)
            seen += page.changed.map(\.name)
            token = page.token
            pages += 1
            if !page.moreComing { break }
        }
        #expect(seen == names && pages == 3)
        #expect(try await database.changes(since: token).isEmpty)

        try await database.delete("Post", "post-3")
        try await save(["post-4"], in: database, number: 4)
        let page = try await database.changes(since: token)
        #expect(page.deleted == [DeletedRecord("Post", name: "post-3")])
        #expect(page.changed.map(\.name) == ["post-4"])
        let number: Int? = page.changed.first?["number"]
        #expect(number == 4)
        let bare = try await database.changes(fields: ["nothing"])
        #expect(bare.changed.count == 24 && bare.changed.allSatisfy(\.fields.isEmpty))
    }

    @Test func `the feed of a private database that was never written starts over each time`() async throws {
        let server = try LiveServer()
        let container = server.client()
        try await container.signUp("ada", password: "correct horse")
        let empty = try await container.privateDatabase.changes()
        #expect(empty.isEmpty && !empty.moreComing)
        let record = try await container.privateDatabase.save(Record("Note"))
        #expect(try await container.privateDatabase.changes(since: empty.token).changed == [record])
    }

    @Test func `a polling feed yields existing changes, then their end, then new changes`() async throws {
        let server = try LiveServer()
        let waits = Waits()
        let retry = RetryPolicy(attempts: 1) { try await waits.sleep($0) }
        let tokens = MemoryTokenStore(LiveServer.administratorToken)
        let database = server.client(tokens: tokens, retry: retry, transport: WatchedTransport()).publicDatabase
        var events = database.changeFeed(every: .seconds(2), atMost: .seconds(10)).makeAsyncIterator()
        let first = try #require(try await events.next())
        guard case .changes(let empty) = first else { throw CancellationError() }
        #expect(empty.isEmpty && !empty.moreComing)

        // The first four polls find nothing; then a write happens.
        waits.before(5) { try await self.save(["a", "b"], in: database) }
        let second = try #require(try await events.next())
        guard case .changes(let page) = second else { throw CancellationError() }
        #expect(page.changed.map(\.name) == ["a", "b"])
        #expect(waits.all == [2, 3, 4.5, 6.75, 10].map { Duration.seconds($0) })

        // Quick again.
        waits.before(6) { try await database.delete("Post", "a") }
        let third = try #require(try await events.next())
        #expect(waits.all.last == .seconds(2))
        guard case .changes(let last) = third else { throw CancellationError() }
        #expect(last.deleted.map(\.name) == ["a"])

        // Another run continues where this one has ended.
        try await save(["c"], in: database)
        var resumed = database.changeFeed(since: second.token).makeAsyncIterator()
        guard case .changes(let rest)? = try await resumed.next() else { throw CancellationError() }
        #expect(rest.changed.map(\.name) == ["c"] && rest.deleted.map(\.name) == ["a"])
    }

    @Test func `a polling feed waits for an unreachable server`() async throws {
        let server = try LiveServer()
        let waits = Waits()
        let retry = RetryPolicy(attempts: 1) { try await waits.sleep($0) }
        let tokens = MemoryTokenStore(LiveServer.administratorToken)
        let database = server.client(tokens: tokens, retry: retry, transport: WatchedTransport()).publicDatabase
        try await save(["a"], in: database)
        var events = database.changeFeed().makeAsyncIterator()
        let token = try await events.next()?.token
        #expect(token != nil)
        server.kill()
        // Once for its interval, twice because the server is unreachable.
        waits.before(3) {
            try server.start()
            try await self.save(["b"], in: database)
        }
        guard case .changes(let page)? = try await events.next() else { throw CancellationError() }
        #expect(page.changed.map(\.name) == ["b"])
        #expect(waits.all.count == 3)
    }

    @Test func `a feed starts over when the caller's rights have changed`() async throws {
        let server = try LiveServer()
        let container = server.client(retry: RetryPolicy(attempts: 1) { _ in })
        let ada = try await container.signUp("ada", password: "correct horse")
        let record = try await container.publicDatabase.save(Record("Post"))
        var events = container.publicDatabase.changeFeed().makeAsyncIterator()
        guard case .changes(let page)? = try await events.next() else { throw CancellationError() }
        #expect(page.changed.contains(record))
        try await server.put(#"{"members":["\#(ada.recordName)"]}"#, "roles", "editors")
        #expect(try await events.next() == .startOver)
        guard case .changes(let again)? = try await events.next() else { throw CancellationError() }
        #expect(again.changed == page.changed)

        // A token of another user is equally invalid.
        let other = server.client()
        try await other.signUp("bob", password: "correct horse")
        var theirs = other.publicDatabase.changeFeed(since: again.token).makeAsyncIterator()
        #expect(try await theirs.next() == .startOver)
    }

    @Test func `a feed that the caller may not read throws, and cancellation ends a feed`() async throws {
        let server = try LiveServer()
        var rejected = server.client().privateDatabase.changeFeed().makeAsyncIterator()
        let error: FogbaseError?
        do {
            _ = try await rejected.next()
            error = nil
        } catch let thrown as FogbaseError {
            error = thrown
        }
        guard case .notAuthenticated? = error else { throw error ?? CancellationError() }

        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let database = server.administrator.publicDatabase
        let reader = Task {
            for try await _ in database.changeFeed(every: .seconds(3_600)) { start.yield() }
        }
        var starts = started.makeAsyncIterator()
        _ = await starts.next()
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }
}
