/// One word, value or sign of a condition's text.
struct PredicateToken {
    enum Kind: Hashable {
        case keyword(PredicateKeyword)
        /// A name that is no keyword, or one behind `#`.
        case name(String)
        /// A name with colons, as functions of Objective-C have.
        case selector
        case string(String)
        case integer(Int64)
        case double(Double)
        /// `%@` and the C forms.
        case placeholder
        /// `%K`
        case keyPlaceholder
        /// `$name`
        case variable(String)
        case relation(PredicateSyntax.Relation)
        /// One of `(){}[],.`
        case sign(UInt8)
        case end
    }

    var kind: Kind
    /// In UTF-8 bytes from the start of the text.
    var start: Int
    var end: Int

    var isRelation: Bool { if case .relation = kind { true } else { false } }

    func isSign(_ sign: Unicode.Scalar) -> Bool {
        kind == .sign(UInt8(ascii: sign))
    }
}

/// The words that stand for something other than a field, in any case. A field with such a name is written `#name`.
package enum PredicateKeyword: String, Hashable, CaseIterable {
    case and, or, not, any, some, all, none
    case `in`, between, contains, beginswith, endswith, like, matches, tokenmatches
    case null, nil_ = "nil", true_ = "true", false_ = "false", yes, no
    case self_ = "self", subquery, truepredicate, falsepredicate

    private static let byWord = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let longest = 14

    init?(_ word: some Collection<UInt8>) {
        guard word.count <= Self.longest else { return nil }
        // Fifteen bytes at most fit a string without an allocation.
        let lowered = String(decoding: word.lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        guard let keyword = Self.byWord[lowered] else { return nil }
        self = keyword
    }

    /// Words that NSPredicate reserves and this grammar does not need: they are read as names, and written with `#` for
    /// those who copy the text.
    private static let reservedElsewhere: Set<String> = [
        "first", "last", "size", "anykey", "cast", "fetch", "caseinsensitive", "ci",
    ]

    /// Whether a name needs its `#`.
    package static func isReserved(_ name: String) -> Bool {
        PredicateKeyword(name.utf8) != nil || reservedElsewhere.contains(name.lowercased())
    }
}
