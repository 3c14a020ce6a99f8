import RecordWire
import TestSupport
import Testing
import Threads

@testable import CloudKitImport

/// Imports against a source that changes and fails, and a process that is interrupted and killed.
@Suite struct ImporterTests {
    /// Runs until the import comes to its end, however often it is stopped.
    private func finish(_ harness: ImportHarness, _ random: inout SeededGenerator) async throws -> ImportReport {
        for _ in 0..<400 {
            let steps = Bool.random(using: &random) ? Int.random(in: 1..<30, using: &random) : nil
            let stored = Bool.random(using: &random) ? Int.random(in: 0..<9, using: &random) : nil
            switch await harness.result(steps: steps, stored: stored) {
            case .success(let report): return report
            case .failure(.failed(let sentences)):
                // Enough faults in a row.
                try #require(sentences.last?.contains("Run the same command again") == true, "\(sentences)")
            case .failure(.interrupted): continue
            case .failure(let error): throw error
            }
        }
        throw ImportError.failed("The import does not come to its end")
    }

    @Test(arguments: 1...30)
    func `a private database is the same here after faults, kills and changes`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let harness = ImportHarness(seed: seed, isPrivate: true)
        harness.source.state.withLock { state in
            for zone in ["Garden", "Field"] {
                state.zones[zone] = FakeSource.Zone()
                state.change(80, in: zone, types: ["A", "B"], deletes: true)
            }
            state.change(30, in: "_defaultZone", types: ["A", "B"], deletes: false)
            state.faults = 12
            state.between = { state in
                if Int.random(in: 0..<4, using: &state.random) == 0 {
                    state.change(3, in: "Garden", types: ["A", "B"], deletes: true)
                }
            }
        }
        _ = try await finish(harness, &random)
        // Nothing happens any more. What has changed since is caught up with.
        harness.source.state.withLock {
            $0.between = nil
            $0.faults = 0
        }
        let report = try await finish(harness, &random)
        for zone in ["Garden", "Field", "_defaultZone"] { #expect(harness.differences(in: zone) == [], "\(zone)") }
        #expect(report.isComplete && report.dangling.allSatisfy { $0.count > 0 }, "\(report)")
        #expect(report.rows.allSatisfy { !$0.differs }, "\(report.rows)")
        #expect(report.differences.allSatisfy { $0.note.kind == .otherCreation } && report.users.isEmpty, "\(report)")
        // Another run finds nothing to do.
        harness.source.state.withLock { $0.faults = 0 }
        let writes = harness.target.writes
        let last = try await harness.run()
        let zones = last.rows.filter { $0.zone != "_defaultZone" }
        #expect(zones.allSatisfy { $0.carried == 0 && $0.isPartial }, "\(zones)")
        #expect(harness.target.writes - writes <= 8, "only the newest records of the default zone")
    }

