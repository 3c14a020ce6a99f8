import FuzzTargets
import RecordModel
import Testing

/// What CloudKit's CKQuery accepts and rejects.
struct CloudKitCheckTests {
    private func rejection(_ text: String, _ arguments: [QueryArgument] = []) -> RecordError? {
        do throws(RecordError) {
            try PredicateSyntax.parse(text).requireCloudKit(
                text, of: try QuerySample.type(), positional: arguments, named: ["none": .null])
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        "", "TRUEPREDICATE", "a == 1", "a = 1 && b != 2", "a <> 1", "a =< 1 AND b => 2", "NOT a == 1", "NOT (a == 1)",
        "a BETWEEN {1, 2}", "title BEGINSWITH 'x'", "NOT title BEGINSWITH 'x'", "title IN {'x', 'y'}",
        "NOT (title IN {'x'})", "topics CONTAINS 'x'", "'x' IN topics", "ANY topics == 'x'", "SOME topics IN {'x'}",
        "timestamp < now()", "100 <= salesPrice", "#size > 3", "a == TRUE", "recordID == 'x'", "a == $x",
        "(a == 1 AND b == 2) AND c == 3", "self CONTAINS 'bob'", "SELF CONTAINS 'bob' AND SELF CONTAINS 'ann'",
    ])
    func `its language passes`(text: String) {
        #expect(rejection(text) == nil, "\(String(describing: rejection(text)))")
        #expect(rejection("timestamp < %@", [.timestamp(5)]) == nil)
    }

    @Test(
        arguments: [
            ("a == 1 OR b == 2", 7, "OR"), ("c == 1 AND (a == 1 || b == 2)", 19, "OR"),
            ("c == 1 AND NOT (a == 1 AND b == 2)", 11, "NOT before a group"),
            ("NOT (NOT a == 1)", 0, "NOT before a group"),
            ("NOT a BETWEEN {1, 2}", 0, "NOT before BETWEEN"), ("a NOT IN {1}", 2, "NOT before an operator"),
            ("title ENDSWITH 'x'", 6, "ENDSWITH"), ("title LIKE 'x*'", 6, "LIKE"), ("title MATCHES 'x'", 6, "MATCHES"),
            ("title CONTAINS 'x'", 6, "CONTAINS on a text"), ("'x' IN title", 4, "IN with a text on its right"),
            ("ANY topics CONTAINS 'x'", 11, "CONTAINS behind ANY"), ("ALL scores > 3", 4, "ALL"),
            ("NONE topics == 'x'", 5, "NONE"), ("ANY title == 'x'", 4, "ANY before a field that is no list"),
            ("a == 1 + 2", 5, "arithmetic"), ("timestamp < now() - 1 day", 12, "arithmetic"),
            ("topics.@count > 1", 0, "@count"), ("author.name == 'x'", 0, "a path to another record"),
            ("title ==[c] 'x'", 6, "a modifier such as [c]"), ("title ==[n] 'x'", 6, "a modifier such as [c]"),
            ("a == NULL", 5, "NULL"), ("a IS NOT NULL", 9, "NULL"), ("a == $none", 5, "NULL"),
            ("timestamp > date('2026-01-01')", 12, "a time in the text"), ("author == ref('x')", 10, "ref()"),
            ("a IN (1, 2)", 5, "a list in ( ) or [ ]"), ("a IN [1, 2]", 5, "a list in ( ) or [ ]"),
            ("a IN {1, 1 + 1}", 9, "arithmetic"), ("NOT SELF CONTAINS 'x'", 0, "NOT before a search"),
            ("title CONTAINS_ANY_TOKENS 'x'", 6, "a search of one field, or for all of several words"),
            ("SELF CONTAINS_ALL_TOKENS 'x y'", 5, "a search of one field, or for all of several words"),
            ("SELF CONTAINS[c] 'x'", 5, "a modifier such as [c]"),
        ] as [(String, Int, String)])
    func `the server's extensions are rejected with their place`(text: String, offset: Int, construct: String) {
        let error = rejection(text)
        #expect(error?.code == .badRequest)
        #expect(error?.found == construct, "\(String(describing: error))")
        #expect(error?.offset == offset, "\(String(describing: error))")
        #expect(error?.expected?.isEmpty == false)
    }

    @Test func `arguments are checked too`() {
        #expect(rejection("a == %@", [.null])?.found == "NULL")
        #expect(rejection("%K == 1", [.string("author.name")])?.found == "a path to another record")
        #expect(rejection("%K CONTAINS 'x'", [.string("title")])?.found == "CONTAINS on a text")
        #expect(rejection("%K CONTAINS 'x'", [.string("topics")]) == nil)
    }
}
