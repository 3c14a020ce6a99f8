import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

@Suite struct StoreFaultTests {
    // A request is wholly there or wholly not, whichever call into the store fails: as SQLite's own tests have it.

    private static let errors: [(name: String, error: StoreFailure, losesTransaction: Bool)] = [
        ("I/O error", StoreFailure(code: 266, message: "disk I/O error"), false),
        ("I/O error that rolls back", StoreFailure(code: 778, message: "disk I/O error"), true),
        ("full disk that rolls back", StoreFailure(code: 13, message: "database or disk is full"), true),
    ]

    /// A batch that inserts, updates, deletes with a cascade, and moves edges and a large value.
    private static let batch = """
        {"operations":[
        {"operationType":"create","record":{"recordType":"Post","recordName":"new","fields":{"n":1,"t":{"recordName":"keep","action":"VALIDATE"}}}},
        {"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"keep","fields":{"n":{"increment":1},"image":{"value":"\(
            String(repeating: "QUJD", count: 2_000))","type":"BYTES"}}}},
        {"operationType":"forceDelete","record":{"recordName":"root"}}]}
        """

    @Test(arguments: errors.indices) func `a batch is whole after a fault at every step`(_ kind: Int) async throws {
        let fault = Self.errors[kind]
        var step = 0
        var fired = true
        while fired {
            let test = try TestDatabase()
            try await test.create("keep", #""n":1,"image":{"value":"QUJD","type":"BYTES"},"t":{"recordName":"keep"}"#)
            try await test.create("root")
            try await test.create("child", #""t":{"recordName":"root","action":"DELETE_SELF"}"#)
            let before = try Self.state(of: test)
            let plan = FaultPlan(failAt: step, with: fault.error, losesTransaction: fault.losesTransaction)
            test.inject(plan)
            let results = try? await test.batch(Self.batch)
            test.inject(nil)
            fired = plan.hasFired
            let after = try Self.state(of: test)
            if let results {
                #expect(results.allSatisfy { $0["serverErrorCode"] == nil }, "step \(step)")
                #expect(after["new"] != nil && after["root"] == nil && after["child"] == nil, "step \(step)")
                #expect(after["keep"]?.fields["n"] == .int64(2), "step \(step)")
            } else {
                #expect(after == before, "\(fault.name) at step \(step) left half a write")
                // No damage is left: the same batch succeeds now.
                let again = try await test.batch(Self.batch)
                #expect(again.allSatisfy { $0["serverErrorCode"] == nil }, "step \(step)")
            }
            try Self.checkFeed(of: test)
            step += 1
            try #require(step < 500)
        }
        #expect(step > 15)
    }

    @Test(arguments: errors.indices) func `the other writes of a group succeed when one fails`(
        _ kind: Int
    ) async throws {
        let fault = Self.errors[kind]
        for step in stride(from: 0, to: 60, by: 1) {
            let test = try TestDatabase()
            try await test.create("first", #""n":1"#)
            let plan = FaultPlan(failAt: step, with: fault.error, losesTransaction: fault.losesTransaction)
            test.inject(plan)
            let acknowledged = await withTaskGroup(of: String?.self) { group in
                for number in 0..<6 {
                    group.addTask { [database = test.database] in
                        guard let input = try? RecordInput.readSingle(Array(#"{"fields":{"n":1}}"#.utf8)) else {
                            return nil
                        }
                        let operation = RecordOperation(
                            .create, typeName: RecordTypeName("Post"), isTypeInPath: true,
                            recordName: RecordName("r\(number)"), input: input)
                        let response = try? await database.modify(
                            WriteRequest(
                                caller: .administrator(.bootstrap), address: .publicDefault, shape: .single,
                                operations: [operation]))
                        return response?.name
                    }
                }
                return await group.reduce(into: Set<String>()) { if let name = $1 { $0.insert(name) } }
            }
            test.inject(nil)
            let stored = Set(try Self.state(of: test).keys).subtracting(["first"])
            #expect(stored == acknowledged, "\(fault.name) at step \(step)")
            try Self.checkFeed(of: test)
        }
    }

    @Test func `after a failed sync nothing more is written, and reads go on`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":1"#)
        // BEGIN, SAVEPOINT, the look-up, INSERT, RELEASE, then COMMIT.
        var step = 0
        var response: RecordError?
        while test.database.isHealthy {
            let plan = FaultPlan(failAt: step, with: StoreFailure(code: 1034, message: "fsync"), losesTransaction: true)
            test.inject(plan)
            response = await rejection { try await test.create("b\(step)") }
            test.inject(nil)
            step += 1
            try #require(step < 50)
        }
        // Whether it is on the disk is unknown: the response is the same as to later writes.
        #expect(response?.cause == .unavailable)
        #expect(await rejection { try await test.create("c") }?.cause == .unavailable)
        #expect(try test.read("a").fields["n"] == .int64(1))
    }

    private static func state(of test: TestDatabase) throws -> [String: RecordDictionary] {
        let names = try test.list().names
        return try Dictionary(uniqueKeysWithValues: names.map { ($0, try test.read($0)) })
    }

    /// The feed, replayed from its beginning, equals the table.
    private static func checkFeed(of test: TestDatabase) throws {
        var live: Set<String> = []
        for change in try test.changes().changes {
            guard let name = change["recordName"]?.string else { continue }
            if change["deleted"] == .bool(true) { live.remove(name) } else { live.insert(name) }
        }
        #expect(live == Set(try test.list().names))
    }
}
