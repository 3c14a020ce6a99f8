import Foundation
import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Cursors from before a change of the schema or of the caller's rights: they lead to the right records or to an error.
@Suite struct ChangedCursorTests {
    /// What happens between two pages.
    enum Change: String, CaseIterable, Sendable {
        case nothing
        case titleIsNoLongerSearchable, titleBecomesInteger, titleIsNoField
        case numberBecomesText, numberBecomesDouble
        case indexesAreRebuilt, anotherFieldIsSearchable
        case bobReadsAll, everyoneReadsAll, bobGetsARecordOfAnn
    }

    private struct Walk {
        let who: CallersWorld.Who
        let place: CallersWorld.Place
        let options: [(String, String)]
        var first: [String] = []
        var cursors: [(String, String)] = []
    }

    private static let queries: [(String, String)] = [
        ("SELF CONTAINS 'alpha common title'", "-rank()"), ("SELF CONTAINS 'alpha common'", "n,-rank()"),
        ("text CONTAINS_ANY_TOKENS 'alpha common'", "-rank(text^2)"), ("", "n"), ("", "-n,text"), ("n >= 0", "text"),
        ("", "-createdTimestamp,n"), ("", "-distance(place, 10, 10)"), ("ref.n >= 0 OR n >= 0", "-n"), ("", ""),
        ("title CONTAINS_ANY_TOKENS 'other title'", "-rank()"),
    ]

    @Test(arguments: Change.allCases) func `a cursor outlives a change or is rejected`(_ change: Change) async throws {
        let world = try await CallersWorld.make()
        let records = CallersRecord.sample().filter { $0.place == .plans || $0.place == .lists }
        for place in [CallersWorld.Place.plans, .lists] {
            for creator in [CallersWorld.Who.ann, .bob] {
                let mine = records.filter { $0.place == place && $0.creator == creator }
                if !mine.isEmpty {
                    try await world.save(mine.map { ($0.name, $0.members(world.names)) }, place, as: creator)
                }
            }
        }
        var walks: [Walk] = []
        let callers: [(CallersWorld.Who, CallersWorld.Place)] = [
            (.bob, .plans), (.eve, .plans), (.bootstrap, .plans), (.pat, .lists), (.ann, .lists),
        ]
        let start = try #require(Change.allCases.firstIndex(of: change))
        for (number, (condition, sort)) in Self.queries.enumerated() {
            // Each query has other callers with each change.
            let first = (start + number) % caseStride(3)
            for (who, place) in stride(from: first, to: callers.count, by: caseStride(3)).map({ callers[$0] }) {
                var options = [("where", condition), ("sort", sort), ("limit", "3")].filter { !$0.1.isEmpty }
                if condition.contains("CONTAINS") { options.append(("highlight", "text")) }
                if condition.hasPrefix("title") { options[options.count - 1] = ("highlight", "title") }
                var walk = Walk(who: who, place: place, options: options)
                var page = try await Self.page(world, walk, [])
                try #require(page.status == 200, "\(walk) \(page.text)")
                walk.first = Self.names(page)
                let next = try #require(page.json?["cursor"]?.string, "\(walk) \(page.text)")
                walk.cursors.append(("cursor", next))
                page = try await Self.page(world, walk, [("cursor", next)])
                let previous = try #require(page.json?["previousCursor"]?.string, "\(walk) \(page.text)")
                walk.cursors.append(("before", previous))
                walks.append(walk)
            }
        }
        try await Self.make(change, in: world)
        for walk in walks {
            for cursor in walk.cursors {
                let page = try await Self.page(world, walk, [cursor])
                let comment =
                    "\(change) \(walk.who) \(walk.options) \(cursor.0): \(page.status) \(page.text.prefix(300))"
                guard page.status == 200 else {
                    // A share ends with its root, which some changes delete.
                    let hasEnded = walk.who == .pat && page.status == 404
                    #expect((page.status == 400 || hasEnded) && change != .nothing, "\(comment)")
                    continue
                }
                let names = Self.names(page)
                if cursor.0 == "cursor" {
                    #expect(Set(names).isDisjoint(with: walk.first), "\(comment)")
                } else if change == .nothing {
                    #expect(names == walk.first, "\(comment)")
                }
                #expect(Set(names).count == names.count, "\(comment)")
                if walk.who == .pat {
                    let shared = Set(records.filter { $0.readers.contains(.pat) }.map(\.name)).union(["root"])
                    #expect(shared.isSuperset(of: names), "\(comment)")
                }
            }
        }
    }

