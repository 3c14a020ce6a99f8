import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Queries with every combination of options, of every kind of caller, against what the caller may read by the definition
/// of the test's records.
@Suite struct EveryCallerTests {
    private static let sorts = [
        "", "n", "-n,text", "text,-d", "-createdTimestamp", "createdTimestamp,n", "at nulls last",
        "distance(place, 10, 10)", "-distance(place, 10, 10),n",
    ]
    private static let rankSorts = ["rank()", "-rank()", "-rank(title^3,text^0),n", "n,-rank()", "-rank(),rank(text)"]

    private static func filled() async throws -> (CallersWorld, [CallersRecord]) {
        let world = try await CallersWorld.make()
        let records = CallersRecord.sample()
        for place in CallersWorld.Place.allCases {
            for creator in [CallersWorld.Who.ann, .bob] {
                let mine = records.filter { $0.place == place && $0.creator == creator }
                if mine.isEmpty { continue }
                try await world.save(mine.map { ($0.name, $0.members(world.names)) }, place, as: creator)
            }
        }
        return (world, records)
    }

    private static func readable(
        _ records: [CallersRecord], _ place: CallersWorld.Place, by who: CallersWorld.Who
    ) -> [String: CallersRecord] {
        var found: [String: CallersRecord] = [:]
        for record in records where record.place == place && record.readers.contains(who) {
            found[record.name] = record
        }
        return found
    }

    private static func names(_ page: Response) -> [String] {
        page.records.compactMap { $0["recordName"]?.string }.filter { $0 != "root" }
    }

    /// The names on all pages, forward, and backward from the last page.
    private static func walk(
        _ world: CallersWorld, _ target: ([(String, String)]) -> String, as who: CallersWorld.Who
    ) async throws -> (forward: [String], backward: [String]) {
        var page = try await world.expect(200, .get, target([]), as: who)
        var forward = names(page)
        while let cursor = page.json?["cursor"]?.string {
            page = try await world.expect(200, .get, target([("cursor", cursor)]), as: who)
            forward += names(page)
        }
        var backward = names(page)
        while let cursor = page.json?["previousCursor"]?.string {
            page = try await world.expect(200, .get, target([("before", cursor)]), as: who)
            backward = names(page) + backward
        }
        return (forward, backward)
    }

    @Test(arguments: seeds(2)) func `every kind of query finds what its caller may read`(seed: Int) async throws {
        let (world, records) = try await Self.filled()
        var random = SeededGenerator(seed: UInt64(seed))
        for place in CallersWorld.Place.allCases {
            for who in place.callers {
                let readable = Self.readable(records, place, by: who)
                for condition in CallersCondition.all.shuffled(using: &random).prefix(6) {
                    let sorts = condition.ranks ? Self.rankSorts + Self.sorts : Self.sorts
                    let isRanked = condition.ranks && Bool.random(using: &random)
                    let sort = (isRanked ? Self.rankSorts : sorts).randomElement(using: &random) ?? ""
                    var options: [(String, String)] = []
                    if !condition.text.isEmpty { options.append(("where", condition.text)) }
                    if !sort.isEmpty { options.append(("sort", sort)) }
                    options.append(("limit", ["2", "3", "50"].randomElement(using: &random) ?? "50"))
                    for (name, value) in [
                        ("count", "true"), ("total", "estimate"), ("explain", "true"), ("syncToken", "true"),
                        ("expand", "ref,\(place.type).ref(limit=2,sort=-n)"), ("fields", "n,text"),
                    ] where Int.random(in: 0..<3, using: &random) == 0 {
                        options.append((name, value))
                    }
                    if !condition.searched.isEmpty, Bool.random(using: &random) {
                        options.append(("highlight", condition.searched.joined(separator: ",")))
                        options.append(("highlightLength", "7"))
                    }
                    let comment = "\(who) \(place) \(options)"
                    let (forward, backward) = try await Self.walk(
                        world, { world.target("/query/\(place.type)", place, for: who, options + $0) }, as: who)
                    let expected = readable.values.filter { condition.matches($0, readable) }.map(\.name).sorted()
                    #expect(forward.sorted() == expected, "\(comment)")
                    #expect(backward == forward, "\(comment)")
                }
            }
        }
    }

