import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Pages of one query while others write: each record that exists throughout and does not change appears exactly once.
@Suite struct QueryPagingTests {
    private static let fields =
        #""g":{"type":"INT64"},"n":{"type":"INT64"},"tags":{"type":"STRING_LIST","indexes":["QUERYABLE"]}"#
    private static let indexes = #"[{"fields":["g","n"]},{"fields":["-n"]}]"#

    private struct Way {
        var condition: String
        var sort: String
        var plan: String
    }

    private static let ways = [
        Way(condition: "g == 1", sort: "n", plan: "scan index (g, n): g == 1"),
        Way(condition: "g == 1", sort: "-n", plan: "scan index (g, n) backward: g == 1"),
        Way(condition: "", sort: "-createdTimestamp", plan: "scan records of Post backward: all"),
        Way(condition: "", sort: "", plan: "scan records of Post: all"),
        Way(condition: "g IN {0, 1, 2}", sort: "n", plan: "merge of 3"),
        Way(condition: "g IN {0, 1, 2}", sort: "-n", plan: "merge of 3"),
        Way(condition: "tags CONTAINS 'a'", sort: "-n,recordName", plan: "sort: -n, recordName, id"),
        Way(condition: "g == 1 OR n < 2", sort: "n", plan: "g == 1"),
    ]

    @Test func `unchanged records appear exactly once while others write`() async throws {
        for (number, way) in Self.ways.enumerated() {
            let test = try TestDatabase(.production)
            try await test.putType(fields: Self.fields, indexes: Self.indexes)
            var random = SeededGenerator(seed: UInt64(number))
            let fixed = (0..<60).map { number in
                (name: "fixed\(number)", fields: Self.values(&random))
            }
            let moving = (0..<40).map { number in
                (name: "moving\(number)", fields: Self.values(&random))
            }
            try await test.createAll(zip(fixed, moving).flatMap { [$0, $1] } + fixed[40...])
            let expected = try await test.query(way.condition, sort: way.sort, limit: 1_000)
            #expect(expected.plan.contains(way.plan), "\(expected.plan)")
            let stable = expected.names.filter { $0.hasPrefix("fixed") }
            #expect(stable.count > 5)
            var step = 0
            for limit in [2, 7] {
                let names = try await test.pages(way.condition, sort: way.sort, limit: limit) {
                    step += 1
                    let name = "moving\(Int.random(in: 0..<40, using: &random))"
                    switch step % 3 {
                    case 0: _ = try? await test.delete(name)
                    case 1: try await test.create("new\(number)-\(step)", Self.values(&random))
                    default: _ = try? await test.change(name, Self.values(&random))
                    }
                }
                #expect(names.filter { $0.hasPrefix("fixed") } == stable, "\(way), \(limit) a page")
            }
        }
    }

    private static func values(_ random: inout SeededGenerator) -> String {
        let group = Int.random(in: 0...2, using: &random)
        return #""g":\#(group),"n":\#(Int.random(in: 0...6, using: &random)),"tags":["\#(group < 2 ? "a" : "b")","c"]"#
    }
}
