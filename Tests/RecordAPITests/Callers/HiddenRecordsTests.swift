import Foundation
import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

/// What a caller receives depends only on records that it may read. Two databases that differ in other records give the
/// same responses, except for times, tags and sealed tokens.
@Suite struct HiddenRecordsTests {
    private typealias Who = CallersWorld.Who
    private typealias Place = CallersWorld.Place

    /// More records than a count for `total` reads, and than have a place in a page.
    private static let hiddenRecords = 2_200

    /// The places with hidden records, and the callers from whom they are hidden.
    private static let viewers: [(who: Who, place: Place)] = [
        (.bob, .plans), (.sam, .plans), (.anonymous, .posts), (.sam, .posts), (.bob, .posts), (.pat, .lists),
        (.rob, .lists), (.otherKey, .plans), (.otherKey, .posts), (.anonymous, .plans), (.sam, .lists),
    ]

    private static func make(withHidden: Bool) async throws -> CallersWorld {
        let world = try await CallersWorld.make()
        let visible = CallersRecord.sample().filter { record in
            switch record.place {
            case .plans: record.creator == .bob
            case .posts: record.readers.contains(.bob)
            case .lists: record.readers.contains(.pat)
            case .whole: false
            }
        }
        try await hide(withHidden, 0, in: world)
        for place in [Place.plans, .posts, .lists] {
            let who: Who = place == .plans ? .bob : .ann
            let mine = visible.filter { $0.place == place }
            try await world.save(mine.map { ($0.name, $0.members(world.names)) }, place, as: who)
        }
        try await hide(withHidden, 1, in: world)
        return world
    }

    /// The name of a hidden record.
    private static func hidden(_ number: Int, _ place: Place) -> String { "hidden-\(place)-\(number)" }

