import FogbaseClient
import Foundation
import Testing

/// Stored models that an app keeps in a file, with changes that were made offline.
@Suite struct StoredTests {
    private struct Note: Codable, RecordCodable, Equatable {
        enum Fields: String, RecordFields, CaseIterable { case title, text, files }
        var title: String
        var text: String
        var files: [Reference] = []
    }

    private let server = InMemoryServer(administratorToken: "all")
    private var database: Database {
        server.makeClient(tokens: MemoryTokenStore("all"), retry: .never).container().publicDatabase
    }

    private func restart<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
    }

    @Test func `a change made offline is still a change after a restart`() async throws {
        var note = try await database.create(Note(title: "Fog", text: "It comes."))
        note.text = "It stays."
        note = try restart(note)
        #expect(note.text == "It stays." && note.title == "Fog")
        let saved = try await database.save(note)
        #expect(saved.metadata.version != note.metadata.version)
        let body = try #require(await server.requests.last?.body)
        #expect(String(decoding: body, as: UTF8.self).contains("It stays."))
        #expect(!String(decoding: body, as: UTF8.self).contains("Fog"), "A save sends what was changed alone")
        #expect(try await database.fetch(Note.self, note.id).text == "It stays.")
    }

    @Test func `a conflict after a restart has the state that was read before it`() async throws {
        let note = try await database.create(Note(title: "Fog", text: "It comes."))
        var mine = note
        mine.text = "It stays."
        mine = try restart(["mine": mine])["mine"] ?? note
        var theirs = note
        theirs.text = "It goes."
        try await database.save(theirs)
        do {
            try await database.save(mine)
            Issue.record("It was saved")
        } catch FogbaseError.conflict(let conflict, _) {
            #expect(conflict.ancestor?["text"] == "It comes.")
            #expect(conflict.client?["text"] == "It stays.")
            #expect(conflict.server?["text"] == "It goes.")
        }
    }

    @Test func `what was not changed is the same after a restart`() async throws {
        let note = try await database.create(Note(title: "Fog", text: "It comes.", files: [try Reference(to: "f")]))
        let again = try restart(note)
        #expect(again == note)
        let before = await server.requests.count
        try await database.save(again)
        let sent = await server.requests.dropFirst(before).last?.body.map { String(decoding: $0, as: UTF8.self) }
        #expect(sent?.contains("It comes.") != true, "Nothing was changed: \(sent ?? "")")
    }

    @Test func `the keys of a kept record stay as they are`() async throws {
        let kept = #"""
            {"metadata":{"recordType":"Note","name":"n","version":"v","createdAt":0,"creator":"_a","updatedAt":0,"modifier":"_a"},
            "original":{"title":"Fog","text":"It comes.","files":[]},"changed":{"title":"Fog","text":"It stays.","files":[]}}
            """#
        let note = try JSONDecoder().decode(Stored<Note>.self, from: Data(kept.utf8))
        #expect(note.id == "n" && note.metadata.version == "v" && note.text == "It stays.")
    }

    @Test func `a bulk change of everything names the type, and how to mean it`() async throws {
        for number in 1...3 { try await database.create(Note(title: "\(number)", text: "")) }
        let all = Query<Note>()
        let deletion = await #expect(throws: FogbaseError.self) { _ = try await database.delete(matching: all) }
        #expect(deletion?.reason == "This would delete every Note. Pass Query<Note>(.all) if you mean that")
        let change = await #expect(throws: FogbaseError.self) {
            _ = try await database.change(matching: all.limit(to: 2), .set(.text, "x"))
        }
        #expect(change?.reason == "This would change every Note. Pass Query<Note>(.all) if you mean that")
        let job = await #expect(throws: FogbaseError.self) { _ = try await database.deleteInBackground(all).value }
        #expect(job?.reason == deletion?.reason)
        #expect(await server.recordCount("Note") == 3)
        #expect(try await database.delete(matching: Query<Note>(.all)).changed == 3)
        #expect(await server.recordCount("Note") == 0)
    }

    @Test func `the current user has the names of a user`() async throws {
        let container = server.makeClient().container()
        let user = try await container.signUp("ann", password: "correct horse battery")
        let current = try await container.currentUser()
        #expect(current.recordName == user.recordName && current.name == "ann")
    }
}
