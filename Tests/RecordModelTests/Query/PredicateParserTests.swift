import FuzzTargets
import Geography
import RecordModel
import Testing

/// Spellings, literals, precedence and bounds.
struct PredicateParserTests {
    @Test(arguments: [
        ("=", "=="), ("==", "=="), ("!=", "!="), ("<>", "!="), ("<", "<"), ("<=", "<="), ("=<", "<="), (">", ">"),
        (">=", ">="), ("=>", ">="),
    ])
    func `every spelling of a relation means the same, with and without spaces`(spelling: String, plain: String) throws
    {
        let expected = try QuerySample.bind("a \(plain) 5")
        for text in ["a \(spelling) 5", "a\(spelling)5", "a\n\(spelling)\t5", "(a\(spelling)5)", "#a\(spelling)+5"] {
            #expect(try QuerySample.bind(text) == expected, "\(text)")
        }
    }

    @Test(arguments: [
        ("a == 1 and b == 2", "a == 1 && b == 2"), ("a == 1 Or b == 2", "a == 1 || b == 2"),
        ("not a == 1", "!a == 1"), ("NOT(a == 1)", "! (a==1)"), ("any topics == 'x'", "SOME topics = \"x\""),
        ("title beginswith 'x'", "title BeginsWith \"x\""), ("a between {1,2}", "a BETWEEN { 1 , 2 }"),
        ("topics contains 'x'", "'x' in topics"), ("a == true", "a == YES"), ("a == No", "a == FALSE"),
        ("a == nil", "a == Null"), ("TruePredicate", "TRUEPREDICATE"), ("((((a == 1))))", "a == 1"),
        ("a == 1 OR b == 2 AND c == 3", "a == 1 OR (b == 2 AND c == 3)"),
        ("a == 1 AND b == 2 OR c == 3", "(a == 1 AND b == 2) OR c == 3"),
        ("NOT a == 1 AND b == 2", "(NOT a == 1) AND b == 2"), ("!a == 1 || b == 2", "(NOT a == 1) OR b == 2"),
        ("NONE topics == 'x'", "NOT ANY topics == 'x'"), ("a != 1", "NOT a == 1"), ("5 > a", "a < 5"),
        ("a IN {1}", "{1} CONTAINS a"), ("recordID == 'x'", "___recordid == 'x'"),
        ("timestamp < now()-1 day-2 HOURS", "timestamp < now() - 26 hours"),
        ("timestamp < now() + 1 week - 1 second", "timestamp < NOW( )+604799 seconds"),
        ("timestamp < now() - 90 minutes - 0 days", "now()-5400 seconds > timestamp"),
        ("timestamp IN {now() - 1 day, now()}", "timestamp IN {now() - 24 hours, now() + 0 days}"),
        ("date > 5", "#date > 5"), ("now == 5", "5 == #now"), ("size > 3", "#size > 3"),
    ])
    func `two spellings are one condition`(one: String, other: String) throws {
        #expect(try QuerySample.bind(one) == QuerySample.bind(other))
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("+7", 7), ("007", 7), ("0x1F", 31), ("0Xff", 255), ("-0x10", -16), ("0o17", 15),
            ("0b101", 5), ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
            ("0x7fffffffffffffff", Int64.max), ("-0x8000000000000000", Int64.min), ("3.0", 3), ("1e3", 1_000),
            ("5E+0", 5), ("20e-1", 2),
        ] as [(String, Int64)])
    func `integers are read in every form`(text: String, value: Int64) throws {
        #expect(try QuerySample.bind("a == \(text)") == QuerySample.condition("a", .equals(.integer(value))))
    }

    @Test(arguments: [
        ("0.5", 0.5), ("-0.0", 0), ("1e-3", 0.001), ("-2.5E2", -250), ("7", 7),
        ("5e-324", Double.leastNonzeroMagnitude),
        ("1.7976931348623157e308", Double.greatestFiniteMagnitude), ("9223372036854775808", 0x1p63),
        ("0xffffffffffffffff", 0x1p64), ("-0x8000000000000001", -0x1p63), ("0.1", 0.1),
    ])
    func `doubles are read in every form`(text: String, value: Double) throws {
        let predicate = try QuerySample.bind("cost == \(text)")
        #expect(try predicate == QuerySample.condition("cost", .equals(.double(value))))
        if case .condition(let condition) = predicate, case .equals(.double(let double)) = condition.test, value == 0 {
            #expect(double.sign == .plus)
        }
    }

    @Test(arguments: [
        ("'red'", "red"), ("\"red\"", "red"), ("'it\\'s'", "it's"), ("\"it's\"", "it's"), ("'a\"b'", "a\"b"),
        ("'\\\\ \\n \\r \\t \\\"'", "\\ \n \r \t \""), ("'\\u00e9\\u96D1'", "é雑"), ("'\\ud83d\\ude00'", "😀"),
        ("''", ""), ("'%@ $x #y'", "%@ $x #y"), ("'a\nb'", "a\nb"), ("'\\u0000'", "\0"), ("'雑談'", "雑談"),
        ("'e\u{301}'", "e\u{301}"),
    ])
    func `strings are read with their escapes`(text: String, value: String) throws {
        #expect(
            try QuerySample.bind("title == \(text)") == QuerySample.condition("title", .equals(QuerySample.text(value)))
        )
    }

    @Test(arguments: [
        "%@", "%d", "%i", "%u", "%ld", "%lu", "%lld", "%llu", "%f", "%x", "%X", "%li", "%lf", "%g", "%zd",
    ])
    func `every placeholder takes a value of any type`(placeholder: String) throws {
        let rows: [(String, QueryArgument, ValueTest)] = [
            ("a", .integer(5), .equals(.integer(5))), ("a", .double(5), .equals(.integer(5))),
            ("a", .bool(true), .equals(.integer(1))), ("a", .null, .isNull),
            ("title", .string("x' OR 1 == 1"), .equals(QuerySample.text("x' OR 1 == 1"))),
            ("cost", .integer(5), .equals(.double(5))), ("timestamp", .timestamp(5), .equals(.integer(5))),
            ("timestamp", .integer(5), .equals(.integer(5))),
            ("author", .reference("x"), .equals(QuerySample.text("x"))),
        ]
        for (name, argument, test) in rows {
            #expect(
                try QuerySample.bind("\(name) == \(placeholder)", [argument]) == QuerySample.condition(name, test))
        }
        for argument in [
            QueryArgument.bytes, .asset, .location(Place(latitude: 1, longitude: 2)!), .list([]), .double(.nan),
            .double(.infinity),
        ] {
            for (name, type) in QuerySample.fields where !type.isList {
                #expect(QuerySample.rejection("#\(name) == \(placeholder)", [argument])?.cause == .typeMismatch)
            }
        }
    }

    @Test func `the number of arguments is that of the placeholders`() {
        for (text, arguments) in [
            ("a == %d", []), ("a == %d AND %K == 2", [QueryArgument.integer(1)]), ("a == '%@'", [.integer(1)]),
            ("", [.integer(1)]), ("a == %d", [.integer(1), .integer(2)]),
        ] {
            let error = QuerySample.rejection(text, arguments)
            #expect(error?.code == .badRequest)
            #expect(error?.reason.contains("arguments") == true)
            #expect(error?.found == "\(arguments.count) argument\(arguments.count == 1 ? "" : "s")")
        }
        #expect(QuerySample.rejection("a == %d", [.integer(1)]) == nil)
    }

    @Test func `each variable needs a value, and surplus values are rejected`() {
        #expect(QuerySample.rejection("a == $x")?.reason == "The condition has a variable that is not given")
        #expect(QuerySample.rejection("a == $x")?.offset == 5)
        let error = QuerySample.rejection("a == $x", [], ["x": .integer(1), "y": .integer(2)])
        #expect(error?.reason == "A variable is given that the condition does not have")
        #expect(error?.detail("argument") == .text("y"))
        #expect(QuerySample.rejection("a == $x AND b < $x", [], ["x": .integer(1)]) == nil)
    }

    @Test func `the argument of %K is the name of a field, and never more`() {
        #expect(QuerySample.rejection("%K == 1", [.integer(1)])?.cause == .typeMismatch)
        #expect(QuerySample.rejection("%K == 1", [.string("a == 1 OR b")])?.cause == .unknownName)
        #expect(QuerySample.rejection("%K == 1", [.string("author.name.first")])?.reason.contains("path") == true)
        #expect(QuerySample.rejection("%K == 1", [.string("in")]) == nil)
    }

    @Test func `the length, the list size, the depth and the number of tests are limited`() throws {
        let conditions = { (count: Int) in repeatElement("a == 1", count: count).joined(separator: " OR ") }
        #expect(QuerySample.rejection(conditions(200)) == nil)
        let nested = { (depth: Int) in
            String(repeating: "(", count: depth) + "a == 1" + String(repeating: ")", count: depth)
        }
        #expect(QuerySample.rejection(nested(32)) == nil)
        let list = { (count: Int) in "a IN {\(repeatElement("1", count: count).joined(separator: ","))}" }
        #expect(QuerySample.rejection(list(1_000)) == nil)
        #expect(QuerySample.rejection("\(list(1_000)) OR \(list(1_000))") == nil)
        let padding = String(repeating: " ", count: Limits.conditionBytes - 6)
        #expect(QuerySample.rejection("a == 1" + padding) == nil)
        let arguments = { (count: Int) in [QueryArgument](repeating: .integer(1), count: count) }
        let placeholders = { (count: Int) in "a IN {\(repeatElement("%@", count: count).joined(separator: ","))}" }
        #expect(QuerySample.rejection(placeholders(100), arguments(100)) == nil)
        #expect(QuerySample.rejection("a IN %@", [.list(arguments(1_000))]) == nil)

        let rejected: [RecordError?] = [
            QuerySample.rejection(conditions(201)), QuerySample.rejection(nested(33)),
            QuerySample.rejection(list(1_001)),
            QuerySample.rejection("\(list(1_000)) OR \(list(1_000)) OR \(list(1))"),
            QuerySample.rejection("a == 1" + padding + " "), QuerySample.rejection(placeholders(101), arguments(101)),
            QuerySample.rejection("a IN %@", [.list(arguments(1_001))]),
            QuerySample.rejection(
                "a IN %@ OR a IN %@ OR a IN {1}", [.list(arguments(1_000)), .list(arguments(1_000))]),
            QuerySample.rejection(String(repeating: "(", count: 16_000)),
        ]
        for (index, error) in rejected.enumerated() {
            #expect(error?.code == .badRequest, "\(index)")
            #expect(error?.cause == .tooLarge, "\(index)")
            #expect(error?.detail("limit") != nil, "\(index)")
        }
        #expect(QuerySample.rejection(String(repeating: "!", count: 16_000) + "a == 1") == nil)
        #expect(QuerySample.rejection(String(repeating: "NOT ", count: 4_000)) != nil)
    }
}
