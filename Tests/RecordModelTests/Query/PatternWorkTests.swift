import FuzzTargets
@testable import RecordModel
import TestSupport
import Testing
import UnicodeText

/// The work of compiling and matching patterns, counted in instructions and steps.
@Suite struct PatternWorkTests {
    /// Parts that match nothing but the empty text, and add no instruction.
    private static let emptyParts = ["()", "(?:)", "(?<n>)", "a{0}", "a{0,0}", "(a|b){0}", "(()*)", "(a{0}){0,1000}"]

    /// Wraps a part in groups that repeat it, up to the deepest level.
    private static func nested(_ part: String, _ count: String, depth: Int = 30) -> String {
        String(repeating: "(", count: depth) + part + String(repeating: ")\(count)", count: depth)
    }

    private static func compiled(_ pattern: String, folding: Bool = false) throws -> TextPattern {
        try TextPattern(pattern, .expression, folding: folding ? .caseInsensitive : [])
    }

    private static func work(_ pattern: TextPattern, _ text: String) -> (matches: Bool, work: Int) {
        var work = 0
        let matches = pattern.matches(Array(text.utf8)) { work += $0 }
        return (matches, work)
    }

    // Without a bound on the work, the first of these takes years.
    @Test(.timeLimit(.minutes(1)), arguments: emptyParts, ["{1000}", "{0,1000}", "{500,1000}", "*", "+", "?", "{2,}"])
    func `nested repetitions of nothing are nothing`(part: String, count: String) throws {
        let pattern = try Self.compiled(Self.nested(part, count))
        #expect(Self.work(pattern, "").matches && !Self.work(pattern, "a").matches)
        #expect(Self.work(pattern, "").work < 500)
        let more = try Self.compiled("x\(Self.nested(part, count))y")
        #expect(Self.work(more, "xy").matches && !Self.work(more, "xay").matches)
    }

