import FuzzTargets
import RecordModel
import Testing

/// Rejected predicates, with the location and the sentence.
struct PredicateRejectionTests {
    typealias Row = (text: String, offset: Int, found: String, expected: String)

    static let syntax: [Row] = [
        ("a", 1, "end of the condition", "an operator"), ("a ==", 4, "end of the condition", "a field or a value"),
        ("a == 1 b", 7, "b", "AND, OR or the end"), ("(a == 1", 7, "end of the condition", "closing parenthesis"),
        ("a == 1)", 6, ")", "AND, OR or the end"), ("a == 1 AND", 10, "end of the condition", "a field or a value"),
        ("OR a == 1", 0, "OR", "a field or a value"), ("a == 1 & b == 2", 7, "&", "AND, written &&"),
        ("a == 1 | b == 2", 7, "|", "OR, written ||"),
        ("a == 'x", 7, "end of the condition", "closes the string at byte 5"),
        ("a == '\\q'", 7, "q", "an escape"), ("a == '\\u12G4'", 10, "G", "four hexadecimal digits"),
        ("a == '\\ud800'", 6, "half of a surrogate pair", "a Unicode scalar"),
        ("a == '\\ud800\\u0041'", 6, "half of a surrogate pair", "a Unicode scalar"),
        ("a == '\\udc00'", 6, "half of a surrogate pair", "a Unicode scalar"),
        ("a == '\\", 7, "end of the condition", "an escape"),
        ("a == 3x", 6, "x", "the end of the number"), ("a == 0x", 7, "end of the condition", "a digit"),
        ("a == 0b2", 7, "2", "a digit"), ("a == 0o8", 7, "8", "a digit"),
        ("a == 0x10000000000000000", 5, "a longer number", "64 bits"), ("a == 1e999", 5, "1e999", "range of DOUBLE"),
        ("a == 1e", 7, "end of the condition", "an exponent"), ("a == 1.", 6, ".", "AND, OR or the end"),
        ("a == + 1", 5, "+", "a number"), ("a == %q", 5, "%", "a placeholder"),
        ("a == $", 6, "end of the condition", "variable"),
        ("a == $1", 6, "1", "variable"), ("# == 1", 1, " ", "field's name"), ("a == €", 5, "€", "a name, a value"),
        ("😀 == 1", 0, "😀", "a name, a value"), ("threadname == '雑談' 室", 23, "室", "AND, OR or the end"),
        ("a == 1\u{3000}", 6, "\u{3000}", "a name, a value"), ("x\u{200D} == 1", 1, "\u{200D}", "a name, a value"),
        ("a IN {1, 2", 10, "end of the condition", "closing brace"), ("a IN {1 2}", 8, "2", "a comma"),
        ("a IN {1,}", 8, "}", "a value"), ("a IN {b}", 6, "b", "a value"), ("a IN {%K}", 6, "%K", "a value"),
        ("a IN {{1}}", 6, "{", "a value"), ("in == 3", 0, "in", "written with #"),
        ("a == like", 5, "like", "written with #"),
        ("ANY ANY a == 1", 4, "ANY", "a field or a value"), ("NOT", 3, "end of the condition", "a field or a value"),
        ("a NOT == 1", 6, "==", "IN, BETWEEN, CONTAINS or another word"), ("a IS 1", 5, "1", "NULL or NOT NULL"),
        ("a IS NOT 1", 9, "1", "NULL or NOT NULL"), ("title ~ 'x'", 6, "~", "BEGINSWITH, CONTAINS"),
        ("title ILIKE 'x%'", 6, "ILIKE", "BEGINSWITH, CONTAINS"),
        ("title STARTSWITH 'x'", 6, "STARTSWITH", "BEGINSWITH"),
        ("a == ?", 5, "?", "%@"), ("a == :x", 5, ":", "$name"), ("`a` == 1", 0, "`", "a field's name"),
        ("a IN (1, 2", 10, "end of the condition", "closing parenthesis"), ("a IN [1 2]", 8, "2", "closing bracket"),
        ("a IN [c, d]", 6, "c", "a value"), ("a == (1", 7, "end of the condition", "closing parenthesis"),
        ("a == 1 +", 8, "end of the condition", "a number"),
        ("a == 2 * * 3", 9, "*", "a number"), ("a == (1 + 2", 11, "end of the condition", "closing parenthesis"),
        ("topics.@sum == 1", 6, ".@sum", "@count"), ("topics.@ == 1", 8, " ", "@count"),
        ("a == 1 AND OR b == 1", 11, "OR", "a field or a value"),
        ("date('yesterday') > a", 5, "'yesterday'", "RFC 3339"), ("timestamp == date(5)", 18, "5", "RFC 3339"),
        ("timestamp == CAST('x', \"NSDate\")", 18, "'x'", "a number of seconds"),
        ("timestamp == CAST(9223372036854775807, \"NSDate\")", 18, "9223372036854775807", "fits a timestamp"),
        ("timestamp == CAST(1e300, \"NSDate\")", 18, "1e300", "fits a timestamp"),
        ("timestamp == CAST(5, \"NSNumber\")", 21, "\"NSNumber\"", "\"NSDate\""),
        ("author == ref('')", 14, "''", "name of a record"),
        ("author == ref('a', 'north')", 19, "'north'", "_defaultZone"),
        ("now( > 3", 5, ">", "closing parenthesis"), ("() AND a == 1", 1, ")", "a field or a value"),
        ("timestamp < now() - days", 20, "days", "183 days"), ("timestamp < now() - -1 day", 20, "-1 day", "a whole"),
        ("timestamp < now() - 1.5 days", 20, "1.5 days", "a whole number"),
        ("timestamp < now() - 6 months", 22, "months", "hours, days or weeks"),
        ("timestamp < now() -", 19, "end of the condition", "183 days"), ("a == - 5", 5, "-", "a number"),
        ("timestamp < now() - 3652501 days", 20, "3652501 days", "at most 10,000 years"),
        ("timestamp < now() - 9223372036854775807 weeks", 20, "9223372036854775807 weeks", "at most 10,000 years"),
        ("\\", 0, "\\", "a name"),
        ("a == 1 AND\0", 10, "\0", "a name"),
    ]

