import FogbaseClient
import Foundation
import Testing

@Suite struct ReferenceTests {
    private struct Post: Codable, RecordCodable, Equatable {
        var title: String
    }

    private struct Comment: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case post, text }

        var post: Reference
        var text: String
    }

    @Test func `records of one batch point to each other before they are written`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        var batch = Batch()
        let post = try batch.create(Post(title: "sea"))
        let comment = try batch.create(Comment(post: post.reference(.deleteSelf), text: "fog"))
        let outcome = try await database.perform(batch)
        let stored = try outcome[post]
        #expect(try outcome[comment].post == stored.reference(.deleteSelf) && stored.id == post.name)
        try await database.delete(stored)
        await #expect(throws: FogbaseError.self) { _ = try await database.fetch(Comment.self, comment.name) }
    }

    @Test func `records are read by references to them`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let sea = try await database.create(Post(title: "sea"))
        let sky = try await database.create(Post(title: "sky"))
        let other = try await database.create(Comment(post: sea.reference(), text: "no post"))
        let missing = try Reference(to: "nobody")
        #expect(try await database.fetch(Post.self, sea.reference()) == sea)
        let asked = [sky.reference(), missing, sea.reference(.validate), other.reference(), sky.reference()]
        let posts = try await database.fetch(Post.self, asked)
        #expect(posts.items == [sky, sea] && posts.missing == ["nobody", other.id] && posts.failures.isEmpty)
        #expect(try posts[sea.reference()] == sea && posts[missing] == nil && posts[sky.id] == sky)
        let found = try await database.fetch(Query<Comment>().filter(.post, equals: sea.reference()))
        #expect(found.items == [other])
        await #expect(throws: FogbaseError.self) { _ = try await database.fetch(Post.self, missing) }
    }

    @Test(arguments: [false, true]) func `a query expands references into models`(isInMemory: Bool) async throws {
        let server = try isInMemory ? nil : LiveServer()
        let double = InMemoryServer(administratorToken: "all")
        let database =
            server?.administrator.publicDatabase
            ?? double.makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
        let sea = try await database.create(Post(title: "sea"))
        let sky = try await database.create(Post(title: "sky"))
        let gone = try await database.create(Comment(post: try Reference(to: "nobody"), text: "gone"))
        var comments: [Stored<Comment>] = []
        for text in ["one", "two", "three"] {
            comments.append(try await database.create(Comment(post: sea.reference(), text: text)))
        }
        let page = try await database.fetch(Query<Comment>().expanding(.post))
        #expect(page.items == [gone] + comments && page.expanded.count == 1)
        for comment in page.items {
            let post: Stored<Post>? = try page.expanded.target(of: comment.post)
            #expect(post == (comment.id == gone.id ? nil : sea))
        }
        #expect(try page.expanded.targets(of: page.items.map(\.post), as: Post.self) == [sea, sea, sea])
        #expect(throws: FogbaseError.self) { try page.expanded.target(of: sea.reference(), as: Comment.self) }
        let posts = try await database.fetch(
            Query<Post>().expanding(paths: .from(Comment.self, by: .post, limit: 2, sort: "-createdTimestamp")))
        let found = try posts.expanded.records(referringTo: sea, by: .post, as: Comment.self)
        #expect(found.items == [comments[2], comments[1]] && found.hasMore)
        let none = try posts.expanded.records(referringTo: sky, by: .post, as: Comment.self)
        #expect(none.items.isEmpty && !none.hasMore)
    }

    @Test func `pages are read in both directions`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        for title in ["a", "b", "c", "d", "e"] { try await database.create(Post(title: title)) }
        let first = try await database.fetch(Query<Post>().limit(to: 2))
        #expect(first.previous == nil)
        let second = try await database.fetch(after: try #require(first.next))
        let third = try await database.fetch(after: try #require(second.next))
        #expect(third.items.map(\.model.title) == ["e"] && third.next == nil)
        let back = try await database.fetch(before: try #require(third.previous))
        #expect(back.items == second.items)
        let start = try await database.fetch(before: try #require(back.previous))
        #expect(start.items == first.items && start.previous == nil)
        #expect(try await database.fetch(after: try #require(start.next)).items == second.items)
    }

    @Test func `a record that does not fit its model is reported with its reference`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let good = try await database.create(Post(title: "sea"))
        var odd = Record("Post", name: "odd")
        odd["text"] = "without a title"
        try await database.save(odd)
        let posts = try await database.fetch(Post.self, [odd.reference(), good.reference()])
        #expect(posts.items == [good] && posts.failures.map(\.recordName) == ["odd"] && posts.missing.isEmpty)
        #expect(throws: FogbaseError.self) { _ = try posts[odd.reference()] }
    }

    @Test(arguments: ["", ".", "..", "a\u{7}", String(repeating: "n", count: 256)])
    func `a reference to a name that no record can have is rejected`(name: String) throws {
        #expect(throws: FogbaseError.self) { _ = try Reference(to: name) }
    }

    @Test func `a record with an invalid name is rejected, and so are references to it`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let record = Record("Post", name: "..")
        await #expect(throws: FogbaseError.self) { try await database.save(record) }
        let comment = Comment(post: record.reference(), text: "to nowhere")
        let error = await #expect(throws: FogbaseError.self) { try await database.create(comment) }
        #expect(error?.field == "post")
    }
}