    @Test(arguments: 1...20)
    func `a public database is the same here after faults and kills`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let harness = ImportHarness(seed: seed, isPrivate: false)
        harness.source.state.withLock { state in
            state.change(120, in: "_defaultZone", types: ["A", "B"], deletes: false)
            state.faults = 9
        }
        let first = try await finish(harness, &random)
        // Files that never arrived whole are reported, and so are references to their records.
        #expect(!first.problems.isEmpty || harness.differences(in: "_defaultZone") == [])
        #expect(
            first.problems.allSatisfy { $0.reason.contains("file") }
                && first.rows.allSatisfy { !$0.differs && !$0.isPartial }, "\(first)")
        #expect(
            first.rows.map { $0.carried + $0.failed }.reduce(0, +)
                == Int64(harness.expected["_defaultZone"]?.count ?? 0))
        harness.source.state.withLock { state in
            state.change(20, in: "_defaultZone", types: ["A", "B"], deletes: false)
            state.faults = 0
        }
        let second = try await finish(harness, &random)
        #expect(second.isComplete && second.rows.allSatisfy(\.isPartial), "\(second)")
        #expect(harness.differences(in: "_defaultZone") == [])
    }

    @Test func `a dry run reads everything and writes nothing`() async throws {
        let harness = ImportHarness(seed: 3, isPrivate: true)
        harness.options.isDryRun = true
        harness.source.state.withLock { state in
            state.zones["Garden"] = FakeSource.Zone()
            state.change(40, in: "Garden", types: ["A"], deletes: false)
        }
        let report = try await harness.run()
        #expect(harness.target.writes == 0 && harness.target.zones.count == 1 && harness.target.files.isEmpty)
        #expect(report.isDryRun && report.rows.map(\.here) == [nil])
        #expect(report.rows.first?.carried == Int64(harness.expected["Garden"]?.count ?? 0))
    }

    @Test func `a type that cannot be listed is reported with what to do, and the others are carried over`()
        async throws
    {
        let harness = ImportHarness(seed: 4, isPrivate: false)
        harness.source.state.withLock { state in
            for index in 0..<5 { state.save("a\(index)", type: "A") }
            state.save("b", type: "B")
            state.unlisted = ["A"]
        }
        let report = try await harness.run()
        #expect(!report.isComplete && report.unread.map(\.walk.type) == ["A"])
        let unread = try #require(report.unread.first)
        #expect(unread.reason == "BAD_REQUEST, Field 'recordName' is not marked queryable")
        #expect(unread.advice.contains("Add the index 'QUERYABLE' on 'recordName' to the type A"))
        #expect(harness.target.zones["_defaultZone"]?.keys.sorted() == ["b"])
        harness.source.state.withLock { $0.unlisted = [] }
        // The same run goes on: B is not read again.
        let second = try await harness.run()
        #expect(second.isComplete && harness.target.zones["_defaultZone"]?.count == 6)
        #expect(harness.source.state.withLock { $0.requests.filter { $0 == "records/query" }.count } == 3)
    }

    @Test func `records that are rejected are reported with the cause, and tried again`() async throws {
        let harness = ImportHarness(seed: 5, isPrivate: false)
        harness.source.state.withLock { state in
            for index in 0..<40 { state.save("a\(index)", type: "A") }
            state.save("share", type: "cloudkit.share")
        }
        harness.options.types = ["A", "cloudkit.share"]
        harness.target.rejected = ["a7"]
        harness.target.zones["_defaultZone"]?["a9"] = FakeTarget.Record(type: "Other", fields: JSONObject())
        let report = try await harness.run()
        #expect(
            report.problems.map { "\($0.type) \($0.place.name): \($0.reason)" } == [
                "A a7: the body is malformed", "A a9: a record of another type has the name",
                "cloudkit.share share: Fogbase has no share records",
            ])
        #expect(report.rows.first?.carried == 38 && report.rows.first?.failed == 2)
        #expect(harness.target.zones["_defaultZone"]?.count == 39)
    }

    @Test func `what could not be carried over is tried again, although the feed does not have it again`() async throws
    {
        let harness = ImportHarness(seed: 5, isPrivate: true)
        harness.source.state.withLock { state in
            for index in 0..<40 { state.save("a\(index)", type: "A", in: "Garden") }
        }
        harness.target.rejected = ["a7", "a8"]
        #expect(try await harness.run().problems.map(\.place.name) == ["a7", "a8"])
        harness.target.rejected = []
        // A record that the source has deleted is no problem any more.
        harness.source.state.withLock { $0.delete("a8", in: "Garden") }
        let report = try await harness.run()
        #expect(report.isComplete && report.rows.map(\.here) == [39], "\(report)")
        #expect(harness.target.zones["Garden"]?["a7"] != nil)
    }

    @Test func `an existing record keeps its creation, and takes the rest`() async throws {
        let harness = ImportHarness(seed: 6, isPrivate: false)
        harness.source.state.withLock { $0.save("a", type: "A", JSONObject([("n", ["value": 1, "type": "INT64"])])) }
        harness.target.zones["_defaultZone"]?["a"] = FakeTarget.Record(type: "A", fields: JSONObject(), created: 5)
        let report = try await harness.run()
        #expect(harness.target.zones["_defaultZone"]?["a"]?.fields.count == 1)
        #expect(harness.target.zones["_defaultZone"]?["a"]?.created == 5)
        #expect(report.differences.map(\.note.kind) == [.otherCreation] && report.isComplete)
    }

    @Test func `references without targets lose VALIDATE, and are reported`() async throws {
        let harness = ImportHarness(seed: 7, isPrivate: false)
        func reference(_ name: String, _ action: String) -> JSONValue {
            ["value": ["recordName": .string(name), "action": .string(action)], "type": "REFERENCE"]
        }
        harness.source.state.withLock { state in
            state.save("a", type: "A", JSONObject([("to", reference("gone", "VALIDATE"))]))
            state.save("b", type: "A", JSONObject([("to", reference("lost", "NONE"))]))
            state.save("c", type: "A", JSONObject([("to", reference("d", "VALIDATE"))]))
            state.save("d", type: "A", JSONObject([("to", reference("c", "VALIDATE"))]))
        }
        let report = try await harness.run()
        let records = try #require(harness.target.zones["_defaultZone"])
        #expect(records["a"]?.fields["to"]?["value"]?["action"] == "NONE")
        #expect(records["c"]?.fields["to"] == reference("d", "VALIDATE"))
        #expect(records["d"]?.fields["to"] == reference("c", "VALIDATE"))
        #expect(report.differences.map(\.note) == [ImportNote(.notValidated, type: "A", subject: "to")])
        #expect(report.dangling.map(\.count) == [2] && report.dangling.first?.examples == ["gone", "lost"])
    }

    @Test func `a deletion does not delete records that the source has made after it`() async throws {
        let harness = ImportHarness(seed: 12, isPrivate: true)
        harness.source.state.withLock { $0.save("a", type: "A", in: "Garden") }
        _ = try await harness.run()
        let reference: JSONValue = ["recordName": "a", "action": "DELETE_SELF"]
        harness.source.state.withLock { state in
            state.delete("a", in: "Garden")
            state.save("b", type: "A", in: "Garden", JSONObject([("to", ["value": reference, "type": "REFERENCE"])]))
        }
        let report = try await harness.run()
        #expect(harness.differences(in: "Garden") == [] && report.deleted == ["Garden": 1])
        #expect(report.dangling.map(\.examples) == [["a"]])
    }

    @Test func `a zone that the source deletes is deleted here`() async throws {
        let harness = ImportHarness(seed: 8, isPrivate: true)
        harness.source.state.withLock { state in
            for zone in ["Garden", "Field"] { state.save("a", type: "A", in: zone) }
        }
        _ = try await harness.run()
        #expect(harness.target.zones.keys.sorted() == ["Field", "Garden", "_defaultZone"])
        harness.source.state.withLock { $0.zones["Garden"] = nil }
        let report = try await harness.run()
        #expect(harness.target.zones.keys.sorted() == ["Field", "_defaultZone"] && report.isComplete)
    }

    @Test func `a token that the source does not know leads to a new walk`() async throws {
        let harness = ImportHarness(seed: 9, isPrivate: true)
        harness.source.state.withLock { $0.save("a", type: "A", in: "Garden") }
        _ = try await harness.run()
        harness.lines = harness.lines.map { line in
            Array(String(decoding: line, as: UTF8.self).replacing(#""next":"t1""#, with: #""next":"tx""#).utf8)
        }
        let report = try await harness.run()
        #expect(report.isComplete && report.rows.map(\.carried) == [1] && report.rows.map(\.isPartial) == [false])
    }

    @Test func `every web auth token is stored and used once`() async throws {
        let harness = ImportHarness(seed: 10, isPrivate: true)
        harness.source.state.withLock { state in
            state.expectsToken = "token-0"
            state.change(60, in: "Garden", types: ["A"], deletes: false)
        }
        let report = try await harness.run()
        #expect(report.isComplete)
        let requests = harness.source.state.withLock { $0.requests.count }
        #expect(harness.tokens.count == requests && Set(harness.tokens).count == requests)
        #expect(harness.tokens.last == harness.source.state.withLock { $0.expectsToken })
    }

    @Test func `a session that has ended is reported with the page to sign in`() async throws {
        let harness = ImportHarness(seed: 11, isPrivate: true)
        harness.source.state.withLock { state in
            state.expectsToken = "old"
            state.between = { $0.expectsToken = "another" }
        }
        let result = await harness.result()
        let expected = ImportError.failed([
            "https://source.example/base needs a new sign-in: no session.",
            "Open https://source.example/sign-in, sign in, and write the web auth token into the file of --web-auth-token-file.",
            "Then run the same command again. It continues where it has stopped.",
        ])
        #expect(result == .failure(expected))
    }
}
