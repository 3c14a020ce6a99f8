import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct TypeRemovalTests {
    @Test func `older tokens start over after tombstones are deleted with their type`() async throws {
        let test = try TestDatabase()
        try await test.create("keep", type: "Other")
        try await test.create("a")
        let token = try test.changes().token
        try await test.delete("a")
        try await test.database.schemas.put(
            SchemaDocument(types: [.init(name: try #require(RecordTypeName("Other")))]))
        #expect(await rejection { _ = try test.changes(since: token) }?.cause == .tokenExpired)
        let fresh = try test.changes()
        #expect(fresh.changes.compactMap { $0["recordName"]?.string } == ["keep"])
        #expect(try test.changes(since: fresh.token).changes.isEmpty)
    }
}
