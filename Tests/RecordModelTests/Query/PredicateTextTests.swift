import FuzzTargets
import RecordModel
import Testing

/// The text of a bound condition.
struct PredicateTextTests {
    @Test(
        arguments: [
            ("threadname = 'a' && a => 3", "threadname == \"a\" AND a >= 3"),
            ("a != 3", "a != 3"), ("NOT (a IN {1, 2.0})", "NOT (a IN {1, 2})"), ("endDate == nil", "endDate == NULL"),
            ("endDate != nil", "endDate != NULL"), ("#size > 3", "#size > 3"), ("#in == 3", "#in == 3"),
            ("a == 1 OR b == 2 AND c == 3", "a == 1 OR b == 2 AND c == 3"),
            ("(a == 1 OR b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3"),
            ("NOT (a == 1 OR b == 2)", "NOT (a == 1 OR b == 2)"), ("a BETWEEN {1, 2}", "a BETWEEN {1, 2}"),
            ("a > 1 AND a <= 9", "a > 1 AND a <= 9"), ("NONE topics == 'x'", "NOT (ANY topics == \"x\")"),
            ("topics CONTAINS 'x'", "ANY topics == \"x\""), ("ANY scores != NULL", "ANY scores != NULL"),
            ("title BEGINSWITH 'a\\\"\\\\\\n\\u0001'", "title BEGINSWITH \"a\\\"\\\\\\n\\u0001\""),
            ("creatorUserRecordID == '_bob'", "createdUserRecordName == ?"), ("cost < 1e20", "cost < 1e+20"),
            ("", "TRUEPREDICATE"), ("title ==[c] 'Caf\u{C9}'", "title ==[c] \"caf\u{E9}\""),
            ("title IN[dc] {'\u{C9}', 'b'}", "title IN[cd] {\"e\", \"b\"}"),
            ("title ENDSWITH 'ab'", "title ENDSWITH \"ab\""),
            ("title ENDSWITH[d] 'ab'", "title ENDSWITH[d] \"ab\""),
            ("title CONTAINS[c] 'AB'", "title CONTAINS[c] \"ab\""),
            ("title LIKE 'a?c*'", "title BEGINSWITH \"a\" AND title LIKE \"a?c*\""),
            ("title LIKE 'a*'", "title BEGINSWITH \"a\""),
            ("title LIKE '*a'", "title ENDSWITH \"a\""), ("title LIKE '*a*'", "title CONTAINS \"a\""),
            ("title LIKE 'a'", "title == \"a\""), ("title LIKE '*'", "title != NULL"),
            ("title MATCHES[c] 'A+b'", "title BEGINSWITH[c] \"a\" AND title MATCHES[c] \"A+b\""),
            ("ALL topics == 'x'", "ALL topics == \"x\""), ("ALL topics != 'x'", "NOT (ANY topics == \"x\")"),
            ("topics.@count > 2", "topics.@count > 2"), ("topics.@count != 2", "topics.@count != 2"),
            ("a == 2 + 3 * 4", "a == 14"), ("cost < (1 + 2) / 2", "cost < 1.5"), ("title <[c] 'B'", "title <[c] \"b\""),
            ("ANY topics CONTAINS[c] 'X'", "ANY topics CONTAINS[c] \"x\""),
        ] as [(String, String)])
    func `it reads as a condition does`(text: String, printed: String) throws {
        #expect(try QuerySample.bind(text).simplified().text() == printed)
    }

    @Test func `the text is never longer than requested and is cut after a scalar`() throws {
        let predicate = try QuerySample.bind(
            "title == %@ OR a IN %@",
            [
                .string(String(repeating: "雑談", count: 40)), .list((0..<1_000).map { .integer($0) }),
            ])
        let whole = predicate.text(limit: 1 << 20)
        for limit in [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15, 100, 1_024, whole.utf8.count - 1] {
            let text = predicate.text(limit: limit)
            #expect(text.utf8.count <= limit)
            #expect(!text.unicodeScalars.contains("\u{FFFD}"))
            if limit >= 3 { #expect(text.hasSuffix("…")) }
            #expect(whole.hasPrefix(text.replacing("…", with: "")))
        }
        #expect(predicate.text(limit: whole.utf8.count) == whole)
        #expect(predicate.text(limit: -5).isEmpty)
    }

    @Test func `conditions that differ only in values have one shape`() throws {
        let shape = try QuerySample.bind("title == 'a' AND a IN {1, 2} OR NOT (b > 3)").shape
        #expect(shape == "title == ? AND a IN {?} OR NOT (b > ?)")
        #expect(try QuerySample.bind("title == 'secret' AND a IN {5, 6, 7} OR NOT (b > 4)").shape == shape)
        #expect(
            try QuerySample.bind("a BETWEEN {1, 2} AND title BEGINSWITH 'x' AND b == NULL").shape
                == "a BETWEEN {?, ?} AND title BEGINSWITH ? AND b == NULL")
    }
}
