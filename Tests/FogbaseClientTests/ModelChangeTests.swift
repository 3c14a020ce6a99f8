import FogbaseClient
import Foundation
import Testing

/// The changes of one model's records.
@Suite struct ModelChangeTests {
    private struct Post: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title }

        var title: String
    }

    private struct Likes: Codable, RecordCodable, Equatable {
        var count: Int
    }

    private func page<Model>(_ event: ModelChangeFeed<Model>.Event?) throws -> ModelChangePage<Model> {
        guard case .changes(let page)? = event else { throw CancellationError() }
        return page
    }

    @Test func `a page has the model's records, and passes over all others`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let sea = try await database.create(Post(title: "sea"), named: "sea")
        try await database.create(Likes(count: 1), named: "likes")
        var wide = Record("Post", name: "wide")
        wide["title"] = "wide"
        wide["text"] = "not asked for"
        wide = try await database.save(wide)
        var odd = Record("Post", name: "odd")
        odd["text"] = "no title"
        try await database.save(odd)
        let page = try await database.changes(of: Post.self)
        #expect(page.items.map(\.id) == ["sea", "wide"] && page.items.first == sea)
        #expect(page.failures.map(\.recordName) == ["odd"] && !page.isEmpty && !page.moreComing)
        try await database.delete(Likes.self, "likes")
        try await database.delete(sea)
        let next = try await database.changes(of: Post.self, since: page.token)
        #expect(next.deleted == ["sea"] && next.items.isEmpty)

        let untyped = try await database.changes(types: ["Post"])
        #expect(untyped.changed.map(\.name) == ["wide", "odd"] && untyped.changed.first == wide)
        #expect(try untyped.changed.first?.stored(as: Post.self).title == "wide")
        #expect(untyped.deleted.map(\.name) == ["sea"])
        #expect(throws: FogbaseError.self) { _ = try Record("Post").stored(as: Post.self) }
    }

    @Test func `a name that another type reuses is deleted for the first`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let post = try await database.create(Post(title: "sea"), named: "name")
        let token = try await database.changes(of: Post.self).token
        try await database.delete(post)
        try await database.create(Likes(count: 1), named: "name")
        let page = try await database.changes(of: Post.self, since: token)
        #expect(page.deleted == ["name"] && page.results.isEmpty)
    }

    @Test func `a record that has the name of a deleted one is not deleted`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let first = try await database.create(Post(title: "first"), named: "name")
        let token = try await database.changes(of: Post.self).token
        try await database.delete(first)
        let second = try await database.create(Post(title: "second"), named: "name")
        let page = try await database.changes(of: Post.self, since: token)
        #expect(page.items == [second] && page.deleted.isEmpty)
        let untyped = try await database.changes(since: token)
        #expect(untyped.changed.map(\.name) == ["name"] && untyped.deleted.isEmpty)
    }

    @Test func `a feed follows the model's records and continues where another run has ended`() async throws {
        let server = try LiveServer()
        let waits = Waits()
        let retry = RetryPolicy(attempts: 1) { try await waits.sleep($0) }
        let tokens = MemoryTokenStore(LiveServer.administratorToken)
        let database = server.client(tokens: tokens, retry: retry, transport: WatchedTransport()).publicDatabase
        try await database.create(Post(title: "first"), named: "a")
        var events = database.changeFeed(of: Post.self).makeAsyncIterator()
        let first = try page(try await events.next())
        #expect(first.items.map(\.title) == ["first"])

        // The server does not send changes of other types.
        waits.before(2) { try await database.create(Likes(count: 1), named: "likes") }
        waits.before(3) { try await database.delete(Post.self, "a") }
        let second = try page(try await events.next())
        #expect(second.deleted == ["a"] && second.results.isEmpty && !second.moreComing)
        #expect(waits.all.count == 3)

        try await database.create(Post(title: "second"), named: "b")
        var resumed = database.changeFeed(of: Post.self, since: first.token).makeAsyncIterator()
        let rest = try page(try await resumed.next())
        #expect(rest.items.map(\.id) == ["b"] && rest.deleted == ["a"])
    }

    @Test func `the double's feed starts over when its tokens are too old`() async throws {
        let server = InMemoryServer()
        let container = server.makeClient().container()
        try await container.signUp("ada", password: "correct horse")
        let database = container.publicDatabase
        try await database.create(Post(title: "first"), named: "a")
        var events = database.changeFeed(of: Post.self).makeAsyncIterator()
        let first = try page(try await events.next())
        #expect(first.items.map(\.id) == ["a"])
        await server.expireChangeTokens()
        guard case .startOver? = try await events.next() else {
            Issue.record("It went on with an old token")
            return
        }
        #expect(try page(try await events.next()).items.map(\.id) == ["a"])
    }
}
