#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @testable import TypedPostsExample

    @Suite struct TypedPostsPageTests {
        @RecordCodable("BlogRemark")
        struct Remark {
            var post: Reference
            var text: String
        }

        @Test func `the queries of the tutorial find what they say, and a second time too`() async throws {
            let live = try LiveServer()
            let url = live.url

            for _ in 1...2 {
                let app = Fogbase(url).container()
                let user = try await enter(app, as: "tessa")
                let database = app.publicDatabase

                var batch = Batch()
                for number in 1...45 {
                    try batch.create(
                        Post(
                            author: user.recordName, title: "Post \(number)", text: "Fog again.",
                            topics: number.isMultiple(of: 2) ? ["even", "sea"] : ["odd"], good: number % 10,
                            subtitle: number > 40 ? "One of the last" : nil, date: Date()))
                }
                try await database.perform(batch)

                let mine = Query<Post>().filter(.author, equals: user.recordName)
                let byField = mine.filter(.topics, contains: "sea").filter(.good, in: 2...6)
                let byProperty = mine.filter(\.topics, contains: "sea").filter(\.good >= 2 && \.good <= 6)
                let byText = mine.filter("topics CONTAINS %@ AND good BETWEEN {%d, %d}", "sea", 2, 6)
                for query in [byField, byProperty, byText] {
                    print(try await database.count(query))
                }
                #expect(try await database.count(byText) == 14)

                let mostLiked = mine.sorted(by: .good, ascending: false).sorted(by: .date).limit(to: 20)
                var page = try await database.fetchCounting(mostLiked)
                print("\(page.items.count) of \(page.count ?? 0)")
                while let cursor = page.next {
                    page = try await database.fetch(after: cursor)
                    print(page.items.map(\.title))
                }
                #expect(page.items.count == 5)

                for try await post in database.records(mostLiked) { print(post.title, post.good) }

                let titles = try await database.fetch(Query<PostTitle>().sorted(by: .title).limit(to: 5)).items
                for post in titles { print(post.title, post.metadata.updatedAt) }
                #expect(titles.map(\.title) == ["Post 1", "Post 10", "Post 11", "Post 12", "Post 13"])

                let drafts = try await database.count(mine.filter(\.state == .draft || \.subtitle != nil))
                #expect(drafts == 5)

                let report = try await Query<Post>().filter(.author, equals: "ann").debug(in: database)
                print(report)
                #expect(report.returnedRows == 0)

                guard var post = try await database.first(mine.filter(\.title == "Post 41")) else { return }
                post.title = "Post forty-one"
                post.subtitle = nil
                try await database.save(post)

                let some = mine.filter(\.good < 1)
                let outcome = try await database.change(matching: some, .set(.state, Post.State.draft), ifAtMost: 10)
                print("\(outcome.changed) posts are drafts now")
                #expect(outcome.changed == 4)

                try await database.create(Remark(post: post.reference(.deleteSelf), text: "Well said."))
                try await database.create(Remark(post: try Reference(to: post.id, .deleteSelf), text: "Indeed."))
                let remarks = Query<Remark>().filter(.post, equals: try Reference(to: post.id))
                print(try await database.count(remarks))
                #expect(try await database.count(remarks) == 2)
                let byTitle = Query(Filter<Remark>("post.title == %@", "Post forty-one"))
                #expect(try await database.count(byTitle) == 2)

                print(try await database.delete(matching: mine).changed)
                #expect(try await database.count(mine) == 0)
                #expect(try await database.count(remarks) == 0)
                print(try await database.delete(matching: Query<Post>(.all), ifAtMost: 10).changed)
            }
        }

        @Test func `a query prints its request and its results`() async throws {
            let database = InMemoryServer(administratorToken: "all")
                .makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
            let page = try await database.fetch(Query<Post>().filter(.author, equals: "ann").debug())
            #expect(page.items.isEmpty)

            let found = Query(Search<Post>("red bell*").ranked(weights: [.title: 3]).highlighting(.title)).limit(to: 20)
            #expect(found.pageSize == 20)
        }
    }

#endif
