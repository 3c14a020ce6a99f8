import UnicodeText

/// Folding for search: NFKC_Casefold, then without diacritics, then katakana as hiragana.
///
/// A text is folded in segments (`TextSegments`), so that each folded character has its place in the original text.
enum SearchFolding {
    /// Calls `body` with the folded scalars of a segment.
    ///
    /// - Complexity: Linear in the length of the segment.
    static func fold(_ segment: String, _ body: (Unicode.Scalar) -> Void) {
        for scalar in segment.nfkcCasefold.withoutDiacritics.unicodeScalars {
            switch scalar.value {
            case 0x30A1...0x30F6, 0x30FD...0x30FE:
                // The conversion never fails: hiragana are 0x60 below katakana.
                body(Unicode.Scalar(scalar.value - 0x60) ?? scalar)
            case 0x30F7...0x30FA:
                // Hiragana has no character for these, and writes them with the voicing mark.
                body(Unicode.Scalar(scalar.value - 0x30F7 + 0x308F) ?? scalar)
                body("\u{3099}")
            default: body(scalar)
            }
        }
    }

    /// Whether the scalar is a mark that folding removes after any character, whatever the two combine to.
    @inline(__always) static func isAlwaysRemoved(_ value: UInt32) -> Bool {
        switch value {
        case 0..<0x300: false
        // U+0345 is not among them: its case folding is the letter iota.
        case 0x300...0x344, 0x346...0x36F, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7: true
        case 0x64B...0x65F, 0x670: true
        default: false
        }
    }

    /// A folded scalar and its class in one number.
    struct Entry {
        let bits: UInt32

        init(_ scalar: Unicode.Scalar) { bits = scalar.value << 8 | UInt32(ScalarClass(scalar).rawValue) }
        init(bits: UInt32) { self.bits = bits }

        @inline(__always) var value: UInt32 { bits >> 8 }
        @inline(__always) var scalarClass: ScalarClass { ScalarClass(rawValue: UInt8(bits & 0xFF)) ?? .separator }
    }

    /// The entries of `tableRanges`, one after the other; 0 for scalars that fold to none or to several.
    ///
    /// The first use computes them, which takes a few milliseconds.
    static let table: [UInt32] = tableRanges.flatMap { range in
        range.map { value in
            var folded: [Unicode.Scalar] = []
            if let scalar = Unicode.Scalar(value) { fold(String(scalar)) { folded.append($0) } }
            return folded.count == 1 ? Entry(folded[0]).bits : 0
        }
    }

    /// Alphabets, punctuation, kana, and the full and half-width forms.
    private static let tableRanges: [ClosedRange<UInt32>] = [
        0x80...0x6FF, 0x900...0xEFF, 0x1E00...0x206F, 0x3000...0x312F, 0xFF01...0xFF9D,
    ]

    /// The place of a scalar in `table`; `nil` if it has none.
    @inline(__always) static func tableIndex(of value: UInt32) -> Int? {
        switch value {
        case 0x80...0x6FF: Int(value) - 0x80
        case 0x900...0xEFF: Int(value) - 0x900 + 0x680
        case 0x1E00...0x206F: Int(value) - 0x1E00 + 0xC80
        case 0x3000...0x312F: Int(value) - 0x3000 + 0xEF0
        case 0xFF01...0xFF9D: Int(value) - 0xFF01 + 0x1020
        default: nil
        }
    }

    /// Whether the scalar is dense and folds to itself: common Han and Hangul.
    @inline(__always) static func isPlainDense(_ value: UInt32) -> Bool {
        (0x4E00...0x9FFF).contains(value) || (0xAC00...0xD7A3).contains(value) || (0x3400...0x4DBF).contains(value)
    }
}
