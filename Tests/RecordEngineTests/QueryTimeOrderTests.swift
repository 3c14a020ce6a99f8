import RecordEngine
import RecordModel
import RecordWire
import Testing

/// Sorts with other keys after the time of creation.
@Suite struct QueryTimeOrderTests {
    /// Records of a few milliseconds, many in each.
    private static func filled(_ count: Int) async throws -> TestDatabase {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""g":{"type":"INT64","indexes":["QUERYABLE"]},"n":{"type":"INT64","indexes":["SORTABLE"]}"#,
            indexes: #"[{"fields":["g"]}]"#)
        try await test.createAll((0..<count).map { ("p\($0)", #""g":\#($0 % 2),"n":\#($0 * 7 % 11)"#) })
        return test
    }

    private static func times(_ test: TestDatabase) async throws -> [String: Int64] {
        let page = try await test.query("", limit: 1_000)
        var times: [String: Int64] = [:]
        for record in page.json["records"]?.array ?? [] {
            times[record["recordName"]?.string ?? ""] = record["created"]?["timestamp"]?.integer
        }
        return times
    }

    @Test func `a key after the time of creation orders the records of one millisecond, page by page`()
        async throws
    {
        let test = try await Self.filled(300)
        let times = try await Self.times(test)
        // A few scans have their own statements, many are read in chunks.
        let few = "g IN {1, 3}"
        let many = "g IN {1, 3, 5, 7, 9, 11, 13, 15, 17, 19}"
        for (condition, scans) in [(few, 2), (many, 10)] {
            let page = try await test.query(condition, sort: "-createdTimestamp,n", limit: 7)
            #expect(page.plan.hasPrefix("union of \(scans)"), "\(page.plan)")
        }
        for (sort, isNewestFirst, isLargestFirst) in [
            ("createdTimestamp,-n", false, true), ("-createdTimestamp,n", true, false),
            ("-createdTimestamp,-n", true, true),
        ] {
            for condition in ["", "g == 1", few, many] {
                let numbers = (0..<300).filter { condition.isEmpty || $0 % 2 == 1 }
                let expected = numbers.sorted { left, right in
                    let (one, other) = (times["p\(left)"] ?? 0, times["p\(right)"] ?? 0)
                    if one != other { return (one < other) != isNewestFirst }
                    let (n, m) = (left * 7 % 11, right * 7 % 11)
                    if n != m { return (n < m) != isLargestFirst }
                    return (left < right) != isNewestFirst
                }.map { "p\($0)" }
                let found = try await test.pages(condition, sort: sort, limit: 7)
                #expect(found == expected, "\(sort) where \(condition)")
            }
        }
        await test.close()
    }

    @Test func `the first page of many records reads only those of its own milliseconds`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""n":{"type":"INT64","indexes":["SORTABLE"]}"#)
        // Each batch has its own time.
        for batch in 0..<40 {
            try await test.createAll((0..<20).map { ("b\(batch)r\($0)", #""n":\#($0)"#) })
        }
        var request = try test.queryRequest("", sort: "-createdTimestamp,n", limit: 5)
        request.input.count = false
        try test.reader.refresh()
        let page = QueryPage(json: try await test.reader.queries.run(request).object)
        #expect(page.plan == "scan records of Post backward: all\nsort: -createdTimestamp, n, -id")
        #expect(page.names.count == 5 && (page.examined ?? .max) < 200)
        await test.close()
    }
}
