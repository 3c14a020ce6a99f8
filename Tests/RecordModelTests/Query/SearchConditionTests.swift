import RecordModel
import Testing

@Suite struct SearchConditionTests {
    private static let type = SampleSchema.type(
        "Post",
        [
            SampleSchema.field(1, "title", .string, [.searchable]),
            SampleSchema.field(2, "tags", .stringList, [.searchable]),
            SampleSchema.field(3, "body"), SampleSchema.field(4, "likes", .int64),
        ])

    private func bind(_ text: String, _ arguments: [QueryArgument] = []) throws -> Predicate {
        try PredicateBinder(type: Self.type, now: 0) { _ in nil }
            .bind(try PredicateSyntax.parse(text), positional: arguments, named: [:]).simplified()
    }

    private let record = SampleRecord(
        values: ["title": .text(Array("Sw\u{ED}ft cats".utf8)), "body": .text(Array("hidden dogs".utf8))],
        lists: ["tags": [.text(Array("red panda".utf8)), .text(Array("\u{732B}\u{306E}\u{672C}".utf8))]])

    @Test(arguments: [
        ("SELF CONTAINS 'swift'", true), ("self contains[cd] 'SWIFT'", true), ("SELF CONTAINS 'swift dog'", true),
        ("SELF CONTAINS 'dogs'", false), ("SELF CONTAINS_ALL_TOKENS 'cats swift'", true),
        ("SELF CONTAINS_ALL_TOKENS 'cats panda'", true), ("SELF CONTAINS_ALL_TOKENS 'cats dogs'", false),
        ("SELF CONTAINS 'sw'", false), ("SELF CONTAINS 'sw*'", true), ("SELF CONTAINS '\u{672C}'", true),
        ("SELF CONTAINS '\"red panda\"'", true), ("SELF CONTAINS '\"cats red\"'", false),
        ("title CONTAINS_ANY_TOKENS 'panda cats'", true), ("title CONTAINS_ALL_TOKENS 'panda cats'", false),
        ("body CONTAINS_ANY_TOKENS 'dogs'", true), ("tags CONTAINS_ANY_TOKENS 'red'", true),
        ("title TOKENMATCHES[cdl] 'cats'", true), ("NOT (SELF CONTAINS 'cats')", false),
        ("NOT SELF CONTAINS 'birds'", true), ("SELF CONTAINS '--'", false), ("SELF CONTAINS ''", false),
        ("SELF CONTAINS 'birds' OR title CONTAINS_ANY_TOKENS 'cats'", true),
    ])
    func `a search finds words without case and accents`(text: String, expected: Bool) throws {
        #expect(try bind(text).evaluate(record) == expected)
    }

    @Test(arguments: [
        ("SELF CONTAINS 'a b'", #"SELF CONTAINS_ANY_TOKENS "a b""#),
        ("NOT SELF CONTAINS 'a'", #"NOT (SELF CONTAINS_ANY_TOKENS "a")"#),
        ("tags TOKENMATCHES 'x*'", #"tags CONTAINS_ALL_TOKENS "x*""#),
    ])
    func `a search prints as a text that means the same`(text: String, printed: String) throws {
        let predicate = try bind(text)
        #expect(predicate.text() == printed)
        #expect(try bind(printed) == predicate)
        #expect(!predicate.shape.contains("\""))
    }

    @Test func `a search takes its words from an argument`() throws {
        #expect(try bind("SELF CONTAINS %@", [.string("cats")]).evaluate(record))
    }

    @Test(arguments: [
        ("SELF == 'x'", "SELF can only be searched"), ("SELF CONTAINS 3", "words as a text"),
        ("SELF CONTAINS {'a'}", "words as a text"), ("ANY SELF CONTAINS 'x'", "quantifier"),
        ("likes CONTAINS_ANY_TOKENS 'x'", "cannot be searched"), ("ANY tags CONTAINS_ANY_TOKENS 'x'", "no quantifier"),
        ("title == SELF", "SELF stands before"), ("SELF CONTAINS title", "a search needs a text"),
        ("recordName CONTAINS_ANY_TOKENS 'x'", "cannot be searched"),
        ("SELF CONTAINS '" + (0..<33).map { "w\($0)" }.joined(separator: " ") + "'", "33 words"),
        ("SELF CONTAINS '" + String(repeating: "x", count: 1_025) + "'", "1025 bytes"),
        (
            (0..<5).map { part in
                "NOT SELF CONTAINS '\((0..<26).map { "w\(part)x\($0)" }.joined(separator: " "))'"
            }.joined(separator: " OR "), "too many words together"
        ),
    ])
    func `a search that makes no sense is rejected`(text: String, reason: String) throws {
        do {
            _ = try bind(text)
            Issue.record("\(text) was taken")
        } catch let error as RecordError {
            #expect(error.reason.lowercased().contains(reason.lowercased()), "\(error.reason)")
        }
    }

    @Test func `a type without searchable fields says so`() throws {
        let type = SampleSchema.type("Post", [SampleSchema.field(1, "a")])
        do {
            _ = try PredicateBinder(type: type, now: 0) { _ in nil }
                .bind(try PredicateSyntax.parse("SELF CONTAINS 'x'"), positional: [], named: [:])
            Issue.record("the search was taken")
        } catch {
            #expect(error.cause == .notIndexed)
        }
    }

    @Test func `filters search as CloudKit's do`() throws {
        let binder = PredicateBinder(type: Self.type, now: 0) { _ in nil }
        for (field, comparator, expected) in [
            ("title", "CONTAINS_ANY_TOKENS", true), ("", "CONTAINS_ANY_TOKENS", true),
            ("title", "CONTAINS_ALL_TOKENS", false), ("", "CONTAINS_ALL_TOKENS", true),
        ] {
            let filter = FilterSyntax(fieldName: field, comparator: comparator, value: .string("cats panda"))
            #expect(try binder.bind([filter]).evaluate(record) == expected, "\(field) \(comparator)")
        }
    }

    @Test func `weights of a rank are read and printed`() throws {
        let binder = PredicateBinder(type: Self.type, now: 0) { _ in nil }
        let term = try binder.sortTerm("rank( title^3 ,body^0.5)", isAscending: false)
        #expect(term.text == "-rank(title^3, body^0.5)")
        #expect(try binder.sortTerm("rank()", isAscending: false).text == "-rank()")
        for (text, reason) in [
            ("rank(title^x)", "number from 0"), ("rank(title^-1)", "number from 0"), ("rank(likes)", "no words"),
            ("rank(nope^2)", "not found"), ("rank(title^nan)", "number from 0"),
        ] {
            do {
                _ = try binder.sortTerm(text, isAscending: true)
                Issue.record("\(text) was taken")
            } catch {
                #expect(error.reason.contains(reason), "\(error.reason)")
            }
        }
    }
}
