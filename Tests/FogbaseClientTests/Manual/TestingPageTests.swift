#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct TestingPageTests {
        @RecordCodable
        struct Post: Equatable {
            var title: String
            var good = 0
        }

        struct Feed {
            let database: Database

            func like(_ name: String) async throws -> Int {
                try await database.change(Post.self, name, .increment(.good)).good
            }

            func titles() async throws -> [String] {
                try await database.fetch(Query<Post>().sorted(by: .title)).items.map(\.title)
            }
        }

        @Test func `a post is liked once`() async throws {
            let server = InMemoryServer()
            let container = server.makeClient().container()
            try await container.signUp("ann", password: "correct horse battery")
            let feed = Feed(database: container.publicDatabase)
            let post = try await feed.database.create(Post(title: "Fog"))
            #expect(try await feed.like(post.id) == 1)
            #expect(await server.recordCount("Post") == 1)
        }

        @Test func `a like counts once although the response is lost`() async throws {
            let server = InMemoryServer(administratorToken: "all")
            let database = server.makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
            let post = try await database.create(Post(title: "Fog"))
            await server.failNext(.responseLost("The train is in a tunnel"))
            #expect(try await Feed(database: database).like(post.id) == 1)
        }

        @Test func `an error of a busy server is retryable`() async throws {
            let server = InMemoryServer()
            let client = server.makeClient(retry: .never)
            await server.failNext(status: 503, retryAfter: 7)
            let error = await #expect(throws: FogbaseError.self) {
                try await Feed(database: client.container().publicDatabase).titles()
            }
            #expect(error?.isRetryable == true && error?.retryAfter == .seconds(7))
        }

        @Test func `a page of the list is one request`() async throws {
            let server = InMemoryServer(administratorToken: "all")
            let database = server.makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
            for title in ["Waves", "Dunes"] { try await database.create(Post(title: title)) }
            let before = await server.requests.count
            #expect(try await Feed(database: database).titles() == ["Dunes", "Waves"])
            #expect(await server.requests.count == before + 1)
        }

        @Test func `a stranger does not change a post`() async throws {
            let server = InMemoryServer()
            let (ann, bob) = (server.makeClient().container(), server.makeClient().container())
            try await ann.signUp("ann", password: "correct horse battery")
            try await bob.signUp("bob", password: "correct horse battery")
            var post = try await ann.publicDatabase.create(Post(title: "Fog"))
            post.title = "Bob was here"
            do {
                try await bob.publicDatabase.save(post)
                Issue.record("It was saved")
            } catch FogbaseError.accessDenied {
                let now = try await bob.publicDatabase.fetch(Post.self, post.id)
                #expect(now.title == "Fog")
            }
        }

        @Test func `a screen is tested with what a server would say`() {
            let metadata = RecordMetadata(
                recordType: "Post", name: "p1", version: "1", createdAt: .distantPast, creator: "_ann",
                updatedAt: .distantPast, modifier: "_ann")
            let post = Stored(Post(title: "Fog", good: 3), metadata: metadata)
            let error = FogbaseError.accessDenied(ServerError(status: 403, reason: "No WRITE for Post"))
            #expect(post.good == 3 && post.id == "p1" && error.reason == "No WRITE for Post")
        }
    }

#endif
