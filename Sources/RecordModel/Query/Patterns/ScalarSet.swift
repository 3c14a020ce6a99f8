/// A set of scalars: ranges and classes, all of them or all others.
struct ScalarSet: Hashable, Sendable {
    /// The ranges of scalars that belong to the set.
    private(set) var ranges: [ClosedRange<UInt32>] = []
    /// The classes whose scalars belong to the set.
    private(set) var classes: ScalarClasses = []
    /// Whether the set has all other scalars instead.
    var isNegated = false
    /// Whether a letter is in the set if its other case is.
    var ignoresCase = false

    init(_ classes: ScalarClasses = []) {
        self.classes = classes
    }

    mutating func insert(_ range: ClosedRange<UInt32>) {
        ranges.append(range)
    }

    mutating func formUnion(_ other: ScalarClasses) {
        classes.formUnion(other)
    }

    /// Sorts the ranges and joins those that overlap, so that `contains` can search them.
    mutating func finish() {
        guard ranges.count > 1 else { return }
        var joined: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = joined.last, range.lowerBound <= last.upperBound {
                joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                joined.append(range)
            }
        }
        ranges = joined
    }

    /// The steps of one call of `contains`, in the unit of `PatternProgram.matches`.
    var steps: Int {
        let search = 1 + Int.bitWidth - ranges.count.leadingZeroBitCount
        return ignoresCase ? 3 * search : search
    }

    /// Returns whether the scalar of a probe is in the set.
    ///
    /// - Complexity: O(log n) in the number of ranges.
    func contains(_ probe: inout ScalarProbe) -> Bool {
        if holds(probe.scalar, &probe.classes) { return !isNegated }
        guard ignoresCase else { return isNegated }
        probe.findCases()
        if let upper = probe.upper, holds(upper, &probe.upperClasses) { return !isNegated }
        if let lower = probe.lower, holds(lower, &probe.lowerClasses) { return !isNegated }
        return isNegated
    }

    private func holds(_ scalar: Unicode.Scalar, _ known: inout ScalarClasses?) -> Bool {
        if !ranges.isEmpty, hasRange(of: scalar.value) { return true }
        guard !classes.isEmpty else { return false }
        let found = known ?? ScalarClasses(of: scalar)
        known = found
        return !classes.isDisjoint(with: found)
    }

    private func hasRange(of value: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= value
    }
}

/// A scalar that is tested against sets, with its properties as far as a set has asked for them.
///
/// Finding the properties of a scalar costs more than a test, and all states of an automaton test the same scalar.
struct ScalarProbe {
    let scalar: Unicode.Scalar
    fileprivate(set) var classes: ScalarClasses?
    /// The uppercase and the lowercase of the scalar, if each is one other scalar.
    fileprivate var upper: Unicode.Scalar?
    fileprivate var lower: Unicode.Scalar?
    fileprivate var upperClasses: ScalarClasses?
    fileprivate var lowerClasses: ScalarClasses?
    private var hasCases = false

    init(_ scalar: Unicode.Scalar) {
        self.scalar = scalar
    }

    fileprivate mutating func findCases() {
        if hasCases { return }
        hasCases = true
        if scalar.value < 0x80 {
            let letter = scalar.value | 0x20
            guard (0x61...0x7A).contains(letter), let other = Unicode.Scalar(scalar.value ^ 0x20) else { return }
            upper = other
            return
        }
        upper = other(scalar.properties.uppercaseMapping)
        lower = other(scalar.properties.lowercaseMapping)
    }

    private func other(_ mapping: String) -> Unicode.Scalar? {
        let scalars = mapping.unicodeScalars
        guard scalars.count == 1, let first = scalars.first, first != scalar else { return nil }
        return first
    }
}

/// Classes of scalars, such as letters. Each scalar belongs to its general category and to a few other classes.
///
/// A class and the class of all other scalars are different members, so that a test of any number of classes is one
/// operation on bits.
struct ScalarClasses: OptionSet, Hashable, Sendable {
    let rawValue: UInt64

    /// Letters, marks, decimal digits and connectors (Unicode Technical Standard #18, annex C).
    static let word = ScalarClasses(rawValue: 1 << 32)
    static let noWord = ScalarClasses(rawValue: 1 << 33)
    static let space = ScalarClasses(rawValue: 1 << 34)
    static let noSpace = ScalarClasses(rawValue: 1 << 35)
    /// Every scalar that ends no line (Unicode Technical Standard #18, 1.6).
    static let inLine = ScalarClasses(rawValue: 1 << 36)
    /// Every scalar.
    static let any = ScalarClasses(rawValue: 1 << 37)

    static let digit = ScalarClasses(.decimalNumber)
    static let noDigit = digit.otherCategories

    /// The general categories that are not in the set.
    var otherCategories: ScalarClasses {
        ScalarClasses(rawValue: (1 << UInt64(Unicode.GeneralCategory.names.count)) - 1).subtracting(self)
    }

    private init(_ category: Unicode.GeneralCategory) {
        rawValue = 1 << UInt64(category.number)
    }

    /// A general category, such as `Lu`, or a group of categories, such as `L`; `nil` for another name.
    init?(category name: String) {
        guard (1...2).contains(name.utf8.count) else { return nil }
        var bits: UInt64 = 0
        for (number, known) in Unicode.GeneralCategory.names.enumerated() where known.hasPrefix(name) {
            bits |= 1 << UInt64(number)
        }
        guard bits != 0 else { return nil }
        rawValue = bits
    }

    init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The classes of a scalar.
    init(of scalar: Unicode.Scalar) {
        self = scalar.value < 0x80 ? Self.ofASCII[Int(scalar.value)] : Self.find(scalar)
    }

    private static let ofASCII = (UInt8(0)..<0x80).map { find(Unicode.Scalar($0)) }

    private static func find(_ scalar: Unicode.Scalar) -> ScalarClasses {
        let properties = scalar.properties
        let category = properties.generalCategory
        var classes: ScalarClasses = [.any, ScalarClasses(category)]
        let isWord =
            switch category {
            case .decimalNumber, .connectorPunctuation, .nonspacingMark, .spacingMark, .enclosingMark: true
            default: properties.isAlphabetic || properties.isJoinControl
            }
        classes.insert(isWord ? .word : .noWord)
        classes.insert(properties.isWhitespace ? .space : .noSpace)
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: break
        default: classes.insert(.inLine)
        }
        return classes
    }
}

extension Unicode.GeneralCategory {
    /// The short names of the categories in the Unicode Character Database, by `number`.
    fileprivate static let names = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
        "Sm",
        "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    fileprivate var number: Int {
        switch self {
        case .uppercaseLetter: 0
        case .lowercaseLetter: 1
        case .titlecaseLetter: 2
        case .modifierLetter: 3
        case .otherLetter: 4
        case .nonspacingMark: 5
        case .spacingMark: 6
        case .enclosingMark: 7
        case .decimalNumber: 8
        case .letterNumber: 9
        case .otherNumber: 10
        case .connectorPunctuation: 11
        case .dashPunctuation: 12
        case .openPunctuation: 13
        case .closePunctuation: 14
        case .initialPunctuation: 15
        case .finalPunctuation: 16
        case .otherPunctuation: 17
        case .mathSymbol: 18
        case .currencySymbol: 19
        case .modifierSymbol: 20
        case .otherSymbol: 21
        case .spaceSeparator: 22
        case .lineSeparator: 23
        case .paragraphSeparator: 24
        case .control: 25
        case .format: 26
        case .surrogate: 27
        case .privateUse: 28
        case .unassigned: 29
        @unknown default: 29
        }
    }
}
