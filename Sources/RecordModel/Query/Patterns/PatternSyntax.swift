/// A parsed pattern of MATCHES or LIKE.
indirect enum PatternSyntax: Hashable, Sendable {
    case empty
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternSyntax])
    case choice([PatternSyntax])
    /// A part that occurs at least `least` and at most `most` times; `nil` for no maximum.
    case repeated(PatternSyntax, least: Int, most: Int?)

    /// The scalars with which each match starts.
    var prefix: [Unicode.Scalar] {
        literal.scalars
    }

    /// The scalars with which each match starts, and whether the pattern matches only these scalars.
    private var literal: (scalars: [Unicode.Scalar], isWhole: Bool) {
        switch self {
        case .empty, .assertion: return ([], true)
        case .scalar(let scalar): return ([scalar], true)
        case .sequence(let parts):
            var scalars: [Unicode.Scalar] = []
            for part in parts {
                let (more, isWhole) = part.literal
                scalars += more
                if !isWhole { return (scalars, false) }
            }
            return (scalars, true)
        case .repeated(let part, let least, let most):
            guard least > 0 else { return ([], false) }
            let (scalars, isWhole) = part.literal
            return (scalars, isWhole && most == 1)
        case .set, .choice: return ([], false)
        }
    }
}

/// A condition on a position in a text.
enum PatternAssertion: Hashable, Sendable {
    case start, end, wordBoundary, noWordBoundary
}

/// A set of scalars: ranges and classes, all of them or all others.
struct ScalarSet: Hashable, Sendable {
    /// A class of scalars that is too large for ranges.
    enum Class: Hashable, Sendable {
        case digit, word, space
        /// Every scalar.
        case any
        /// Every scalar that ends no line.
        case anyInLine
        /// A general category, such as `Lu`, or a group of categories, such as `L`.
        case category(String)
    }

    /// A class, or the scalars outside of it.
    struct Member: Hashable, Sendable {
        var name: Class
        var isNegated = false
    }

    var ranges: [ClosedRange<UInt32>] = []
    var members: [Member] = []
    var isNegated = false
    /// Whether a letter is in the set if its other case is.
    var ignoresCase = false

    init(_ name: Class, isNegated: Bool = false) {
        members = [Member(name: name, isNegated: isNegated)]
    }

    init() {}

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        var isFound = holds(scalar)
        if !isFound, ignoresCase {
            let properties = scalar.properties
            isFound = [properties.uppercaseMapping, properties.lowercaseMapping].contains { mapping in
                let other = mapping.unicodeScalars
                return other.count == 1 && other.first.map { $0 != scalar && holds($0) } ?? false
            }
        }
        return isFound != isNegated
    }

    private func holds(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) }
            || members.contains { $0.name.contains(scalar) != $0.isNegated }
    }
}

extension ScalarSet.Class {
    /// Lines end as in Unicode Technical Standard #18, 1.6.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .any: true
        case .anyInLine: !(0x0A...0x0D).contains(scalar.value) && ![0x85, 0x2028, 0x2029].contains(scalar.value)
        case .space: scalar.properties.isWhitespace
        case .digit: scalar.properties.generalCategory == .decimalNumber
        case .word: Self.isWord(scalar)
        case .category(let name): scalar.properties.generalCategory.shortName.hasPrefix(name)
        }
    }

    /// Whether a scalar belongs to words: letters, marks, decimal digits and connectors (UTS #18, annex C).
    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 {
            let byte = UInt8(scalar.value)
            return byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_")
        }
        switch scalar.properties.generalCategory {
        case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return scalar.properties.isAlphabetic || scalar.properties.isJoinControl
        }
    }
}

extension Unicode.GeneralCategory {
    /// The short name of the category in the Unicode Character Database.
    var shortName: String {
        switch self {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
