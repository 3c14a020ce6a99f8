/// Normalization form C (UAX #15), in which canonically equivalent strings have the same bytes.
extension String {
    /// The string in NFC.
    ///
    /// Takes linear time for any string. A string that one pass over its bytes shows to be normalized, such as any
    /// ASCII string, is returned unchanged.
    package var nfc: String {
        isSurelyNFC ? self : normalized
    }

    /// Whether the string is in NFC. For most strings in NFC this takes one pass over the bytes.
    package var isNFC: Bool {
        isSurelyNFC || normalized.utf8.elementsEqual(utf8)
    }

    /// Whether all scalars belong to common blocks whose scalars never combine with their neighbors. If false, the
    /// string may still be in NFC.
    private var isSurelyNFC: Bool {
        var copy = self
        return copy.withUTF8 { bytes in
            // The first bytes of multibyte sequences are C2 to F4 (RFC 3629). Those below CC encode scalars before
            // U+0300, where combining marks start. D0 and D1 encode Cyrillic before U+0480, and E4 to E9 encode Han.
            bytes.allSatisfy { byte in
                byte < 0xCC || byte == 0xD0 || byte == 0xD1 || (0xE4...0xE9).contains(byte)
            }
        }
    }

    private var normalized: String {
        // The method is public but underscored (Swift 6.3).
        String(decoding: withMarksInOrder._nfcCodeUnits, as: UTF8.self)
    }

    /// The string with combining marks in canonical order, where the standard library (Swift 6.3) needs it.
    ///
    /// The library's sort of marks takes quadratic time: minutes for a megabyte of marks, which an attacker could send.
    /// Marks that are in order already cost no time. The library also does not reorder the three vowels that decompose
    /// to several marks.
    private var withMarksInOrder: String {
        guard needsHelp else { return self }
        var result = String.UnicodeScalarView()
        var run: [(order: UInt8, scalar: Unicode.Scalar)] = []
        func finishRun() {
            // A stable sort.
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

    /// The longest run of marks in the Stream-Safe Text Format (UAX #15 §13). No language needs more.
    private static var shortRun: Int { 30 }
}

extension Unicode.Scalar {
    /// Whether the scalar may be reordered with the one before it.
    fileprivate var isMark: Bool {
        value >= 0x300 && (properties.canonicalCombiningClass != .notReordered || marks != nil)
    }

    /// The marks to which the scalar decomposes, if there are several; otherwise `nil`. There are three such scalars
    /// (UAX #15 §12: starters whose decompositions begin with a non-starter). Their number is final, because
    /// decompositions never change.
    fileprivate var marks: [Unicode.Scalar]? {
        switch value {
        case 0xF73: ["\u{F71}", "\u{F72}"]
        case 0xF75: ["\u{F71}", "\u{F74}"]
        case 0xF81: ["\u{F71}", "\u{F80}"]
        default: nil
        }
    }
}
