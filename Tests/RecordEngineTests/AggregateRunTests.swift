import RecordEngine
import RecordModel
import RecordWire
import Testing

/// How aggregates run: which plan reads what, and where they stop.
@Suite struct AggregateRunTests {
    private func ask(
        _ groupBy: [String], _ values: [String], where condition: String = "", in test: TestDatabase
    ) async throws -> (text: String, page: RecordPage) {
        var input = QueryInput()
        input.condition = condition
        var aggregate = AggregateInput()
        aggregate.groupBy = groupBy
        aggregate.values = values
        input.aggregate = aggregate
        input.explain = true
        let request = QueryRequest(
            caller: .administrator(.bootstrap), address: .publicDefault,
            typeName: try #require(RecordTypeName("Post")), input: input)
        try test.reader.refresh()
        let page = try await test.reader.queries.run(request)
        return (String(decoding: page.groups ?? [], as: UTF8.self), page)
    }

    private func index(_ page: RecordPage) -> String? { page.plan?["access"]?.array?.first?["index"]?.string }

    @Test func `an index with a descending column gives the groups without records`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""s":{"type":"STRING"},"n":{"type":"INT64"},"d":{"type":"DOUBLE"}"#,
            indexes: #"[{"fields":["s","-n"]},{"fields":["-d"]}]"#)
        try await test.createAll([
            ("a", #""s":{"value":"x\u0000y"},"n":{"value":-3},"d":{"value":-1.5}"#),
            ("b", #""s":{"value":"x\u0000y"},"n":{"value":7},"d":{"value":2.25}"#), ("c", #""n":{"value":7}"#),
        ])
        let two = try await ask(["s"], ["count", "sum(n)", "max(n)"], in: test)
        #expect(index(two.page) == "index (s, -n)")
        #expect(
            two.text
                == #"{"groups":[{"key":{"s":null},"values":{"count":1,"sum(n)":7,"max(n)":7}},"#
                + #"{"key":{"s":"x\u0000y"},"values":{"count":2,"sum(n)":4,"max(n)":7}}]"#)
        let one = try await ask([], ["avg(d)", "min(d)", "count(d)"], in: test)
        #expect(index(one.page) == "index (-d)")
        #expect(one.text == #"{"groups":[{"key":{},"values":{"avg(d)":0.375,"min(d)":-1.5,"count(d)":2}}]"#)
        let range = try await ask(["s"], ["count"], where: "s BEGINSWITH 'x'", in: test)
        #expect(index(range.page) == "index (s, -n)")
        #expect(range.text == #"{"groups":[{"key":{"s":"x\u0000y"},"values":{"count":2}}]"#)
    }

    @Test func `texts that differ behind what keys keep are separate groups`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""s":{"type":"STRING","indexes":["QUERYABLE"]}"#)
        let long = String(repeating: "x", count: 1_024)
        try await test.createAll([
            ("a", #""s":{"value":"\#(long)a"}"#), ("b", #""s":{"value":"\#(long)b"}"#), ("c", #""s":{"value":"y"}"#),
        ])
        let groups = try await ask(["s"], ["count"], in: test)
        #expect(try JSONValue.parse(Array((groups.text + "}").utf8))["groups"]?.array?.count == 3)
        #expect(index(groups.page) == "records of Post")
    }

    @Test func `an aggregate with too little time is rejected by records and by index`() async throws {
        var limits = DatabaseLimits()
        limits.queryMilliseconds = 0
        let test = try TestDatabase(.production, limits: limits)
        try await test.putType(
            fields: #""s":{"type":"STRING","indexes":["QUERYABLE"]},"n":{"type":"INT64"}"#)
        try await test.createAll((0..<400).map { ("r\($0)", #""s":{"value":"v\#($0)"},"n":{"value":1}"#) })
        // No time on the loop either.
        test.reader.spareTime = .zero
        for values in [["countDistinct(s)"], ["sum(n)"]] {
            let error = await #expect(throws: RecordError.self) { _ = try await ask([], values, in: test) }
            #expect(error?.cause == .queryTooExpensive)
        }
    }
}
