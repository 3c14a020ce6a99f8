import UnicodeText

/// A second implementation of the cutting of texts, without regard to time and places: it folds the whole text first.
enum SimpleCutter {
    static func fold(_ text: String) -> [Unicode.Scalar] {
        text.nfkcCasefold.withoutDiacritics.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
            let hiragana = Array(
                "ぁあぃいぅうぇえぉおかがきぎくぐけげこごさざしじすずせぜそぞただちぢっつづてでとどなにぬねのはばぱひびぴふぶぷへべぺほぼぽまみむめもゃやゅゆょよらりるれろゎわゐゑをんゔゕゖ".unicodeScalars)
            let katakana = Array(
                "ァアィイゥウェエォオカガキギクグケゲコゴサザシジスズセゼソゾタダチヂッツヅテデトドナニヌネノハバパヒビピフブプヘベペホボポマミムメモャヤュユョヨラリルレロヮワヰヱヲンヴヵヶ".unicodeScalars)
            if let index = katakana.firstIndex(of: scalar) { return [hiragana[index]] }
            switch scalar {
            case "ヽ": return ["ゝ"]
            case "ヾ": return ["ゞ"]
            case "ヷ": return ["わ", "\u{3099}"]
            case "ヸ": return ["ゐ", "\u{3099}"]
            case "ヹ": return ["ゑ", "\u{3099}"]
            case "ヺ": return ["を", "\u{3099}"]
            default: return [scalar]
            }
        }
    }

    enum Kind { case letter, digit, mark, dense, separator }

    static func kind(_ scalar: Unicode.Scalar) -> Kind {
        let dense: [ClosedRange<UInt32>] = [
            0xE01...0xE3A, 0xE40...0xE4E, 0xE81...0xECE, 0xEDC...0xEDF, 0x1000...0x103F, 0x1050...0x108F,
            0x109A...0x109D, 0x1100...0x11FF, 0x1780...0x17D3, 0x17DC...0x17DD, 0x3005...0x3007, 0x3041...0x309F,
            0x30A1...0x30FA, 0x30FC...0x30FF, 0x3105...0x312F, 0x3400...0x4DBF, 0x4E00...0xA48C, 0xAC00...0xD7FB,
            0xF900...0xFAFF, 0x20000...0x3FFFD,
        ]
        if dense.contains(where: { $0.contains(scalar.value) }) { return .dense }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: return .letter
        case .decimalNumber, .letterNumber, .otherNumber: return .digit
        case .nonspacingMark, .spacingMark: return .mark
        default: return scalar.properties.isEmoji && scalar.value > 0x2000 ? .dense : .separator
        }
    }

    static func terms(_ text: String) -> [[UInt8]] {
        let scalars = fold(text)
        var kinds = scalars.map(kind)
        for (index, kind) in kinds.enumerated() where kind == .mark {
            let previous = index == 0 ? .separator : kinds[index - 1]
            // A mark is what precedes it: of a word, of a run, or nothing.
            kinds[index] = previous == .digit ? .digit : previous
            if previous == .letter || previous == .digit { kinds[index] = previous }
        }
        for index in kinds.indices.dropFirst().dropLast() where scalars[index] == "." || scalars[index] == "," {
            if kinds[index - 1] == .digit && kinds[index + 1] == .digit { kinds[index] = .letter }
        }
        var terms: [[UInt8]] = []
        var index = 0
        while index < scalars.count {
            switch kinds[index] {
            case .separator, .mark: index += 1
            case .dense:
                let hasNext = index + 1 < scalars.count && kinds[index + 1] == .dense
                terms.append(scalars[index..<index + (hasNext ? 2 : 1)].flatMap { Array(String($0).utf8) })
                index += 1
            case .letter, .digit:
                var term: [UInt8] = []
                var isFull = false
                while index < scalars.count, kinds[index] == .letter || kinds[index] == .digit {
                    let bytes = Array(String(scalars[index]).utf8)
                    isFull = isFull || term.count + bytes.count > 64
                    if !isFull { term += bytes }
                    index += 1
                }
                terms.append(term)
            }
        }
        return terms
    }
}
