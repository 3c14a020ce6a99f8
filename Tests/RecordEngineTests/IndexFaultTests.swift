import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import Testing

@Suite struct IndexFaultTests {
    // Records and indexes are written together or not at all, whichever call into the store fails.

    private static let schema = #"""
        {"types":{"Post":{"fields":{"n":{"type":"INT64","indexes":["QUERYABLE"]},"slug":{"type":"STRING"},
        "l":{"type":"STRING_LIST","indexes":["QUERYABLE"]},"t":{"type":"REFERENCE"}},
        "indexes":[{"fields":["slug"],"unique":true},{"fields":["-modifiedTimestamp","n"]}]}}}
        """#

    private static let errors: [(name: String, error: StoreFailure, losesTransaction: Bool)] = [
        ("I/O error", StoreFailure(code: 266, message: "disk I/O error"), false),
        ("I/O error that rolls back", StoreFailure(code: 778, message: "disk I/O error"), true),
    ]

    private static let requests: [@Sendable (TestDatabase) async throws -> Void] = [
        { _ = try await $0.create(nil, #""n":5,"slug":"new","l":["a","b"]"#) },
        { _ = try await $0.change("a", #""n":5,"slug":"c","l":["b","c"]"#) },
        { _ = try await $0.delete("root") },
        {
            _ = try await $0.batch(
                #"""
                {"operations":[
                {"operationType":"create","record":{"recordType":"Post","recordName":"x","fields":{"n":1,"slug":"x"}}},
                {"operationType":"create","record":{"recordType":"Post","recordName":"y","fields":{"n":2,"slug":"x"}}},
                {"operationType":"forceReplace","record":{"recordType":"Post","recordName":"a","fields":{"l":["z"]}}},
                {"operationType":"forceDelete","record":{"recordName":"root"}}]}
                """#)
        },
    ]

    @Test(arguments: requests.indices, errors.indices) func `indexes fit records after a fault at every step`(
        _ request: Int, _ kind: Int
    ) async throws {
        let fault = Self.errors[kind]
        let test = try TestDatabase()
        try await test.putSchema(Self.schema)
        try await test.create("a", #""n":1,"slug":"a","l":["a","b"]"#)
        let oracle = try IndexOracle(test)
        var step = 0
        var fired = true
        while fired {
            try await test.create("root", #""slug":"root""#)
            try await test.create(
                "child", #""slug":"child","l":["q"],"t":{"recordName":"root","action":"DELETE_SELF"}"#)
            let plan = FaultPlan(failAt: step, with: fault.error, losesTransaction: fault.losesTransaction)
            test.inject(plan)
            try? await Self.requests[request](test)
            test.inject(nil)
            fired = plan.hasFired
            try oracle.check("\(fault.name) at step \(step)")
            // Back to the beginning.
            for name in try test.list().names where name != "a" {
                _ = try await test.perform(.delete(ignoresMissing: true), "Post", name)
            }
            try await test.change("a", #""n":1,"slug":"a","l":["a","b"]"#)
            step += 1
            try #require(step < 300)
        }
        try oracle.check()
        #expect(step > 8)
    }
}
