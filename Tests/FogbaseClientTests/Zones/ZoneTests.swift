import FogbaseClient
import Foundation
import Testing

/// Zones through the client, on the double and on the real server.
@Suite(.serialized) struct ZoneTests {
    private struct Page: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title, above }
        var title: String
        var above: Reference?
    }

    /// Runs a test on both servers.
    private func both(_ body: (Container) async throws -> Void) async throws {
        let live = try LiveServer()
        for container in [live.client(), InMemoryServer().makeClient().container()] {
            try await container.signUp("ada", password: "correct horse")
            try await body(container)
        }
    }

    /// The name of a call's error, or that there was none.
    private func word(_ body: () async throws -> some Any) async -> String {
        do {
            _ = try await body()
            return "done"
        } catch let error as FogbaseError {
            return "\(Mirror(reflecting: error).children.first?.label ?? "")"
        } catch {
            return "\(type(of: error))"
        }
    }

    @Test func `zones are created, listed, read and deleted`() async throws {
        try await both { container in
            let database = container.privateDatabase
            let owner = try await container.currentUser().user.recordName
            #expect(try await database.zones.all() == [Zone(name: Zone.defaultName, owner: owner)])
            let zone = try await database.zones.create("Notebook")
            let age = try #require(zone.createdAt?.timeIntervalSinceNow)
            #expect(zone.name == "Notebook" && zone.owner == owner && abs(age) < 3_600)
            #expect(try await database.zones.create("Notebook") == zone)
            #expect(try await database.zones.fetch("Notebook") == zone)
            for index in 0..<120 { try await database.zones.create("z\(index)") }
            try await database.zones.create("a/b c?d")
            let all = try await database.zones.all()
            #expect(all.count == 123 && all.first?.name == Zone.defaultName && all[1] == zone)
            #expect(try await database.zone("Notebook").zones.fetch("a/b c?d").name == "a/b c?d")
            try await database.zone("Notebook").zones.delete("a/b c?d")
            #expect(await word { try await database.zones.delete("a/b c?d") } == "zoneNotFound")
            #expect(await word { try await database.zones.fetch("a/b c?d") } == "zoneNotFound")
            #expect(await word { try await database.zones.delete(Zone.defaultName) } == "badRequest")
            #expect(await word { try await database.zones.create("_mine") } == "badRequest")
            #expect(await word { try await container.publicDatabase.zones.create("Notebook") } == "badRequest")
            #expect(try await container.publicDatabase.zones.all() == [Zone(name: Zone.defaultName)])
        }
    }

    @Test func `an invalid name is rejected without a request`() async throws {
        let server = InMemoryServer()
        let database = server.makeClient().container().privateDatabase
        for name in ["", "a\u{7}", ".", "..", String(repeating: "n", count: 256)] {
            #expect(throws: FogbaseError.self) { try database.zone(name) }
            #expect(await word { try await database.zones.create(name) } == "invalidArgument")
            #expect(await word { try await database.zones.delete(name) } == "invalidArgument")
            #expect(await word { try await database.zones.fetch(name) } == "invalidArgument")
            var batch = Batch()
            #expect(throws: FogbaseError.self) { try batch.create(Page(title: "a"), zone: name) }
            #expect(batch.count == 0)
        }
        #expect(await server.requests.isEmpty)
    }

    @Test func `records are those of their zone`() async throws {
        try await both { container in
            let database = container.privateDatabase
            let zone = try database.zone("Notebook")
            #expect(zone.zoneName == "Notebook" && database.zoneName == Zone.defaultName && zone.scope == .private)
            #expect(await word { try await zone.create(Page(title: "a")) } == "zoneNotFound")
            try await database.zones.create("Notebook")
            var page = try await zone.create(Page(title: "in the zone"), named: "p")
            _ = try await database.create(Page(title: "outside"), named: "p")
            page.title = "still in the zone"
            page = try await zone.save(page)
            #expect(try await zone.fetch(Page.self, "p").title == "still in the zone")
            #expect(try await database.fetch(Page.self, "p").title == "outside")
            #expect(try await zone.zone(Zone.defaultName).fetch(Page.self, "p").title == "outside")
            #expect(try await zone.fetch(Query<Page>().filter(.title, equals: "outside")).items.isEmpty)
            let below = try await zone.create(Page(title: "below", above: try Reference(to: "p", .deleteSelf)))
            #expect(try await zone.changes().changed.map(\.name) == ["p", below.id])
            #expect(try await zone.deleteInBackground(Query<Page>().filter(.title, equals: "none")).value.changed == 0)
            try await zone.delete(page)
            #expect(try await zone.count(Query<Page>()) == 0)
            #expect(try await database.count(Query<Page>()) == 1)
            try await database.zones.delete("Notebook")
            #expect(await word { try await zone.changes() } == "zoneNotFound")
        }
    }

    @Test func `the changes of zones lead from page to page`() async throws {
        try await both { container in
            let database = container.privateDatabase
            for name in ["C", "A", "B"] { try await database.zones.create(name) }
            let first = try await database.zones.changes(limit: 2)
            #expect(first.changes.map(\.zone.name) == ["C", "A"] && first.moreComing && !first.isEmpty)
            let second = try await database.zone("A").zones.changes(since: first.token, limit: 2)
            #expect(second.changes.map(\.zone.name) == ["B"] && !second.moreComing)
            try await database.zones.delete("A")
            try await database.zones.create("A")
            let third = try await database.zones.changes(since: second.token)
            guard case .deleted(let old)? = third.changes.first, case .changed(let new)? = third.changes.last else {
                throw CancellationError()
            }
            #expect(third.changes.count == 2 && old.name == "A" && new.name == "A")
            #expect(old.createdAt == nil && new.createdAt != nil)
            #expect(try await database.zones.changes(since: third.token).isEmpty)
            #expect(await word { try await database.zones.changes(since: ZoneChangeToken("none")) } == "badRequest")
        }
    }

    @Test func `a batch over zones is atomic in each, in any order of its operations`() async throws {
        try await both { container in
            let database = container.privateDatabase
            for name in ["A", "B"] { try await database.zones.create(name) }
            var batch = Batch()
            let first = try batch.create(Page(title: "a1"), named: "a1", zone: "A")
            let second = try batch.create(Page(title: "b1"), named: "b1", zone: "B")
            let third = try batch.create(Page(title: "a2"), named: "a2", zone: "A")
            let fourth = try batch.create(Page(title: "d"), named: "d")
            let outcome = try await database.perform(batch)
            #expect(try [first, second, third, fourth].map { try outcome[$0].title } == ["a1", "b1", "a2", "d"])
            #expect(try await database.zone("A").fetch(Page.self, "a2").title == "a2")

            var mixed = Batch()
            let good = try mixed.create(Page(title: "b2"), named: "b2", zone: "B")
            let innocent = try mixed.create(Page(title: "a3"), named: "a3", zone: "A")
            let also = try mixed.create(Page(title: "b3"), named: "b3", zone: "B")
            let bad = try mixed.create(Page(title: "again"), named: "a1", zone: "A")
            let nowhere = try mixed.delete("Page", "x", zone: "C")
            let results = try await database.performInZones(mixed)
            #expect(try results[good].title == "b2" && results[also].title == "b3")
            #expect(await word { try results[innocent] } == "batchFailed")
            #expect(await word { try results[bad] } == "exists")
            #expect(await word { try results[nowhere] } == "zoneNotFound")
            #expect(results.failures[3]?.isAbout(bad) == true && results.failures.keys.sorted() == [1, 3, 4])
            #expect(try await database.performInZones(mixed)[good].title == "b2")
            #expect(await word { try await database.zone("A").fetch(Page.self, "a3") } == "notFound")

            var each = Batch()
            try each.create(Page(title: "again"), named: "a1", zone: "A")
            let kept = try each.create(Page(title: "a4"), named: "a4", zone: "A")
            let here = try each.delete("Page", "b1")
            let inB = try await database.zone("B").perform(each, atomically: false)
            #expect(try inB[kept].title == "a4" && inB.failures.keys.sorted() == [0])
            try inB[here]
            #expect(await word { try await database.perform(each) } == "exists")
        }
    }

    @Test func `a conflict has the server's record in the zone of the database`() async throws {
        try await both { container in
            let zone = try container.privateDatabase.zone("A")
            try await zone.zones.create("A")
            var stale = try await zone.create(Page(title: "one"))
            var page = stale
            page.title = "two"
            try await zone.save(page)
            stale.title = "three"
            do {
                _ = try await zone.save(stale)
                Issue.record("It was saved")
            } catch FogbaseError.conflict(let conflict, _) {
                #expect(conflict.server?["title"] == "two" && conflict.client?["title"] == "three")
            }
            var batch = Batch()
            let item = try batch.save(stale, zone: "A")
            guard
                case .failure(.conflict(let conflict, _)) = try await container.privateDatabase.performInZones(batch)
                    .result(of: item)
            else { throw CancellationError() }
            #expect(conflict.server == nil && conflict.client?["title"] == "three")
        }
    }
}
