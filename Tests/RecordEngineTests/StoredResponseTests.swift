import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// The stored parts of responses to requests with an idempotency key, and their replay.
@Suite struct StoredResponseTests {
    private static let increment = #"{"fields":{"n":{"increment":1}}}"#
    private static let change = RecordOperation.Verb.modify(createsMissing: false, replacesAll: false)

    private static func key(_ text: String) throws -> IdempotencyKey {
        try #require(IdempotencyKey(text, request: [1]))
    }

    /// The bytes of all stored responses.
    private static func stored(_ test: TestDatabase) throws -> Int64 {
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        return try connection.integer("SELECT coalesce(sum(length(body)), 0) FROM idempotency") ?? 0
    }

    private static func batch(_ json: String, _ key: IdempotencyKey) throws -> WriteRequest {
        let input = try BatchInput.read(Array(json.utf8), maxOperations: 200)
        return WriteRequest(
            caller: .administrator(.bootstrap), address: .publicDefault, shape: .batch(isAtomic: input.atomic),
            operations: try input.operations.map { try RecordOperation($0) }, fields: input.desiredKeys,
            idempotency: key)
    }

    @Test func `responses with large records take little room`() async throws {
        let test = try TestDatabase()
        let long = String(repeating: "x", count: 100_000)
        try await test.create("big", #""n":0,"t":"\#(long)""#)
        for step in 0..<20 {
            let response = try await test.perform(
                Self.change, "Post", "big", Self.increment, key: try Self.key("k\(step)"))
            #expect(response.records.bytes > 100_000)
        }
        #expect(try Self.stored(test) < 20 * 200)
        let item =
            #"{"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"big","fields":{"n":{"increment":1}}}}"#
        let request = try Self.batch(
            #"{"operations":[\#(Array(repeating: item, count: 60).joined(separator: ","))]}"#, try Self.key("b"))
        let first = try await test.database.modify(request)
        #expect(first.records.bytes > 6_000_000)
        #expect(try Self.stored(test) < 80 * 200)
        // The last of the items shows the record as it is.
        let again = try await test.database.modify(request)
        #expect(again.isReplay && again.outcome == .batch)
        let (items, shown) = (try records(first), try records(again))
        #expect(items.map { $0["recordChangeTag"] } == shown.map { $0["recordChangeTag"] })
        #expect(items.last == shown.last)
        #expect(shown.dropLast().allSatisfy { $0["fields"] == nil && $0["recordType"] == "Post" })
        #expect(try test.read("big").fields["n"] == .int64(80))
    }

    private func records(_ response: WriteResponse) throws -> [JSONValue] {
        response.records.members
    }

    @Test func `a large response is replayed while its record is unchanged, later without its fields`() async throws {
        let test = try TestDatabase()
        let long = String(repeating: "x", count: 100_000)
        try await test.create("big", #""n":0,"t":"\#(long)""#)
        let key = try Self.key("k")
        let first = try await test.perform(Self.change, "Post", "big", Self.increment, key: key)
        var again = try await test.perform(Self.change, "Post", "big", Self.increment, key: key)
        #expect(again.isReplay)
        again.isReplay = false
        #expect(again == first)
        try await test.change("big", #""n":100"#)
        let later = try await test.perform(Self.change, "Post", "big", Self.increment, key: key)
        #expect(later.isReplay && later.tag == first.tag && later.name == "big" && later.outcome == .updated)
        let shown = try JSONValue.parse(later.records.json)
        #expect(shown["recordChangeTag"]?.string == first.tag && shown["fields"] == nil)
        try await test.delete("big")
        let gone = try await test.perform(Self.change, "Post", "big", Self.increment, key: key)
        #expect(gone == later)
    }

    @Test func `a small response is replayed unchanged, even if its record changed`() async throws {
        let test = try TestDatabase()
        try await test.create("a", #""n":0"#)
        let key = try Self.key("k")
        let first = try await test.perform(Self.change, "Post", "a", Self.increment, key: key)
        func expectSame(_ comment: Comment) async throws {
            let again = try await test.perform(Self.change, "Post", "a", Self.increment, key: key)
            #expect(again.isReplay && again.records.json == first.records.json && again.tag == first.tag, comment)
        }
        try await expectSame("the same")
        // A caller that draws a number and repeats the request gets the same number.
        try await test.change("a", #""n":{"increment":1}"#)
        try await expectSame("changed")
        try await test.delete("a")
        try await expectSame("deleted")
        try await test.create("a", #""n":7"#)
        try await expectSame("made again")
        #expect(try test.read("a").fields["n"] == .int64(7))
    }

    @Test func `the stored responses of a caller are limited, and the oldest are deleted first`() async throws {
        var limits = DatabaseLimits()
        limits.idempotencyBytes = 20_000
        let test = try TestDatabase(limits: limits)
        for step in 0..<100 {
            try await test.perform(.create, "Post", "a\(step)", key: try Self.key("k\(step)"))
        }
        // Other callers have separate limits.
        try await test.perform(.create, "Post", "b", as: .user(16, roles: [:]), key: try Self.key("k"))
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        let kept = try #require(
            try connection.integer("SELECT sum(length(key) + length(request) + length(body)) FROM idempotency"))
        #expect(kept < 20_000)
        let sums = try connection.integer("SELECT sum(bytes) FROM idempotency_sum")
        #expect(try connection.integer("SELECT sum(bytes) FROM idempotency") == sums)
        #expect(try #require(sums) <= 20_500)
        for step in [85, 99] {
            let again = try await test.perform(.create, "Post", "a\(step)", key: try Self.key("k\(step)"))
            #expect(again.isReplay, "\(step)")
        }
        let forgotten = await rejection {
            try await test.perform(.create, "Post", "a0", key: try Self.key("k0"))
        }
        #expect(forgotten?.code == .exists)
        var past = limits
        past.idempotencySeconds = -10
        await test.close()
        let later = try TestDatabase(limits: past, directory: test.directory)
        _ = try await later.database.maintenance.run()
        #expect(try connection.integer("SELECT count(*) FROM idempotency") == 0)
        #expect(try connection.integer("SELECT count(*) FROM idempotency_sum") == 0)
        await later.close()
    }

    @Test func `the conflict of a batch is stored without the conflicting record`() async throws {
        let test = try TestDatabase()
        let long = String(repeating: "x", count: 100_000)
        try await test.create("big", #""n":0,"t":"\#(long)""#)
        let item =
            #"{"operationType":"update","record":{"recordType":"Post","recordName":"big","recordChangeTag":"zz","fields":{"n":1}}}"#
        let request = try Self.batch(#"{"operations":[\#(item),\#(item)],"atomic":false}"#, try Self.key("k"))
        let first = try await test.database.modify(request)
        #expect(try records(first).allSatisfy { $0["serverRecord"]?["fields"]?["t"]?["value"]?.string == long })
        #expect(try Self.stored(test) < 1_000)
        let again = try await test.database.modify(request)
        #expect(again.isReplay && again.records.json == first.records.json)
        try await test.delete("big")
        let later = try records(try await test.database.modify(request))
        #expect(later.count == 2)
        #expect(later.allSatisfy { $0["serverErrorCode"] == "CONFLICT" && $0["serverRecord"] == nil })
    }

    @Test func `a batch response that an earlier version stored is replayed as a whole`() async throws {
        let test = try TestDatabase()
        let item = #"{"operationType":"create","record":{"recordType":"Post","recordName":"a","fields":{"n":0.1}}}"#
        let request = try Self.batch(#"{"operations":[\#(item)]}"#, try Self.key("k"))
        let first = try await test.database.modify(request)
        var again = try await test.database.modify(request)
        #expect(again.isReplay && again.records.json == first.records.json && again.notices == first.notices)
        let connection = try Connection(path: DataDirectory.databasePath(in: test.directory), role: .writer)
        // Those wrote no opening (05), but `{"records":[` and `]}` as texts (01) with their lengths.
        try connection.execute(
            """
            UPDATE idempotency SET body = CAST(
                x'010c' || '{"records":[' || substr(body, 2) || x'0102' || ']}' AS BLOB)
            """)
        again = try await test.database.modify(request)
        #expect(again.isReplay && again.outcome == .batch && again.records.json.isEmpty)
        #expect(again.document == Array(#"{"records":["#.utf8) + first.records.json + Array("]}".utf8))
    }
}
