#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct GettingStartedPageTests {
        @RecordCodable
        struct Post {
            var title: String
            var good = 0
        }

        static func address() -> URL {
            guard let url = URL(string: "http://127.0.0.1:8080") else { fatalError("That is no address") }
            return url
        }

        @Test func `the first program runs, and a second time too`() async throws {
            let live = try LiveServer()
            let url = live.url
            #expect(Self.address().port == 8_080)
            for run in 1...2 {
                let container = Fogbase(url).container()
                do {
                    try await container.signIn("ann", password: "correct horse battery")
                } catch FogbaseError.authenticationFailed {
                    try await container.signUp("ann", password: "correct horse battery")
                }

                let database = container.publicDatabase
                let post = try await database.create(Post(title: "Fog"))
                try await database.change(post, .increment(.good))
                for try await post in database.records(Query<Post>()) {
                    print(post.title, post.good, post.metadata.createdAt)
                }
                #expect(try await database.count(Query<Post>(\.good == 1)) == run)
            }
        }
    }

#endif
