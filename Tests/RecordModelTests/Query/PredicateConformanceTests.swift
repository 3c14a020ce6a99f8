import FuzzTargets
import RecordModel
import Testing

/// The meaning of each condition, record by record.
struct PredicateConformanceTests {
    static let records: [String: SampleRecord] = [
        "empty": SampleRecord(),
        "first": SampleRecord(
            values: [
                "threadname": QuerySample.text("雑談"), "salesPrice": .integer(100), "timestamp": .integer(1_000),
                "state": QuerySample.text("done"), "size": .integer(3), "a": .integer(1), "b": .integer(0),
                "c": .integer(0), "author": QuerySample.text("bob"), "name": QuerySample.text("%@"),
                "cost": .double(0.5), "recordName": QuerySample.text("r-1"), "createdUserRecordName": .integer(7),
                "createdTimestamp": .integer(5_000),
            ],
            lists: ["topics": [QuerySample.text("swift"), QuerySample.text("linux")], "scores": []]),
        "second": SampleRecord(
            values: [
                "threadname": QuerySample.text("swift"), "salesPrice": .integer(200), "timestamp": .integer(2_000),
                "state": QuerySample.text("open"), "size": .integer(4), "a": .integer(0), "b": .integer(2),
                "c": .integer(3), "author": QuerySample.text("eve"), "name": QuerySample.text("bob"),
                "endDate": .integer(1), "cost": .double(7), "recordName": QuerySample.text("r-2"),
                "createdUserRecordName": .integer(8), "createdTimestamp": .integer(6_000),
            ], lists: ["topics": [], "scores": [.integer(1), .integer(9)]]),
        "third": SampleRecord(
            values: [
                "threadname": QuerySample.text("雑談室"), "salesPrice": .integer(501), "a": .integer(0),
                "b": .integer(2), "c": .integer(4), "createdUserRecordName": .integer(9),
            ], lists: ["topics": [QuerySample.text("db")], "scores": [.integer(5)]]),
    ]

    static func matches(
        _ text: String, _ arguments: [QueryArgument] = [], _ variables: [String: QueryArgument] = [:]
    ) throws -> Set<String> {
        let predicate = try QuerySample.bind(text, arguments, variables)
        let simplified = predicate.simplified()
        var names: Set<String> = []
        for (name, record) in records {
            let holds = predicate.evaluate(record)
            #expect(simplified.evaluate(record) == holds, "\(simplified)")
            if holds { names.insert(name) }
        }
        return names
    }

    static let all: Set<String> = ["empty", "first", "second", "third"]

    typealias Row = (text: String, arguments: [QueryArgument], matches: Set<String>)

