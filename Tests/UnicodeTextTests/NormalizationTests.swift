import Cryptography
import TestSupport
import Testing
import UnicodeText

/// Every scalar and thousands of random texts, compared with Python's `unicodedata` (`make_tables.py`) and with the
/// standard library, whose strings are equal if they are canonically equivalent.
@Suite struct NormalizationTests {
    /// The scalars that the tables know of, in order; a newer standard library has more.
    static let scalars = assigned(in: 0...0x10FFFF)

    static func assigned(in range: ClosedRange<UInt32>) -> [Unicode.Scalar] {
        range.compactMap { value -> Unicode.Scalar? in
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned,
                let age = scalar.properties.age, (age.major, age.minor) <= (17, 0)
            else { return nil }
            return scalar
        }
    }

    /// As `random_texts` of make_tables.py makes them.
    static let randomTexts: [String] = {
        let ranges: [ClosedRange<UInt32>] = [
            0x41...0x5A, 0xA0...0x24F, 0x300...0x3FF, 0x591...0x5C7, 0x900...0xDFF, 0xF00...0xFFF, 0x1100...0x11FF,
            0x1E00...0x1FFF, 0x2100...0x214F, 0x3040...0x30FF, 0xAC00...0xAC7F, 0xF900...0xF9FF, 0xFB00...0xFB4F,
            0xFDF0...0xFEFF, 0x11080...0x110CF, 0x1D150...0x1D1FF, 0x1D400...0x1D4FF,
        ]
        let sample = ranges.flatMap(assigned)
        var random = SeededGenerator(seed: 30)
        return (0..<20_000).map { _ in
            let length = 1 + random.next() % 12
            return text((0..<length).map { _ in sample[Int(random.next() % UInt64(sample.count))] })
        }
    }()