    /// Adds records that the viewers may not read, deletes some of them and changes others.
    private static func hide(_ isOn: Bool, _ half: Int, in world: CallersWorld) async throws {
        guard isOn else { return }
        let ann = world.names[.ann] ?? ""
        for place in [Place.plans, .posts, .lists] {
            let access = place == .posts ? #","acl":{"\#(ann)":["read","write"]}"# : ""
            let numbers = (half * hiddenRecords / 2)..<((half + 1) * hiddenRecords / 2)
            func members(_ number: Int) -> String {
                #"""
                "fields":{"text":"kangaroo beta common alpha alpha w\#(number)","title":"zebra title title","n":\#(number % 5),
                "d":1.5,"tags":["t1","hidden"],"place":{"latitude":10,"longitude":10},
                "ref":{"recordName":"\#(hidden(0, place))","action":"NONE"}}\#(access)
                """#
            }
            try await world.save(numbers.map { (hidden($0, place), members($0)) }, place, as: .ann)
            try await world.save(numbers.prefix(20).map { (hidden($0, place), members($0)) }, place, as: .ann)
            for number in numbers.suffix(5) {
                try await world.expect(
                    204, .delete, world.target("/records/\(place.type)/\(hidden(number, place))", place, for: .ann),
                    as: .ann)
            }
        }
    }

    // MARK: Requests

    /// The queries of a place: conditions, sorts and options, with probes for words that only hidden records have.
    private static func queries() -> [[(String, String)]] {
        var conditions = CallersCondition.all.map { ($0.text, $0.ranks) }
        for probe in ["kan* beta", "kangaroo zebra", "ka* qzq* common", "\"kangaroo beta\" alpha", "w1 w2 common"] {
            conditions.append(("text CONTAINS_ANY_TOKENS '\(probe)'", true))
            conditions.append(("SELF CONTAINS '\(probe)'", true))
        }
        conditions.append(("ANY tags IN {'hidden', 't1'}", false))
        conditions.append(("text BEGINSWITH 'k' OR n < 5", false))
        conditions.append(("ref.text BEGINSWITH 'k'", false))
        var queries: [[(String, String)]] = []
        for (condition, ranks) in conditions {
            let options = condition.isEmpty ? [] : [("where", condition)]
            for sort in ranks ? ["-rank()", "rank(title^3),n", "-n"] : ["", "-n", "distance(place, 10, 10)"] {
                let sorted = sort.isEmpty ? options : options + [("sort", sort)]
                queries.append(sorted + [("limit", "2"), ("explain", "true"), ("total", "estimate")])
                queries.append(sorted + [("count", "true"), ("expand", "ref"), ("fields", "n")])
            }
            queries.append(options + [("aggregate", "count,min(text),max(n),countDistinct(ref)"), ("explain", "true")])
            queries.append(options + [("aggregate", "count"), ("groupBy", "n,text"), ("having", "count >= 1")])
        }
        return queries
    }

    /// The response without what differs between any two databases.
    private static func plain(_ response: Response, _ world: CallersWorld) -> String {
        var text = response.text
        for (who, name) in world.names { text = text.replacing(name, with: "<\(who)>") }
        text.replace(/"(timestamp|milliseconds|created|createdTimestamp)":[0-9.]+/) { "\"\($0.output.1)\":0" }
        // A busy machine runs a query on the pool.
        text.replace(/"ranOn":"(loop|pool)"/) { _ in "" }
        text.replace(/"(recordChangeTag|cursor|previousCursor|token|syncToken|shortGUID|zoneToken)":"[^"]*"/) {
            "\"\($0.output.1)\":\"\""
        }
        return "\(response.status) \(response.field("Retry-After") ?? "") \(response.field("ETag") == nil) \(text)"
    }

    /// The responses to a request and to those for the pages after it.
    private static func walk(
        _ world: CallersWorld, _ target: ([(String, String)]) -> String, as who: Who
    ) async -> [String] {
        var page = await world.call(.get, target([]), as: who)
        var texts = [plain(page, world)]
        while texts.count < 60 {
            let object = page.json
            let more: (String, String)
            if let cursor = object?["cursor"]?.string {
                more = ("cursor", cursor)
            } else if object?["moreComing"] == true, let token = object?["token"]?.string {
                more = ("since", token)
            } else {
                break
            }
            page = await world.call(.get, target([more]), as: who)
            texts.append(plain(page, world))
        }
        return texts
    }

    @Test func `responses do not depend on records that the caller may not read`() async throws {
        let (one, other) = (try await Self.make(withHidden: false), try await Self.make(withHidden: true))
        let queries = Self.queries()
        let step = caseStride(7)
        for (number, (who, place)) in Self.viewers.enumerated() {
            let route = "/query/\(place.type)"
            // A part of the queries for each viewer, so that all of them take seconds.
            for options in stride(from: number % step, to: queries.count, by: step).map({ queries[$0] }) {
                let left = await Self.walk(one, { one.target(route, place, for: who, options + $0) }, as: who)
                let right = await Self.walk(other, { other.target(route, place, for: who, options + $0) }, as: who)
                #expect(left == right, "\(who) \(place) \(options)")
            }
            for (route, options) in [
                ("/records/\(place.type)", [("limit", "2")]), ("/records/\(place.type)/\(Self.hidden(1, place))", []),
                ("/records/\(place.type)/\(Self.hidden(Self.hiddenRecords - 1, place))", []),
                ("/changes", [("limit", "2")]),
                ("/changes", [("limit", "1")]), ("/changes", []), ("/changes", [("types", place.type)]),
                ("/changes", [("types", place.type), ("where", "n >= 0"), ("limit", "3")]),
            ] as [(String, [(String, String)])] {
                let left = await Self.walk(one, { one.target(route, place, for: who, options + $0) }, as: who)
                let right = await Self.walk(other, { other.target(route, place, for: who, options + $0) }, as: who)
                #expect(left == right, "\(who) \(route) \(options)")
            }
        }
        for who in [Who.anonymous, .bob, .sam, .pat] {
            for target in [
                "/users/me", "/zones?database=shared", "/zones?database=private", "/limits",
                "/changes/zones?database=shared",
                "/query/Item?database=private&where=SELF%20CONTAINS%20'kan*%20beta'&sort=-rank()&total=estimate",
                "/records/Item?database=private", "/subscriptions", "/schema",
            ] {
                let left = Self.plain(await one.call(.get, target, as: who), one)
                let right = Self.plain(await other.call(.get, target, as: who), other)
                #expect(left == right, "\(who) \(target)")
            }
        }
        await Self.compareBulkChanges(one, other)
    }

    /// Bulk changes count only records that the caller may read.
    private static func compareBulkChanges(_ one: CallersWorld, _ other: CallersWorld) async {
        for (who, place) in Self.viewers where place != .posts {
            for condition in ["n >= 0", "text CONTAINS_ANY_TOKENS 'kan* beta'", "ANY tags IN {'hidden', 't1'}"] {
                for (method, body) in [(HTTPMethod.delete, nil), (.patch, #"{"fields":{"d":2}}"#)] {
                    let options = [("where", condition), ("dryRun", "true")]
                    let route = "/query/\(place.type)"
                    let left = await one.call(method, one.target(route, place, for: who, options), as: who, body: body)
                    let right = await other.call(
                        method, other.target(route, place, for: who, options), as: who, body: body)
                    #expect(Self.plain(left, one) == Self.plain(right, other), "\(who) \(place) \(condition)")
                }
            }
        }
    }
}
