import FuzzTargets
import Geography
import RecordModel
import Testing

/// Tests of the record to which a reference leads.
struct PredicatePathTests {
    private static func type(
        _ name: String, _ id: Int64, _ fields: [(String, FieldType)]
    ) throws -> RecordTypeDefinition {
        RecordTypeDefinition(
            id: TypeID(rawValue: id), name: try #require(RecordTypeName(name)), grants: .standard,
            fields: try fields.enumerated().map { number, field in
                FieldDefinition(id: number + 1, name: try #require(FieldName(field.0)), type: field.1)
            })
    }

    private static func bind(_ text: String, _ arguments: [QueryArgument] = []) throws -> Predicate {
        let types = [
            try type("Author", 2, [("name", .string), ("age", .int64), ("tags", .stringList), ("born", .timestamp)]),
            try type("Team", 3, [("age", .double), ("name", .string), ("boss", .reference)]),
            try type("Ship", 4, [("name", .int64)]),
        ]
        let binder = PredicateBinder(type: try QuerySample.type(), now: QuerySample.now) { name throws(RecordError) in
            types.filter { SystemField(name) != nil || $0[name] != nil }
        } userID: { _ in
            nil
        }
        return try binder.bind(try PredicateSyntax.parse(text), positional: arguments)
    }

    private static func rejection(_ text: String, _ arguments: [QueryArgument] = []) -> RecordError? {
        do {
            _ = try bind(text, arguments)
            return nil
        } catch { return error as? RecordError }
    }

    /// A record with one reference, `author`.
    private struct Reader: PredicateSubject {
        var target: (type: TypeID, record: any PredicateSubject)?

        func value(of field: QueryField) -> QueryValue? { target == nil ? nil : QuerySample.text("x") }
        func members(of field: QueryField) -> [QueryValue] { [] }
        func places(of field: QueryField) -> [Place] { [] }
        func memberCount(of field: QueryField) -> Int { 0 }
        func isPresent(_ field: QueryField) -> Bool { target != nil }
        func target(of field: QueryField) -> (type: TypeID, record: any PredicateSubject)? { target }
    }

    /// The results for an author, a team, a ship without the tested fields, and no target.
    @Test(
        arguments: [
            ("author.name == 'ada'", [true, false, false, false]),
            ("author.name != 'ada'", [false, true, true, true]),
            ("NOT author.name == 'ada'", [false, true, true, true]),
            ("author.name BEGINSWITH[c] 'A'", [true, false, false, false]),
            ("author.name MATCHES 'a.a'", [true, false, false, false]),
            ("author.name == NULL", [false, false, true, true]),
            ("author.name != NULL", [true, true, false, false]),
            ("author.age > 20.5", [true, true, false, false]), ("30 < author.age", [true, false, false, false]),
            ("author.age IN {36, 21}", [true, true, false, false]),
            ("ANY author.tags == 'x'", [true, false, false, false]),
            ("author.tags CONTAINS 'x'", [true, false, false, false]),
            ("ALL author.tags == 'x'", [false, true, true, true]),
            ("NONE author.tags == 'x'", [false, true, true, true]),
            ("author.tags.@count == 0", [false, true, true, true]),
            ("author.name == 'ada' AND author.age == 36", [true, false, false, false]),
            ("author.name == 'ada' OR author.age == 21", [true, true, false, false]),
            ("author.recordName == 'a1'", [true, false, false, false]),
            ("author.name CONTAINS_ANY_TOKENS 'red ADA'", [true, false, false, false]),
            ("NOT author.tags CONTAINS_ALL_TOKENS 'x y'", [false, true, true, true]),
            ("author.createdTimestamp == NULL", [false, false, false, true]),
            ("author.createdTimestamp != NULL", [true, true, true, false]),
        ] as [(String, [Bool])])
    func `the test holds if it holds for the target, and an absent target is an absent field`(
        text: String, expected: [Bool]
    ) throws {
        let predicate = try Self.bind(text)
        let author = SampleRecord(
            values: ["name": QuerySample.text("ada"), "age": .integer(36), "recordName": QuerySample.text("a1")],
            lists: ["tags": [QuerySample.text("x"), QuerySample.text("y")]])
        let team = SampleRecord(values: ["name": QuerySample.text("reds"), "age": .double(21)])
        let targets: [(TypeID, any PredicateSubject)?] = [
            (TypeID(rawValue: 2), author), (TypeID(rawValue: 3), team), (TypeID(rawValue: 4), SampleRecord()), nil,
        ]
        for (target, expected) in zip(targets, expected) {
            let reader = Reader(target: target.map { (type: $0.0, record: $0.1) })
            #expect(predicate.evaluate(reader) == expected, "\(text) of \(String(describing: target))")
            #expect(predicate.simplified().evaluate(reader) == expected)
        }
    }

    @Test(
        arguments: [
            ("author.name == 'ada'", "author.name == \"ada\""), ("author.name != 'ada'", "author.name != \"ada\""),
            ("20 < author.age AND a == 1", "author.age > 20 AND a == 1"),
            ("author . name ENDSWITH[c] 'A'", "author.name ENDSWITH[c] \"a\""),
            ("ANY author.tags IN {'a', 'b'}", "ANY author.tags IN {\"a\", \"b\"}"),
            ("NOT (author.age < 1 OR author.tags.@count > 2)", "NOT (author.age < 1 OR author.tags.@count > 2)"),
            ("author.___createTime > 5", "author.createdTimestamp > 5"),
            ("author.name TOKENMATCHES 'a b'", "author.name CONTAINS_ALL_TOKENS \"a b\""),
        ] as [(String, String)])
    func `it is printed as it is written`(text: String, printed: String) throws {
        let predicate = try Self.bind(text).simplified()
        #expect(predicate.text() == printed)
        #expect(try Self.bind(printed).simplified() == predicate)
    }

    @Test func `the argument of %K may be a path`() throws {
        #expect(try Self.bind("%K == 'ada'", [.string("author.name")]) == Self.bind("author.name == 'ada'"))
        #expect(Self.rejection("%K == 'ada'", [.string("author.name.x")])?.code == .badRequest)
    }

    @Test(
        arguments: [
            ("author.name.first == 1", 11, "one other record"), ("title.name == 'x'", 0, "no reference"),
            ("friends.name == 'x'", 0, "list of references"), ("ANY friends.name == 'x'", 4, "list of references"),
            ("createdUserRecordName.name == 'x'", 0, "is an account"), ("author.nothing == 1", 7, "not found"),
            ("author.age == 'x'", 14, "cannot be compared"), ("author.in == 1", 7, "written with #"),
            ("author. == 1", 8, "name of a field"), ("author.name == title", 15, "Two fields"),
            ("author.name == author.age", 15, "Two fields"), ("author.___share == 1", 7, "cannot be queried"),
            ("author.age.@count == 1", 7, "no list"), ("author.tags == 'x'", 7, "is a list"),
            ("author.age BEGINSWITH 'x'", 11, "tests texts"),
        ] as [(String, Int, String)])
    func `a wrong path is rejected with its place`(text: String, offset: Int, reason: String) {
        let error = Self.rejection(text)
        #expect(error?.code == .badRequest)
        #expect(error?.offset == offset, "\(String(describing: error))")
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `the number of tests is limited, and they need a query`() {
        let tests = { (count: Int) in repeatElement("author.age == 1", count: count).joined(separator: " OR ") }
        #expect(Self.rejection(tests(Limits.targetTests)) == nil)
        #expect(Self.rejection(tests(Limits.targetTests + 1))?.cause == .tooLarge)
        #expect(QuerySample.rejection("author.name == 'x'")?.reason.contains("not possible here") == true)
    }
}
