import TestSupport
import Testing
import TextSearch

/// The parts of texts that show why they match.
@Suite struct SnippetTests {
    /// The snippet with its marks in brackets, and dots where it is cut.
    static func show(_ text: String, _ search: String, _ count: Int) throws -> String {
        let snippet = try SearchText(search, mode: .any).snippet(of: Array(text.utf8), maxCharacters: count)
        return marked(snippet)
    }

    static func marked(_ snippet: TextSnippet) -> String {
        var result = snippet.text
        for range in snippet.highlights.reversed() {
            result.insert(UInt8(ascii: "]"), at: range.upperBound)
            result.insert(UInt8(ascii: "["), at: range.lowerBound)
        }
        return (snippet.isCutBefore ? "…" : "") + String(decoding: result, as: UTF8.self)
            + (snippet.isCutAfter ? "…" : "")
    }

    @Test(
        arguments: [
            ("one two three four five six seven", "four", 15, "…[four] five six…"),
            ("one two three four five six seven", "one", 12, "[one] two…"),
            ("one two three four five six seven", "seven", 12, "…six [seven]"),
            ("one two three four five six seven", "zero", 9, "one two…"),
            ("one two", "two", 100, "one [two]"), ("  one  ", "two", 100, "one"), ("", "two", 10, ""),
            ("a x x x b c x x x x b", "b c", 5, "…[b] [c] x…"), ("Café!", "cafe", 10, "[Café]!"),
            ("a b x x x x x x x x a b c", "a c b", 5, "…[a] [b] [c]"),
            ("昨日は東京都へ行きました", "東京", 6, "…日は[東京]都へ…"), ("東京都庁", "東京都 都庁", 10, "[東京都庁]"),
            ("東京都庁", "京", 10, "東[京]都庁"), ("new york, new jersey", "\"new jersey\"", 30, "new york, [new jersey]"),
            ("programmers", "prog*", 30, "[programmers]"), ("abcdefghij klm", "abcdefghij", 4, "[abcd]…"),
            ("ｶﾞﾗｽの靴", "ガラス", 10, "[ｶﾞﾗｽ]の靴"), ("e\u{301}t\u{E9}", "ete", 9, "[e\u{301}t\u{E9}]"),
        ] as [(String, String, Int, String)]) func `a snippet has the most words`(
            text: String, search: String, count: Int, expected: String
        ) throws
    {
        #expect(try Self.show(text, search, count) == expected)
    }

    @Test func `highlights are all occurrences, joined`() throws {
        let text = Array("Bob met bobby and BOB in 東京都.".utf8)
        let search = try SearchText("bob 東京 京都", mode: .any)
        let parts = search.highlights(in: text).map { String(decoding: text[$0], as: UTF8.self) }
        #expect(parts == ["Bob", "BOB", "東京都"])
    }

    @Test func `random snippets are parts of the text, not too long, with what can be shown of the words`() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<5_000 {
            let text = Array(RandomTexts.words(count: 0...40, using: &random).utf8)
            let search = try SearchText(RandomTexts.words(count: 1...4, using: &random), mode: .any)
            let limit = Int.random(in: 8...60, using: &random)
            let snippet = search.snippet(of: text, maxCharacters: limit)
            #expect(Array(text[snippet.range]) == snippet.text)
            let string = try #require(String(validating: snippet.text, as: UTF8.self))
            #expect(string.unicodeScalars.count <= limit)
            #expect(search.matches([text]) == !snippet.highlights.isEmpty)
            // No other part of this length has more of the words.
            #expect(Self.wordCount(search, snippet.text) >= Self.mostWords(search, text, limit))
            var last = -1
            for range in snippet.highlights {
                #expect(range.lowerBound > last && range.upperBound <= snippet.text.count && !range.isEmpty)
                last = range.upperBound
            }
        }
    }

    static func wordCount(_ search: SearchText, _ text: [UInt8]) -> Int {
        var matcher = SearchMatcher(search)
        matcher.add(text)
        return search.words.indices.count { matcher.frequency(ofWord: $0) > 0 }
    }

    /// The most different words in any part of the text that starts and ends with a highlight.
    static func mostWords(_ search: SearchText, _ text: [UInt8], _ limit: Int) -> Int {
        let found = search.highlights(in: text)
        var best = 0
        for (index, first) in found.enumerated() {
            for last in found[index...] {
                let part = Array(text[first.lowerBound..<last.upperBound])
                if String(decoding: part, as: UTF8.self).unicodeScalars.count > limit { break }
                best = max(best, wordCount(search, part))
            }
        }
        return best
    }

    @Test func `a long text is looked at in its first part only`() throws {
        let filler = String(repeating: "東 word ", count: 10_000)
        let text = Array((filler + "needle").utf8)
        #expect(text.count > SearchText.maxSnippetSource)
        let search = try SearchText("needle word 東", mode: .any)
        let snippet = search.snippet(of: text, maxCharacters: 20)
        #expect(Self.marked(snippet) == "[東] [word] [東] [word] [東] [word]…")
        #expect(search.highlights(in: text).allSatisfy { $0.upperBound <= SearchText.maxSnippetSource })
        #expect(processorTime { _ = search.snippet(of: text, maxCharacters: 20) } < 5)
    }
}