    @Test(arguments: syntax.indices)
    func `unknown syntax is rejected with its location, the text found and the text expected`(row: Int) {
        let (text, offset, found, expected) = Self.syntax[row]
        let error = QuerySample.rejection(text)
        #expect(error?.code == .badRequest, "\(text)")
        #expect(error?.offset == offset, "\(text)")
        #expect(error?.found == found, "\(text)")
        #expect(error?.expected?.contains(expected) == true, "\(text): \(error?.expected ?? "")")
    }

    static let unavailable: [(text: String, word: String, offset: Int)] = [
        ("topics[SIZE] == 2", "index", 6),
        ("SUBQUERY(topics, $x, $x == 1).@count > 0", "SUBQUERY", 0), ("max(a) > 3", "function", 0),
        ("tokenize:using:(title, 'x') == 1", "function", 0), ("a == abs(3)", "function", 5),
    ]

    @Test(arguments: unavailable.indices)
    func `unsupported features are rejected by name and location`(row: Int) {
        let (text, word, offset) = Self.unavailable[row]
        let error = QuerySample.rejection(text)
        #expect(error?.code == .badRequest, "\(text)")
        #expect(error?.reason.contains("not available in this version") == true, "\(text): \(error?.reason ?? "")")
        #expect(error?.reason.contains(word) == true, "\(text): \(error?.reason ?? "")")
        #expect(error?.offset == offset, "\(text)")
        #expect(error?.found != nil && error?.expected != nil, "\(text)")
        #expect(error?.reason.contains(error?.expected ?? "?") == true, "\(text): the sentence says what to write")
    }