    /// The conformance table of the language.
    static let table: [Row] = [
        ("threadname == %@ ", [.string("雑談")], ["first"]), ("threadname ==[c] 'SWIFT'", [], ["second"]),
        ("threadname ==[cd] %@", [.string("\u{FF33}w\u{ED}FT")], ["second"]), ("threadname ==[d] 'SWIFT'", [], []),
        ("threadname !=[c] 'SWIFT'", [], ["empty", "first", "third"]),
        ("threadname >[c] 'SWIFS'", [], all.subtracting(["empty"])),
        ("threadname CONTAINS '談'", [], ["first", "third"]), ("threadname CONTAINS[c] 'WIF'", [], ["second"]),
        ("threadname CONTAINS 'WIF'", [], []), ("'談' IN threadname", [], ["first", "third"]),
        ("threadname ENDSWITH '談'", [], ["first"]), ("threadname ENDSWITH[c] 'FT'", [], ["second"]),
        ("threadname LIKE '?w*t'", [], ["second"]), ("threadname LIKE '??'", [], ["first"]),
        ("threadname LIKE[c] 'S\\\\w*'", [], ["second"]), ("threadname LIKE '\\\\*'", [], []),
        ("threadname LIKE ''", [], []),
        ("threadname MATCHES '[a-z]+'", [], ["second"]), ("threadname MATCHES 'wif'", [], []),
        ("threadname MATCHES[c] 'S.*[E-G]T'", [], ["second"]), ("threadname MATCHES '雑.(室)?'", [], ["first", "third"]),
        ("name LIKE '%\\\\@'", [], ["first"]), ("recordName ENDSWITH '-2'", [], ["second"]),
        ("recordName CONTAINS[c] 'R-'", [], ["first", "second"]),
        ("ALL topics == 'db'", [], ["empty", "second", "third"]),
        ("ALL topics IN {'swift', 'linux'}", [], ["empty", "first", "second"]),
        ("ALL topics != 'db'", [], ["empty", "first", "second"]), ("ALL scores > 4", [], ["empty", "first", "third"]),
        ("ALL topics BEGINSWITH 's'", [], ["empty", "second"]), ("ANY topics ENDSWITH 'x'", [], ["first"]),
        ("ANY topics CONTAINS[c] 'IF'", [], ["first"]), ("topics CONTAINS[c] 'DB'", [], ["third"]),
        ("NONE topics CONTAINS 'i'", [], ["empty", "second", "third"]), ("topics.@count == 2", [], ["first"]),
        ("topics.@count < 1", [], ["empty", "second"]), ("2 <= topics.@count", [], ["first"]),
        ("scores.@count == 0.5", [], []),
        ("scores.@count BETWEEN {1, 2}", [], ["second", "third"]), ("NOT (topics.@count IN {0, 2})", [], ["third"]),
        ("salesPrice == 50 * (1 + 1)", [], ["first"]), ("salesPrice > 1000 / 2", [], ["third"]),
        ("cost == 1 / 2", [], ["first"]),
        ("salesPrice == %d - 1", [.integer(501)], []), ("salesPrice == %d * 2 + 1", [.integer(250)], ["third"]),
        ("1 + 2 == size", [], ["first"]), ("timestamp == %@ - 1 second", [.timestamp(2_000)], ["first"]),
        ("timestamp < date('1970-01-01') + 2 seconds", [], ["first"]),
        ("timestamp == %@ + 1 second", [.integer(0)], ["first"]),
        ("salesPrice >= %d and salesPrice <= %d", [.integer(100), .integer(500)], ["first", "second"]),
        ("salesPrice BETWEEN {100, 500}", [], ["first", "second"]),
        ("timestamp < %@", [.timestamp(2_000)], ["first"]),
        ("timestamp < %@", [.string("1970-01-01T00:00:02Z")], ["first"]),
        ("timestamp <= %@", [.string("1970-01-01 09:00:01.000999+0900")], ["first"]),
        ("timestamp < %@", [.string("1970-01-02")], ["first", "second"]), ("timestamp >= date('1970-01-02')", [], []),
        ("timestamp == '1970-01-01'", [], []),
        ("timestamp BETWEEN {'1970-01-01', '1970-01-02'}", [], ["first", "second"]),
        ("ANY topics IN %@", [.list([.string("swift"), .string("db")])], ["first", "third"]),
        ("topics CONTAINS 'swift'", [], ["first"]),
        ("author == %@", [.reference("bob")], ["first"]),
        ("author == %@", [.string("bob")], ["first"]),
        ("NOT (state IN {'done','void'})", [], ["empty", "second", "third"]),
        ("name == '%@'", [], ["first"]),
        ("#size > 3", [], ["second"]),
        ("a == 1 OR b == 2 AND c == 3", [], ["first", "second"]),
        ("endDate == NULL", [], ["empty", "first", "third"]),
    ]

    @Test(arguments: table.indices)
    func `each condition of the conformance table matches the records that it should`(row: Int) throws {
        let (text, arguments, matches) = Self.table[row]
        #expect(try Self.matches(text, arguments) == matches, "\(text)")
    }

