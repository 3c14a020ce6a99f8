import FogbaseClient
import Foundation
import RecordModel
import Testing

@Suite struct RecordTests {
    private struct Note: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title, good, tags, rate, since, place, above }

        var title: String
        var good: Int?
        var tags: [String]?
        var rate: Double?
        var since: Date?
        var place: Location?
        var above: Reference?
    }

    @Test func `a model is created, read, changed and deleted`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let note = Note(
            title: "sea \"and\" fog", good: 1, tags: ["a", "b"], rate: 0.1,
            since: Date(milliseconds: 1_772_366_400_123),
            place: Location(latitude: 54.5, longitude: -3))
        var stored = try await database.create(note)
        #expect(stored.model == note)
        #expect(try await database.fetch(Note.self, stored.id).model == note)
        let version = stored.metadata.version
        stored.title = "fog"
        stored.good = nil
        stored.above = stored.reference()
        stored = try await database.save(stored)
        #expect(stored.metadata.version != version && stored.metadata.creator == stored.metadata.modifier)
        let read = try await database.fetch(Note.self, stored.id)
        #expect(read == stored && read.good == nil && read.above?.recordName.text == stored.id)
        try await database.delete(stored)
        await #expect(throws: FogbaseError.self) { _ = try await database.fetch(Note.self, stored.id) }
    }

    @Test func `two saves of the same record give a conflict with three states`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let first = try await database.create(Note(title: "a", good: 1), named: "note")
        var mine = first
        var theirs = first
        theirs.title = "theirs"
        theirs = try await database.save(theirs)
        mine.title = "mine"
        do {
            _ = try await database.save(mine)
            Issue.record("It was saved over the other's change")
        } catch FogbaseError.conflict(let conflict, let rejection) {
            let texts = [conflict.client, conflict.server, conflict.ancestor].map { $0?["title"] as String? }
            #expect(texts == ["mine", "theirs", "a"])
            #expect(rejection.status == 412 && rejection.recordName == "note")
        }
        // The fields of other clients stay, under the policy that sends only changes.
        mine.model = first.model
        mine.good = 5
        let merged = try await database.save(mine, policy: .changedFields)
        #expect(merged.title == "theirs" && merged.good == 5)
        await #expect(throws: FogbaseError.self) { _ = try await database.create(Note(title: "b"), named: "note") }
    }

    @Test func `changes are computed at the moment of writing, and none of fifty is lost`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let note = try await database.create(Note(title: "a"), named: "liked")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask { _ = try await database.change(note, .increment(.good)) }
            }
            try await group.waitForAll()
        }
        let changed = try await database.change(
            Note.self, "liked", .appendUnique(.tags, ["x", "y", "x"]), .setIfAbsent(.title, "b"), .serverTime(.since),
            .increment(.rate, by: 0.5))
        #expect(changed.good == 50 && changed.tags == ["x", "y"] && changed.title == "a" && changed.rate == 0.5)
        #expect(changed.since != nil)
        await #expect(throws: FogbaseError.self) {
            _ = try await database.change(Note.self, "nobody", .increment(.good))
        }
        await #expect(throws: FogbaseError.self) {
            _ = try await database.change(Note.self, "liked", .increment(.good), .set(.good, 3))
        }
    }

    @Test func `a record without a model has fields by name`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        var record = Record("Thing")
        record["title"] = "sea"
        record["good"] = 3
        record["tags"] = ["a"]
        record = try await database.save(record)
        #expect(record.changedFields.isEmpty && record.version != nil)
        record["good"] = Int?.none
        record["tags"] = ["a", "b"]
        #expect(record.changedFields == ["good", "tags"])
        record = try await database.save(record)
        let read = try await database.fetch("Thing", record.name)
        #expect(read == record && read["good"] as Int? == nil && read["title"] as Int? == nil)
        #expect(try read.decode(Note.self).tags == ["a", "b"])
    }
}