    static let meaning: [(text: String, reason: String, cause: RecordError.Cause?, offset: Int)] = [
        ("雑談室 == 1", "Field 雑談室 not found in Post", .unknownName, 0),
        (
            "title ==[l] 'x'",
            "The modifier l depends on a language, which the server does not have. Write [c], [d] or [cd]", nil, 8
        ),
        ("title ==[x] 'x'", "The modifiers are c, to ignore case, and d, to ignore diacritics", nil, 8),
        ("a ==[c] 5", "The modifiers [c] compare texts, and field 'a' is of type INT64", .typeMismatch, 2),
        ("title.@count == 1", "Field 'title' of type STRING is no list and has no members to count", .typeMismatch, 0),
        ("ANY topics.@count == 1", "The number of members takes no quantifier", nil, 4),
        (
            "topics.@count == NULL", "The number of members is never NULL; it is 0 for a record without the field", nil,
            17
        ),
        ("topics.@count == 'x'", "The number of members of 'topics' is compared with a number", .typeMismatch, 17),
        ("ALL topics != NULL", "No member of a list is NULL", nil, 14),
        ("a == 1 / 0", "A number cannot be divided by 0", nil, 9),
        ("cost == 1e308 * 10", "The result is no number", nil, 16),
        ("a == 1 + 'x'", "Only numbers can be added, subtracted, multiplied and divided", .typeMismatch, 9),
        ("timestamp < 'x' + 1 day", "A duration is added to a time or subtracted from one", .typeMismatch, 12),
        ("a == 5 days", "The condition is not well formed: expected AND, OR or the end", nil, 7),
        (
            "title MATCHES '['", "The pattern of MATCHES cannot be used: nothing closes this set (at character 0)", nil,
            14
        ),
        (
            "title MATCHES '(a)\\\\1'",
            "The pattern of MATCHES cannot be used: references to groups are not supported (at character 3)", nil, 14
        ),
        (
            "title MATCHES 'a++'",
            "The pattern of MATCHES cannot be used: possessive repetition is not supported (at character 2)", nil, 14
        ),
        (
            "title MATCHES '(?=a)'",
            "The pattern of MATCHES cannot be used: looking ahead or behind is not supported (at character 0)", nil, 14
        ),
        (
            "title MATCHES '((a{99}){99}){99}'",
            "The pattern of MATCHES cannot be used: the pattern is too long, with its repetitions (at character 0)",
            nil, 14
        ),
        ("title LIKE 5", "The pattern of LIKE is a text", .typeMismatch, 11),
        (
            "title ENDSWITH ''",
            "ENDSWITH needs a string that is not empty. Leave the test out, or ask for records that have the field with title != NULL",
            nil, 15
        ),
        ("a == ü", "Field ü not found in Post; put a text in quotes: 'ü'", .unknownName, 5),
        ("nothing == 1", "Field nothing not found in Post", .unknownName, 0),
        ("a == 1 AND Title == 'x'", "Field Title not found in Post", .unknownName, 11),
        ("recordChangeTag == 'x'", "Field 'recordChangeTag' cannot be queried", nil, 0),
        ("___etag == 'x'", "Field 'recordChangeTag' cannot be queried", nil, 0),
        ("___parent == 'x'", "Field '___parent' cannot be queried", nil, 0),
        (
            "parent == 'x'", "Field parent not found in Post. The parent of the record itself cannot be queried",
            .unknownName, 0
        ),
        ("a == b", "Two fields cannot be compared with each other", nil, 5),
        ("a IN topics", "Two fields cannot be compared with each other", nil, 5),
        ("1 == 1", "A comparison needs a field on one side", nil, 0),
        ("a == 'x'", "Field 'a' of type INT64 cannot be compared with a value of type STRING", .typeMismatch, 5),
        (
            "a == NULL AND a < 'x'", "Field 'a' of type INT64 cannot be compared with a value of type STRING",
            .typeMismatch, 18
        ),
        ("title == 5", "Field 'title' of type STRING cannot be compared with a value of type INT64", .typeMismatch, 9),
        (
            "title == 5.5", "Field 'title' of type STRING cannot be compared with a value of type DOUBLE",
            .typeMismatch, 9
        ),
        (
            "title == TRUE", "Field 'title' of type STRING cannot be compared with a value of type Boolean",
            .typeMismatch, 9
        ),
        (
            "title == ref('x')", "Field 'title' of type STRING cannot be compared with a value of type REFERENCE",
            .typeMismatch, 9
        ),
        (
            "cost == YES", "Field 'cost' of type DOUBLE cannot be compared with a value of type Boolean", .typeMismatch,
            8
        ),
        ("a == now()", "Field 'a' of type INT64 cannot be compared with a value of type TIMESTAMP", .typeMismatch, 5),
        (
            "timestamp == YES", "Field 'timestamp' of type TIMESTAMP cannot be compared with a value of type Boolean",
            .typeMismatch, 13
        ),
        (
            "timestamp > 'x'",
            "Field 'timestamp' of type TIMESTAMP cannot be compared with a text that is no RFC 3339 time. Write it like '2026-03-01T12:00:00.250Z'",
            .typeMismatch, 12
        ),
        (
            "author == 5", "Field 'author' of type REFERENCE cannot be compared with a value of type INT64",
            .typeMismatch, 10
        ),
        ("a == {1}", "Field 'a' of type INT64 cannot be compared with a value of type list", .typeMismatch, 5),
        ("a IN {1, 'x'}", "Field 'a' of type INT64 cannot be compared with a value of type STRING", .typeMismatch, 9),
        ("a IN {1, NULL}", "Field 'a' of type INT64 cannot be compared with a value of type NULL", .typeMismatch, 9),
        (
            "topics CONTAINS 5",
            "A member of field 'topics' of type STRING cannot be compared with a value of type INT64", .typeMismatch, 16
        ),
        ("a IN 5", "A list is needed here", .typeMismatch, 5),
        ("a IN NULL", "A list is needed here", .typeMismatch, 5),
        ("a BETWEEN {1}", "BETWEEN needs a list of two values", nil, 10),
        ("a BETWEEN {1, 2, 3}", "BETWEEN needs a list of two values", nil, 10),
        ("a BETWEEN 1", "A list is needed here", .typeMismatch, 10),
        ("{1, 2} BETWEEN a", "The field stands on the left of this operator", nil, 0),
        ("'x' BEGINSWITH title", "The field stands on the left of this operator", nil, 0),
        ("ANY 'x' == topics", "A quantifier stands before a list field", nil, 4),
        (
            "topics == 'x'", "Field 'topics' of type STRING_LIST is a list; test its members with ANY or CONTAINS",
            .typeMismatch, 0
        ),
        (
            "topics IN {'x'}", "Field 'topics' of type STRING_LIST is a list; test its members with ANY or CONTAINS",
            .typeMismatch, 0
        ),
        (
            "topics BEGINSWITH 'x'",
            "Field 'topics' of type STRING_LIST is a list; test its members with ANY or CONTAINS", .typeMismatch, 0
        ),
        (
            "scores > 1", "Field 'scores' of type INT64_LIST is a list; test its members with ANY or CONTAINS",
            .typeMismatch, 0
        ),
        ("ANY a == 1", "Field 'a' of type INT64 is no list and takes no quantifier", .typeMismatch, 4),
        (
            "ANY recordName == 'x'", "Field 'recordName' of type STRING is no list and takes no quantifier",
            .typeMismatch, 4
        ),
        ("a CONTAINS 1", "Field 'a' of type INT64 is no list and no text, and contains nothing", .typeMismatch, 0),
        ("ANY scores CONTAINS 1", "Field 'scores' needs no quantifier with CONTAINS", .typeMismatch, 4),
        (
            "title BEGINSWITH ''",
            "BEGINSWITH needs a string that is not empty. Leave the test out, or ask for records that have the field with title != NULL",
            nil, 17
        ),
        ("a BEGINSWITH 1", "BEGINSWITH tests texts, and field 'a' is of type INT64", .typeMismatch, 2),
        (
            "author BEGINSWITH 'x'", "BEGINSWITH tests texts, and field 'author' is of type REFERENCE",
            .typeMismatch, 7
        ),
        ("author > 'x'", "Field 'author' of type REFERENCE has no order", .typeMismatch, 7),
        ("ANY friends < 'x'", "Field 'friends' of type REFERENCE_LIST has no order", .typeMismatch, 12),
        (
            "createdUserRecordName > 'x'", "Field 'createdUserRecordName' of type REFERENCE has no order",
            .typeMismatch, 22
        ),
        (
            "createdUserRecordName == 7",
            "Field 'createdUserRecordName' of type REFERENCE cannot be compared with a value of type INT64",
            .typeMismatch, 25
        ),
        (
            "picture == 'x'", "Field 'picture' of type ASSET can only be tested with == NULL and != NULL",
            .typeMismatch, 0
        ),
        ("data == 'x'", "Field 'data' of type BYTES can only be tested with == NULL and != NULL", .typeMismatch, 0),
        (
            "place IN {}",
            "Field 'place' of type LOCATION can only be tested with distance(), == NULL, != NULL, and IN box(), "
                + "circle() or polygon()", .typeMismatch, 0
        ),
        (
            "pictures CONTAINS 'x'", "Field 'pictures' of type ASSET_LIST can only be tested with == NULL and != NULL",
            .typeMismatch, 0
        ),
        (
            "ANY places != NULL",
            "Field 'places' of type LOCATION_LIST can only be tested with distance(), == NULL, != NULL, and IN box(), "
                + "circle() or polygon()",
            .typeMismatch, 4
        ),
        ("a < NULL", "NULL can only be tested with == and !=", nil, 2),
        ("ANY topics == NULL", "A list has no member that is NULL", nil, 14),
    ]

