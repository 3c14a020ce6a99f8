import RecordEngine
import RecordModel
import RecordWire
import Testing

/// A caller that may neither read nor write a type's records learns from no verb and no precondition which names exist.
@Suite struct ExistenceOracleTests {
    private static let verbs: [RecordOperation.Verb] = [
        .modify(createsMissing: false, replacesAll: false), .modify(createsMissing: true, replacesAll: true),
        .modify(createsMissing: true, replacesAll: false), .delete(ignoresMissing: false),
        .delete(ignoresMissing: true), .create,
    ]
    private static let guards: [WritePrecondition] = [.none, .tags(["x"]), .exists, .absent]

    @Test func `a write without permission is denied whether or not the record exists`() async throws {
        let test = try TestDatabase()
        let mallory = try await test.signUp("mallory").caller
        try await test.create("there", #""n":1"#, type: "Secret")
        try await test.create("open", #""n":1"#, type: "Post")
        let secret = try #require(RecordTypeName("Secret"))
        let post = try #require(RecordTypeName("Post"))
        try await test.database.schemas.setGrants(Grants(), of: secret)
        try await test.database.schemas.setGrants(Grants(), of: post)
        for caller in [mallory, .anonymous] {
            for verb in Self.verbs {
                for precondition in Self.guards {
                    for type in ["Secret", "Post", nil] {
                        let there = await Self.outcome(of: "there", verb, precondition, type, caller, test)
                        let missing = await Self.outcome(of: "missing", verb, precondition, type, caller, test)
                        #expect(there == missing, "\(verb) \(precondition) \(type ?? "no type") by \(caller)")
                    }
                }
            }
        }
        #expect(try test.list(type: "Secret").names == ["there"])
    }

    private static func outcome(
        of name: String, _ verb: RecordOperation.Verb, _ precondition: WritePrecondition, _ type: String?,
        _ caller: Caller,
        _ test: TestDatabase
    ) async -> RecordError? {
        let operation = RecordOperation(
            verb, precondition: precondition, typeName: type.flatMap(RecordTypeName.init), isTypeInPath: type != nil,
            recordName: RecordName(name), input: RecordInput())
        do throws(RecordError) {
            _ = try await test.database.modify(
                WriteRequest(caller: caller, address: .publicDefault, shape: .single, operations: [operation]))
            return nil
        } catch {
            return error
        }
    }
}