    static let more: [Row] = [
        ("", [], all), (" \n\t ", [], all), ("TRUEPREDICATE", [], all), ("falsepredicate", [], []),
        ("'swift' IN topics", [], ["first"]), ("ANY topics = 'db'", [], ["third"]),
        ("SOME topics == 'db'", [], ["third"]), ("NONE topics == 'db'", [], ["empty", "first", "second"]),
        ("ANY topics != 'swift'", [], ["first", "third"]), ("NONE topics != 'db'", [], ["empty", "second", "third"]),
        ("ANY topics BEGINSWITH 's'", [], ["first"]), ("NOT topics CONTAINS 'db'", [], ["empty", "first", "second"]),
        ("ANY scores > 5", [], ["second"]), ("ANY scores BETWEEN {4, 6}", [], ["third"]),
        ("ANY scores > 1 AND ANY scores < 9", [], ["second", "third"]), ("scores CONTAINS 5.5", [], []),
        ("ANY scores != 5.5", [], ["second", "third"]), ("ANY scores != NULL", [], ["second", "third"]),
        ("NONE scores != NULL", [], ["empty", "first"]), ("scores == NULL", [], ["empty"]),
        ("topics != NULL", [], ["first", "second", "third"]),
        ("threadname BEGINSWITH '雑'", [], ["first", "third"]), ("threadname == ''", [], []),
        ("ANY state IN {'done', 'void'}", [], ["first"]),
        ("NONE state IN {'done'}", [], ["empty", "second", "third"]),
        ("endDate IS NULL", [], ["empty", "first", "third"]), ("endDate is not null", [], ["second"]),
        ("NOT endDate IS NIL", [], ["second"]), ("ANY scores IS NOT NULL", [], ["second", "third"]),
        ("state IN ('done', 'void')", [], ["first"]), ("state IN ['done']", [], ["first"]),
        ("state NOT IN ('done', 'void')", [], ["empty", "second", "third"]),
        ("state not in {'done'}", [], ["empty", "second", "third"]), ("salesPrice IN ()", [], []),
        ("salesPrice BETWEEN (100, 200)", [], ["first", "second"]),
        ("salesPrice BETWEEN [100, 200] AND (state IN ('done'))", [], ["first"]),
        ("salesPrice NOT BETWEEN {100, 200}", [], ["empty", "third"]),
        ("topics NOT CONTAINS 'db'", [], ["empty", "first", "second"]),
        ("ANY topics IN ['db', 'x']", [], ["third"]), ("state IN [%@]", [.string("done")], ["first"]),
        ("threadname > 'swift'", [], ["first", "third"]), ("threadname >= 'swift'", [], ["first", "second", "third"]),
        ("state != 'done'", [], ["empty", "second", "third"]),
        ("NOT state == 'done'", [], ["empty", "second", "third"]),
        ("NOT NOT state == 'done'", [], ["first"]), ("!(state == 'done')", [], ["empty", "second", "third"]),
        ("100 <= salesPrice AND 200 >= salesPrice", [], ["first", "second"]),
        ("100 < salesPrice", [], ["second", "third"]),
        ("501 == salesPrice", [], ["third"]), ("501 != salesPrice", [], ["empty", "first", "second"]),
        ("{'done', 'open'} CONTAINS state", [], ["first", "second"]),
        ("NULL == endDate", [], ["empty", "first", "third"]),
        ("salesPrice IN {}", [], []), ("NOT salesPrice IN {}", [], all), ("salesPrice IN {100.0, 3.5}", [], ["first"]),
        ("salesPrice BETWEEN {500, 100}", [], []),
        (
            "salesPrice BETWEEN %@", [.list([.double(99.5), .double(200.5)])],
            ["first", "second"]
        ),
        ("recordName == 'r-1'", [], ["first"]), ("recordID IN {'r-1', 'r-2', 'r-3'}", [], ["first", "second"]),
        ("recordID == %@", [.reference("r-2")], ["second"]), ("___recordID BEGINSWITH 'r-'", [], ["first", "second"]),
        ("recordName == NULL", [], []), ("creationDate > %@", [.integer(5_000)], ["second"]),
        ("creatorUserRecordID == %@", [.string("_bob")], ["first"]),
        ("creatorUserRecordID == %@", [.reference("_nobody")], []),
        ("creatorUserRecordID != %@", [.reference("_nobody")], all),
        ("creatorUserRecordID IN {'_nobody', '_bob'}", [], ["first"]),
        ("timestamp < now()", [], ["first", "second"]), ("timestamp == date('1970-01-01T00:00:01Z')", [], ["first"]),
        ("timestamp == CAST(-978307199, \"NSDate\")", [], ["first"]),
        ("timestamp == CAST(-978307198.9996, 'NSDate')", [], ["first"]),
        ("timestamp == CAST(-978307198.9994, 'NSDate')", [], []),
        ("timestamp IN {date('1970-01-01T00:00:01Z'), %@}", [.integer(2_000)], ["first", "second"]),
        ("author == ref('eve')", [], ["second"]),
        ("author IN {ref('eve', '_defaultZone'), 'bob'}", [], ["first", "second"]),
        ("cost == 0.5 || cost = 7", [], ["first", "second"]), ("cost < 1 && cost > 0", [], ["first"]),
        ("salesPrice == TRUE", [], []), ("a == YES", [], ["first"]), ("a == false", [], ["second", "third"]),
        ("%K == %@", [.string("threadname"), .string("swift")], ["second"]),
        ("%@ == %K", [.string("swift"), .string("threadname")], ["second"]),
    ]

