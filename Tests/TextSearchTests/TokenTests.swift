import TestSupport
import Testing
import TextSearch

/// How texts are cut into tokens.
@Suite struct TokenTests {
    static func terms(_ text: String) -> [String] {
        TextToken.tokens(of: Array(text.utf8)).map { String(decoding: $0.term, as: UTF8.self) }
    }

    @Test(
        arguments: [
            ("", []), (" \n\t,.!", []), ("Hello, World!", ["hello", "world"]), ("MP3 h.264", ["mp3", "h", "264"]),
            ("don't l'arbre", ["don", "t", "l", "arbre"]), ("foo_bar-baz", ["foo", "bar", "baz"]),
            ("1,000.50 2.6.32 3. .5 1..2 4,a", ["1,000.50", "2.6.32", "3", "5", "1", "2", "4", "a"]),
            ("1.a 1.b2,3", ["1", "a", "1", "b2,3"]),
        ] as [(String, [String])]) func `English is cut at everything but letters and digits`(
            text: String, terms: [String]
        )
    {
        #expect(Self.terms(text) == terms)
    }

    @Test(
        arguments: [
            ("\u{C9}t\u{E9} na\u{EF}ve", ["ete", "naive"]), ("E\u{301}te\u{301}", ["ete"]),
            ("Stra\u{DF}e", ["strasse"]),
            ("\u{FB01}n", ["fin"]),
            ("\u{FF28}\u{FF45}\u{FF4C}\u{FF4C}\u{FF4F}\u{3000}\u{FF11}\u{FF0E}\u{FF15}", ["hello", "1.5"]),
            ("so\u{AD}ft bo\u{200B}b", ["soft", "bob"]),
            ("\u{39F}\u{3B4}\u{3CC}\u{3C2}", ["\u{3BF}\u{3B4}\u{3BF}\u{3C3}"]),
            ("\u{419}\u{43E}\u{434}", ["\u{438}\u{43E}\u{434}"]),
            ("\u{5E9}\u{5B8}\u{5DC}\u{5D5}\u{5B9}\u{5DD}", ["\u{5E9}\u{5DC}\u{5D5}\u{5DD}"]),
            ("\u{643}\u{650}\u{62A}\u{627}\u{628}", ["\u{643}\u{62A}\u{627}\u{628}"]), ("\u{130}stanbul", ["istanbul"]),
            ("\u{939}\u{93F}\u{928}\u{94D}\u{926}\u{940}", ["\u{939}\u{93F}\u{928}\u{94D}\u{926}\u{940}"]),
        ] as [(String, [String])]) func `words are folded`(text: String, terms: [String])
    {
        #expect(Self.terms(text) == terms)
    }

    @Test(
        arguments: [
            ("東京都", ["東京", "京都", "都"]), ("東。京", ["東", "京"]), ("Swift入門", ["swift", "入門", "門"]),
            ("データベース", ["でー", "ーた", "たべ", "べー", "ーす", "す"]), ("ｶﾞｷﾞ", ["がぎ", "ぎ"]), ("か\u{3099}", ["が"]),
            ("か\u{AD}\u{3099}", ["が"]),
            ("ヷ", ["わ\u{3099}", "\u{3099}"]), ("わ\u{3099}", ["わ\u{3099}", "\u{3099}"]),
            ("東京・大阪", ["東京", "京", "大阪", "阪"]),
            ("漢字2024年", ["漢字", "字", "2024", "年"]), ("中文搜索", ["中文", "文搜", "搜索", "索"]),
            ("한국어는 말", ["한국", "국어", "어는", "는", "말"]), ("ประเทศ", ["ปร", "ระ", "ะเ", "เท", "ทศ", "ศ"]),
            ("㍿", ["株式", "式会", "会社", "社"]), ("𠮷野家", ["𠮷野", "野家", "家"]), ("々", ["々"]),
        ] as [(String, [String])]) func `scripts without spaces are cut into pairs`(text: String, terms: [String])
    {
        #expect(Self.terms(text) == terms)
    }

    @Test(
        arguments: [
            ("🎉", ["🎉"]), ("楽しい🎉", ["楽し", "しい", "い🎉", "🎉"]), ("I \u{2764}\u{FE0F} NY", ["i", "\u{2764}", "ny"]),
            ("\u{1F469}\u{200D}\u{1F4BB}", ["\u{1F469}\u{1F4BB}", "\u{1F4BB}"]), ("🇯🇵", ["🇯🇵", "\u{1F1F5}"]),
            ("1\u{FE0F}\u{20E3} #", ["1"]), ("a→b ★ ©", ["a", "b"]),
        ] as [(String, [String])]) func `emoji are found, other symbols are not`(text: String, terms: [String])
    {
        #expect(Self.terms(text) == terms)
    }

