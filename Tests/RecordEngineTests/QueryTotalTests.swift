import RecordEngine
import RecordModel
import RecordWire
import Testing

/// `total=estimate`: exact for few rows, by statistics for many, and never from records that the caller may not read.
@Suite struct QueryTotalTests {
    private static func filled(
        _ grants: String = #"{"_world":["READ"]}"#, count: Int = 26_000
    ) async throws -> TestDatabase {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields:
                #""n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},"m":{"type":"INT64","indexes":["QUERYABLE"]}"#,
            grants: grants)
        try await test.createAll((0..<count).map { ("r\($0)", "\"n\":\($0),\"m\":\($0 % 10)") })
        return test
    }

    private static func total(
        _ test: TestDatabase, _ condition: String, limit: Int = 5, as caller: Caller = .administrator(.bootstrap)
    ) async throws -> (value: Int64, relation: String) {
        var request = try test.queryRequest(condition, limit: limit, as: caller)
        request.input.count = false
        request.input.explain = false
        request.input.estimatesTotal = true
        try test.reader.refresh()
        let page = try await test.reader.queries.run(request).object
        return (
            try #require(page["total"]?["value"]?.integer), try #require(page["total"]?["relation"]?.string)
        )
    }

    @Test func `few matches are counted and many are estimated`() async throws {
        let test = try await Self.filled()
        #expect(try await Self.total(test, "n < 100") == (100, "exact"))
        #expect(try await Self.total(test, "n < 3") == (3, "exact"))
        #expect(try await Self.total(test, "n < 0") == (0, "exact"))
        // Up to 10,000 matches are counted: of an index alone, and of records that are tested.
        #expect(try await Self.total(test, "n < 10000") == (10_000, "exact"))
        #expect(try await Self.total(test, "n < 9000 AND m != 3") == (8_100, "exact"))
        // There are no samples yet.
        for condition in ["", "n < 25000"] {
            let total = try await Self.total(test, condition)
            #expect(total.relation == "atLeast" && (10_000...20_200).contains(total.value), "\(condition): \(total)")
        }
        _ = try await test.database.plannerStatistics.refresh()
        for (condition, count) in [("", 26_000), ("n < 25000", 25_000), ("n >= 1000 AND m != 3", 22_500)] {
            let total = try await Self.total(test, condition)
            #expect(total.relation == "estimate", "\(condition): \(total)")
            #expect((count * 7 / 10...count * 13 / 10).contains(Int(total.value)), "\(condition): \(total)")
        }
        #expect(try await Self.total(test, "n < 100") == (100, "exact"))
        #expect(try await Self.total(test, "", limit: 5, as: .anonymous).relation == "estimate")
    }

    @Test func `an estimate of one database does not tell how many entries others have`() async throws {
        let alone = try await Self.filled()
        let among = try await Self.filled()
        let ann = try await among.signUp("ann").caller
        try await among.createAll(
            (0..<1_500).map { ("a\($0)", "\"n\":\($0)") }, as: ann,
            in: DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.userID))))
        for test in [alone, among] { _ = try await test.database.plannerStatistics.refresh() }
        for condition in ["", "n < 25000", "n >= 1000 AND m != 3"] {
            let total = try await Self.total(alone, condition, as: .anonymous)
            #expect(total.relation == "estimate", "\(condition): \(total)")
            #expect(try await Self.total(among, condition, as: .anonymous) == total, "\(condition)")
        }
    }

    @Test func `statistics are not for callers that may read only their own records`() async throws {
        let test = try await Self.filled(#"{"_creator":["READ"],"_icloud":["CREATE"]}"#, count: 6_000)
        _ = try await test.database.plannerStatistics.refresh()
        let ann = try await test.signUp("ann").caller
        try await test.createAll((0..<20).map { ("a\($0)", "\"n\":\($0)") }, as: ann)
        #expect(try await Self.total(test, "", as: ann) == (20, "exact"))
        let total = try await Self.total(test, "n >= 0", as: ann)
        #expect(total.relation == "exact" && total.value == 20, "\(total)")
    }
}
