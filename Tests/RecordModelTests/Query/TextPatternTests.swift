import FuzzTargets
import RecordModel
import TestSupport
import Testing

/// Patterns of LIKE and MATCHES, compared with Swift's own regular expressions.
@Suite struct TextPatternTests {
    /// Returns whether a pattern matches a text as a condition does.
    static func holds(_ text: String, _ word: String, _ pattern: String) throws -> Bool {
        let predicate = try QuerySample.bind("title \(word) %@", [.string(pattern)])
        return predicate.evaluate(SampleRecord(values: ["title": .text(Array(text.utf8))]))
    }

    static let pieces = [
        "a", "b", "ab", ".", "[ab]", "[^a]", "(a|b)", "(ab|a)(c|bcd)?", "a*", "(ab)*", "a+?", "b?", "a{2}",
        "(a|b){1,3}",
        "\\w", "\\d", "\\W", "\\s", "\\p{L}", "\\P{L}", "[a-c]", "[\\d_]", "é", "\\u00e9", "\\x{1F600}", "\\.", "\\*",
        "(?:b|)",
        "^", "$", "[-a]", "[a\\]]", "x{0}", "a{2,}", "(a*)*", "(a|a)*", "(|b)+", "\\n", "\\t",
    ]
    static let letters = [
        "a", "b", "c", "d", "A", "1", "_", " ", ".", "*", "\u{E9}", "\u{1F600}", "\n", "-", "]", "\u{304C}",
    ]

    @Test func `random expressions match as Swift's regular expressions do`() throws {
        var random = SeededGenerator(seed: 34)
        var matches = 0
        for _ in 0..<6_000 {
            let pattern = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                Self.pieces.randomElement(using: &random) ?? ""
            }.joined()
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Self.letters.randomElement(using: &random) ?? ""
            }.joined()
            let expected = try Regex(pattern).matchingSemantics(.unicodeScalar).wholeMatch(in: text) != nil
            let holds = try Self.holds(text, "MATCHES", pattern)
            #expect(holds == expected, "\(pattern) and \(text.debugDescription)")
            if holds { matches += 1 }
        }
        #expect(matches > 100)
    }

    @Test(arguments: [
        ("ab cd", "\\bab\\b.*", true), ("abcd", "ab\\bcd", false), ("abcd", "ab\\Bcd", true), ("", "\\b", false),
        ("a", "\\ba\\b", true),
        ("a1_", "(?<word>\\w+)", true), ("a\tb", "a\\tb", true), ("x", "(?:x|y)", true),
    ])
    func `words have boundaries and groups may have names`(text: String, pattern: String, holds: Bool) throws {
        #expect(try Self.holds(text, "MATCHES", pattern) == holds)
    }

    @Test func `random wildcards match as the expression that they mean`() throws {
        var random = SeededGenerator(seed: 35)
        var matches = 0
        for _ in 0..<6_000 {
            let parts = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                ["*", "?", "a", "b", "\\*", "\\?", "\u{E9}", "\\\\"].randomElement(using: &random) ?? ""
            }
            let expression = parts.map { ["*": "[\\s\\S]*", "?": "[\\s\\S]"][$0] ?? $0 }.joined()
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                ["a", "b", "*", "?", "\u{E9}", "\\", "\n"].randomElement(using: &random) ?? ""
            }.joined()
            let expected = try Regex(expression).matchingSemantics(.unicodeScalar).wholeMatch(in: text) != nil
            let holds = try Self.holds(text, "LIKE", parts.joined())
            #expect(holds == expected, "\(parts.joined()) and \(text.debugDescription)")
            if holds { matches += 1 }
        }
        #expect(matches > 300)
    }

    @Test(arguments: [
        ("Stra\u{DF}e", "STRASSE", true), ("\u{FB01}n", "FI.", true), ("caf\u{E9}", "CAF[D-F]", false),
        ("caf\u{E9}", "CAF\u{C9}", true), ("cafe\u{301}", "caf\u{E9}", true), ("B", "[a-c]", true),
        ("b", "[A-C]", true),
        ("b", "[^A-C]", false), ("\u{FF21}", "a", true), ("K", "\\p{Lu}", true), ("a1", "\\w\\D", false),
    ])
    func `an expression ignores case where it says so`(text: String, pattern: String, holds: Bool) throws {
        #expect(try Self.holds(text, "MATCHES[c]", pattern) == holds)
    }

    @Test func `patterns that make others slow take time in proportion to the text`() throws {
        let text = String(repeating: "a", count: 20_000)
        #expect(try !Self.holds(text + "b", "MATCHES", "(a+)+"))
        #expect(try !Self.holds(text + "b", "MATCHES", "(a|aa)*"))
        #expect(try !Self.holds(text + "b", "MATCHES", "(.*)*c"))
        #expect(try !Self.holds(text, "LIKE", "*a*a*a*a*a*a*b"))
        #expect(try Self.holds(text, "MATCHES", "(a*)*"))
    }
}
