import RecordModel
import TestSupport
import Testing

/// The parts of texts in an index for CONTAINS.
@Suite struct TextPartsTests {
    private static let letters: [Unicode.Scalar] = [
        "a", "b", "c", " ", "\u{0}", "\u{E9}", "\u{3042}", "\u{732B}", "\u{AC00}", "\u{E01}", "\u{1F600}", "\u{20000}",
        "\u{10FFFF}",
    ]

    private static func text(_ random: inout SeededGenerator, _ lengths: ClosedRange<Int>) -> [UInt8] {
        var view = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: lengths, using: &random) {
            view.append(letters.randomElement(using: &random) ?? "a")
        }
        return Array(String(view).utf8)
    }

    private static func parts(_ text: [UInt8]) -> [[UInt8]] {
        var packed: [UInt64] = []
        TextParts.append(text, to: &packed)
        return packed.sorted().map { part in
            var bytes: [UInt8] = []
            TextParts.append(part, to: &bytes)
            return bytes
        }
    }

    @Test func `a search finds each text that contains it, and by one part no other`() {
        var random = SeededGenerator(seed: 3)
        var found = 0
        for _ in 0..<20_000 {
            let text = Self.text(&random, 0...8)
            let wanted = Self.text(&random, 1...4)
            let contains = text.indices.contains { text[$0...].starts(with: wanted) }
            let parts = Self.parts(text)
            switch TextParts.search(for: wanted) {
            case .prefix(let prefix): #expect(parts.contains { $0.starts(with: prefix) } == contains)
            case .part(let part): #expect(parts.contains(part) == contains)
            case .parts(let all): if contains { #expect(all.allSatisfy(parts.contains)) }
            }
            if contains { found += 1 }
        }
        #expect(found > 500)
    }

    @Test func `packed parts have the order of their texts`() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<500 {
            let parts = Self.parts(Self.text(&random, 0...12))
            #expect(parts == parts.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }

    @Test(arguments: [
        ("cat", ["cat", "at", "t"]),
        ("\u{732B}\u{3068}\u{72AC}", ["\u{732B}\u{3068}", "\u{3068}\u{72AC}", "\u{72AC}"]), ("", []),
        ("a\u{732B}", ["a\u{732B}", "\u{732B}"]), ("abcd", ["abc", "bcd", "cd", "d"]),
    ])
    func `one part starts at each scalar`(text: String, parts: [String]) {
        #expect(Set(Self.parts(Array(text.utf8))) == Set(parts.map { Array($0.utf8) }))
    }

    @Test func `parts of a long search come from all of it, and are few`() {
        let text = String((0..<1_000).flatMap { String($0) })
        guard case .parts(let parts) = TextParts.search(for: Array(text.utf8)) else {
            Issue.record("A long text has several parts")
            return
        }
        #expect(parts.count == 8)
    }

    @Test func `keys in a list are sorted without duplicates`() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            var list = KeyList()
            var keys: Set<[UInt8]> = []
            for _ in 0..<Int.random(in: 0...20, using: &random) {
                let key = (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random)
                }
                keys.insert(key)
                list.append { $0.append(contentsOf: key) }
            }
            list.sort()
            #expect(list.all == keys.sorted { $0.lexicographicallyPrecedes($1) })
        }
    }
}
