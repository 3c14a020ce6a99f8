#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    /// What the README shows of the five applications.
    @Suite struct ReadmeExampleTests {
        @RecordCodable
        struct Post {
            var thread: String
            var title: String
            var good = 0
        }

        @RecordCodable
        struct Good {
            var name: String
            var salesPrice: Int
            var image: Asset?
        }

        @RecordCodable
        struct Schedule {
            var title: String
            var start: Date
        }

        @RecordCodable
        struct Entry {
            var time: Date
        }

        @RecordCodable("BlogPost")
        struct Article {
            enum State: String, FieldConvertible { case draft, published }

            var title: String
            var topics: [String]
            var state = State.draft
            @Field("publishedAt") var date: Date?
        }

        @Test func `the forum and the goods run`() async throws {
            let live = try LiveServer()
            let url = live.url
            let photo = Data("no picture".utf8)

            let app = Fogbase(url).container()
            try await app.signUp("ada", password: "correct horse battery")
            let database = app.publicDatabase

            let post = try await database.create(Post(thread: "sea", title: "Waves"), named: "sea: Waves")
            try await database.change(post, .increment(.good))
            let best = Query<Post>().filter(.thread, equals: "sea").sorted(by: .good, ascending: false).limit(to: 20)
            for post in try await database.fetch(best).items { print(post.title, post.good) }
            #expect(try await database.fetch(best).items.map(\.good) == [1])

            let image = try await database.upload(photo, contentType: "image/jpeg")
            try await database.create(Good(name: "Frame", salesPrice: 500, image: image))
            let offers = Query<Good>().filter(\.salesPrice, in: 100...500).sorted(by: \.salesPrice)
            for good in try await database.fetch(offers).items { print(good.name, good.image?.size ?? 0) }
            #expect(try await database.count(offers) == 1)
        }

        @Test func `the calendar, the journal and the typed posts run`() async throws {
            let server = InMemoryServer()
            let app = server.makeClient().container()
            try await app.signUp("ada", password: "correct horse battery")
            let database = app.publicDatabase
            let (noon, kept) = (Date(), ChangeToken?.none)

            try await database.create(Schedule(title: "Lunch", start: noon), access: .onlyCreator)
            for try await event in database.changeFeed(of: Schedule.self, since: kept) {
                guard case .changes(let page) = event else { continue }
                print(page.items.map(\.title), page.deleted)
                if !page.moreComing { break }
            }
            #expect(await server.recordCount("Schedule") == 1)

            let halfYearAgo = Date(timeIntervalSinceNow: -183 * 86_400)
            for days in [182, 184] {
                try await database.create(Entry(time: Date(timeIntervalSinceNow: -86_400 * Double(days))))
            }
            let deletion = database.deleteInBackground(Query<Entry>().filter(.time, lessThan: halfYearAgo))
            for await progress in deletion.progress { print("\(Int(progress.fraction * 100)) %") }
            print(try await deletion.value.changed)
            #expect(await server.recordCount("Entry") == 1)

            let fog = Article(title: "Fog", topics: ["fog"], state: .published, date: Date())
            try await database.create(fog)
            let ready = Query<Article>(\.state == .published && \.date != nil).filter(.topics, anyIn: ["sea", "fog"])
            for try await article in database.records(ready.sorted(by: \.date)) { print(article.title) }
            #expect(try await database.count(ready) == 1)
        }
    }

#endif
