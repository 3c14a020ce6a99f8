import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct TypeRemovalTests {
    @Test func `deletions that go with their type make older tokens start again`() async throws {
        let test = try TestDatabase()
        try await test.create("keep", type: "Other")
        try await test.create("a")
        let token = try test.changes().token
        try await test.delete("a")
        try await test.database.schemas.put(
            SchemaDocument(types: [.init(name: try #require(RecordTypeName("Other")))]))
        #expect(await refusal { _ = try test.changes(since: token) }?.cause == .tokenExpired)
        let fresh = try test.changes()
        #expect(fresh.changes.compactMap { $0["recordName"]?.string } == ["keep"])
        #expect(try test.changes(since: fresh.token).changes.isEmpty)
    }
}
