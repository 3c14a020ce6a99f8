import FogbaseClient
import Foundation
import Testing

/// Subscriptions through the client, on the real server. The double has none.
@Suite(.serialized) struct SubscriptionTests {
    @RecordCodable
    fileprivate struct Post: Equatable {
        var title: String
        var good: Int
    }

    @Test func `subscriptions are saved, listed and deleted, and report changes`() async throws {
        let server = try LiveServer()
        let container = server.client()
        try await container.signUp("ada", password: "correct horse")
        let (database, mine) = (container.publicDatabase, container.privateDatabase)
        try await database.create(Post(title: "old", good: 9), named: "old")
        let good = try Subscription.query("good/1", on: Post.self, where: \.good >= 5, firesOn: [.create, .delete])
        #expect(try await database.subscriptions.save(good) == good)
        #expect(try await database.subscriptions.fetch("good/1") == good)
        #expect(good.events == [.create, .delete] && good.recordType == "Post" && good.predicate != nil)
        try await mine.zones.create("Notebook")
        try await mine.subscriptions.save(.zone("z", of: "Notebook"))
        try await mine.subscriptions.save(.database("d"))
        #expect(try await mine.subscriptions.all() == [.database("d"), .zone("z", of: "Notebook")])
        #expect(try await database.subscriptions.all() == [good])
        let start = try await container.notifications()
        #expect(start.notifications.isEmpty && !start.moreComing)
        try await database.create(Post(title: "a", good: 5), named: "a")
        try await database.create(Post(title: "b", good: 4), named: "b")
        try await mine.zone("Notebook").create(Post(title: "c", good: 1), named: "c")
        let page = try await container.notifications(since: start.token, wait: 10)
        #expect(page.notifications.map(\.subscriptionID) == ["good/1", "z", "d"])
        let first = try #require(page.notifications.first)
        #expect(first.event == .create && first.recordName == "a" && first.recordType == "Post")
        #expect(first.database == "public" && page.notifications[1].zone == "Notebook")
        #expect(try await container.notifications(since: page.token, wait: 1).notifications.isEmpty)
        #expect(try await container.notifications(since: start.token, limit: 1).notifications == [first])
        #expect(try await container.notifications(since: .now).notifications.isEmpty)
        try await mine.subscriptions.delete("d")
        for id in ["d", "none"] {
            do {
                try await mine.subscriptions.delete(id)
                Issue.record("\(id) was deleted")
            } catch FogbaseError.notFound {}
        }
        do {
            try await database.subscriptions.save(.database("d"))
            Issue.record("The public database has no such subscription")
        } catch FogbaseError.badRequest {}
    }

    @Test func `the double says that it has no subscriptions`() async throws {
        let container = InMemoryServer().makeClient().container()
        try await container.signUp("ada", password: "correct horse")
        for call in [
            { _ = try await container.publicDatabase.subscriptions.all() },
            { _ = try await container.notifications() },
        ] as [() async throws -> Void] {
            do {
                try await call()
                Issue.record("The double has subscriptions")
            } catch let error as FogbaseError {
                #expect("\(error)".contains("subscriptions"), "\(error)")
            }
        }
    }
}