    @Test func `each token knows its place in the original text`() {
        let text = Array("É! ｶﾞ東e\u{301}".utf8)
        let places = TextToken.tokens(of: text).map {
            "\(String(decoding: $0.term, as: UTF8.self)) \($0.position) \(String(decoding: text[$0.range], as: UTF8.self))"
        }
        #expect(places == ["e 0 É", "が東 1 ｶﾞ東", "東 2 東", "e 3 e\u{301}"])
    }

    @Test func `a long word is cut between characters`() {
        #expect(Self.terms(String(repeating: "a", count: 100) + " b") == [String(repeating: "a", count: 64), "b"])
        #expect(
            Self.terms("a" + String(repeating: "\u{3B2}", count: 40)) == ["a" + String(repeating: "\u{3B2}", count: 31)]
        )
        #expect(
            Self.terms("a" + String(repeating: "\u{3B2}", count: 40) + "bc") == [
                "a" + String(repeating: "\u{3B2}", count: 31)
            ])
    }

    @Test func `invalid bytes separate words`() {
        let text: [UInt8] = [0x61, 0xFF, 0x62, 0xC3, 0x63, 0xED, 0xA0, 0x80, 0x64, 0xE6, 0x9D]
        #expect(TextToken.tokens(of: text).map(\.term) == [[0x61], [0x62], [0x63], [0x64]])
        #expect(TextToken.tokens(of: text).map(\.range) == [0..<1, 2..<3, 4..<5, 8..<9])
    }

    @Test func `random texts are cut as the simple cutter cuts them`() {
        for seed in 0..<20_000 as Range<UInt64> {
            let text = RandomTexts.any(seed: seed)
            let tokens = TextToken.tokens(of: Array(text.utf8))
            let expected = SimpleCutter.terms(text)
            #expect(tokens.map(\.term) == expected, "\(seed): \(text.unicodeScalars.map(\.value))")
            #expect(tokens.map(\.position) == Array(expected.indices))
        }
    }

    @Test func `a text does not change how a later one is cut`() {
        // The cutter caches how it folded up to three scalars. These have four each, of which the last three are equal.
        let long = ["か\u{3099}\u{3099}\u{3099}", "き\u{3099}\u{3099}\u{3099}"]
        let texts = long + (0..<3_000 as Range<UInt64>).map { RandomTexts.any(seed: $0) }
        let tokens = TextToken.tokens(of: Array(texts.joined(separator: "\n").utf8))
        #expect(tokens.map(\.term) == texts.flatMap { SimpleCutter.terms($0) })
    }

    @Test func `ranges are ascending and of valid text`() {
        for seed in 0..<5_000 as Range<UInt64> {
            let text = RandomTexts.any(seed: seed)
            let bytes = Array(text.utf8)
            var last = 0..<0
            for token in TextToken.tokens(of: bytes) {
                #expect(!token.range.isEmpty && token.range.upperBound <= bytes.count)
                #expect(token.range.lowerBound >= last.lowerBound && token.range.upperBound >= last.upperBound)
                #expect(String(validating: bytes[token.range], as: UTF8.self) != nil)
                last = token.range
            }
        }
    }

    @Test func `forEach gives the same tokens`() {
        let text = Array("Anne 東京都 1.5 don't".utf8)
        var tokens: [[UInt8]] = []
        TextToken.forEach(of: text) { term, position, range in
            #expect(position == tokens.count && !range.isEmpty)
            tokens.append(Array(term))
        }
        #expect(tokens == TextToken.tokens(of: text).map(\.term))
    }

    @Test(arguments: [
        "a", "\u{301}", "か\u{3099}", "\u{FDFA}", "1.", "東", "\u{200B}", "\u{5B0}\u{591}\u{316}", "\u{1100}\u{1161}",
    ])
    func `hostile texts take time in proportion to their length`(part: String) {
        func time(_ count: Int) -> Double {
            let text = Array(String(repeating: part, count: count / part.utf8.count).utf8)
            return processorTime { TextToken.forEach(of: text) { _, _, _ in } }
        }
        let (short, long) = (time(25_000), time(400_000))
        // Sixteen times the length, with room for caches. Quadratic time would be 256 times.
        #expect(long < short * 64 + 0.02)
    }
}
