/// A token of a predicate's text.
struct PredicateToken {
    enum Kind: Hashable {
        case keyword(PredicateKeyword)
        /// A name that is no keyword, or any name after `#`.
        case name(String)
        /// A name with colons, like an Objective-C selector.
        case selector
        case string(String)
        case integer(Int64)
        case double(Double)
        /// A placeholder for a value: `%@` or a placeholder of C format strings, such as `%d`.
        case placeholder
        /// A placeholder for a field name: `%K`.
        case keyPlaceholder
        /// A variable: `$name`.
        case variable(String)
        case relation(PredicateSyntax.Relation)
        /// An operator on a collection: the name behind `.@`.
        case collection(String)
        /// One of the signs `(){}[],.*/`; after a value also `+` and `-`.
        case sign(UInt8)
        case end
    }

    var kind: Kind
    /// The offset of the first byte, in UTF-8 bytes from the start of the text.
    var start: Int
    /// The offset after the last byte.
    var end: Int

    var isRelation: Bool { if case .relation = kind { true } else { false } }

    func isSign(_ sign: Unicode.Scalar) -> Bool {
        kind == .sign(UInt8(ascii: sign))
    }
}

/// The keywords of predicates. Any combination of case is allowed. A field with such a name is written `#name`.
package enum PredicateKeyword: String, Hashable, CaseIterable {
    case and, or, not, any, some, all, none
    case `in`, between, contains, beginswith, endswith, like, matches, tokenmatches
    case null, nil_ = "nil", true_ = "true", false_ = "false", yes, no
    case self_ = "self", subquery, truepredicate, falsepredicate

    private static let byWord = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let longest = 14

    init?(_ word: some Collection<UInt8>) {
        guard word.count <= Self.longest else { return nil }
        // A string of at most 15 bytes needs no allocation.
        let lowered = String(decoding: word.lazy.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        guard let keyword = Self.byWord[lowered] else { return nil }
        self = keyword
    }

    /// Words that NSPredicate reserves and this grammar does not. The parser reads them as names. When a predicate is
    /// converted to text, `#` is put before them, so that NSPredicate can parse the text too.
    private static let reservedElsewhere: Set<String> = [
        "first", "last", "size", "anykey", "cast", "fetch", "caseinsensitive", "ci",
    ]

    /// Returns whether a name needs a `#` in the text of a predicate.
    package static func isReserved(_ name: String) -> Bool {
        PredicateKeyword(name.utf8) != nil || reservedElsewhere.contains(name.lowercased())
    }
}
