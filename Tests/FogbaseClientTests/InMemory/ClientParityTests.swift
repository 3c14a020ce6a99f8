import FogbaseClient
import Foundation
import RecordModel
import Testing

/// An app sees the same through the client from the double and from the real server.
@Suite(.serialized) struct ClientParityTests {
    private struct Post: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title, thread, good, tags, above, file }
        var title: String
        var thread: String
        var good = 0
        var tags: [String] = []
        var above: Reference?
        var file: Asset?
    }

    /// Runs an app on both servers, and compares its notes.
    private func compare(_ app: (Container, inout [String]) async throws -> Void) async throws {
        let live = try LiveServer()
        let server = InMemoryServer()
        var (real, double): ([String], [String]) = ([], [])
        try await app(live.client(), &real)
        try await app(server.makeClient().container(), &double)
        #expect(!real.isEmpty)
        #expect(real == double)
    }

    /// The name of a call's error, or that there was none.
    private func word(_ body: () async throws -> some Any) async -> String {
        do {
            _ = try await body()
            return "done"
        } catch let error as FogbaseError {
            let name = "\(Mirror(reflecting: error).children.first?.label ?? "")"
            return "\(name) \(error.status ?? 0) \(error.serverError?.cause?.rawValue ?? "")"
        } catch {
            return "\(type(of: error))"
        }
    }

    @Test func `a forum is written, queried, followed and cleared`() async throws {
        try await compare { container, notes in
            notes.append(await word { try await container.currentUser() })
            try await container.signUp("ada", password: "correct horse")
            notes.append(await word { try await container.signUp("ada", password: "correct horse") })
            let database = container.publicDatabase
            var batch = Batch()
            let root = try batch.create(Post(title: "root", thread: "a"), named: "root")
            for index in 0..<30 {
                try batch.create(
                    Post(
                        title: "p\(index)", thread: index.isMultiple(of: 3) ? "a" : "b", good: index % 5,
                        tags: index.isMultiple(of: 2) ? ["even"] : [],
                        above: root.reference(.deleteSelf)),
                    named: "p\(index)")
            }
            notes.append(try await database.perform(batch)[root].model.title)
            let page = try await database.fetchCounting(
                Query<Post>().filter(.thread, equals: "b").sorted(by: .good, ascending: false).limit(to: 7))
            notes.append("\(page.count ?? -1) \(page.items.map(\.id)) \(page.next != nil)")
            if let next = page.next { notes.append("\(try await database.fetch(after: next).items.map(\.id))") }
            var names: [String] = []
            for try await post in database.records(Query<Post>().filter(.tags, contains: "even").limit(to: 4)) {
                names.append(post.id)
            }
            notes.append("\(names)")
            notes.append("\(try await database.count(Query<Post>().filter("good > %@ AND thread == %@", 2, "a")))")
            let found = try await database.fetch(Post.self, names: ["p1", "none", "p29"])
            notes.append("\(found.items.map(\.id)) \(found.missing)")
            notes.append("\(try await database.changes(limit: 5).changed.map(\.name).filter { !$0.hasPrefix("_") })")
            let changed = try await database.change(
                matching: Query<Post>().filter(.thread, equals: "a"), .increment(.good, by: 10),
                .appendUnique(.tags, ["seen"]))
            notes.append("\(changed)")
            notes.append("\(try await database.count(Query<Post>().filter(.good, atLeast: 10)))")
            let asked = Query<Post>().filter(.thread, equals: "b")
            notes.append(await word { try await database.delete(matching: asked, ifAtMost: 3) })
            notes.append("\(try await database.deleteInBackground(asked).value)")
            let token = try await database.changes(limit: 1_000).token
            try await database.delete(Post.self, "root")
            let feed = try await database.changes(since: token, limit: 1_000)
            notes.append("\(feed.deleted.count) \(feed.changed.count) \(feed.moreComing)")
            notes.append("\(try await database.count(Query<Post>()))")
            notes.append(await word { try await database.fetch(Post.self, "root") })
        }
    }

    @Test func `rejected batches, references and access lists work alike`() async throws {
        try await compare { container, notes in
            let user = try await container.signUp("ada", password: "correct horse")
            let database = container.publicDatabase
            var batch = Batch()
            let root = try batch.create(Post(title: "root", thread: "a"))
            let leaf = try batch.create(Post(title: "leaf", thread: "a", above: root.reference(.validate)))
            try batch.delete("Post", "nobody")
            notes.append(await word { try await database.perform(batch) })
            let each = try await database.perform(batch, atomically: false)
            notes.append("\(each.failures.keys.sorted()) \(try each[leaf].above == root.reference(.validate))")
            notes.append(await word { try each.check() })
            notes.append(try await database.fetch(Post.self, root.reference()).title)
            let found = try await database.fetch(Post.self, [leaf.reference(), try Reference(to: "none")])
            notes.append("\(found.items.map(\.title)) \(found.missing)")
            notes.append(await word { try await database.delete(Post.self, root.name) })
            let above = Query<Post>().filter(.above, equals: root.reference())
            notes.append("\(try await database.fetch(above).items.map(\.title))")
            let access: RecordAccess = [.everyone(.read), .user(user, .readWrite)]
            let listed = try await database.create(Post(title: "listed", thread: "a"), access: access)
            notes.append("\(listed.metadata.access == access)")
        }
    }

    @Test func `files, private records and accounts work alike`() async throws {
        try await compare { container, notes in
            try await container.signUp("ada", password: "correct horse")
            let (shared, own) = (container.publicDatabase, container.privateDatabase)
            let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let asset = try await shared.upload(bytes, contentType: "text/plain", filename: "a b.txt")
            let post = try await shared.create(Post(title: "film", thread: "a", file: asset), named: "film")
            notes.append("\(asset.size) \(post.file?.filename ?? "")")
            #expect(asset.receipt != nil && post.file?.receipt == nil)
            let source = AssetSource.field("file", of: "Post", "film")
            notes.append("\(try await shared.data(of: source) == bytes)")
            notes.append("\(try await shared.data(of: source, range: 7..<20).map { $0 })")
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: file) }
            try await shared.download(source, to: file)
            notes.append("\(try Data(contentsOf: file) == bytes)")
            notes.append(await word { try await own.create(Post(title: "mine", thread: "a", file: asset)) })
            _ = try await own.create(Post(title: "mine", thread: "a"), named: "film")
            notes.append(try await own.fetch(Post.self, "film").title)
            var closed = RecordAccess.onlyCreator
            closed["*"] = .read
            let listed = try await shared.create(Post(title: "listed", thread: "a"), named: "listed", access: closed)
            notes.append("\(listed.metadata.access?.principals.count ?? 0)")
            notes.append(await word { try await own.create(Post(title: "x", thread: "a"), access: closed) })
            let limits = try await container.limits()
            notes.append("\(limits.batchOperations) \(limits.pageSize) \(limits.recordBytes) \(limits.bodyBytes)")
            notes.append("\(try await container.sessions().map(\.isCurrent))")
            notes.append(await word { try await container.changePassword(from: "wrong horse", to: "another horse") })
            try await container.changePassword(from: "correct horse", to: "another horse")
            notes.append("\(try await container.rename(to: "ida", password: "another horse").name ?? "")")
            try await container.rotateSession()
            let me = try await container.currentUser()
            notes.append("\(me.user.name ?? "") \(me.roles) \(me.isAdministrator) \(me.usage?.records ?? -1)")
            try await container.signOut()
            notes.append(await word { try await own.fetch(Post.self, "film") })
            notes.append(try await shared.fetch(Post.self, "film").title)
            notes.append(await word { try await shared.create(Post(title: "x", thread: "a")) })
            notes.append(await word { try await container.signIn("ada", password: "another horse") })
            try await container.signIn("ida", password: "another horse")
            try await container.deleteAccount(password: "another horse")
            notes.append("\(try await shared.fetch(Post.self, "film").metadata.creator)")
            if case .noAccount = try await container.accountStatus() { notes.append("nobody") }
        }
    }
}
