import FogbaseClient
import Foundation
import Testing

#if FOGBASE_MACROS

    /// The examples of the manual's first page.
    @Suite struct FirstPageTests {
        @RecordCodable
        struct Picture {
            var title: String
            var author: String
            var topics: [String] = []
            var good = 0
            var image: Asset?
        }

        @Test func `the examples of the first page run`() async throws {
            let live = try LiveServer()
            let url = live.url
            let halfYearAgo = Date(timeIntervalSinceNow: -183 * 86_400)
            let picture = Data("no picture".utf8)

            let fogbase = Fogbase(url)
            let container = fogbase.container()
            let user = try await container.signUp("fay", password: "correct horse battery")
            let database = container.publicDatabase

            var post = try await database.create(Picture(title: "Fog", author: user.recordName))
            post.title = "Fog over the harbour"
            post = try await database.save(post)
            post = try await database.change(post, .increment(.good), .appendUnique(.topics, ["sea"]))

            let query = Query<Picture>()
                .filter(.author, equals: user.recordName)
                .filter(.topics, anyIn: ["sea", "fog"])
                .filter(.good, in: 1...500)
                .sorted(by: .createdAt, ascending: false)
                .limit(to: 20)
            let page = try await database.fetch(query)
            let count = try await database.count(Query<Picture>(\.good >= 1 && \.title != "Draft"))
            for try await post in database.records(query) { print(post.title) }
            #expect(page.items.map(\.id) == [post.id] && count == 1)

            let byAuthor = Aggregate<Picture>().grouped(by: .author).value(.count).value(.sum(.good))
                .sorted(by: .count, ascending: false).limit(to: 10)
            for group in try await byAuthor.groups(of: query, in: database).items {
                let author = try group.key(.author, as: String.self)
                print(author ?? "none", try group.value(.sum(.good), as: Int.self) ?? 0)
            }

            var theirs = post
            theirs.title = "Theirs"
            try await database.save(theirs)
            post.title = "Mine"
            do {
                post = try await database.save(post)
            } catch FogbaseError.conflict(let conflict, _) {
                var merged = try await database.fetch(Picture.self, post.id)
                merged.title = conflict.client?["title"] ?? merged.title
                post = try await database.save(merged)
            } catch let error as FogbaseError where error.isRetryable {
                print("Later: \(error.reason)")
            }
            #expect(post.title == "Mine")

            // It is no picture, and the server says so.
            await #expect(throws: FogbaseError.self) {
                post.image = try await database.upload(picture, contentType: "image/jpeg", filename: "fog.jpg")
                post = try await database.save(post)
                if let image = post.image {
                    let small = try await database.thumbnail(of: .asset(image), Thumbnail(width: 320, height: 320))
                    print("\(small.count) bytes")
                }
            }
            #expect(post.image?.size == Int64(picture.count))

            var batch = Batch()
            let draft = try batch.create(Picture(title: "Draft", author: user.recordName))
            try batch.save(post)
            let outcome = try await database.perform(batch)
            print(try outcome[draft].id)

            let old = Query<Picture>().filter(.createdAt, lessThan: halfYearAgo)
            let deletion = database.deleteInBackground(old)
            for await progress in deletion.progress { print(progress.fraction) }
            print(try await deletion.value.changed)
            #expect(try await database.count(Query<Picture>()) == 2)
        }

        @Test func `the example of a server in memory runs`() async throws {
            let server = InMemoryServer()
            let container = server.makeClient().container()
            _ = try await container.signUp("ann", password: "correct horse battery")
            let post = try await container.publicDatabase.create(Picture(title: "Fog", author: "ann"))
            #expect(try await container.publicDatabase.fetch(Picture.self, post.id).title == "Fog")
        }
    }

#endif