    @Test(arguments: meaning.indices)
    func `a condition that does not fit the type is rejected with a sentence, the location and a form that fits`(
        row: Int
    ) {
        let (text, reason, cause, offset) = Self.meaning[row]
        let error = QuerySample.rejection(text)
        #expect(error?.code == .badRequest, "\(text)")
        #expect(error?.reason == reason, "\(text)")
        #expect(error?.cause == cause, "\(text)")
        #expect(error?.offset == offset, "\(text)")
        #expect(error?.found != nil && error?.expected != nil, "\(text)")
    }

    @Test func `NULL works for fields of every type`() throws {
        for (name, type) in QuerySample.fields {
            let isNull = try QuerySample.condition(name, .isNull)
            #expect(try QuerySample.bind("#\(name) == NULL") == isNull, "\(type)")
            #expect(try QuerySample.bind("nil != #\(name)") == .not(isNull), "\(type)")
            #expect(try QuerySample.bind("%K == %@", [.string(name), .null]) == isNull, "\(type)")
        }
    }

    @Test func `a mismatch names field, its type and the value's`() {
        let error = QuerySample.rejection("title == 'x' AND salesPrice > %@", [.string("secret")])
        #expect(
            error
                == .badRequest(
                    "Field 'salesPrice' of type INT64 cannot be compared with a value of type STRING",
                    cause: .typeMismatch,
                    details: [
                        ("field", .text("salesPrice")), ("argument", .number(0)), ("offset", .number(30)),
                        ("found", .text("STRING")), ("expected", .text("INT64")),
                    ]))
    }

    @Test(arguments: [
        ("a", .int64), ("topics", .stringList), ("author", .reference), ("picture", .asset), ("data", .bytes),
        ("place", .location), ("createdUserRecordName", FieldType.reference),
    ])
    func `records are sorted by scalars with an order alone`(name: String, type: FieldType) throws {
        let binder = try QuerySample.binder()
        do throws(RecordError) {
            let term = try binder.sortTerm(name, isAscending: false)
            #expect(type == .int64)
            #expect(try term == SortTerm(QuerySample.field(name), isAscending: false))
        } catch {
            #expect(error.reason == "Records cannot be sorted by field '\(name)' of type \(type.schemaName)")
            #expect(error.detail("field") == .text(name))
        }
    }

    @Test func `a sort takes the system fields in any spelling, and no unknown field`() throws {
        let binder = try QuerySample.binder()
        #expect(try binder.sortTerm("creationDate", isAscending: true).field == .system(.createdTimestamp))
        #expect(try binder.sortTerm("recordID", isAscending: true).field == .system(.recordName))
        for name in ["nothing", "recordChangeTag", "share", "___share"] {
            #expect(throws: RecordError.self) { try binder.sortTerm(name, isAscending: true) }
        }
    }
}
