import FogbaseClient
import Foundation
import RecordWire
import Testing

@Suite struct AccessTests {
    private struct Note: Codable, RecordCodable, Equatable {
        var title: String
    }

    @Test func `a record's own list decides who reads it`() async throws {
        let server = try LiveServer()
        let database = server.administrator.publicDatabase
        let guest = server.client().publicDatabase
        let access = RecordAccess.everyone(.write)
        var stored = try await database.create(Note(title: "mine"), named: "mine", access: access)
        #expect(stored.metadata.access == access)
        await #expect(throws: FogbaseError.self) { _ = try await guest.fetch(Note.self, "mine") }
        stored.metadata.access = .everyone(.read)
        stored = try await database.save(stored)
        #expect(try await guest.fetch(Note.self, "mine").metadata.access == nil, "readers do not see the list")
        try await database.create(Note(title: "open"), named: "open")
        #expect(try await guest.fetch(Note.self, "open").title == "open")
    }

    @Test func `users and roles have the rights that the list gives them`() async throws {
        let server = try LiveServer()
        let ann = server.client()
        let bob = server.client()
        let user = try await ann.signUp("ann", password: "correct horse")
        let reader = try await bob.signUp("bob", password: "correct horse")
        try await server.put(#"{"members":["\#(reader.recordName)"]}"#, "roles", "editors")
        let database = ann.publicDatabase
        let shared: RecordAccess = [.user(user, .readWrite), .role("editors", .read)]
        let forBoth = try await database.create(Note(title: "both"), access: shared)
        let forOne = try await database.create(Note(title: "one"), access: .creator(.readWrite))
        #expect(forOne.metadata.access == .user(user.recordName, .readWrite), "answers show the creator by name")
        #expect(try await bob.publicDatabase.fetch(Note.self, forBoth.id).title == "both")
        await #expect(throws: FogbaseError.self) { _ = try await bob.publicDatabase.fetch(Note.self, forOne.id) }
        await #expect(throws: FogbaseError.self) { try await bob.publicDatabase.delete(Note.self, forBoth.id) }
    }

    @Test func `lists are joined right by right`() {
        var list: RecordAccess = [.everyone(.read), .role("editors", .write), .user("_0f", .read)]
        list.formUnion(.user("_0f", .write))
        #expect(list["*"] == .read && list["role:editors"] == .write && list["_0f"] == .readWrite)
        #expect(list.principals == ["*", "_0f", "role:editors"])
        let tree = String(decoding: list.tree.bytes, as: UTF8.self)
        #expect(tree == #"{"*":["read"],"_0f":["read","write"],"role:editors":["write"]}"#)
        #expect(RecordAccess.everyone(.read).union(.everyone(.write)) == .everyone(.readWrite))
        #expect(RecordAccess.onlyCreator == .creator(.readWrite))
        #expect(RecordAccess.everyone([]).principals.isEmpty)
    }

    @Test func `rights that a later version has given are sent back unchanged`() throws {
        let text = #"{"*":["read","share"],"role:editors":["archive"]}"#
        var list = try #require(RecordAccess(tree: try JSONValue.parse(Array(text.utf8))))
        #expect(list["*"] == .read && list["role:editors"] == [])
        list["*"] = .readWrite
        list.formUnion(.user("_0f", .read))
        let tree = String(decoding: list.tree.bytes, as: UTF8.self)
        #expect(tree == #"{"*":["read","write","share"],"_0f":["read"],"role:editors":["archive"]}"#)
        list["role:editors"] = []
        #expect(list.principals == ["*", "_0f"])
        let copy = try JSONDecoder().decode(RecordAccess.self, from: JSONEncoder().encode(list))
        #expect(copy == list)
    }
}
