#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct ProductionPageTests {
        @RecordCodable
        struct Topic {
            var thread: String
            var title: String
            var good = 0
        }

        @RecordCodable("Topic")
        struct NextTopic {
            var thread: String
            var title: String
            @Field("good") var likes = 0
            var subtitle: String?
        }

        @Test func `a model's next version reads old records, and the old one removes nothing`() async throws {
            let database = InMemoryServer(administratorToken: "all")
                .makeClient(tokens: MemoryTokenStore("all")).container().publicDatabase
            let old = try await database.create(Topic(thread: "sea", title: "Fog", good: 3))
            var next = try await database.fetch(NextTopic.self, old.id)
            #expect(next.likes == 3 && next.subtitle == nil)
            next.subtitle = "At noon"
            try await database.save(next)
            var before = try await database.fetch(Topic.self, old.id)
            before.title = "Mist"
            try await database.save(before)
            let now = try await database.fetch(NextTopic.self, old.id)
            #expect(now.subtitle == "At noon" && now.title == "Mist")
        }

        @Test func `an app goes from development to production`() async throws {
            let live = try LiveServer()
            let (url, token) = (live.url, LiveServer.administratorToken)
            let app = live.client()
            try await app.signUp("ann", password: "correct horse battery")
            try await app.publicDatabase.create(Topic(thread: "sea", title: "Fog"))
            let query = Query<Topic>().filter(.thread, equals: "sea").sorted(by: .good, ascending: false)
            #expect(try await app.publicDatabase.fetch(query.debug()).items.count == 1)

            let administrator = Fogbase(url, tokens: MemoryTokenStore(token))
            let development = administrator.container(environment: .development)
            let production = administrator.container(environment: .production)

            let schema = try await development.schema()
            for (name, type) in schema.types.sorted(by: { $0.key < $1.key }) {
                print(name, type.fields.keys.sorted(), type.indexes.map(\.fields))
            }

            let plan = try await production.putSchema(schema.json, keepsRights: true, isDryRun: true)
            print("New: \(plan.types.added), gone: \(plan.types.removed), other rights: \(plan.rights)")
            #expect(plan.types.added.contains("Topic"))
            let change = try await production.putSchema(schema.json, keepsRights: true)
            print(change.fields.added)
            let fields = try await production.schema().types["Topic"]?.fields.keys.sorted()
            #expect(fields == ["good", "thread", "title"])

            let released = Fogbase(url).container(environment: .production)
            try await released.signUp("ann", password: "correct horse battery")
            #expect(try await released.publicDatabase.fetch(query).items.isEmpty)

            do {
                let late = Query<Topic>().filter(.title, beginsWith: "Fog").filter("good > %d", 3)
                print(try await released.publicDatabase.count(late))
            } catch let error as FogbaseError where error.serverError?.cause == .notIndexed {
                print(error.reason)
                #expect(error.field == "title")
            }

            let more = #"""
                {"types":{"Topic":{
                  "fields":{"thread":{"type":"STRING"},"title":{"type":"STRING"},"good":{"type":"INT64"}},
                  "indexes":[{"fields":["thread","-good"]},{"fields":["title"],"unique":true}]}}}
                """#
            let before = try await production.schema()
            try await production.putSchema(more, ifUnchanged: before.version, keepsRights: true)
            let indexes = try await production.schema().types["Topic"]?.indexes ?? []
            print(indexes.map { "\($0.fields)\($0.isReady ? "" : " is being built")" })
            #expect(indexes.contains { $0.fields == ["title"] && $0.isUnique })

            let limits = try await released.limits()
            print(limits.batchOperations, limits.recordBytes, limits.pageSize)
            #expect(limits.pageSize == 1_000)
        }
    }

#endif
