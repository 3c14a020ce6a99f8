import Geography
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Plans, work and edges of conditions and sorts on places.
@Suite struct PlaceQueryTests {
    private static let fields =
        #""place":{"type":"LOCATION","indexes":["QUERYABLE"]},"n":{"type":"INT64","indexes":["QUERYABLE"]}"#

    /// A grid of 40 × 50 places, 0.01 degrees apart, and records without a place.
    private static func grid(_ test: TestDatabase, without: Int = 0) async throws {
        try await test.createAll(
            (0..<2_000).map { number in
                (
                    "p\(number)",
                    #""place":{"latitude":\#(35 + Double(number / 50) / 100),"longitude":\#(139 + Double(number % 50) / 100)},"n":\#(number % 7)"#
                )
            } + (0..<without).map { ("w\($0)", #""n":\#($0 % 7)"#) })
    }

    @Test func `a radius reads the records near its center only`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields)
        try await Self.grid(test)
        let page = try await test.query("distance(place, loc(35.2, 139.25)) <= 3 km")
        let center = try #require(Place(latitude: 35.2, longitude: 139.25))
        let expected = (0..<2_000).filter { number in
            let place = Place(latitude: 35 + Double(number / 50) / 100, longitude: 139 + Double(number % 50) / 100)
            return place.map { $0.distance(to: center) <= 3_000 } ?? false
        }
        #expect(page.names == expected.map { "p\($0)" })
        #expect(page.count == Int64(expected.count))
        #expect(expected.count > 20)
        #expect(page.examined ?? .max < 400, "\(page.plan)")
        #expect(page.plan.contains("scan index (place): distance(place, loc(35.2, 139.25)) <= 3000.0"), "\(page.plan)")
        #expect(!page.plan.contains("filter"), "\(page.plan)")
    }

    @Test func `the nearest records are found without reading all`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields)
        try await Self.grid(test, without: 5)
        let page = try await test.query(sort: "distance(place, 35.2, 139.25)", limit: 5)
        #expect(page.names.first == "p1025")
        #expect(page.plan.contains("nearest: distance(place, 35.2, 139.25)"), "\(page.plan)")
        // The count reads all entries of the type.
        let request = try test.queryRequest("", sort: "distance(place, 35.2, 139.25)", limit: 5)
        var input = request
        input.input.count = false
        let near = QueryPage(json: try await test.reader.queries.run(input).object)
        #expect(near.examined ?? .max < 300)
        input.input.sort = try QueryInput.sort("-distance(place, 36, 138)")
        let far = QueryPage(json: try await test.reader.queries.run(input).object)
        #expect(far.names.first == "p49")
        #expect(far.examined ?? .max < 1_000)
    }

    @Test(arguments: ["", "-"]) func `pages by distance have every record once`(direction: String) async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields)
        try await Self.grid(test, without: 30)
        let sort = "\(direction)distance(place, 35.2, 139.25)"
        let names = try await test.pages(sort: sort, limit: 300)
        #expect(names.count == 2_030)
        #expect(Set(names).count == 2_030)
        #expect(names.suffix(30) == (0..<30).map { "w\($0)" }[...])
        let first = try await test.pages(sort: sort + " nulls first", limit: 300)
        #expect(first == names.suffix(30) + names.dropLast(30))
        let filtered = try await test.pages("n == 3", sort: sort, limit: 40)
        #expect(filtered.count == 290)
    }

    @Test func `many records at one place are found, too`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields)
        try await test.createAll((0..<600).map { ("p\($0)", #""place":{"latitude":0,"longitude":0}"#) })
        try await test.createAll([("other", #""place":{"latitude":1,"longitude":1}"#)])
        #expect(try await test.pages(sort: "distance(place, 50, 50)", limit: 100).dropFirst().first == "p0")
        #expect(
            try await test.pages(sort: "-distance(place, 50, 50)", limit: 100)
                == (0..<600).map { "p\($0)" } + ["other"])
    }

    @Test func `a polygon of ten thousand corners is answered on the pool`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields)
        try await Self.grid(test)
        // A star around the grid's center: many edges near each place.
        let corners = (0..<10_000).map { number -> QueryArgument in
            let size = number % 2 == 0 ? 0.15 : 0.0001
            let step = Double(number) / 2_500
            let (x, y) =
                step < 1
                ? (1 - step, step)
                : step < 2
                    ? (1 - step, 2 - step)
                    : step < 3 ? (step - 3, 2 - step) : (step - 3, step - 4)
            return .location(Place(latitude: 35.2 + size * y, longitude: 139.25 + size * x)!)
        }
        let page = try await test.query("place IN polygon(%@)", [.list(corners)])
        #expect(page.json["plan"]?["ranOn"]?.string == "pool")
        #expect(page.names.contains("p1025"))
        let area = PlaceArea(
            .polygon(try Polygon(corners.compactMap { if case .location(let place) = $0 { place } else { nil } })))
        let expected = (0..<2_000).filter { number in
            Place(latitude: 35 + Double(number / 50) / 100, longitude: 139 + Double(number % 50) / 100)
                .map(area.prepared.contains) ?? false
        }
        #expect(page.count == Int64(expected.count))
    }

    @Test func `of many regions in one condition a few are planned for`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields)
        try await Self.grid(test)
        let near = (0..<150).map { "place IN circle(loc(35.2,139.25),\(2_000 + $0))" }.joined(separator: " AND ")
        let some = (0..<29).map { "place IN circle(loc(35,\(139 + $0)),9e3)" }.joined(separator: " OR ")
        let all = "(\(near)) AND (\(some) OR n >= 0)"
        let expected = try await test.query("place IN circle(loc(35.2,139.25),2000)").names
        #expect(try await test.query(all).names == expected)
        let page = try await test.query(near)
        #expect(page.names == expected)
        #expect(page.examined ?? .max < 400, "\(page.plan.prefix(500))")
    }

    @Test func `production names the field without an index, and development adds it`() async throws {
        let production = try TestDatabase(.production)
        try await production.putType(fields: #""place":{"type":"LOCATION"},"n":{"type":"INT64"}"#)
        for (condition, sort) in [
            ("distance(place, loc(1, 2)) < 5", ""), ("NOT place IN box(1, 2, 3, 4)", ""),
            ("", "distance(place, 1, 2)"),
        ] {
            do {
                _ = try await production.query(condition, sort: sort)
                Issue.record("\(condition) \(sort) found an index")
            } catch let error as RecordError {
                #expect(error.cause == .notIndexed)
                #expect(error.reason.contains(#"Field 'place' is not marked queryable"#), "\(error.reason)")
                #expect(error.reason.contains(#"{"fields":["place"]}"#), "\(error.reason)")
            }
        }
        #expect(try await production.query("place == NULL AND recordName == 'x'").names == [])
        let development = try TestDatabase(.development)
        try await development.createAll([("p", #""place":{"latitude":1,"longitude":2}"#)])
        let page = try await development.query("distance(place, loc(1, 2)) < 5")
        #expect(page.names == ["p"])
        #expect(page.notices.first?["index"]?.string == "place")
        #expect(try await development.query(sort: "distance(place, 1, 2)").notices.isEmpty)
    }

    @Test(arguments: [
        (#""place":{"type":"LOCATION","indexes":["SORTABLE"]}"#, "[]", "QUERYABLE is enough"),
        (#""place":{"type":"LOCATION"},"n":{"type":"INT64"}"#, #"[{"fields":["place","n"]}]"#, "index of its own"),
        (#""place":{"type":"LOCATION"}"#, #"[{"fields":["place"],"unique":true}]"#, "cannot be unique"),
        (#""place":{"type":"LOCATION"}"#, #"[{"fields":["place[c]"]}]"#, "STRING"),
    ])
    func `an index on places that makes no sense is rejected`(
        fields: String, indexes: String, reason: String
    ) async throws {
        let test = try TestDatabase(.production)
        do {
            try await test.putType(fields: fields, indexes: indexes)
            Issue.record("The schema was accepted")
        } catch let error as RecordError {
            #expect(error.reason.contains(reason), "\(error.reason)")
        }
    }

    @Test func `the index follows writes, also of lists, and builds of both kinds agree`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: #""places":{"type":"LOCATION_LIST"},"place":{"type":"LOCATION"}"#,
            indexes: #"[{"fields":["places"]}]"#)
        let two = #"[{"latitude":1,"longitude":1},{"latitude":50,"longitude":50},{"latitude":1,"longitude":1}]"#
        try await test.createAll([
            ("a", #""places":\#(two),"place":{"latitude":90,"longitude":5}"#),
            ("b", #""places":[{"latitude":50,"longitude":51}],"place":{"latitude":5,"longitude":180}"#),
            ("c", #""places":[]"#), ("d", #""place":{"latitude":5,"longitude":-180}"#),
        ])
        try IndexOracle(test).check("after writes")
        #expect(try await test.query("distance(places, loc(50, 50)) < 100 km").names == ["a", "b"])
        #expect(try await test.query("ALL places IN box(49, 49, 52, 52)").names == ["b", "c", "d"])
        #expect(try await test.query("distance(places, loc(0, 0)) == NULL").names == ["c", "d"])
        #expect(try await test.query(sort: "distance(places, 50, 51)").names == ["b", "a", "c", "d"])
        #expect(try await test.query(sort: "-distance(places, 1, 1)").names == ["b", "a", "c", "d"])
        // An index that is added later is filled from the records.
        try await test.putType(
            fields: #""places":{"type":"LOCATION_LIST"},"place":{"type":"LOCATION","indexes":["QUERYABLE"]}"#,
            indexes: #"[{"fields":["places"]}]"#)
        try IndexOracle(test).check("after the build")
        #expect(try await test.query("place IN box(0, 170, 10, -170)").names == ["b", "d"])
        #expect(try await test.query("distance(place, loc(90, 0)) == 0").names == ["a"])
        try await test.createAll([("a", #""places":[{"latitude":2,"longitude":2}]"#)], kind: "forceUpdate")
        try IndexOracle(test).check("after a change")
        #expect(try await test.query("distance(places, loc(50, 50)) < 100 km").names == ["b"])
    }
}
