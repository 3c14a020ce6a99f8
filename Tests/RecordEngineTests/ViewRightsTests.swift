import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct ViewRightsTests {
    @Test func `a read is authorized by the rights of its own snapshot`() async throws {
        // refresh │ grants removed, then a secret written, both acknowledged │ look-up without another refresh
        let test = try TestDatabase()
        try await test.create("public", #""n":1"#)
        try test.reader.refresh()
        let type = try #require(RecordTypeName("Post"))
        let operation = RecordOperation(
            .create, typeName: type, isTypeInPath: true, recordName: RecordName("secret"), input: RecordInput())
        try await test.database.schemas.setGrants(Grants(), of: type)
        _ = try await test.database.modify(
            WriteRequest(
                caller: .administrator(.bootstrap), address: .publicDefault, shape: .single, operations: [operation]))
        var json: [UInt8] = []
        let name = try #require(RecordName("secret"))
        #expect(throws: RecordError.recordNotFound) {
            try test.reader.lookUp(name, type: type, in: .publicDefault, for: .anonymous, fields: nil, to: &json)
        }
    }
}
