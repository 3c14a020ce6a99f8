import FogbaseClient
import Foundation
import TestSupport
import Testing

/// Feeds that stream from a real server.
@Suite struct LiveFeedTests {
    private struct Post: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title }

        var title: String
    }

    private func page<Model>(_ event: ModelChangeFeed<Model>.Event?) throws -> ModelChangePage<Model> {
        guard case .changes(let page)? = event else { throw CancellationError() }
        return page
    }

    @Test func `changes arrive without polling, and only those of the model`() async throws {
        let server = try LiveServer()
        let transport = WatchedTransport(streamsEvents: true)
        let tokens = MemoryTokenStore(LiveServer.administratorToken)
        let retry = RetryPolicy(attempts: 1) { _ in throw CancellationError() }
        let database = server.client(tokens: tokens, retry: retry, transport: transport).publicDatabase
        let direct = server.administrator.publicDatabase
        var events = database.changeFeed(of: Post.self).makeAsyncIterator()
        #expect(try page(try await events.next()).isEmpty)
        var wide = Record("Post", name: "a")
        (wide["title"], wide["text"]) = ("sea", "not requested")
        try await direct.save(Record("Other"))
        try await direct.save(wide)
        #expect(try page(try await events.next()).items.map(\.model) == [Post(title: "sea")])
        try await direct.delete("Post", "a")
        let last = try page(try await events.next())
        #expect(last.deleted == ["a"] && !last.moreComing)
        #expect(await transport.calls == ["GET /changes", "GET /changes text/event-stream"])

        var resumed = database.changeFeed(of: Post.self, since: last.token).makeAsyncIterator()
        #expect(try page(try await resumed.next()).isEmpty)
    }

    @Test func `no change is lost or repeated while the server is killed and started again`() async throws {
        let server = try LiveServer()
        let waits = Waits()
        let retry = RetryPolicy(attempts: 1) { try await waits.sleep($0) }
        let tokens = MemoryTokenStore(LiveServer.administratorToken)
        let database = server.client(tokens: tokens, retry: retry).publicDatabase
        let direct = server.administrator.publicDatabase
        var events = database.changeFeed(of: Post.self).makeAsyncIterator()
        #expect(try page(try await events.next()).isEmpty)
        var (written, seen): ([String], [String]) = ([], [])
        for round in 0..<3 {
            for step in 0..<4 {
                let name = "post-\(round)-\(step)"
                try await direct.create(Post(title: name), named: name)
                written.append(name)
                if step == 1 {
                    while seen.count < written.count {
                        seen += try page(try await events.next()).items.map(\.id)
                    }
                    server.kill()
                    try server.start()
                }
            }
        }
        while seen.count < written.count { seen += try page(try await events.next()).items.map(\.id) }
        #expect(seen == written)
        #expect(!waits.all.isEmpty)
    }

    @Test func `after its user signs out, a private feed throws, and a public one starts over as a guest's`()
        async throws
    {
        let server = try LiveServer()
        let container = server.client()
        try await container.signUp("ada", password: "correct horse")
        try await container.privateDatabase.save(Record("Note"))
        var theirs = container.privateDatabase.changeFeed().makeAsyncIterator()
        _ = try await theirs.next()
        var open = container.publicDatabase.changeFeed().makeAsyncIterator()
        _ = try await open.next()
        // Both have read a page. Now they wait on their streams until the server ends the session.
        let before = server.sockets
        async let signedOut: Void = {
            var pauses = Pauses()
            while server.sockets < before + 1 { await pauses.pause() }
            try await container.signOut()
        }()
        let error = await #expect(throws: FogbaseError.self) { _ = try await theirs.next() }
        guard case .notAuthenticated? = error else { throw error ?? CancellationError() }
        try await signedOut
        #expect(try await open.next() == .startOver)
        guard case .changes(let page)? = try await open.next() else { throw CancellationError() }
        #expect(!page.moreComing)
    }

    @Test func `a canceled feed closes its connection, and open feeds leave connections for calls`() async throws {
        let server = try LiveServer()
        let tokens = MemoryTokenStore(LiveServer.administratorToken)
        let transport = URLSessionTransport(connectionsPerHost: 2)
        let database = server.client(tokens: tokens, transport: transport).publicDatabase
        try await database.save(Record("Post"))
        let before = server.sockets
        let feeds = (0..<12).map { _ in
            Task {
                for try await _ in database.changeFeed() {}
            }
        }
        var pauses = Pauses()
        while server.sockets < before + feeds.count { await pauses.pause() }
        try await database.save(Record("Post"))
        feeds.forEach { $0.cancel() }
        for feed in feeds {
            await #expect(throws: CancellationError.self) { try await feed.value }
        }
        while server.sockets > before + 1 { await pauses.pause() }
    }
}
