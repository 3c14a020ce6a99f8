import FogbaseClient
import Foundation
import RecordModel
import Testing

/// Features of `InMemoryServer` for tests besides the server's responses.
@Suite struct InMemoryServerTests {
    private struct Post: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title, good, at }
        var title: String
        var good = 0
        var at: Date?
    }

    @Test func `the example of its page works`() async throws {
        let server = InMemoryServer()
        let container = server.makeClient().container()
        try await container.signUp("ada", password: "correct horse")
        _ = try await container.publicDatabase.create(Post(title: "sea"))
        #expect(await server.recordCount("Post") == 1)
    }

    @Test func `anyIn of a field that is no list means in`() async throws {
        let database = try await container(of: InMemoryServer()).publicDatabase
        for title in ["sea", "fog", "harbor"] { try await database.create(Post(title: title)) }
        let some = try await database.fetch(Query<Post>().filter(.title, anyIn: ["sea", "fog"]))
        #expect(Set(some.items.map(\.title)) == ["sea", "fog"])
        let others = try await database.fetch(Query<Post>().filter(.title, noneIn: ["sea", "fog"]))
        #expect(others.items.map(\.title) == ["harbor"])
    }

    /// A container with a signed-in user.
    private func container(of server: InMemoryServer, retry: RetryPolicy? = nil) async throws -> Container {
        let container = server.makeClient(retry: retry ?? RetryPolicy(sleep: { _ in })).container()
        try await container.signUp("user-\(UUID().uuidString)", password: "correct horse")
        return container
    }

    @Test func `a request whose response is lost is repeated, and the record exists once`() async throws {
        let server = InMemoryServer()
        let database = try await container(of: server).publicDatabase
        await server.failNext(.responseLost("cut"), times: 2)
        let post = try await database.create(Post(title: "sea"))
        #expect(await server.recordCount("Post") == 1)
        await server.failNext(.responseLost("cut"))
        let changed = try await database.change(Post.self, post.id, .increment(.good))
        #expect(changed.good == 1)
        let writes = await server.requests.filter { $0.method != "GET" && $0.url.path.hasPrefix("/records") }
        #expect(writes.map(\.method) == ["POST", "POST", "POST", "PATCH", "PATCH"])
    }

    @Test func `a request that was never sent was not executed`() async throws {
        let server = InMemoryServer()
        let database = try await container(of: server, retry: .never).publicDatabase
        await server.failNext(.unreachable("no net"))
        let error = await #expect(throws: FogbaseError.self) { _ = try await database.create(Post(title: "sea")) }
        #expect(error == .unreachable("no net"))
        await server.failNext(.responseLost("cut"))
        await #expect(throws: FogbaseError.self) { _ = try await database.create(Post(title: "fog")) }
        #expect(await server.recordCount("Post") == 1)
    }

    @Test(arguments: [401, 403, 404, 409, 410, 413, 429, 500, 503, 507]) func `a status that a test sets is returned`(
        status: Int
    ) async throws {
        let server = InMemoryServer()
        let database = try await container(of: server, retry: .never).publicDatabase
        await server.failNext(status: status, retryAfter: status == 429 ? 7 : nil)
        let error = await #expect(throws: FogbaseError.self) { _ = try await database.create(Post(title: "sea")) }
        #expect(error?.status == status)
        #expect(error?.retryAfter == (status == 429 ? .seconds(7) : nil))
        #expect(await server.recordCount() == 0)
        _ = try await database.create(Post(title: "sea"))
        #expect(await server.recordCount() == 1)
    }

    @Test func `a conflict has three states`() async throws {
        let database = try await container(of: InMemoryServer()).publicDatabase
        let first = try await database.create(Post(title: "a"), named: "p")
        var (mine, theirs) = (first, first)
        theirs.title = "theirs"
        _ = try await database.save(theirs)
        mine.title = "mine"
        do {
            _ = try await database.save(mine)
            Issue.record("It was saved over the other's change")
        } catch FogbaseError.conflict(let conflict, let rejection) {
            let texts = [conflict.client, conflict.server, conflict.ancestor].map { $0?["title"] as String? }
            #expect(texts == ["mine", "theirs", "a"] && rejection.status == 412)
        }
    }

    @Test func `the test controls the clock`() async throws {
        let start = Date(timeIntervalSince1970: 1_900_000_000)
        let database = try await container(of: InMemoryServer(now: { start })).publicDatabase
        let post = try await database.create(Post(title: "a"))
        #expect(post.metadata.createdAt == start)
        #expect(try await database.change(Post.self, post.id, .serverTime(.at)).at == start)
    }

    @Test func `a session ends after a month without use`() async throws {
        let days = Days()
        let server = InMemoryServer(now: { days.now })
        let container = try await container(of: server)
        for day in [29, 58, 87] {
            days.pass(to: day)
            _ = try await container.currentUser()
        }
        days.pass(to: 118)
        let error = await #expect(throws: FogbaseError.self) { _ = try await container.currentUser() }
        guard case .notAuthenticated? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `containers and environments have nothing in common`() async throws {
        let server = InMemoryServer(administratorToken: "root")
        let client = server.makeClient(tokens: MemoryTokenStore("root"))
        for (container, environment) in [("a", RecordEnvironment.development), ("a", .production), ("b", .production)] {
            let database = client.container(container, environment: environment).publicDatabase
            #expect(try await database.fetch(Query<Post>()).items.isEmpty)
            _ = try await database.create(Post(title: container), named: "same")
        }
        #expect(await server.recordCount("Post") == 3)
        await server.removeAll()
        #expect(await server.recordCount() == 0)
        #expect(await server.requests.isEmpty)
    }

    @Test func `tokens that a test expires start the feed over`() async throws {
        let server = InMemoryServer()
        let database = try await container(of: server).publicDatabase
        _ = try await database.create(Post(title: "a"), named: "p")
        let page = try await database.changes()
        #expect(page.changed.map(\.name).contains("p") && !page.moreComing)
        await server.expireChangeTokens()
        let error = await #expect(throws: FogbaseError.self) { _ = try await database.changes(since: page.token) }
        guard case .tokenExpired? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let fresh = try await database.changes()
        #expect(try await database.changes(since: fresh.token).isEmpty)
    }

    @Test func `unsupported requests are rejected with 501 and a sentence`() async throws {
        let server = InMemoryServer(administratorToken: "root")
        let container = server.makeClient(tokens: MemoryTokenStore("root"), retry: .never).container()
        let database = container.publicDatabase
        let schema = await #expect(throws: FogbaseError.self) { _ = try await container.schema() }
        let upload = await #expect(throws: FogbaseError.self) {
            _ = try await database.upload(Data(count: (8 << 20) + 1), contentType: "video/mp4")
        }
        let asset = try await database.upload(Data("abc".utf8), contentType: "image/png")
        let picture = await #expect(throws: FogbaseError.self) {
            _ = try await database.thumbnail(of: .asset(asset), Thumbnail(width: 10))
        }
        for error in [schema, upload, picture] {
            #expect(error?.status == 501)
            #expect(error?.reason.contains("InMemoryServer has no") == true)
        }
    }

    @Test func `files are streamed in parts, and have their checksums`() async throws {
        let server = InMemoryServer(administratorToken: "root")
        let database = server.makeClient(tokens: MemoryTokenStore("root")).container().publicDatabase
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
        let asset = try await database.upload(bytes, contentType: "video/mp4")
        #expect(try await database.data(of: .asset(asset)) == bytes)
        let address = try #require(URL(string: server.url.absoluteString + (asset.downloadURL ?? "")))
        let (head, parts) = try await server.stream(TransportRequest(method: "GET", url: address))
        var sizes: [Int] = []
        for try await part in parts { sizes.append(part.count) }
        #expect(head.status == 200 && sizes == [65_536, 65_536, 65_536, 3_392])
        // The replacement of the checksum distinguishes contents.
        var checksums: Set<String> = []
        for text in ["", "a", "b", "ab", "ba", String(repeating: "a", count: 64)] {
            let first = try await database.upload(Data(text.utf8)).fileChecksum
            #expect(try await database.upload(Data(text.utf8)).fileChecksum == first)
            #expect(Data(base64Encoded: first)?.count == 32)
            checksums.insert(first)
        }
        #expect(checksums.count == 6)
    }

    @Test func `a thousand concurrent calls all complete`() async throws {
        let server = InMemoryServer()
        let database = try await container(of: server).publicDatabase
        let post = try await database.create(Post(title: "count"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 {
                group.addTask { _ = try await database.change(Post.self, post.id, .increment(.good)) }
            }
            try await group.waitForAll()
        }
        #expect(try await database.fetch(Post.self, post.id).good == 1_000)
    }

    @Test func `a cancelled task does nothing`() async throws {
        let server = InMemoryServer()
        let database = try await container(of: server).publicDatabase
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await database.create(Post(title: "sea"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await server.recordCount() == 0)
    }
}

/// A clock that a test moves on by days.
private final class Days: @unchecked Sendable {
    private let lock = NSLock()
    private var day = 0

    func pass(to day: Int) {
        lock.withLock { self.day = day }
    }

    var now: Date { Date(timeIntervalSince1970: 1_800_000_000 + Double(lock.withLock { day }) * 86_400) }
}