    @Test(.timeLimit(.minutes(1))) func `a scalar that folds to nothing repeats nothing`() throws {
        let pattern = try Self.compiled(Self.nested("\u{AD}", "{1000}"), folding: true)
        #expect(Self.work(pattern, "").matches && !Self.work(pattern, "a").matches)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["a", "^", "\\b", "[a]", "(a|)", "a?", "a*", "()a", ".", "(|)"])
    func `nested repetitions of something are rejected early or stay short`(part: String) throws {
        for count in ["{1000}", "{0,1000}", "{2}", "*", "+", "?", "{1,}"] {
            do {
                let pattern = try Self.compiled(Self.nested(part, count))
                // Each of the 2,000 scalars costs at most the visits to each instruction.
                let text = String(repeating: "a", count: 2_000)
                #expect(Self.work(pattern, text).work <= 2_001 * 4 * 4 * PatternProgram.maxCount, "\(part)\(count)")
            } catch let problem as PatternProblem {
                #expect(problem.reason == "the pattern is too long, with its repetitions")
            }
        }
    }

    @Test func `copies of a part give what the written-out pattern gives`() throws {
        var random = SeededGenerator(seed: 50)
        let parts = ["a", "(a|b)", "(ab?|c)", "[^a]", "(a*b)", "(a|)", "\\b", "(a{0}|b)", "(b{0,2}c)", "(?:a+|b{2})"]
        for _ in 0..<3_000 {
            let part = parts.randomElement(using: &random) ?? ""
            let (least, more) = (Int.random(in: 0...3, using: &random), Int.random(in: 0...3, using: &random))
            let isOpen = Bool.random(using: &random)
            let counted = "\(part){\(least),\(isOpen ? "" : String(least + more))}"
            let written =
                String(repeating: part, count: least)
                + (isOpen
                    ? "\(part)*" : String(repeating: "(\(part)", count: more) + String(repeating: ")?", count: more))
            let text = (0..<Int.random(in: 0...7, using: &random)).map { _ in
                ["a", "b", "c"].randomElement(using: &random) ?? ""
            }.joined()
            let one = Self.work(try Self.compiled("x\(counted)y?"), "x\(text)").matches
            let other = Self.work(try Self.compiled("x\(written)y?"), "x\(text)").matches
            #expect(one == other, "\(counted) \(text)")
        }
    }

    @Test func `the longest programs are as long as before`() throws {
        for pattern in ["a{1000}", "(ab){500}", "[a-z]{999}b", "a{500}b{0,249}", "(a|b){249}", "(a{30}){33}"] {
            _ = try Self.compiled(pattern)
        }
        for pattern in ["a{1000}b{100}", "(ab){600}", "(a|b){300}", "(a{40}){33}", "a{0,1000}"] {
            #expect(throws: PatternProblem.self, "\(pattern)") { try Self.compiled(pattern) }
        }
    }

    /// The pattern of the review: all states stay active, and each step tests thirty categories.
    private static let manyClasses =
        "(?:[\\p{Cn}\\p{Co}\\p{Cs}\\p{Cf}\\p{Cc}\\p{Zp}\\p{Zl}\\p{So}\\p{Sk}\\p{Sc}\\p{L}]*){230}Z"

    @Test func `copies of a set are tested once for each scalar`() throws {
        let pattern = try Self.compiled(Self.manyClasses)
        let text = String(repeating: "a", count: 1_000)
        let many = Self.work(pattern, text)
        let single = Self.work(try Self.compiled("(?:a*){230}Z"), text)
        #expect(!many.matches && !single.matches)
        #expect(many.work < 4 * single.work)
    }

    private struct Stop: Error {}

    @Test(arguments: [manyClasses, "(?:.*){300}Z", "(a|aa)*Z", "(?:\\b?.*){200}Z", "(?:[^\u{E9}]*){300}Z"])
    func `a match on a long text can be ended within a few thousand steps`(pattern: String) throws {
        let text = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let pattern = try Self.compiled(pattern)
        var (calls, largest) = (0, 0)
        #expect(throws: Stop.self) {
            _ = try pattern.matches(text) { work throws(Stop) in
                calls += 1
                largest = max(largest, work)
                if calls == 100 { throw Stop() }
            }
        }
        #expect(calls == 100)
        #expect(largest < 100_000)
    }

    @Test func `work grows in proportion to the text`() throws {
        for pattern in [Self.manyClasses, "(.*)*c", "(a+)+b", "(?:a?){300}b"] {
            let compiled = try Self.compiled(pattern)
            let works = [1, 2, 4].map { Self.work(compiled, String(repeating: "a", count: 1_000 * $0)).work }
            #expect(works[1] < works[0] * 5 / 2 && works[2] < works[0] * 5, "\(pattern) \(works)")
        }
    }

    @Test func `a set with many ranges is searched, not scanned`() throws {
        let members = (0..<300).compactMap { Unicode.Scalar(0x4E00 + 2 * UInt32($0)) }.map(String.init).joined()
        let (many, few) = (try Self.compiled("[\(members)]*"), try Self.compiled("[\u{4E00}]*"))
        let text = String(repeating: "\u{4E00}", count: 1_000)
        let (one, other) = (Self.work(many, text), Self.work(few, text))
        #expect(one.matches && other.matches)
        #expect(one.work < 6 * other.work)
        #expect(!Self.work(many, "\u{4E01}").matches)
        #expect(Self.work(try Self.compiled("[^\(members)]"), "\u{4E01}").matches)
        #expect(Self.work(try Self.compiled("[b-da-cx-z]*"), "abcdxyz").matches)
        #expect(!Self.work(try Self.compiled("[b-da-cx-z]*"), "e").matches)
    }

    @Test func `a pattern that a predicate uses twice is compiled once`() throws {
        let cache = PatternCache()
        let first = try cache.pattern("a{1000}", .expression, folding: [])
        #expect(try cache.pattern("a{1000}", .expression, folding: []) == first)
        #expect(try cache.pattern("a{1000}", .expression, folding: .caseInsensitive) != first)
        #expect(try cache.pattern("a{1000}", .wildcards, folding: []) != first)
    }
}