    @Test(arguments: more.indices)
    func `every other form has its matches`(row: Int) throws {
        let (text, arguments, matches) = Self.more[row]
        #expect(try Self.matches(text, arguments) == matches, "\(text)")
    }

    @Test func `variables are named values, and may stand twice`() throws {
        let variables: [String: QueryArgument] = ["from": .integer(100), "to": .integer(200)]
        #expect(
            try Self.matches("salesPrice BETWEEN {$from, $to} OR a == $from", [], variables) == ["first", "second"])
    }

    @Test func `simplified ranges and equalities are one test`() throws {
        let range = try QuerySample.bind("salesPrice >= 100 AND (a == 1 AND salesPrice < 200)").simplified()
        let expected = ValueRange(
            lower: .init(.integer(100), isInclusive: true), upper: .init(.integer(200), isInclusive: false))
        #expect(
            try range
                == .and([
                    QuerySample.condition("salesPrice", .isWithin(expected)),
                    QuerySample.condition("a", .equals(.integer(1))),
                ]))
        #expect(
            try QuerySample.bind("a == 1 OR (a IN {2, 1} OR a == 3)").simplified()
                == QuerySample.condition("a", .isIn([.integer(1), .integer(2), .integer(3)])))
        #expect(try QuerySample.bind("a > 3 AND a < 3").simplified() == .constant(false))
        #expect(
            try QuerySample.bind("a >= 3 AND a <= 3").simplified() == QuerySample.condition("a", .equals(.integer(3))))
        #expect(
            try QuerySample.bind("ANY scores > 1 AND ANY scores < 9").simplified()
                == QuerySample.bind("ANY scores > 1 AND ANY scores < 9"))
    }

    @Test func `constants, doubles and double negations fold`() throws {
        let rows = [
            ("TRUEPREDICATE AND a == 1", "a == 1"), ("a == 1 OR TRUEPREDICATE", "TRUEPREDICATE"),
            ("a == 1 AND FALSEPREDICATE", "FALSEPREDICATE"), ("NOT (NOT (a == 1))", "a == 1"),
            ("a == 1 AND a == 1", "a == 1"), ("NOT FALSEPREDICATE", "TRUEPREDICATE"),
            ("(a == 1 AND (b == 2 AND (c == 3)))", "a == 1 AND b == 2 AND c == 3"),
            ("NOT (a == 1 OR (b == 2))", "NOT (a == 1 OR b == 2)"), ("a IN {1, 1}", "a == 1"),
        ]
        for (text, simple) in rows {
            #expect(try QuerySample.bind(text).simplified() == QuerySample.bind(simple), "\(text)")
        }
    }
}
