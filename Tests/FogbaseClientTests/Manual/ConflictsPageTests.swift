#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct ConflictsPageTests {
        @RecordCodable
        struct Page: Codable {
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
                } else if page.text != before, page.text != merged.text {
                    merged.text += "\n\n" + page.text
                }
                if page.title != conflict.ancestor?["title"] { merged.title = page.title }
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

        struct Edits: Codable {
            var waiting: [String: Stored<Page>] = [:]

            mutating func keep(_ page: Stored<Page>) {
                waiting[page.id] = page
            }

            mutating func send(_ save: (Stored<Page>) async throws -> Stored<Page>) async throws {
                for (name, page) in waiting {
                    do {
                        _ = try await save(page)
                    } catch FogbaseError.notFound {
                        print("\(page.title) was deleted.")
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

        @Test func `an edit made offline is sent after a restart, merged, and sent once`() async throws {
            let server = InMemoryServer()
            let database = try await database(of: server)
            var page = try await database.create(Page(title: "Fog", text: "It comes."))
            var theirs = page
            theirs.text = "It comes at noon."
            try await database.save(theirs)
            var edits = Edits()
            page.text = "It stays."
            page.title = "Fog in May"

            await server.failNext(.unreachable("no network"))
            await #expect(throws: FogbaseError.self) {
                edits.keep(page)
                try await edits.send { try await merge($0, database) }
            }
            #expect(edits.waiting.count == 1)
            edits = try JSONDecoder().decode(Edits.self, from: try JSONEncoder().encode(edits))
            try await edits.send { try await merge($0, database) }
            #expect(edits.waiting.isEmpty)
            let merged = try await database.fetch(Page.self, page.id)
            #expect(merged.text == "It comes at noon.\n\nIt stays." && merged.title == "Fog in May")
        }

        @Test func `an edit whose response was lost changes nothing the second time`() async throws {
            let server = InMemoryServer()
            let database = try await database(of: server)
            var page = try await database.create(Page(title: "Fog", text: "It comes."))
            page.text = "It stays."
            var edits = Edits(waiting: [page.id: page])
            await server.failNext(.responseLost("cut"))
            await #expect(throws: FogbaseError.self) { try await edits.send { try await merge($0, database) } }
            edits = try JSONDecoder().decode(Edits.self, from: try JSONEncoder().encode(edits))
            try await edits.send { try await merge($0, database) }
            #expect(try await database.fetch(Page.self, page.id).text == "It stays.")

            page = try await database.fetch(Page.self, page.id)
            page.text = "It goes."
            edits.keep(page)
            try await database.delete(Page.self, page.id)
            try await edits.send { try await merge($0, database) }
            #expect(edits.waiting.isEmpty)
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