    @Test func `counts, totals and groups are of what the caller may read`() async throws {
        let (world, records) = try await Self.filled()
        var random = SeededGenerator(seed: 1)
        for place in CallersWorld.Place.allCases {
            for who in place.callers {
                let readable = Self.readable(records, place, by: who)
                for condition in CallersCondition.all.shuffled(using: &random).prefix(6) {
                    // The record `root` of the shared hierarchy has none of the tested values.
                    let text = condition.text.isEmpty ? "n >= 0" : "(\(condition.text)) AND n >= 0"
                    let matches = readable.values.filter { condition.matches($0, readable) }
                    let comment = "\(who) \(place) \(condition.text)"
                    let page = try await world.expect(
                        200, .get,
                        world.target(
                            "/query/\(place.type)", place, for: who,
                            [("where", text), ("count", "true"), ("total", "estimate"), ("limit", "1")]), as: who)
                    #expect(page.json?["count"]?.integer == Int64(matches.count), "\(comment)")
                    #expect(page.json?["total"]?["value"]?.integer == Int64(matches.count), "\(comment)")
                    let groups = try await world.expect(
                        200, .get,
                        world.target(
                            "/query/\(place.type)", place, for: who,
                            [
                                ("where", text), ("aggregate", "count,min(text),sum(d),countDistinct(ref),max(at)"),
                                ("groupBy", "n,day(createdTimestamp)"), ("having", "count > 0"),
                                ("explain", "true"),
                            ]), as: who)
                    var counts: [Int64: Int64] = [:]
                    for group in groups.json?["groups"]?.array ?? [] {
                        counts[group["key"]?["n"]?.integer ?? -1, default: 0] +=
                            group["values"]?["count"]?.integer ?? 0
                    }
                    let expected = Dictionary(grouping: matches) { Int64($0.n) }.mapValues { Int64($0.count) }
                    #expect(counts == expected, "\(comment) \(groups.text)")
                }
            }
        }
    }

    @Test func `callers without access get errors for every kind of query`() async throws {
        let (world, _) = try await Self.filled()
        for place in CallersWorld.Place.allCases {
            for who in CallersWorld.Who.allCases where !place.callers.contains(who) {
                for options in [
                    [("where", "SELF CONTAINS 'common'"), ("sort", "-rank()"), ("explain", "true")],
                    [("aggregate", "count"), ("groupBy", "n")], [("where", "text CONTAINS_ANY_TOKENS 'alpha'")],
                ] {
                    let response = await world.call(
                        .get, world.target("/query/\(place.type)", place, for: who, options), as: who)
                    #expect([401, 403, 404].contains(response.status), "\(who) \(place) \(response.text)")
                }
            }
        }
    }

    @Test func `CloudKit's filters and sorts rank for participants and users too`() async throws {
        let (world, records) = try await Self.filled()
        for (place, who) in [
            (CallersWorld.Place.lists, CallersWorld.Who.pat), (.lists, .rob), (.lists, .ann), (.whole, .zoe),
            (.plans, .bob), (.plans, .sam), (.posts, .anonymous),
        ] {
            let expected = Self.readable(records, place, by: who).values.filter { $0.text.contains("beta") }
            for sort in [
                #""sort":"-rank()""#, #""sortBy":[{"fieldName":"n","ascending":false}]"#,
                #""sortBy":[{"fieldName":"place","relativeLocation":{"latitude":10,"longitude":10}}]"#,
            ] {
                let page = try await world.expect(
                    200, .post, world.target("/query", place, for: who), as: who,
                    #"""
                    {"recordType":"\#(place.type)","limit":50,"highlight":["text"],\#(sort),"filterBy":[{"fieldName":"text",
                    "comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":"beta nothing"}}]}
                    """#)
                #expect(Self.names(page).sorted() == expected.map(\.name).sorted(), "\(who) \(place) \(page.text)")
            }
        }
    }
}
