/// Normalization form C (UAX #15), in which texts that look the same and mean the same have the same bytes.
extension String {
    /// The text in NFC.
    ///
    /// Takes time in proportion to the length, whatever the text. A text that is known to be normalized after one pass
    /// over its bytes, such as any in ASCII, is returned as it is.
    package var nfc: String {
        isSurelyNFC ? self : normalized
    }

    /// Whether the text is in NFC. For most texts that are, this is one pass over their bytes.
    package var isNFC: Bool {
        isSurelyNFC || normalized.utf8.elementsEqual(utf8)
    }

    /// Whether all scalars are among the most common of those that never combine with what stands before or after them.
    /// False says nothing.
    private var isSurelyNFC: Bool {
        var copy = self
        return copy.withUTF8 { bytes in
            // The first bytes of two or more are C2 to F4 (RFC 3629). Below CC lie the scalars before U+0300, where
            // combining marks begin; D0 and D1 are Cyrillic before U+0480, E4 to E9 Han.
            bytes.allSatisfy { byte in
                byte < 0xCC || byte == 0xD0 || byte == 0xD1 || (0xE4...0xE9).contains(byte)
            }
        }
    }

    private var normalized: String {
        // Public, though Swift has not given it a name without an underscore (Swift 6.3).
        String(decoding: withMarksInOrder._nfcCodeUnits, as: UTF8.self)
    }

    /// The same text with combining marks in canonical order, where the standard library (Swift 6.3) needs help.
    ///
    /// It sorts marks in the square of their number: minutes for a megabyte that somebody sent for that reason. Marks
    /// that are in order already take it no time. And it leaves the three vowels that are several marks where they are.
    private var withMarksInOrder: String {
        guard needsHelp else { return self }
        var result = String.UnicodeScalarView()
        var run: [(order: UInt8, scalar: Unicode.Scalar)] = []
        func finishRun() {
            // A sort that keeps the order of equals.
            let sorted = run.enumerated().sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
            result.append(contentsOf: sorted.lazy.map(\.element.scalar))
            run.removeAll(keepingCapacity: true)
        }
        for scalar in unicodeScalars {
            guard scalar.isMark else {
                finishRun()
                result.append(scalar)
                continue
            }
            for part in scalar.marks ?? [scalar] {
                run.append((part.properties.canonicalCombiningClass.rawValue, part))
            }
        }
        finishRun()
        return String(result)
    }

    private var needsHelp: Bool {
        var length = 0
        for scalar in unicodeScalars {
            length = scalar.isMark ? length + 1 : 0
            if length > Self.shortRun || scalar.marks != nil { return true }
        }
        return false
    }

    /// What UAX #15 §13 calls stream-safe: no language needs more marks in a row.
    private static var shortRun: Int { 30 }
}

extension Unicode.Scalar {
    /// Whether it may change places with the scalar before.
    fileprivate var isMark: Bool {
        value >= 0x300 && (properties.canonicalCombiningClass != .notReordered || marks != nil)
    }

    /// The marks that it decomposes to if they are several, else `nil`. There are three such scalars (UAX #15 §12:
    /// starters whose decompositions begin with a non-starter), and will never be more: decompositions do not change.
    fileprivate var marks: [Unicode.Scalar]? {
        switch value {
        case 0xF73: ["\u{F71}", "\u{F72}"]
        case 0xF75: ["\u{F71}", "\u{F74}"]
        case 0xF81: ["\u{F71}", "\u{F80}"]
        default: nil
        }
    }
}
