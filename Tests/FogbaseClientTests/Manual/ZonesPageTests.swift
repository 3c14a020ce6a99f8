#if FOGBASE_MACROS

    import FogbaseClient
    import Foundation
    import Testing

    @Suite struct ZonesPageTests {
        @RecordCodable
        struct NotebookPage {
            var title: String
            var text = ""
        }

        actor Notebooks {
            private(set) var titles: [String: [String: String]] = [:]
            private var state: DatabaseChangeFeed.State?

            func sync(_ database: Database) async throws {
                for try await event in database.zones.changeFeed(since: state, types: ["NotebookPage"]) {
                    switch event.change {
                    case .zones(let changes):
                        for case .deleted(let zone) in changes { titles[zone.name] = nil }
                    case .records(let page, let zone):
                        for record in page.changed { titles[zone.name, default: [:]][record.name] = record["title"] }
                        for record in page.deleted { titles[zone.name]?[record.name] = nil }
                    case .zoneStartsOver(let zone): titles[zone.name] = nil
                    case .startOver: titles = [:]
                    case .upToDate: return
                    }
                    state = event.state
                }
            }
        }

        @Test func `notebooks are kept in zones, and copied`() async throws {
            let live = try LiveServer()
            let container = live.client()
            try await container.signUp("zoe", password: "correct horse battery")
            let notebooks = Notebooks()

            let database = container.privateDatabase
            try await database.zones.create("Travel")
            let travel = try database.zone("Travel")

            var page = try await travel.create(NotebookPage(title: "Lisbon"))
            page.text = "Fog in the morning."
            page = try await travel.save(page)
            let pages = try await travel.fetch(Query<NotebookPage>().sorted(by: .title)).items
            #expect(pages.map(\.text) == ["Fog in the morning."])

            try await notebooks.sync(database)
            #expect(await notebooks.titles == ["Travel": [page.id: "Lisbon"]])
            try await database.zones.create("Drafts")
            try await database.zones.create("Kitchen")
            for zone in try await database.zones.all() where zone.name != Zone.defaultName {
                print(zone.name, zone.createdAt ?? .distantPast)
            }
            try await database.zones.delete("Drafts")

            var batch = Batch()
            let arrival = try batch.create(NotebookPage(title: "Porto"), zone: "Travel")
            let recipe = try batch.create(NotebookPage(title: "Soup"), zone: "Kitchen")
            let outcome = try await database.performInZones(batch)
            for item in [arrival, recipe] {
                if case .failure(let error) = outcome.result(of: item) { print(error.reason) }
            }
            #expect(outcome.failures.isEmpty)

            try await travel.delete(page)
            try await notebooks.sync(database)
            #expect(
                await notebooks.titles == ["Travel": [arrival.name: "Porto"], "Kitchen": [recipe.name: "Soup"]])
            try await database.zones.delete("Kitchen")
            try await notebooks.sync(database)
            #expect(await notebooks.titles == ["Travel": [arrival.name: "Porto"]])
        }
    }

#endif
