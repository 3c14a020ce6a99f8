import TestSupport
import Testing

@testable import TextSearch

/// What a search matches.
@Suite struct SearchTextTests {
    static func matches(_ search: String, _ texts: String..., mode: SearchText.Mode = .any) throws -> Bool {
        try SearchText(search, mode: mode).matches(texts.map { Array($0.utf8) })
    }

    static func describe(_ search: String) throws -> [String] {
        try SearchText(search, mode: .any).words.map { word in
            word.terms.map { String(decoding: $0.bytes, as: UTF8.self) + ($0.isPrefix ? "*" : "") }
                .joined(separator: "+")
        }
    }

    @Test(
        arguments: [
            ("bob smith", ["bob", "smith"]), ("Bob BOB bob", ["bob"]), ("prog* a", ["prog*", "a"]),
            ("\"bob smith\" x", ["bob+smith", "x"]), ("\u{201C}bob smith\u{201D}", ["bob+smith"]),
            ("\"bob smi*", ["bob+smi*"]),
            ("don't", ["don+t"]), ("2.6*", ["2.6*"]), ("東京", ["東京"]), ("東京タワー", ["東京+京た+たわ+わー"]), ("京", ["京*"]),
            ("東京*", ["東京"]), ("Swift入門", ["swift+入門"]), ("入門Swift", ["入門+門*+swift"]), ("\"日本 語\"", ["日本+本*+語*"]),
            ("東京\u{3000}大阪", ["東京", "大阪"]), ("", []), ("* ! \"\"", []), ("a\"b c\"d", ["a", "b+c", "d"]),
            ("\u{FF41}\u{FF0A}", ["a*"]), ("C++", ["c"]), ("fo*o", ["fo+o"]),
        ] as [(String, [String])]) func `a search is read as words and phrases`(search: String, words: [String]) throws
    {
        #expect(try Self.describe(search) == words)
    }

    @Test func `any word or all words must occur`() throws {
        #expect(try Self.matches("bob smith", "Bob Jones"))
        #expect(try Self.matches("bob smith", "Smith, John"))
        #expect(try !Self.matches("bob smith", "Bobby Smithers"))
        #expect(try !Self.matches("bob smith", "Bob Jones", mode: .all))
        #expect(try Self.matches("bob smith", "Smith", "Bob", mode: .all))
        #expect(try !Self.matches("!", "a", "!", mode: .all))
        #expect(try !Self.matches("", ""))
    }

    @Test func `case, width, accents and the kind of kana do not count`() throws {
        #expect(try Self.matches("CAFE", "Un caf\u{E9} cr\u{E8}me"))
        #expect(try Self.matches("cr\u{E8}me", "CREME"))
        #expect(try Self.matches("\u{FF23}\u{FF21}\u{FF26}\u{FF25}", "cafe"))
        #expect(try Self.matches("でーたべーす", "データベース"))
        #expect(try Self.matches("ﾃﾞｰﾀ", "データベース"))
        #expect(try !Self.matches("はーと", "パート"))
    }

    @Test func `words of scripts without spaces are found anywhere`() throws {
        for word in ["東", "京都", "東京都", "東京都庁前", "前"] {
            #expect(try Self.matches(word, "新東京都庁前!"))
        }
        for word in ["東都", "京東", "前新", "東京庁", "都庁前駅"] {
            #expect(try !Self.matches(word, "新東京都庁前!"))
        }
        #expect(try !Self.matches("京大", "東京。大阪"))
        #expect(try Self.matches("한국", "대한국인은"))
        #expect(try Self.matches("🎉", "おめでとう🎉🎊"))
    }

    @Test func `prefixes and phrases`() throws {
        #expect(try Self.matches("prog*", "A Programme"))
        #expect(try !Self.matches("prog", "A Programme"))
        #expect(try Self.matches("\"new york\"", "in New-York!"))
        #expect(try !Self.matches("\"new york\"", "york new"))
        #expect(try !Self.matches("\"new york\"", "new", "york"))
        #expect(try !Self.matches("\"new york\"", "new in york"))
        #expect(try Self.matches("\"a a b\"", "a a a b"))
        #expect(try Self.matches("入門Swift", "入門 Swift"))
        #expect(try !Self.matches("入門Swift", "入門書 Swift"))
    }

    @Test func `index terms leave out what others prove`() throws {
        func terms(_ search: String) throws -> [String] {
            try SearchText(search, mode: .any).words[0].indexTerms.map {
                String(decoding: $0.bytes, as: UTF8.self) + ($0.isPrefix ? "*" : "")
            }
        }
        #expect(try terms("入門Swift") == ["入門", "swift"])
        #expect(try terms("\"日本 語\"") == ["日本", "語*"])
        #expect(try terms("ああああ") == ["ああ"])
        #expect(try terms("\"a a b*\"") == ["a", "b*"])
        #expect(try terms("京") == ["京*"])
        #expect(try !SearchText("ああああ", mode: .any).words[0].isProvedByIndex)
        #expect(try SearchText("ああ", mode: .any).words[0].isProvedByIndex)
    }

