import RecordModel
import RecordWire
import Testing

@testable import RecordEngine

/// Queries that need no index and few rows, and are much work all the same.
@Suite struct QueryWorkTests {
    private static func withList(of count: Int) async throws -> TestDatabase {
        // However slow the machine is, it is not time that ends these.
        var limits = DatabaseLimits()
        limits.queryMilliseconds = 600_000
        let test = try TestDatabase(.production, limits: limits)
        try await test.putType(fields: #""l":{"type":"INT64_LIST"},"t":{"type":"STRING"}"#)
        let members = Array(repeating: "1", count: count).joined(separator: ",")
        try await test.createAll([("r", #""l":[\#(members)],"t":"x""#)])
        return test
    }

    /// Of a record of 100,000 members more than a change may ask of one.
    private static let hundredTests =
        "recordName == 'r' AND " + (2...101).map { "NOT (l CONTAINS \($0))" }.joined(separator: " AND ")

    @Test func `a long list is decoded on the pool, a short one on the loop`() async throws {
        let condition = "recordName == 'r' AND ANY l IN {1, 2}"
        let short = try await Self.withList(of: 100)
        // The time of a loop is short: on a busy machine one attempt may miss it.
        var place: String?
        for _ in 0..<100 where place != "loop" {
            let page = try await short.query(condition)
            #expect(page.names == ["r"])
            place = page.json["plan"]?["ranOn"]?.string
        }
        #expect(place == "loop")
        await short.close()
        let long = try await Self.withList(of: 100_000)
        let page = try await long.query(condition)
        #expect(page.names == ["r"])
        #expect(page.json["plan"]?["ranOn"]?.string == "pool")
        await long.close()
    }

    @Test func `a long text that is sorted by is decoded on the pool`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""t":{"type":"STRING"}"#)
        let text = String(repeating: "a", count: 600_000)
        try await test.createAll([("a", #""t":"\#(text)b""#), ("b", #""t":"\#(text)a""#)])
        let page = try await test.query("recordName IN {'a', 'b'}", sort: "t")
        // Keys keep the beginning alone: equal ones stand in the order in which the records were made.
        #expect(page.names == ["a", "b"])
        #expect(page.json["plan"]?["ranOn"]?.string == "pool")
        await test.close()
    }

    @Test func `a page of a few large records is made on the pool`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""t":{"type":"STRING"}"#)
        let text = String(repeating: "a", count: 400_000)
        try await test.createAll((0..<10).map { ("r\($0)", #""t":"\#(text)""#) })
        // Fewer records than pass between two looks at the time, for which others would wait some ten milliseconds.
        var request = try test.queryRequest("")
        // To count looks at the time, too.
        request.input.count = false
        try test.reader.refresh()
        let page = QueryPage(json: try JSONValue.parse(try await test.reader.query(request)))
        #expect(page.names.count == 10)
        #expect(page.json["plan"]?["ranOn"]?.string == "pool")
        await test.close()
    }

    @Test func `a change that asks too much of one record is refused before any is changed`() async throws {
        let test = try await Self.withList(of: 100_000)
        let set = SetRequest(
            query: try test.queryRequest(Self.hundredTests), change: .delete, isForAll: false, isDryRun: false,
            maxAffected: nil, idempotency: nil)
        try test.reader.refresh()
        let refused = await refusal { _ = try await test.reader.changeSet(set) }
        #expect(refused?.cause == .queryTooExpensive && refused?.reason.contains("long lists") == true)
        await test.close()
    }

    @Test func `a record that has grown since is not asked beyond that either`() async throws {
        let test = try await Self.withList(of: 100_000)
        let post = try #require(RecordTypeName("Post"))
        let type = try #require(test.database.schema[post])
        let predicate = try PredicateBinder(type: type, now: 0) { _ in nil }
            .bind(try PredicateSyntax.parse(Self.hundredTests), positional: [])
        let set = SetRequest(
            query: try test.queryRequest(Self.hundredTests), change: .delete, isForAll: false, isDryRun: false,
            maxAffected: nil, idempotency: nil)
        try test.reader.refresh()
        let change = SetChange(set, type: type, predicate: predicate, isOwnAlone: false, reader: test.reader)
        let id = try #require(Int64(try test.raw("SELECT id FROM record WHERE name = 'r'")))
        let refused = await refusal {
            _ = try await test.database.write { transaction throws(RecordError) in
                try change.perform(on: [id], in: transaction, nanoseconds: UInt64.max).changed
            }
        }
        #expect(refused?.cause == .queryTooExpensive)
        await test.close()
    }

    @Test func `planning ends with the query's time, and asks for the same times once`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""n":{"type":"INT64","indexes":["QUERYABLE"]}"#)
        try await test.createAll((0..<10).map { ("r\($0)", #""n":\#($0)"#) })
        try test.reader.refresh()
        let post = try #require(RecordTypeName("Post"))
        let type = try #require(test.database.schema[post])
        let branches = (0..<20).map { "n == \($0)" }.joined(separator: " OR ")
        let predicate = try PredicateBinder(type: type, now: 0) { _ in nil }
            .bind(try PredicateSyntax.parse("createdTimestamp > 5 AND n >= 0 AND (\(branches))")).simplified()
        let zone = try #require(Int64(try test.raw("SELECT min(zone) FROM record")))
        var asked = 0
        let patient = try test.reader.planner(for: type, zone: zone, limit: 10, deadline: .max) { asked += 1 }
        let range = ValueRange(lower: ValueRange.Bound(.integer(5), isInclusive: false))
        _ = try patient.ids(range)
        _ = try patient.ids(range)
        #expect(asked == 1)
        #expect(try patient.plan(predicate, sort: []).walks.count > 0)
        let late = try test.reader.planner(for: type, zone: zone, limit: 10, deadline: 0)
        #expect(throws: QueryObstacle.self) { _ = try late.plan(predicate, sort: []) }
        await test.close()
    }
}