    static func text(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    static func digest(_ texts: [String]) -> String {
        SHA256.hash(utf8: texts.joined(separator: "\n")).hex
    }

    @Test func `every scalar is normalized in its contexts as Python normalizes it`() {
        let texts = Self.scalars.map { "\($0)a\($0)\u{301}\u{316}\($0)\u{1161}\u{11A8}\($0)\u{5B0}\u{3099}" }
        #expect(Self.digest(texts.map(\.nfc)) == ExpectedDigests.nfcOfContexts)
    }

    @Test func `every scalar has the case folding that Python makes`() {
        #expect(Self.digest(Self.scalars.map { String($0).nfkcCasefold }) == ExpectedDigests.casefoldOfScalars)
    }

    @Test func `random texts are normalized and folded as Python does it`() {
        #expect(Self.digest(Self.randomTexts.map(\.nfc)) == ExpectedDigests.nfcOfRandomTexts)
        #expect(Self.digest(Self.randomTexts.map(\.nfkcCasefold)) == ExpectedDigests.casefoldOfRandomTexts)
    }

    @Test func `every scalar and random texts lose the diacritics that Python removes`() {
        #expect(Self.digest(Self.scalars.map { String($0).withoutDiacritics }) == ExpectedDigests.basesOfScalars)
        #expect(Self.digest(Self.randomTexts.map(\.withoutDiacritics)) == ExpectedDigests.basesOfRandomTexts)
    }

    @Test(arguments: [
        ("Cr\u{E8}me Br\u{FB}l\u{E9}e", "Creme Brulee"), ("cafe\u{301}", "cafe"), ("\u{1EC7}", "e"),
        ("\u{304C}", "\u{304C}"), ("\u{304B}\u{3099}", "\u{304C}"), ("\u{F8}", "\u{F8}"),
        ("\u{5E9}\u{5C1}", "\u{5E9}"), ("\u{E01}\u{E34}", "\u{E01}\u{E34}"), ("", ""),
    ]) func `accents go and vowels stay`(text: String, base: String) {
        #expect(Array(text.withoutDiacritics.utf8) == Array(base.utf8))
    }

    @Test func `folding a folded text does not change it`() {
        for folding in Self.foldings {
            let wrong = (Self.randomTexts + Self.varied.map { String($0) }).filter { text in
                let folded = folding.fold(Array(text.utf8))
                return folding.fold(folded) != folded
            }
            #expect(wrong.isEmpty)
        }
    }

    private static let foldings: [TextFolding] = [
        .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]

    /// The folding of the whole text, as `TextFolding` makes it of segments.
    private static func whole(_ text: String, _ folding: TextFolding) -> [UInt8] {
        let folded = folding.contains(.caseInsensitive) ? text.nfkcCasefold : text
        return Array((folding.contains(.diacriticInsensitive) ? folded.withoutDiacritics : folded).utf8)
    }

    /// Han, Hangul, Tangut and others that have no case and no marks.
    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x3400...0x9FFF, 0xAC00...0xD7A3, 0x12000...0x1467F, 0x17000...0x18D7F, 0x20000...: true
        default: false
        }
    }

    /// All scalars but most ideographs.
    private static let varied = scalars.filter { $0.value % 50 == 0 || !isIdeograph($0) }

    @Test func `the folded segments of a text are the folded text`() {
        // Before and after each scalar: letters with which it may combine, and marks.
        let contexts = Self.varied.map {
            "e\($0)a\u{1100}\($0)\u{1161}\($0)\u{11A8}\u{30AB}\($0)\u{301}\u{316}\($0)"
        }
        let long = stride(from: 0, to: Self.randomTexts.count - 40, by: 40).map {
            Self.randomTexts[$0..<($0 + 40)].joined()
        }
        for folding in Self.foldings {
            let wrong = (Self.randomTexts + contexts + long).filter { text in
                folding.fold(Array(text.utf8)) != Self.whole(text, folding)
            }
            #expect(wrong.isEmpty, "\(wrong.prefix(3).map { Array($0.unicodeScalars) })")
        }
    }

    @Test func `the beginning and the end of a folded text are made of a part of the text`() {
        var random = SeededGenerator(seed: 31)
        for start in stride(from: 0, to: Self.randomTexts.count - 40, by: 200) {
            let text = Array(Self.randomTexts[start..<(start + 40)].joined().utf8)
            for folding in Self.foldings {
                let folded = folding.fold(text)
                let count = Int(random.next() % UInt64(folded.count + 2))
                let first = folding.fold(text, first: count) { _ in }
                #expect(folded.starts(with: first) && first.count >= min(count, folded.count))
                let last = folding.fold(text, last: count) { _ in }
                #expect(folded.reversed().starts(with: last.reversed()) && last.count >= min(count, folded.count))
            }
        }
        let long = Array(repeating: [0xEF, 0xB7, 0xBA] as [UInt8], count: 100_000).flatMap(\.self)
        for folding in Self.foldings {
            #expect(folding.fold(long, first: 1_025) { _ in }.count < 1_100)
            #expect(folding.fold(long, last: 1_025) { _ in }.count < 20_000)
        }
    }

    @Test(arguments: [
        "\u{FDFA}", "\u{301}\u{316}", "\u{F73}", "\u{1161}", "e", "\u{6F22}", "a\u{301}\u{323}\u{308}\u{30A}",
    ])
    func `folding charges its work bit by bit, and stops when it may not go on`(unit: String) {
        struct Stopped: Error {}
        let text = Array(String(repeating: unit, count: 200_000 / unit.utf8.count).utf8)
        var charges: [Int] = []
        _ = TextFolding.caseInsensitive.fold(text) { charges.append($0) }
        #expect(charges.reduce(0, +) >= text.count)
        // A run of marks is a step of at most 4,096 bytes.
        #expect(charges.allSatisfy { $0 < 4_000_000 } && (charges.count > 1 || text[0] < 0x80), "\(charges.max() ?? 0)")
        var count = 0
        #expect(throws: Stopped.self) {
            _ = try TextFolding.caseInsensitive.fold(text) { _ throws(Stopped) in
                count += 1
                throw Stopped()
            }
        }
        #expect(count == 1)
    }

    @Test func `a run of marks that no language has is folded in parts, and equal texts stay equal`() {
        let run = "e" + String(repeating: "\u{316}\u{301}", count: 10_000)
        let folded = TextFolding.caseInsensitive.fold(Array(run.utf8))
        #expect(folded == TextFolding.caseInsensitive.fold(Array(run.utf8)) && folded.count == run.utf8.count - 1)
        #expect(TextFolding.diacriticInsensitive.fold(Array(run.utf8)) == Array("e".utf8))
    }

    @Test(arguments: [
        [0xE2, 0x82, 0x61], [0x61, 0x82, 0x82], [0xFF, 0xC3], [0xED, 0xA0, 0x80], [0xC3, 0xA9, 0xE2, 0x82],
    ])
    func `invalid sequences count as replacement characters`(bytes: [UInt8]) {
        for folding in Self.foldings {
            #expect(folding.fold(bytes) == Self.whole(String(decoding: bytes, as: UTF8.self), folding))
        }
    }

    @Test func `both forms are the same when they are made of their own result`() {
        let wrong = (Self.randomTexts + Self.scalars.map { String($0) }).filter { text in
            let (nfc, folded) = (text.nfc, text.nfkcCasefold)
            return !nfc.isNFC || !folded.isNFC || !nfc.nfc.utf8.elementsEqual(nfc.utf8)
                || !folded.nfkcCasefold.utf8.elementsEqual(folded.utf8)
                || !nfc.nfkcCasefold.utf8.elementsEqual(folded.utf8)
        }
        #expect(wrong.isEmpty)
    }

    @Test func `texts are equal as strings exactly if their NFC has the same bytes`() {
        // If these three are in wrong order, the standard library does not see that texts are equal.
        let short = Self.randomTexts.map { text in
            Self.text(Array(text.unicodeScalars.filter { ![0xF73, 0xF75, 0xF81].contains($0.value) }.prefix(3)))
        }
        var byNFC: [[UInt8]: String] = [:]
        var byString: [String: [UInt8]] = [:]
        var wrong: [(String, String)] = []
        for text in short + Self.scalars.map({ String($0) }) {
            let bytes = Array(text.nfc.utf8)
            let other = byNFC.updateValue(text, forKey: bytes)
            let otherBytes = byString.updateValue(bytes, forKey: text)
            if (other ?? text) != text || (otherBytes ?? bytes) != bytes { wrong.append((text, other ?? "")) }
            if text.isNFC != text.utf8.elementsEqual(bytes) { wrong.append((text, "isNFC")) }
        }
        #expect(wrong.isEmpty)
    }

    @Test(arguments: [
        ("Ann@Example.com", "ann@example.com"), ("jose\u{301}", "jos\u{E9}"), ("bo\u{200B}b\u{AD}", "bob"),
        ("\u{FF21}\u{FF4E}\u{FF4E}", "ann"), ("Stra\u{DF}e", "strasse"), ("\u{1E9E}", "ss"), ("\u{FB01}n", "fin"),
        ("\u{1D400}", "a"), ("\u{130}", "i\u{307}"), ("\u{3A3}\u{3C2}", "\u{3C3}\u{3C3}"), ("\u{A0}", " "),
        ("\u{3B1}\u{345}\u{301}", "\u{3AC}\u{3B9}"), ("\u{3164}", ""), ("", ""), ("I", "i"),
        ("\u{1F469}\u{200D}\u{1F4BB}\u{FE0F}", "\u{1F469}\u{1F4BB}"), ("\u{AC00}", "\u{1100}\u{1161}".nfc),
    ]) func `a text folds to what the Unicode Standard says`(text: String, folded: String) {
        #expect(Array(text.nfkcCasefold.utf8) == Array(folded.utf8))
    }

    @Test func `a long run of marks takes time in proportion to its length`() {
        // Of the standard library's own sort, this takes minutes.
        let marks: [Unicode.Scalar] = ["\u{301}", "\u{316}", "\u{F73}", "\u{5B0}"]
        let run = Self.text(["e"] + (0..<200_000).map { marks[$0 % 4] })
        let counts: [(Unicode.Scalar, Int)] = [
            ("\u{5B0}", 50_000), ("\u{F71}", 50_000), ("\u{F72}", 50_000), ("\u{316}", 50_000), ("\u{301}", 49_999),
        ]
        let sorted = Self.text(["\u{E9}"] + counts.flatMap { Array(repeating: $0.0, count: $0.1) })
        #expect(run.nfc.utf8.elementsEqual(sorted.utf8))
    }

    @Test func `a run just longer than a short one is sorted as a short one is`() {
        for text in Self.randomTexts.prefix(2_000) {
            let marks = text.unicodeScalars.filter { $0.properties.canonicalCombiningClass != .notReordered }
            guard !marks.isEmpty else { continue }
            let run = (0..<33).map { marks[marks.index(marks.startIndex, offsetBy: $0 % marks.count)] }
            let long = Self.text(["a"] + run + ["b"] + run)
            #expect(long.nfc.utf8.elementsEqual(long._nfcCodeUnits))
        }
    }
}