    @Test func `limits are exact, and errors say what to do`() throws {
        let words = (0..<SearchText.maxWords).map { "w\($0)" }.joined(separator: " ")
        #expect(try SearchText(words + " w0", mode: .any).words.count == 32)
        #expect(throws: SearchTextError.tooManyWords(count: 33, limit: 32)) {
            try SearchText(words + " more", mode: .any)
        }
        let thousand = (0..<1000).map { "w\($0)" }.joined(separator: " ")
        #expect(throws: SearchTextError.tooLong(bytes: thousand.utf8.count, limit: 1024)) {
            try SearchText(thousand, mode: .any)
        }
        #expect(try SearchText(String(repeating: "a", count: 1024), mode: .any).words[0].terms[0].bytes.count == 64)
        #expect(try SearchText(String(repeating: "東", count: 129), mode: .any).words[0].terms.count == 128)
        #expect(throws: SearchTextError.tooManyTerms(count: 129, limit: 128)) {
            try SearchText(String(repeating: "東", count: 130), mode: .any)
        }
        #expect(
            SearchTextError.tooManyWords(count: 33, limit: 32).sentence
                == "The search has 33 words. The limit is 32: search for fewer words")
    }

    @Test func `a text contains each part of itself that starts and ends with a token`() throws {
        for seed in 0..<3_000 as Range<UInt64> {
            let bytes = Array(RandomTexts.any(seed: seed).utf8)
            let tokens = TextToken.tokens(of: bytes)
            for token in tokens {
                // A mark alone is no word.
                let search = try SearchText([0x22] + token.term + [0x22], mode: .all)
                #expect(search.words.isEmpty || search.matches([bytes]), "\(seed): \(token)")
            }
            guard tokens.count < 60, let first = tokens.first, let last = tokens.last else { continue }
            let inside = bytes[first.range.lowerBound..<last.range.upperBound]
            // Characters with a meaning in a search.
            let signs: [Unicode.Scalar] = ["\"", "\u{201C}", "\u{201D}", "\u{FF02}", "*", "\u{FF0A}"]
            guard !String(decoding: inside, as: UTF8.self).unicodeScalars.contains(where: signs.contains) else {
                continue
            }
            let search = try SearchText([0x22] + inside + [0x22], mode: .all)
            #expect(search.words.count == 1 && search.matches([bytes]), "\(seed)")
        }
    }

    /// Every occurrence, found by comparing all terms at all positions.
    static func naive(_ word: SearchWord, _ tokens: [TextToken]) -> Int {
        guard tokens.count >= word.terms.count else { return 0 }
        return (0...tokens.count - word.terms.count).count { start in
            word.terms.indices.allSatisfy { word.terms[$0].matches(tokens[start + $0].term) }
        }
    }

    @Test func `matcher and index agree with the simple evaluation`() throws {
        var random = SeededGenerator(seed: 7)
        var (matched, unproved) = (0, 0)
        for round in 0..<10_000 {
            let fields = (0..<2).map { _ in Array(RandomTexts.words(count: 0...8, using: &random).utf8) }
            var text = RandomTexts.words(count: 1...4, using: &random)
            if Bool.random(using: &random) { text = "\"\(text)\"" }
            if Int.random(in: 0..<4, using: &random) == 0 { text += "*" }
            let search = try SearchText(text, mode: Bool.random(using: &random) ? .any : .all)
            var matcher = SearchMatcher(search, fieldCount: 2)
            var terms = IndexTerms(fieldCount: 2)
            for (number, field) in fields.enumerated() {
                matcher.add(field, field: number)
                terms.add(field, field: number)
            }
            let tokens = fields.map { TextToken.tokens(of: $0) }
            var found: [Bool] = []
            for (index, word) in search.words.enumerated() {
                let counts = tokens.map { Self.naive(word, $0) }
                for field in 0..<2 { #expect(matcher.frequency(ofWord: index, inField: field) == counts[field]) }
                let isFound = counts != [0, 0]
                found.append(isFound)
                // The index finds each match, and a proof is never wrong.
                let isCandidate = word.indexTerms.allSatisfy { term in
                    terms.postings.contains { term.matches($0.term) }
                }
                if isFound { #expect(isCandidate, "\(round): \(text)") }
                if isCandidate && word.isProvedByIndex { #expect(isFound, "\(round): \(text)") }
                if isCandidate && !isFound { unproved += 1 }
                // The postings of a single term, merged, count its occurrences.
                if word.isProvedByIndex {
                    let payload = terms.postings.filter { word.terms[0].matches($0.term) }.map(\.payload)
                        .reduce(PostingPayload(rawValue: 0)) { $0.merged(with: $1) }
                    for field in 0..<2 {
                        #expect(payload.frequency(inField: field) == counts[field])
                        #expect(
                            payload.length(ofField: field)
                                == FieldLength(counts[field] == 0 ? 0 : tokens[field].count))
                    }
                }
            }
            let expected = search.mode == .any ? found.contains(true) : !found.contains(false) && !found.isEmpty
            #expect(matcher.isMatch == expected && search.matches(fields) == expected)
            #expect(matcher.lengths == tokens.map(\.count) && terms.lengths == matcher.lengths)
            matched += expected ? 1 : 0
        }
        // The random cases have both answers, and candidates that do not match.
        #expect((1_000...9_000).contains(matched) && unproved > 100, "\(matched) \(unproved)")
    }

    @Test func `a search with the most terms does not slow the matcher with the text`() throws {
        let search = try SearchText(String(repeating: "あ", count: 129), mode: .any)
        let words = try SearchText((0..<32).map { "a\($0)*" }.joined(separator: " "), mode: .any)
        let text = Array(String(repeating: "あ", count: 100_000).utf8)
        var matcher = SearchMatcher(search)
        matcher.add(text)
        #expect(matcher.frequency(ofWord: 0) == 100_000 - 128)
        var second = SearchMatcher(words)
        second.add(Array(String(repeating: "a1 a22 b ", count: 10_000).utf8))
        #expect(second.frequency(ofWord: 1) == 10_000 && second.frequency(ofWord: 2) == 10_000)
        #expect(second.frequency(ofWord: 22) == 10_000 && second.frequency(ofWord: 3) == 0)
    }
}
