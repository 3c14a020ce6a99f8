import FuzzTargets
import Geography
import RecordModel
import Testing

/// Distances and regions in conditions and sorts.
struct PlaceConditionTests {
    private static let tokyo = Place(latitude: 35.68, longitude: 139.77)!

    private static func distance(_ test: ValueTest, from place: Place = tokyo) throws -> Predicate {
        guard case .field(let field) = try QuerySample.field("place") else { throw RecordError.recordNotFound }
        return .condition(Condition(.distance(field, place), test))
    }

    @Test(arguments: [
        "distance(place, loc(35.68, 139.77)) < 5000", "distance(loc(35.68, 139.77), place) < 5 km",
        "DISTANCE(place, loc(35.68, 139.77)) < 5000.0 m", "5000 > distance(place, loc(35.68, 139.77))",
        "distanceToLocation:fromLocation:(place, loc(35.68, 139.77)) < 2.5 * 2 km",
        "distanceToLocation:fromLocation:(place, %@) < 5 KM", "distance(place, $there) < 5000",
        "distance(%K, $there) < 5000", "distance(#place, LOC(35.68, 139.77)) < 5000",
    ])
    func `all spellings of a distance mean the same`(text: String) throws {
        let arguments: [QueryArgument] =
            text.contains("%@") ? [.location(Self.tokyo)] : text.contains("%K") ? [.string("place")] : []
        let named: [String: QueryArgument] = text.contains("$") ? ["there": .location(Self.tokyo)] : [:]
        #expect(
            try QuerySample.bind(text, arguments, named)
                == Self.distance(.isWithin(ValueRange(to: .double(5_000), isInclusive: false))))
    }

    @Test func `units multiply`() throws {
        #expect(
            try QuerySample.bind("distance(place, loc(35.68, 139.77)) BETWEEN {1 km, 1 mi}")
                == Self.distance(.isWithin(ValueRange(from: .double(1_000), to: .double(1_609.344)))))
        #expect(
            try QuerySample.bind("distance(place, loc(-90, 12)) <= 3")
                == Self.distance(
                    .isWithin(ValueRange(to: .double(3))), from: #require(Place(latitude: -90, longitude: 0))))
    }

    @Test(arguments: [
        ("distance(place, loc(1, 2)) < 5 km", "distance(place, loc(1.0, 2.0)) < 5000.0"),
        ("NOT distance(place, loc(-1, -2.5)) >= 1", "NOT (distance(place, loc(-1.0, -2.5)) >= 1.0)"),
        ("distance(places, loc(1e-7, 2)) == NULL", "distance(places, loc(1e-07, 2.0)) == NULL"),
        (
            "distance(place, loc(1, 2)) > 1 AND distance(place, loc(1, 2)) < 9",
            "distance(place, loc(1.0, 2.0)) > 1.0 AND distance(place, loc(1.0, 2.0)) < 9.0"
        ),
        ("place IN box(-10, 170, 10, -170)", "place IN box(-10.0, 170.0, 10.0, -170.0)"),
        ("place IN circle(loc(1, 2), 5 km)", "place IN circle(loc(1.0, 2.0), 5000.0)"),
        (
            "NOT place IN polygon({loc(0, 0), loc(0, 1), loc(1, 1), loc(0, 0)})",
            "NOT (place IN polygon({loc(0.0, 0.0), loc(0.0, 1.0), loc(1.0, 1.0)}))"
        ),
        ("places IN box(0, 0, 1, 1)", "ANY places IN box(0.0, 0.0, 1.0, 1.0)"),
        ("ANY place IN box(0, 0, 1, 1)", "place IN box(0.0, 0.0, 1.0, 1.0)"),
        ("NONE places IN box(0, 0, 1, 1)", "NOT (ANY places IN box(0.0, 0.0, 1.0, 1.0))"),
        ("ALL places IN box(0, 0, 1, 1)", "ALL places IN box(0.0, 0.0, 1.0, 1.0)"),
        ("box(0, 0, 1, 1) CONTAINS place", "place IN box(0.0, 0.0, 1.0, 1.0)"),
        ("place NOT IN box(0, 0, 1, 2 - 1)", "NOT (place IN box(0.0, 0.0, 1.0, 1.0))"),
    ])
    func `the text can be parsed again`(text: String, printed: String) throws {
        let bound = try QuerySample.bind(text).simplified()
        #expect(bound.text() == printed)
        #expect(try QuerySample.bind(bound.text()).simplified() == bound)
    }

    @Test func `conditions and sorts that differ only in places have one shape`() throws {
        let shape = try QuerySample.bind("distance(place, loc(1, 2)) < 5 AND place IN circle(loc(3, 4), 5)").shape
        #expect(shape == "distance(place, ?) < ? AND place IN circle(?, ?)")
        #expect(
            try QuerySample.bind("place IN box(1, 2, 3, 4) OR place IN polygon({loc(0,0), loc(0,1), loc(1,1)})").shape
                == "place IN box(?) OR place IN polygon({?})")
        #expect(
            try QuerySample.binder().sortTerm("distance(place, 1, 2)", isAscending: false).shape
                == "-distance(place, ?)")
    }

    @Test(
        arguments: [
            ("distance(place, loc(1, 2)) < 'x'", 29, "STRING", RecordError.Cause.typeMismatch),
            ("distance(title, loc(1, 2)) < 5", 0, "STRING", .typeMismatch),
            ("distance(place, 5) < 5", 16, "5", nil), ("distance(place, title) < 5", 9, "two fields", nil),
            ("distance(loc(1, 2), loc(1, 2)) < 5", 9, "two locations", nil), ("distance(place) < 5", 14, ")", nil),
            ("distance(place, loc(91, 2)) < 5", 19, "another number", nil),
            ("distance(place, loc(1, 180.5)) < 5", 19, "another number", nil),
            ("distance(place, loc(1)) < 5", 21, ")", nil), ("a < 5 km", 6, "km", nil),
            ("distance(place, loc(1, 2)) < 5 miles", 31, "miles", nil),
            ("place IN box(1, 2, 3)", 20, ")", nil), ("place IN box(3, 2, 1, 4)", 9, "box", nil),
            ("place IN box(1, 2, 3, 181)", 9, "box", nil), ("place IN box(1, 'x', 3, 4)", 16, "STRING", .typeMismatch),
            ("place IN circle(loc(1, 2), -1)", 9, "circle", nil), ("place IN circle(5, 5)", 16, "5", nil),
            ("place IN polygon({loc(1, 2), loc(3, 4)})", 9, "polygon", nil),
            ("place IN polygon({loc(1, 2), 5, loc(3, 4)})", 29, "INT64", .typeMismatch),
            ("place IN polygon({loc(0, 0), loc(0, 180), loc(5, 5)})", 9, "polygon", nil),
            ("place IN polygon(7)", 17, "INT64", .typeMismatch),
            ("title IN box(1, 2, 3, 4)", 0, "STRING", .typeMismatch),
            ("distance(place, loc(1, 2)) IN box(1, 2, 3, 4)", 0, "DOUBLE", .typeMismatch),
            ("place == loc(1, 2)", 0, "LOCATION", .typeMismatch), ("a == loc(1, 2)", 5, "LOCATION", .typeMismatch),
            ("place.@count == box(1, 2, 3, 4)", 0, "LOCATION", .typeMismatch),
            ("max(a) IN distance(place, loc(1, 2))", 0, "max(", nil),
        ] as [(String, Int, String, RecordError.Cause?)])
    func `what makes no sense is rejected with its place`(
        text: String, offset: Int, found: String, cause: RecordError.Cause?
    ) {
        let error = QuerySample.rejection(text)
        #expect(error?.code == .badRequest)
        #expect(error?.offset == offset)
        #expect(error?.found == found)
        #expect(error?.cause == cause)
    }

    @Test func `regions nest no deeper than groups`() {
        let text = "place IN " + String(repeating: "polygon({", count: 1_500)
        #expect(QuerySample.rejection(text)?.reason.contains("nested too deep") == true)
    }

    @Test func `a polygon takes ten thousand corners as an argument, and no more`() throws {
        func corners(_ count: Int) -> QueryArgument {
            .list((0..<count).map { .location(Place(latitude: Double($0) / 1_000, longitude: Double($0 % 2))!) })
        }
        _ = try QuerySample.bind("place IN polygon(%@)", [corners(10_000)])
        let error = QuerySample.rejection("place IN polygon(%@)", [corners(10_002)])
        #expect(error?.cause == .tooLarge)
        let twice = QuerySample.rejection("place IN polygon($p) OR place IN polygon($p)", [], ["p": corners(6_000)])
        #expect(twice?.cause == .tooLarge)
        #expect(QuerySample.rejection("a IN %@", [corners(1_500)])?.cause == .typeMismatch)
    }

    @Test func `it holds for records as it reads`() throws {
        let near = try #require(Place(latitude: 35.69, longitude: 139.77))
        let far = try #require(Place(latitude: -33.86, longitude: 151.2))
        let record = SampleRecord(places: ["place": [near], "places": [far, near]])
        for (text, isMatch) in [
            ("distance(place, loc(35.68, 139.77)) < 2 km", true), ("distance(place, loc(35.68, 139.77)) < 1 km", false),
            ("distance(places, loc(35.68, 139.77)) < 2 km", true), ("distance(places, loc(-33.86, 151.2)) == 0", true),
            ("distance(place, loc(0, 0)) == NULL", false), ("distance(place, loc(0, 0)) != NULL", true),
            ("place IN box(35, 139, 36, 140)", true), ("ANY places IN box(35, 139, 36, 140)", true),
            ("ALL places IN box(35, 139, 36, 140)", false), ("NONE places IN box(35, 139, 36, 140)", false),
            ("place IN polygon({loc(30, 130), loc(40, 130), loc(40, 150), loc(30, 150)})", true),
            ("place IN circle(loc(35.68, 139.77), 1 km)", false),
        ] {
            #expect(try QuerySample.bind(text).evaluate(record) == isMatch, "\(text)")
            #expect(try QuerySample.bind(text).simplified().evaluate(record) == isMatch, "\(text)")
        }
        let without = SampleRecord()
        #expect(try !QuerySample.bind("distance(place, loc(0, 0)) >= 0").evaluate(without))
        #expect(try QuerySample.bind("distance(place, loc(0, 0)) == NULL").evaluate(without))
        #expect(try !QuerySample.bind("place IN box(-90, -180, 90, 180)").evaluate(without))
        #expect(try QuerySample.bind("ALL places IN box(0, 0, 1, 1)").evaluate(without))
    }

    @Test(arguments: [
        ("distance(place, 35.68, 139.77)", "distance(place, 35.68, 139.77)"),
        ("distance(place, loc(35.68, 139.77))", "distance(place, 35.68, 139.77)"),
        ("Distance( #place , -35.5 , -1e1 )", "distance(place, -35.5, -10.0)"),
        ("distanceToLocation:fromLocation:(places, 1, 2)", "distance(places, 1.0, 2.0)"),
    ])
    func `a sort by distance is read and printed`(text: String, printed: String) throws {
        let binder = try QuerySample.binder()
        let term = try binder.sortTerm(text, isAscending: true)
        #expect(term.text == printed)
        #expect(term.nulls == .last)
        #expect(try binder.sortTerm(printed, isAscending: true) == term)
        #expect(try binder.sortTerm(text, isAscending: true, nulls: .first).text == printed + " nulls first")
        #expect(try binder.sortTerm(text, isAscending: false).text == "-" + printed)
    }

    @Test(arguments: [
        "distance(title, 1, 2)", "distance(place, 1)", "distance(place, 91, 0)", "distance(place, 1, 2) x",
        "distance()",
        "distance(nothing, 1, 2)", "distance(place, 1, 2", "distance(place, loc(1, 2)", "distance(1, 2, place)",
        "place",
    ])
    func `a malformed sort by distance is rejected`(text: String) throws {
        let binder = try QuerySample.binder()
        #expect(throws: RecordError.self) { try binder.sortTerm(text, isAscending: true) }
    }

    @Test func `records without a place come last, whatever the direction`() throws {
        let binder = try QuerySample.binder()
        let near = SampleRecord(places: ["place": [Self.tokyo]])
        let far = SampleRecord(places: ["place": [Place(latitude: 0, longitude: 0)!]])
        let none = SampleRecord()
        let ascending = [try binder.sortTerm("distance(place, 35, 139)", isAscending: true)]
        #expect(ascending.areInIncreasingOrder(near, id: 2, far, id: 1))
        #expect(ascending.areInIncreasingOrder(far, id: 2, none, id: 1))
        let descending = [try binder.sortTerm("distance(place, 35, 139)", isAscending: false)]
        #expect(descending.areInIncreasingOrder(far, id: 2, near, id: 1))
        #expect(descending.areInIncreasingOrder(near, id: 2, none, id: 1))
    }

    @Test func `CloudKit's NEAR is a distance of at most its radius`() throws {
        let binder = try QuerySample.binder()
        let near = FilterSyntax(
            fieldName: "place", comparator: "NEAR", value: .location(Self.tokyo), distance: .integer(5_000))
        #expect(
            try binder.bind([near]).simplified()
                == QuerySample.bind("distance(place, loc(35.68, 139.77)) <= 5 km").simplified())
        let without = FilterSyntax(fieldName: "place", comparator: "NEAR", value: .location(Self.tokyo))
        #expect(throws: RecordError.self) { try binder.bind([without]) }
        let other = FilterSyntax(fieldName: "a", comparator: "NEAR", value: .integer(1), distance: .integer(1))
        #expect(throws: RecordError.self) { try binder.bind([other]) }
    }
}
