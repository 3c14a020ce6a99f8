#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @testable import ForumExample

    @Suite struct ForumPageTests {
        @Test func `the program of the tutorial runs, and a second time too`() async throws {
            let live = try LiveServer()
            let url = live.url

            for _ in 1...2 {
                let app = Fogbase(url).container()
                try await enter(app, as: "flora")
                let forum = Forum(database: app.publicDatabase, thread: "sea")
                let waves = try await forum.publish("Waves", text: "High today.")
                try await forum.like(waves)
                for (post, likes) in try await forum.mostLiked() {
                    print("\(post.title): \(likes) of \(post.metadata.creator)")
                }

                for post in try await forum.newest() { print(post.title, post.text) }
                var changed = waves
                changed.text = "Lower by now."
                try await print(forum.update(changed).text)
                #expect(try await forum.newest().map(\.text) == ["Lower by now."])

                let guest = Forum(database: Fogbase(url).container().publicDatabase, thread: "sea")
                print(try await guest.newest().map(\.title))
                do {
                    try await guest.like(waves)
                } catch FogbaseError.notAuthenticated {
                    print("Sign in to like it.")
                }
                #expect(try await guest.mostLiked().map(\.likes) == [1])

                for try await result in guest.live() {
                    print(result.records.map(\.title), result.changes.count)
                    #expect(result.records.map(\.title) == ["Waves"])
                    break
                }

                do {
                    _ = try await forum.publish("Waves", text: "Once more.")
                } catch FogbaseError.exists {
                    print("The thread has a post of this title.")
                }

                try await forum.delete(waves)
                #expect(try await guest.mostLiked().isEmpty)
            }
        }
    }

#endif
