@testable import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

/// Queries by attackers.
@Suite struct QueryAttackTests {
    @Test func `a plan reveals nothing about records that its caller may not read`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""title":{"type":"STRING","indexes":["QUERYABLE"]}"#,
            grants: #"{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}"#)
        let ann = try await test.signUp("ann").caller
        let bob = try await test.signUp("bob").caller
        try await test.createAll((0..<3).map { ("ann\($0)", #""title":"a""#) }, as: ann)
        try await test.createAll((0..<9).map { ("bob\($0)", #""title":"secret""#) }, as: bob)
        let hit = try await test.query("title == %@", [.string("secret")], as: ann)
        let miss = try await test.query("title == %@", [.string("others")], as: ann)
        #expect(hit.names.isEmpty && miss.names.isEmpty)
        func plan(_ page: QueryPage, _ needle: String) throws -> String {
            let bytes = try #require(page.json["plan"]).bytes
            return String(decoding: bytes, as: UTF8.self).split(separator: needle).joined(separator: "?")
        }
        #expect(try plan(hit, "secret") == plan(miss, "others"))
        #expect(try await test.query("title == 'secret'").plan.contains("index (title)"))
    }

    @Test func `a long value that a condition names many times is rejected`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""title":{"type":"STRING","indexes":["QUERYABLE"]}"#)
        let tests = Array(repeating: "title == $v", count: 150)
        var request = try test.queryRequest(tests.joined(separator: " OR "))
        request.input.variables = ["v": .string(String(repeating: "x", count: 200_000))]
        let hostile = request
        try test.reader.refresh()
        #expect(await rejection { _ = try await test.reader.queries.run(hostile) }?.cause == .tooLarge)
        request.input.condition = "title == $v"
        let single = request
        #expect(await rejection { _ = try await test.reader.queries.run(single) } == nil)
    }

    @Test func `ORs of many branches are planned in bounded work`() async throws {
        let test = try TestDatabase(.production)
        let names = (0..<24).map { "f\($0)" }
        try await test.putType(
            fields: names.map { #""\#($0)":{"type":"INT64","indexes":["QUERYABLE"]}"# }.joined(separator: ","))
        try test.reader.refresh()
        let name = try #require(RecordTypeName("Post"))
        let type = try #require(test.database.schema[name])
        let branches = names.map { "\($0) >= 0" }.joined(separator: " OR ")
        let condition = (0..<8).map { "(\(branches) OR f0 == -\($0 + 1))" }.joined(separator: " AND ")
        let binder = PredicateBinder(type: type, now: 0) { _ in nil }
        let predicate = try binder.bind(try PredicateSyntax.parse(condition)).simplified()
        var estimates = 0
        let planner = QueryPlanner(
            type: type, createdFollowsIDs: true, limit: 10,
            estimate: { _ in
                estimates += 1
                return 100
            }, ids: { _ in IDRange() })
        _ = try planner.plan(predicate, sort: [])
        #expect(estimates < 200)
        // One OR of a few branches is still expanded.
        let simple = try binder.bind(try PredicateSyntax.parse("(f0 == 1 OR f1 == 2) AND f2 > 3")).simplified()
        #expect(estimates > 0)
        #expect(try planner.plan(simple, sort: []).scans.count > 0)
        #expect(try await test.query(condition).names.isEmpty)
    }

    @Test func `a failed UNIQUE index does not count as the index that a query needs`() async throws {
        let test = try await TestDatabase.withFailedIndex(.development) { test in
            try await test.createAll([("a", #""title":"x","n":1"#), ("b", #""title":"x","n":1"#)])
            try await test.putType(
                fields: #""title":{"type":"STRING"},"n":{"type":"INT64"}"#,
                indexes: #"[{"fields":["title","n"],"unique":true}]"#)
        }
        let first = try await test.query("title == 'x' AND n == 1")
        #expect(first.names == ["a", "b"])
        #expect(first.notices.count == 1)
        #expect(first.plan.contains("scan index (title, n)"), "\(first.plan)")
        let second = try await test.query("title == 'x' AND n == 1")
        #expect(second.notices.isEmpty && second.names == ["a", "b"])
        // The printed schema names the index that has failed. To put it tries to build the index again.
        let printed = SchemaDocument(test.database.schema, built: [:]).json
        let document = try SchemaDocument.read(printed.bytes)
        let error = await rejection { _ = try await test.database.schemas.put(document) }
        #expect(error?.cause == .uniqueViolation)
        #expect(try await test.query("title == 'x' AND n == 1").names == ["a", "b"])
    }

    @Test func `a repeated bulk change under one key does not run twice while the first attempt runs`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""g":{"type":"INT64","indexes":["QUERYABLE"]},"n":{"type":"INT64"}"#)
        try await test.createAll((0..<3_000).map { ("r\($0)", #""g":1,"n":0"#) })
        let key = try #require(IdempotencyKey("k", request: [1]))
        let request = BulkRequest(
            query: try test.queryRequest("g == 1"),
            change: .modify(try RecordInput.readSingle(Array(#"{"fields":{"n":{"increment":1}}}"#.utf8))),
            isForAll: false, isDryRun: false, maxAffected: nil, idempotency: key)
        let outcomes = await withTaskGroup(of: RecordError?.self) { group in
            for _ in 0..<4 {
                group.addTask { [database = test.database] in
                    await rejection {
                        let reader = try database.makeReader()
                        try reader.refresh()
                        _ = try await reader.bulkChanges.perform(request)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.contains(nil))
        #expect(outcomes.allSatisfy { $0 == nil || $0?.code == .tryAgainLater })
        #expect(try test.read("r0").fields["n"] == .int64(1))
        // Queued after the first, it gets the first one's response.
        #expect(try await test.reader.bulkChanges.perform(request).isReplay)
    }

    @Test func `a bulk change checks its caller's roles in each slice`() async throws {
        let test = try TestDatabase(.production)
        let editor = try #require(RoleName("editor"))
        _ = try await test.database.roles.put(editor, members: [])
        try await test.putType(
            fields: #""g":{"type":"INT64","indexes":["QUERYABLE"]}"#,
            grants: #"{"_world":["READ"],"editor":["WRITE"]}"#)
        try await test.createAll((0..<20).map { ("r\($0)", #""g":1"#) })
        // The role was removed while the matching records were being found.
        let ann = try #require(try await test.signUp("ann").caller.userID)
        let former = Caller.user(ann, roles: [editor: 1])
        let request = BulkRequest(
            query: try test.queryRequest("g == 1", as: former), change: .delete, isForAll: false, isDryRun: false,
            maxAffected: nil, idempotency: nil)
        try test.reader.refresh()
        let response = try await test.reader.bulkChanges.perform(request)
        let outcome = try JSONValue.parse(response.document)
        #expect([outcome["matched"], outcome["deleted"], outcome["skipped"]].map { $0?.integer } == [20, 0, 20])
    }

    @Test func `the replacement of a failed index does not exceed the limit of indexes`() async throws {
        var building = IndexBuildOptions()
        building.inlineRecords = 0
        let test = try TestDatabase(.development, indexBuilding: building)
        try await test.createAll([("a", #""title":"x""#), ("b", #""title":"x""#)])
        let names = (1..<64).map { "f\($0)" }
        let fields = names.map { #""\#($0)":{"type":"INT64"}"# }.joined(separator: ",")
        let indexes = names.map { #"{"fields":["\#($0)"]}"# }.joined(separator: ",")
        try await test.putType(
            fields: #""title":{"type":"STRING","indexes":["QUERYABLE"]},\#(fields)"#,
            indexes: #"[{"fields":["title"],"unique":true},\#(indexes)]"#)
        await test.database.indexes.waitUntilBuilt()
        #expect(try await test.query("title == 'x'").names == ["a", "b"])
    }

    @Test func `a type with all its indexes responds as without permission to add one`() async throws {
        let test = try TestDatabase(.development)
        let names = (0..<63).map { "f\($0)" }
        let fields = names.map { #""\#($0)":{"type":"INT64","indexes":["QUERYABLE"]}"# }.joined(separator: ",")
        try await test.putType(fields: #""a":{"type":"INT64"},"b":{"type":"INT64"},\#(fields)"#)
        let rejected = await rejection { _ = try await test.query("a == 1 OR b == 1") }
        #expect(rejected?.cause == .notIndexed)
    }

    @Test func `a bulk change of one slice runs once under its key, wherever the disk fails`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""g":{"type":"INT64","indexes":["QUERYABLE"]},"n":{"type":"INT64"}"#)
        try await test.createAll((0..<3).map { ("r\($0)", #""g":1,"n":0"#) })
        var step = 0
        var fired = true
        while fired {
            let request = BulkRequest(
                query: try test.queryRequest("g == 1"),
                change: .modify(try RecordInput.readSingle(Array(#"{"fields":{"n":{"increment":1}}}"#.utf8))),
                isForAll: false, isDryRun: false, maxAffected: nil,
                idempotency: IdempotencyKey("k\(step)", request: [1]))
            let plan = FaultPlan(failAt: step, with: StoreFailure(code: 13, message: "full"))
            test.inject(plan)
            try test.reader.refresh()
            _ = await rejection { _ = try await test.reader.bulkChanges.perform(request) }
            test.inject(nil)
            fired = plan.hasFired
            try test.reader.refresh()
            _ = try await test.reader.bulkChanges.perform(request)
            step += 1
            #expect(try test.read("r1").fields["n"] == .int64(Int64(step)), "step \(step)")
            try #require(step < 200)
        }
        #expect(step > 8)
    }
}
