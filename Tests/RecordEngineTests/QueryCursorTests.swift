import RecordEngine
import RecordModel
import RecordWire
import Testing

@Suite struct QueryCursorTests {
    private static let fields = #""g":{"type":"INT64","indexes":["QUERYABLE"]},"n":{"type":"INT64"}"#

    private static func filled(_ indexes: String = #"[{"fields":["n"]}]"#) async throws -> TestDatabase {
        let test = try TestDatabase(.production)
        try await test.putType(fields: fields, indexes: indexes)
        try await test.createAll((0..<20).map { ("r\($0)", #""g":\#($0 % 2),"n":\#($0 % 7)"#) })
        return test
    }

    @Test func `a cursor belongs to its caller and query and cannot be made up`() async throws {
        let test = try await Self.filled()
        let ann = try await test.signUp("ann").caller
        let page = try await test.query("g == 1", sort: "n", limit: 3)
        let cursor = try #require(page.cursor)
        #expect(try await test.query("g == 1", sort: "n", limit: 2, cursor: cursor).names.count == 2)
        for (condition, sort, caller) in [
            ("g == 1", "n", ann), ("g == 0", "n", .administrator(.bootstrap)),
            ("g == 1", "-n", .administrator(.bootstrap)),
            ("g == 1", "", .administrator(.bootstrap)), ("", "n", .administrator(.bootstrap)),
            ("g == 1", "n", .anonymous),
        ] as [(String, String, Caller)] {
            let error = await rejection {
                _ = try await test.query(condition, sort: sort, limit: 3, cursor: cursor, as: caller)
            }
            #expect(error?.cause == .tokenInvalid, "\(condition) \(sort) \(caller)")
        }
        var places = Array(cursor.utf8)
        for place in [0, places.count / 2, places.count - 3] {
            let byte = places[place]
            places[place] = byte == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let forged = String(decoding: places, as: UTF8.self)
            let error = await rejection { _ = try await test.query("g == 1", sort: "n", limit: 3, cursor: forged) }
            #expect(error?.cause == .tokenInvalid)
            places[place] = byte
        }
        for text in ["", "x", String(repeating: "A", count: 30_000)] {
            let error = await rejection { _ = try await test.query("g == 1", sort: "n", limit: 3, cursor: text) }
            #expect(error?.cause == .tokenInvalid)
        }
    }

    @Test func `pages stay right when an index comes or goes between them`() async throws {
        for (condition, sort) in [
            ("g == 1", "n"), ("g == 1", "-n"), ("g IN {0, 1}", "-n"), ("g == 1", "-n,-createdTimestamp"),
            ("g == 1", ""),
            ("g == 1", "-createdTimestamp"), ("g == 1 OR n == 3", "n"), ("", "n"), ("", "-n"),
        ] {
            let test = try await Self.filled()
            let expected = try await test.query(condition, sort: sort, limit: 100).names
            var plans: Set<String> = []
            let indexes = [
                #"[{"fields":["n"]},{"fields":["g","n"]}]"#, #"[{"fields":["-n"]},{"fields":["-n","g"]}]"#,
                #"[{"fields":["n"]},{"fields":["g","-n"]}]"#, #"[{"fields":["n"]}]"#,
            ]
            var step = 0
            let names = try await test.pages(condition, sort: sort, limit: 3) {
                plans.insert(try await test.query(condition, sort: sort, limit: 3).plan)
                try await test.putType(fields: Self.fields, indexes: indexes[step % indexes.count])
                step += 1
            }
            #expect(names == expected, "\(condition) \(sort): \(plans)")
            if condition == "g == 1", sort == "n" { #expect(plans.count > 1) }
        }
    }

    @Test func `now means one moment on all pages`() async throws {
        let test = try await Self.filled()
        let first = try await test.query("createdTimestamp <= now()", limit: 15)
        try await test.create("late", #""g":1,"n":1"#)
        let rest = try await test.query("createdTimestamp <= now()", limit: 15, cursor: first.cursor)
        #expect((first.names + rest.names).filter { $0 != "late" } == (0..<20).map { "r\($0)" })
    }
}