    @Test func `a cursor of one caller is of no use to another`() async throws {
        let world = try await CallersWorld.make()
        let records = CallersRecord.sample().filter { $0.place == .posts }
        try await world.save(records.map { ($0.name, $0.members(world.names)) }, .posts, as: .ann)
        let options = [("where", "SELF CONTAINS 'alpha common'"), ("sort", "-rank()"), ("limit", "2")]
        var cursors: [(CallersWorld.Who, String)] = []
        for who in CallersWorld.Place.posts.callers {
            let page = try await world.expect(
                200, .get, world.target("/query/Post", .posts, for: who, options), as: who)
            cursors.append((who, try #require(page.json?["cursor"]?.string)))
        }
        for who in CallersWorld.Place.posts.callers {
            for (owner, cursor) in cursors {
                let page = await world.call(
                    .get, world.target("/query/Post", .posts, for: who, options + [("cursor", cursor)]), as: who)
                if who == owner {
                    #expect(page.status == 200, "\(page.text)")
                } else {
                    #expect(page.status == 400 && page.cause == "TOKEN_INVALID", "\(who) \(owner) \(page.text)")
                }
            }
        }
    }

    private static func page(_ world: CallersWorld, _ walk: Walk, _ more: [(String, String)]) async throws -> Response {
        let target = world.target("/query/\(walk.place.type)", walk.place, for: walk.who, walk.options + more)
        return await world.call(.get, target, as: walk.who)
    }

    private static func names(_ page: Response) -> [String] { page.records.compactMap { $0["recordName"]?.string } }

    private static func make(_ change: Change, in world: CallersWorld) async throws {
        let title = #""title":{"type":"STRING","indexes":["SEARCHABLE"]}"#
        let number = #""n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]}"#
        let creators = #""_creator":["READ","WRITE"],"editors":["READ","WRITE"]"#
        func put(_ old: String, _ new: String, grants: String = creators) async throws {
            let fields = CallersWorld.fields.replacingOccurrences(of: old, with: new)
            let schema = await world.call(
                .put, "/schema", as: .bootstrap,
                body: """
                    {"types":{"Plan":{"fields":{\(fields)},"grants":{"_icloud":["CREATE"],\(grants)}},
                    "Post":{"fields":{\(CallersWorld.fields)},"grants":{"_world":["READ"],"_icloud":["CREATE"]}},
                    "Item":{"fields":{\(fields)}},"Other":{"fields":{"title":{"type":"STRING"}}}}}
                    """)
            try #require(schema.status == 200, "\(schema.text)")
            while await world.call(.get, "/schema", as: .bootstrap).text.contains(#""state":"building""#) {
                await Task.yield()
            }
        }
        /// A field with records cannot be removed: deletes them, changes the schema and creates others.
        func putAnew(_ old: String, _ new: String, number: String) async throws {
            try await world.expect(200, .delete, "/query/Plan?all=true", as: .bootstrap)
            try await world.expect(
                200, .delete, world.target("/query/Item", .lists, for: .ann, [("all", "true")]), as: .ann)
            try await put(old + ",", "")
            if !new.isEmpty { try await put(old, new) }
            let members = #""fields":{"text":"alpha common","n":\#(number)}"#
            try await world.save((0..<9).map { ("again-\($0)", members) }, .plans, as: .bob)
        }
        switch change {
        case .nothing: break
        case .titleIsNoLongerSearchable: try await put(title, #""title":{"type":"STRING","indexes":[]}"#)
        case .titleBecomesInteger:
            try await putAnew(title, #""title":{"type":"INT64","indexes":["QUERYABLE"]}"#, number: "3")
        case .titleIsNoField: try await putAnew(title, "", number: "3")
        case .numberBecomesText:
            try await putAnew(
                number, #""n":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]}"#, number: "\"3\"")
        case .numberBecomesDouble: try await put(number, #""n":{"type":"DOUBLE","indexes":["QUERYABLE","SORTABLE"]}"#)
        case .indexesAreRebuilt:
            try await put(title, #""title":{"type":"STRING","indexes":[]}"#)
            try await put("", "")
        case .anotherFieldIsSearchable:
            try await put(title, title + #","more":{"type":"STRING","indexes":["SEARCHABLE"]}"#)
        case .bobReadsAll: try await world.setEditors([.bob])
        case .everyoneReadsAll: try await put("", "", grants: #""_world":["READ"],"_creator":["READ","WRITE"]"#)
        case .bobGetsARecordOfAnn:
            let (ann, bob) = (world.names[.ann] ?? "", world.names[.bob] ?? "")
            try await world.expect(
                200, .patch, "/records/Plan/plan-0", as: .bootstrap,
                #"{"fields":{"n":3},"acl":{"\#(bob)":["read"],"\#(ann)":["read","write"]}}"#)
        }
    }
}
