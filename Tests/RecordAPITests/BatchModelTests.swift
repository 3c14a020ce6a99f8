import HTTP
import RecordWire
import TestSupport
import Testing

/// A batch that is not atomic does the same as its operations one by one, also if some of them fail after their first
/// change, as operations with VALIDATE references do.
@Suite struct BatchModelTests {
    private struct Step {
        var kind: String
        var name: String
        var fields: String

        static func random(_ random: inout SeededGenerator) -> Step {
            let names = ["a", "b", "c", "d", "e"]
            let kind =
                ["create", "create", "forceUpdate", "forceReplace", "forceUpdate", "forceDelete", "delete"]
                .randomElement(using: &random) ?? "create"
            var fields: [String] = []
            if Bool.random(using: &random) { fields.append(#""slug":"\#(Int.random(in: 0..<6, using: &random))""#) }
            if Int.random(in: 0..<3, using: &random) == 0 {
                let target = names.randomElement(using: &random) ?? "a"
                fields.append(#""home":{"recordName":"\#(target)","action":"VALIDATE"}"#)
            }
            return Step(
                kind: kind, name: names.randomElement(using: &random) ?? "a",
                fields: kind.hasSuffix("elete") ? "" : fields.joined(separator: ","))
        }

        var operation: String {
            #"{"operationType":"\#(kind)","record":{"recordName":"\#(name)","recordType":"Post","fields":{\#(fields)}}}"#
        }
    }

    private static func make() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: #"""
                {"types":{"Post":{"fields":{"slug":{"type":"STRING"},"home":{"type":"REFERENCE"}},
                "indexes":[{"fields":["slug"],"unique":true}]}}}
                """#)
        try #require(schema.status == 200, "\(schema.text)")
        return database
    }

    /// The code of each operation, and `nil` for those that succeeded.
    private static func send(_ steps: [Step], to database: TestDatabase) async throws -> [String?] {
        let operations = steps.map(\.operation).joined(separator: ",")
        let response = await database.call(
            .post, "/records", as: .creator, body: #"{"atomic":false,"operations":[\#(operations)]}"#)
        try #require(response.status == 200, "\(response.text)")
        #expect(response.records.map { $0["recordName"]?.string } == steps.map(\.name))
        return response.records.map { $0["serverErrorCode"]?.string }
    }

    private static func state(of database: TestDatabase) async throws -> [String: JSONValue?] {
        let page = await database.call(.get, "/records/Post?limit=200", as: .administrator)
        try #require(page.status == 200, "\(page.text)")
        let records = page.records.map { ($0["recordName"]?.string ?? "", $0["fields"]) }
        return Dictionary(records, uniquingKeysWith: { first, _ in first })
    }

    private static func usage(of database: TestDatabase) async throws -> JSONValue {
        try #require(await database.call(.get, "/users/me", as: .creator).json?["usage"])
    }

    @Test(arguments: 0..<4) func `a batch that is not atomic does what its operations do alone`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let (together, alone) = (try await Self.make(), try await Self.make())
        var failures = 0
        for _ in 0..<15 {
            let steps = (0..<Int.random(in: 2...8, using: &random)).map { _ in Step.random(&random) }
            let codes = try await Self.send(steps, to: together)
            var expected: [String?] = []
            for step in steps { expected += try await Self.send([step], to: alone) }
            #expect(codes == expected)
            failures += codes.count { $0 == "VALIDATING_REFERENCE_ERROR" }
            #expect(try await Self.state(of: together) == Self.state(of: alone))
            #expect(try await Self.usage(of: together) == Self.usage(of: alone))
        }
        #expect(failures > 0)
    }
}
