import RecordModel
import Testing

@testable import ForeignImport

@Suite struct PartsTests {
    @Test(arguments: [
        ("Post", "Post"), ("_Hidden", "Hidden"), ("2fa", "x2fa"), ("user name", "user_name"), ("价格", "价格"),
        ("e\u{301}tat", "\u{E9}tat"), ("", "x"), ("__", "x"), ("a.b-c", "a_b_c"), ("recordName", "recordName_2"),
        ("___recordID", "recordID_2"), ("creationDate", "creationDate_2"), ("a\u{200B}b", "a_b"),
        (String(repeating: "n", count: 300), String(repeating: "n", count: 245)),
    ]) func `names become valid by one rule`(source: String, expected: String) {
        var names = NameMapping(.field)
        let name = names.name(for: source)
        #expect(name == expected)
        #expect(FieldName(name)?.text == name)
        #expect(names.name(for: source) == name)
    }

    @Test func `two names never become one`() {
        var names = NameMapping(.type)
        names.reserve("Users", for: "_User")
        #expect(
            ["a b", "a-b", "a_b", "Users", "_User", "a_b_2"].map { names.name(for: $0) }
                == ["a_b", "a_b_2", "a_b_3", "Users_2", "Users", "a_b_2_2"])
    }

    @Test func `roles come after those that they include, and circles are broken`() {
        let sorted = RoleOrder.sort([
            ("a", ["b", "c"]), ("b", ["c"]), ("c", []), ("d", ["d"]), ("e", ["f"]), ("f", ["e"]),
        ])
        #expect(sorted.order == ["c", "b", "a", "d", "f", "e"])
        #expect(sorted.circles.map { "\($0.role)>\($0.included)" } == ["d>d", "f>e"])
        // A long chain needs no long stack.
        let chain = (0..<100_000).map { (name: "r\($0)", includes: ["r\($0 + 1)"]) }
        #expect(RoleOrder.sort(chain).order.first == "r99999")
    }

    @Test func `identifiers that occur twice are found in a class and across classes`() {
        var sets = IdentifierSets()
        let (a, b, c) = (sets.addClass(), sets.addClass(), sets.addClass())
        for id in ["1", "2", "2"] { sets.add(id, of: a) }
        for id in ["3", "4"] { sets.add(id, of: b) }
        for id in ["5", "4"] { sets.add(id, of: c) }
        let found = sets.finish()
        #expect(found.overlapping == [c])
        #expect(found.doubled == [a: ["2".hashValue]])
    }

    @Test(
        arguments: [
            (nil, PocketBaseRule.administrators), ("", .everyone), ("  ", .everyone),
            ("@request.auth.id != \"\"", .signedIn),
            ("@request.auth.id!=''", .signedIn), ("( @request.auth.id != '' )", .signedIn),
            ("user = @request.auth.id", .owner(field: "user")), ("@request.auth.id = user.id", .owner(field: "user")),
            ("@request.auth.id != '' && user = @request.auth.id", .owner(field: "user")),
            ("@request.auth.id != '' && (@request.body.user = @request.auth.id)", .owner(field: "user")),
            ("@request.data.user=@request.auth.id", .owner(field: "user")),
            ("author = @request.auth.id", .other("author = @request.auth.id")),
            ("user != @request.auth.id", .other("user != @request.auth.id")),
            ("user = @request.auth.id || public = true", .other("user = @request.auth.id || public = true")),
            ("@request.auth.id != \"\" || true", .other("@request.auth.id != \"\" || true")),
            ("(@request.auth.id != '') || (x = '')", .other("(@request.auth.id != '') || (x = '')")),
            ("@request.auth.verified = true", .other("@request.auth.verified = true")),
            ("user ?= @request.auth.id", .other("user ?= @request.auth.id")),
            ("@request.auth.id != '' &&", .other("@request.auth.id != '' &&")),
            ("@request.auth.id = @request.auth.id", .other("@request.auth.id = @request.auth.id")),
        ] as [(String?, PocketBaseRule)]) func `simple rules have an equivalent, all others none`(
            text: String?, expected: PocketBaseRule
        )
    {
        #expect(PocketBaseRule(text, owners: ["user", "editor"]) == expected)
    }

    @Test(
        arguments: [
            ("CREATE INDEX `i` ON `posts` (`title`)", "title"),
            ("create unique index i on posts(a, \"b\" desc)", "unique a -b"),
            ("CREATE INDEX IF NOT EXISTS [i] ON posts (`a` COLLATE NOCASE ASC)", "a[c]"),
            ("CREATE UNIQUE INDEX `i` ON `users` (`email`) WHERE `email` != ''", "unique email ?"),
            ("CREATE INDEX i ON p (a) WHERE b > 3", "a b > 3"), ("CREATE INDEX i ON p (lower(a))", nil),
            ("DROP TABLE p", nil),
            ("CREATE INDEX i ON p (a", nil), ("CREATE INDEX i ON p ()", nil), ("", nil), ("CREATE INDEX `i", nil),
            ("CREATE INDEX i ON p (a); DROP TABLE p", "a"),
        ] as [(String, String?)]) func `statements of indexes are read`(text: String, expected: String?)
    {
        let index = PocketBaseIndex(text)
        let words = index.map { index in
            ((index.isUnique ? ["unique"] : [])
                + index.columns.map { ($0.ascends ? "" : "-") + $0.name + ($0.ignoresCase ? "[c]" : "") }
                + (index.leavesOutEmptyTexts ? ["?"] : index.condition.map { [$0] } ?? [])).joined(separator: " ")
        }
        #expect(words == expected)
    }
}
