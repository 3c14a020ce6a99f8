import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Values at the limits of index keys, and places where an order is easily lost.
@Suite struct QueryEdgeTests {
    private static let fields =
        #""t":{"type":"STRING"},"n":{"type":"INT64"},"tags":{"type":"STRING_LIST","indexes":["QUERYABLE"]}"#

    @Test func `a text that continues with NUL is a different text`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields, indexes: #"[{"fields":["t"]},{"fields":["-n","-t"]}]"#)
        try await test.createAll([
            ("nul", #""t":"ab\u0000","n":1,"tags":["ab\u0000"]"#), ("plain", #""t":"ab","n":1,"tags":["ab"]"#),
            ("one", #""t":"ab\u0001","n":1,"tags":["ab\u0001"]"#), ("longer", #""t":"ab\u0000c","n":1"#),
            ("two", #""t":"ab\u0002","n":1"#), ("other", #""t":"aa","n":1"#),
        ])
        let ascending = ["other", "plain", "nul", "longer", "one", "two"]
        #expect(try await test.query("t == %@", [.string("ab")]).names == ["plain"])
        #expect(try await test.query("t == %@", [.string("ab")]).count == 1)
        #expect(try await test.query("t == %@", [.string("ab\u{0}")]).names == ["nul"])
        #expect(try await test.query("t > %@", [.string("ab")], sort: "t").names == Array(ascending[2...]))
        #expect(try await test.query("t <= %@", [.string("ab")], sort: "t").names == ["other", "plain"])
        #expect(try await test.query("t BEGINSWITH %@", [.string("ab\u{0}")], sort: "t").names == ["nul", "longer"])
        #expect(try await test.query(sort: "t").names == ascending)
        #expect(try await test.query(sort: "-t").names == ascending.reversed())
        #expect(try await test.query("tags CONTAINS %@", [.string("ab")]).names == ["plain"])
        let scanned = try await test.query("n == 1", sort: "-t", limit: 6)
        #expect(scanned.names == ascending.reversed())
        #expect(scanned.plan == "scan index (-n, -t): n == 1")
        #expect(try await test.pages("n == 1", sort: "t", limit: 1) == ascending)
    }

    @Test func `texts with the same truncated key are distinguished`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields, indexes: #"[{"fields":["t"]},{"fields":["n"]}]"#)
        let full = String(repeating: "x", count: 1_024)
        try await test.createAll([
            ("y", #""t":"\#(full)y","n":2"#), ("full", #""t":"\#(full)","n":1"#), ("x", #""t":"\#(full)x","n":3"#),
        ])
        for condition in ["t > %@", "t != %@"] {
            let page = try await test.query(condition, [.string(full)])
            #expect(page.names == ["y", "x"])
            #expect(page.count == 2)
        }
        #expect(try await test.query("t >= %@", [.string(full + "x")]).names == ["y", "x"])
        #expect(try await test.query("t < %@", [.string(full + "y")]).names == ["full", "x"])
        #expect(try await test.query("t == %@", [.string(full)]).names == ["full"])
        let list = QueryArgument.list([.string(full + "x"), .string(full + "y"), .string(full + "z")])
        for sort in ["", "n", "-n"] {
            let page = try await test.query("t IN %@", [list], sort: sort)
            #expect(page.names == (sort == "-n" ? ["x", "y"] : ["y", "x"]))
            #expect(page.count == 2)
        }
        // Sorts compare the first 1,024 bytes, so these are in creation order.
        #expect(try await test.query(sort: "-t").names == ["y", "full", "x"])
    }

    @Test func `names keep the order of the query`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields, indexes: #"[{"fields":["t","n"]},{"fields":["n"]}]"#)
        try await test.createAll((0..<6).map { ("r\($0)", #""t":"\#($0 % 2 == 0 ? "even" : "odd")","n":\#(9 - $0)"#) })
        let names = QueryArgument.list([.string("r4"), .string("r1"), .string("r3")])
        #expect(try await test.pages("recordName IN %@", [names], limit: 1) == ["r1", "r3", "r4"])
        #expect(
            try await test.pages("recordName IN %@", [names], sort: "-createdTimestamp", limit: 1)
                == ["r4", "r3", "r1"])
        #expect(try await test.pages("recordName IN %@", [names], sort: "n", limit: 1) == ["r4", "r3", "r1"])
        let mixed = try await test.pages("recordName == 'r3' OR t == 'even'", sort: "n", limit: 1)
        #expect(mixed == ["r4", "r3", "r2", "r0"])
    }

    @Test func `records of one millisecond keep the order in which they were made`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields)
        try await test.createAll((0..<5).map { ("r\($0)", "") })
        let created = try test.read("r0").created?.timestamp ?? 0
        let page = try await test.query("createdTimestamp == %@", [.timestamp(created)], sort: "-createdTimestamp")
        #expect(page.names == ["r4", "r3", "r2", "r1", "r0"])
    }

    @Test func `a sort that no one index serves still gets the marks that it needs`() async throws {
        let test = try TestDatabase(.development)
        try await test.createAll([("b", #""n":1"#), ("a", #""n":2"#)])
        #expect(try await test.query(sort: "recordName,n").names == ["a", "b"])
        #expect(try await test.query("n IN %@", [.list([])], sort: "-recordName,n").names == [])
        let again = try await test.query(sort: "recordName,n")
        #expect(again.notices.isEmpty)
    }
}
