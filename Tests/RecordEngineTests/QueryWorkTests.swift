import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Queries that need no index and few rows, and are much work all the same.
@Suite struct QueryWorkTests {
    private static func withList(of count: Int) async throws -> TestDatabase {
        // On a machine of any speed, these do not end by time.
        var limits = DatabaseLimits()
        limits.queryMilliseconds = 600_000
        let test = try TestDatabase(.production, limits: limits)
        try await test.putType(fields: #""l":{"type":"INT64_LIST"},"t":{"type":"STRING"}"#)
        let members = Array(repeating: "1", count: count).joined(separator: ",")
        try await test.createAll([("r", #""l":[\#(members)],"t":"x""#)])
        return test
    }

    /// The field of one record with 100,000 members costs more than the limit of a change.
    private static let hundredTests =
        "recordName == 'r' AND " + (2...101).map { "NOT (l CONTAINS \($0))" }.joined(separator: " AND ")

    @Test func `a long list is decoded on the pool, a short one on the loop`() async throws {
        let condition = "recordName == 'r' AND ANY l IN {1, 2}"
        let short = try await Self.withList(of: 100)
        // For a machine of any speed.
        short.reader.spareTime = .seconds(600)
        var page = try await short.query(condition)
        #expect(page.names == ["r"])
        #expect(page.json["plan"]?["ranOn"]?.string == "loop")
        await short.close()
        let long = try await Self.withList(of: 100_000)
        page = try await long.query(condition)
        #expect(page.names == ["r"])
        #expect(page.json["plan"]?["ranOn"]?.string == "pool")
        await long.close()
    }

    @Test func `a long text is decoded on the pool for sorting`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""t":{"type":"STRING"}"#)
        let text = String(repeating: "a", count: 600_000)
        try await test.createAll([("a", #""t":"\#(text)b""#), ("b", #""t":"\#(text)a""#)])
        let page = try await test.query("recordName IN {'a', 'b'}", sort: "t")
        // Keys have only the prefix: records with equal keys are sorted by creation.
        #expect(page.names == ["a", "b"])
        #expect(page.json["plan"]?["ranOn"]?.string == "pool")
        await test.close()
    }

    @Test func `a page of a few large records is made on the pool`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""t":{"type":"STRING"}"#)
        let text = String(repeating: "a", count: 400_000)
        try await test.createAll((0..<10).map { ("r\($0)", #""t":"\#(text)""#) })
        // Ten records are fewer than the query examines between two checks of the clock, so their bytes must count.
        test.reader.spareTime = .zero
        var request = try test.queryRequest("")
        // To count checks of the clock, too.
        request.input.count = false
        try test.reader.refresh()
        let page = QueryPage(json: try await test.reader.queries.run(request).object)
        #expect(page.names.count == 10)
        #expect(page.json["plan"]?["ranOn"]?.string == "pool")
        await test.close()
    }

    @Test func `a change that evaluates too much per record is rejected before any record changes`() async throws {
        let test = try await Self.withList(of: 100_000)
        // One that matches and is little work, before it.
        try await test.createAll([("q", #""l":[1],"t":"x""#)])
        let both = Self.hundredTests.replacing("recordName == 'r'", with: "recordName IN {'q', 'r'}")
        let set = BulkRequest(
            query: try test.queryRequest(both), change: .delete, isForAll: false, isDryRun: false, maxAffected: nil,
            idempotency: nil)
        try test.reader.refresh()
        let rejected = await rejection { _ = try await test.reader.bulkChanges.perform(set) }
        #expect(rejected?.cause == .queryTooExpensive && rejected?.reason.contains("long lists") == true)
        // A failure in the middle reports its progress.
        #expect(rejected?.details.contains { $0.key == "matched" } == false)
        #expect(try test.raw("SELECT count(*) FROM record WHERE name IN ('q', 'r') AND NOT deleted") == "2")
        await test.close()
    }

    @Test func `a slice ends in time though all of its records are skipped`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""n":{"type":"INT64"}"#)
        try await test.createAll((0..<50).map { ("r\($0)", #""n":1"#) })
        let post = try #require(RecordTypeName("Post"))
        let type = try #require(test.database.schema[post])
        let ids = try test.raw("SELECT group_concat(id) FROM record WHERE name LIKE 'r%'").split(separator: ",")
            .compactMap { RecordNumber(text: $0) }
        let mallory = try await test.signUp("mallory").caller
        try test.reader.refresh()
        // One record may not be written, the other no longer matches.
        for (caller, condition) in [(mallory, "n == 1"), (.administrator(.bootstrap), "n == 2")] {
            let predicate = try PredicateBinder(type: type, now: 0) { _ in nil }
                .bind(try PredicateSyntax.parse(condition), positional: [])
            let set = BulkRequest(
                query: try test.queryRequest(condition, as: caller), change: .delete, isForAll: false,
                isDryRun: false, maxAffected: nil, idempotency: nil)
            let change = BulkChange(
                set, type: type, predicate: predicate, isRestrictedToOwn: false, reader: test.reader)
            for (nanoseconds, expected) in [(UInt64(0), 1), (UInt64.max, 50)] {
                let done = try await test.database.write { transaction throws(RecordError) in
                    var budget = SliceBudget(nanoseconds: nanoseconds)
                    var progress = BulkProgress(matched: ids.count)
                    try change.perform(on: ids[...], in: transaction, &budget, &progress)
                    return progress
                }
                #expect(done.changed == 0 && done.skips.count == expected)
            }
        }
        await test.close()
    }

    @Test func `long predicates are bound on the pool, which also adds their indexes`() async throws {
        let test = try TestDatabase(.development)
        try await test.createAll([("a", #""t":"x""#)])
        let texts = (0..<900).map { QueryArgument.string("text number \($0)") }
        let page = try await test.query("t IN %@", [.list(texts + [.string("x")])])
        #expect(page.names == ["a"] && page.notices.count == 1)
        #expect(page.json["plan"]?["ranOn"]?.string == "pool")
        await test.close()
    }

    @Test func `a sort without enough time is rejected before it runs`() throws {
        let order = QueryOrder([], constants: [], createdFollowsIDs: true)
        let hasty = QueryBudget(time: .milliseconds(2))
        var short = TopRecords(1_000, order: order)
        for number in 0..<100 { try short.add(QueryPosition(key: [UInt8(number)], record: 1), hasty) }
        _ = try short.finish(hasty)
        var long = TopRecords(1_000, order: order)
        for number in 0..<130 {
            let key = [UInt8](repeating: 1, count: 8_192) + [UInt8(number)]
            try long.add(QueryPosition(key: key, record: 1), hasty)
        }
        #expect(throws: RecordError.queryTooExpensive) { _ = try long.finish(hasty) }
        let patient = QueryBudget(time: .seconds(600))
        let sorted = try long.finish(patient)
        #expect(sorted.map { $0.key.last } == (0..<130).map { UInt8($0) })
    }

    @Test func `a budget distinguishes a timeout from other errors`() throws {
        let late = QueryBudget(time: .zero)
        #expect(throws: RecordError.queryTooExpensive) { try late.take(16) }
        #expect(late.stoppedAfter == 16)
        // More time would not help here, though the time is over too.
        let strict = QueryBudget(time: .zero, workPerRecord: 10)
        #expect(throws: RecordError.conditionTooExpensive) { try strict.spend(11) }
        #expect(strict.stoppedAfter == nil)
    }

    @Test func `a record that has grown since is not evaluated beyond the limit either`() async throws {
        let test = try await Self.withList(of: 100_000)
        let post = try #require(RecordTypeName("Post"))
        let type = try #require(test.database.schema[post])
        let predicate = try PredicateBinder(type: type, now: 0) { _ in nil }
            .bind(try PredicateSyntax.parse(Self.hundredTests), positional: [])
        let set = BulkRequest(
            query: try test.queryRequest(Self.hundredTests), change: .delete, isForAll: false, isDryRun: false,
            maxAffected: nil, idempotency: nil)
        try test.reader.refresh()
        let change = BulkChange(set, type: type, predicate: predicate, isRestrictedToOwn: false, reader: test.reader)
        let id = try #require(RecordNumber(text: try test.raw("SELECT id FROM record WHERE name = 'r'")))
        let rejected = await rejection {
            var progress = BulkProgress(matched: 1)
            try await test.reader.bulkChanges.perform(change, on: [id], &progress) { _, _, _ in }
        }
        #expect(rejected?.cause == .queryTooExpensive)
        await test.close()
    }

    @Test func `planning ends with the query's time, and estimates the same times once`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""n":{"type":"INT64","indexes":["QUERYABLE"]}"#)
        try await test.createAll((0..<10).map { ("r\($0)", #""n":\#($0)"#) })
        try test.reader.refresh()
        let post = try #require(RecordTypeName("Post"))
        let type = try #require(test.database.schema[post])
        let branches = (0..<20).map { "n == \($0)" }.joined(separator: " OR ")
        let predicate = try PredicateBinder(type: type, now: 0) { _ in nil }
            .bind(try PredicateSyntax.parse("createdTimestamp > 5 AND n >= 0 AND (\(branches))")).simplified()
        let zone = try #require(ZoneID(text: try test.raw("SELECT min(zone) FROM record")))
        var asked = 0
        let patient = try test.reader.queries.planner(
            for: type, home: .zone(zone), limit: 10, budget: QueryBudget(time: .seconds(600))
        ) { asked += 1 }
        let range = ValueRange(lower: ValueRange.Bound(.integer(5), isInclusive: false))
        _ = try patient.ids(range)
        _ = try patient.ids(range)
        #expect(asked == 1)
        #expect(try patient.plan(predicate, sort: []).scans.count > 0)
        let late = try test.reader.queries.planner(
            for: type, home: .zone(zone), limit: 10, budget: QueryBudget(time: .zero))
        #expect(throws: RecordError.queryTooExpensive) { _ = try late.plan(predicate, sort: []) }
        await test.close()
    }
}
