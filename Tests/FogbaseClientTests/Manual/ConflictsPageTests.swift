#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct ConflictsPageTests {
        @RecordCodable
        struct Page {
            var title: String
            var text: String
            var visits = 0
        }

        func merge(_ page: Stored<Page>, _ database: Database) async throws -> Stored<Page> {
            do {
                return try await database.save(page)
            } catch FogbaseError.conflict(let conflict, _) {
                let before: String? = conflict.ancestor?["text"]
                var merged = try await database.fetch(Page.self, page.id)
                if merged.text == before {
                    merged.text = page.text
                } else if page.text != before {
                    merged.text += "\n\n" + page.text
                }
                return try await database.save(merged)
            }
        }

        struct Sighting: Codable, RecordCodable {
            var text: String
            var time: Date
        }

        struct Outbox: Codable {
            var waiting: [String: Sighting] = [:]

            mutating func add(_ sighting: Sighting) {
                waiting[UUID().uuidString] = sighting
            }

            mutating func send(to database: Database) async throws {
                for (name, sighting) in waiting {
                    do {
                        try await database.create(sighting, named: name)
                    } catch FogbaseError.exists {
                        print("An earlier attempt has arrived.")
                    }
                    waiting[name] = nil
                }
            }
        }

        private func database(of server: InMemoryServer) async throws -> Database {
            let container = server.makeClient(retry: .never).container()
            try await container.signUp("ann", password: "correct horse battery")
            return container.publicDatabase
        }

        @Test func `a field that both sides have changed is merged`() async throws {
            let database = try await database(of: InMemoryServer())
            let first = try await database.create(Page(title: "Fog", text: "It comes."))
            var theirs = first
            theirs.text = "It comes at noon."
            try await database.save(theirs)
            var mine = first
            mine.text = "It stays."
            #expect(try await merge(mine, database).text == "It comes at noon.\n\nIt stays.")
        }

        @Test func `a field that one side has changed is kept without a merge`() async throws {
            let database = try await database(of: InMemoryServer())
            let page = try await database.create(Page(title: "Fog", text: "It comes."))
            var theirs = page
            theirs.title = "Mist"
            try await database.save(theirs)
            var mine = page
            mine.text = "It stays."
            let merged = try await merge(mine, database)
            #expect(merged.text == "It stays." && merged.title == "Mist")

            try await database.change(page, .increment(.visits))
            try await database.save(mine, policy: .changedFields)
            let now = try await database.fetch(Page.self, page.id)
            #expect(now.visits == 1 && now.text == "It stays." && now.title == "Mist")
        }

        @Test func `an outbox sends each entry once, whatever is lost`() async throws {
            let server = InMemoryServer()
            let database = try await database(of: server)
            var outbox = Outbox()
            outbox.add(Sighting(text: "Fog at noon", time: Date()))
            await server.failNext(.unreachable("no network"))

            do {
                try await outbox.send(to: database)
            } catch let error as FogbaseError where error.isRetryable {
                print("\(outbox.waiting.count) not sent yet: \(error.reason)")
            }
            #expect(await server.recordCount("Sighting") == 0 && outbox.waiting.count == 1)

            await server.failNext(.responseLost("cut"))
            await #expect(throws: FogbaseError.self) { try await outbox.send(to: database) }
            #expect(outbox.waiting.count == 1)
            let kept = try JSONEncoder().encode(outbox)
            outbox = try JSONDecoder().decode(Outbox.self, from: kept)
            try await outbox.send(to: database)
            #expect(await server.recordCount("Sighting") == 1 && outbox.waiting.isEmpty)
        }
    }

#endif
