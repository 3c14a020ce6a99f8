import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Queries with patterns on one long text: their time limit and their callers.
@Suite struct PatternQueryTests {
    /// The pattern of the review: all states stay active. On the text, it takes minutes in a release build.
    private static let pattern = #"(?:[\p{Cn}\p{Co}\p{Cs}\p{Zp}\p{Zl}\p{So}\p{Sk}\p{L}]*){330}Z"#

    private static func withText(milliseconds: Int) async throws -> TestDatabase {
        var limits = DatabaseLimits()
        limits.queryMilliseconds = milliseconds
        let test = try TestDatabase(.production, limits: limits)
        try await test.putType(fields: #""t":{"type":"STRING"},"l":{"type":"STRING_LIST"}"#)
        let text = String(repeating: "a", count: 500_000)
        try await test.createAll([("r", #""t":"\#(text)","l":["\#(text)"]"#), ("s", #""t":"ab","l":["a","b"]"#)])
        return test
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: ["t MATCHES %@", "t MATCHES[cd] %@", "ANY l MATCHES %@", "t LIKE 'x' OR NOT t MATCHES %@"])
    func `a match on a long text ends at the time limit`(condition: String) async throws {
        let test = try await Self.withText(milliseconds: 300)
        let error = await rejection {
            _ = try await test.query("recordName IN {'r'} AND (\(condition))", [.string(Self.pattern)])
        }
        #expect(error?.cause == .queryTooExpensive)
        await test.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a condition on groups with a long text ends at the time limit`() async throws {
        let test = try await Self.withText(milliseconds: 300)
        var request = try test.queryRequest("recordName IN {'r'}")
        var aggregate = AggregateInput()
        aggregate.groupBy = ["t"]
        aggregate.values = ["count"]
        aggregate.having =
            "t MATCHES '\(Self.pattern.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\"))'"
        request.input.aggregate = aggregate
        request.input.count = false
        let asked = request
        try test.reader.refresh()
        let error = await rejection { _ = try await test.reader.queries.run(asked) }
        #expect(error?.cause == .queryTooExpensive, "\(String(describing: error))")
        await test.close()
    }

    @Test(.timeLimit(.minutes(1))) func `a match on a long text ends when its caller leaves`() async throws {
        let test = try await Self.withText(milliseconds: 600_000)
        let request = try test.queryRequest("recordName IN {'r'} AND t MATCHES %@", [.string(Self.pattern)])
        let database = test.database
        let pool = database.queries.pool
        let before = pool.reads
        let running = Task { () -> RecordError? in
            await rejection { _ = try await database.makeReader().queries.run(request) }
        }
        while pool.reads == before { await Task.yield() }
        running.cancel()
        #expect(await running.value?.cause == .requestAbandoned)
        // The threads are free.
        #expect(try await test.query("recordName IN {'s'} AND t MATCHES 'ab?'").names == ["s"])
        await test.close()
    }

    @Test func `a pattern with many parts on a short text needs no pool`() async throws {
        let test = try await Self.withText(milliseconds: 5_000)
        // For a machine of any speed.
        test.reader.spareTime = .seconds(600)
        let page = try await test.query("recordName IN {'s'} AND t MATCHES %@", [.string("(?:[a-z]*){300}")])
        #expect(page.names == ["s"])
        #expect(page.json["plan"]?["ranOn"]?.string == "loop")
        await test.close()
    }

    @Test func `the longest conditions with patterns are bound with one compilation of each pattern`() async throws {
        let test = try await Self.withText(milliseconds: 5_000)
        let condition = Array(repeating: "t MATCHES %@", count: 90).joined(separator: " OR ")
        let arguments = Array(repeating: QueryArgument.string("a{1000}"), count: 90)
        #expect(try await test.query("recordName IN {'s'} AND (\(condition))", arguments).names.isEmpty)
        await test.close()
    }
}
