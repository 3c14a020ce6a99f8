/// The part that a folded scalar has in the cutting of a text into tokens.
enum ScalarClass: UInt8 {
    /// Spaces, punctuation and symbols: they end a word.
    case separator
    /// A letter of a script that separates words.
    case letter
    /// A digit or other number.
    case digit
    /// A mark of such a script. It continues a word and starts none.
    case mark
    /// A character of a script without spaces between words, or an emoji.
    case dense

    init(_ scalar: Unicode.Scalar) {
        if scalar.isDense {
            self = .dense
            return
        }
        self =
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: .letter
            case .decimalNumber, .letterNumber, .otherNumber: .digit
            case .nonspacingMark, .spacingMark: .mark
            default: scalar.isSymbolOfEmoji ? .dense : .separator
            }
    }
}

extension Unicode.Scalar {
    /// Whether words of the scalar's script are cut into pairs of characters.
    ///
    /// These are the scripts in which words are not separated, and Hangul: Korean separates phrases, in which particles
    /// follow the noun without a space.
    fileprivate var isDense: Bool {
        switch value {
        case 0..<0xE00: false
        // Thai and Lao without their punctuation and digits.
        case 0xE01...0xE3A, 0xE40...0xE4E, 0xE81...0xECE, 0xEDC...0xEDF: true
        // Myanmar, Khmer, Tai Le, New Tai Lue and Tai Tham, likewise.
        case 0x1000...0x103F, 0x1050...0x108F, 0x109A...0x109D, 0x1780...0x17D3, 0x17DC...0x17DD: true
        case 0x1950...0x19C9, 0x1A20...0x1A7C, 0xA9E0...0xA9EF, 0xA9FA...0xA9FE, 0xAA60...0xAA76: true
        case 0xAA7A...0xAADD: true
        // Hangul, and its letters that form no syllable.
        case 0x1100...0x11FF, 0xA960...0xA97C, 0xAC00...0xD7FB: true
        // Iteration marks and zero of Han; kana with voicing and length marks, without the middle dot; Bopomofo.
        case 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x3035, 0x3038...0x303C, 0x3041...0x309F: true
        case 0x30A1...0x30FA, 0x30FC...0x30FF, 0x3105...0x312F, 0x31A0...0x31BF, 0x31F0...0x31FF: true
        // Han and Yi.
        case 0x3400...0x4DBF, 0x4E00...0xA48C, 0xF900...0xFAFF, 0x16FF0...0x18DFF, 0x1AFF0...0x1B2FF: true
        case 0x20000...0x3FFFD: true
        default: false
        }
    }

    /// Whether the scalar is an emoji or a part of one, other than a digit and signs of Latin-1.
    fileprivate var isSymbolOfEmoji: Bool { value >= 0x203C && properties.isEmoji }
}
