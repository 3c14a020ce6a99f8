internal import TextSearch
internal import UnicodeText

/// A recursive-descent parser for predicates, with one token of lookahead. All errors are `BAD_REQUEST`, with the cause
/// `TOO_LARGE` for an exceeded limit.
struct PredicateParser {
    var lexer: PredicateLexer
    var token = PredicateToken(kind: .end, start: 0, end: 0)
    /// The number of placeholders so far.
    var placeholders = 0
    private var conditions = 0
    private var depth = 0
    /// Whether a unit of length may stand behind a number.
    var readsLengths = false
    /// The number of members of all lists so far.
    var members = 0

    init(_ bytes: [UInt8]) {
        lexer = PredicateLexer(bytes)
    }

    mutating func parse() throws(RecordError) -> PredicateSyntax {
        try advance()
        if token.kind == .end { return PredicateSyntax(root: .constant(true), placeholders: 0, conditions: 0) }
        let root = try disjunction()
        guard token.kind == .end else { throw unexpected("AND, OR or the end") }
        return PredicateSyntax(root: root, placeholders: placeholders, conditions: conditions)
    }

    private mutating func disjunction() throws(RecordError) -> PredicateSyntax.Node {
        var parts = [try conjunction()]
        let offset = token.start
        while token.kind == .keyword(.or) {
            try advance()
            parts.append(try conjunction())
        }
        return parts.count == 1 ? parts[0] : .or(parts, offset: offset)
    }

    private mutating func conjunction() throws(RecordError) -> PredicateSyntax.Node {
        var parts = [try negation()]
        while token.kind == .keyword(.and) {
            try advance()
            parts.append(try negation())
        }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    /// Parses any number of NOTs. Two NOTs cancel each other.
    private mutating func negation() throws(RecordError) -> PredicateSyntax.Node {
        var isNegated = false
        let offset = token.start
        while token.kind == .keyword(.not) {
            isNegated.toggle()
            try advance()
        }
        let node = try primary()
        return isNegated ? .not(node, offset: offset) : node
    }

    private mutating func primary() throws(RecordError) -> PredicateSyntax.Node {
        if token.isSign("(") { return try group() }
        try countCondition()
        switch token.kind {
        case .keyword(.truepredicate):
            try advance()
            return .constant(true)
        case .keyword(.falsepredicate):
            try advance()
            return .constant(false)
        default: return try comparison()
        }
    }

    /// Counts a test, or an operation on numbers.
    mutating func countCondition() throws(RecordError) {
        guard conditions < Limits.conditions else {
            throw .conditionTooLarge("The condition has too many tests", limit: Limits.conditions, at: location)
        }
        conditions += 1
    }

    private mutating func group() throws(RecordError) -> PredicateSyntax.Node {
        try enterGroup()
        let node = try disjunction()
        try take(")", "AND, OR or a closing parenthesis")
        leaveGroup()
        return node
    }

    /// Advances over an opening parenthesis.
    mutating func enterGroup() throws(RecordError) {
        guard depth < Limits.conditionDepth else {
            throw .conditionTooLarge("The condition is nested too deep", limit: Limits.conditionDepth, at: location)
        }
        depth += 1
        try advance()
    }

    mutating func leaveGroup() {
        depth -= 1
    }

    private mutating func comparison() throws(RecordError) -> PredicateSyntax.Node {
        var quantifier: PredicateSyntax.Quantifier?
        switch token.kind {
        case .keyword(.any), .keyword(.some): quantifier = .any
        case .keyword(.none): quantifier = PredicateSyntax.Quantifier.none
        case .keyword(.all): quantifier = .all
        default: break
        }
        if quantifier != nil { try advance() }
        let left = try operand()
        var comparison = PredicateSyntax.Comparison(
            quantifier: quantifier, left: left, operation: .relation(.equal), offset: token.start, right: left)
        if isWord("is") { return try nullTest(comparison) }
        // SQL writes `x NOT IN {…}` for `NOT x IN {…}`.
        let isNegated = token.kind == .keyword(.not)
        let offset = token.start
        if isNegated {
            try advance()
            guard !token.isRelation else { throw unexpected("IN, BETWEEN, CONTAINS or another word after NOT") }
        }
        comparison.offset = token.start
        (comparison.operation, comparison.folding) = try operation()
        readsLengths = left.form.isDistance
        defer { readsLengths = false }
        comparison.right = try PlaceSyntax.length(of: try operand(isList: comparison.operation.takesList), &self)
        return isNegated ? .not(.comparison(comparison), offset: offset) : .comparison(comparison)
    }

    /// Parses SQL's `x IS NULL` and `x IS NOT NULL`, for `x == NULL` and `x != NULL`.
    private mutating func nullTest(
        _ comparison: PredicateSyntax.Comparison
    ) throws(RecordError) -> PredicateSyntax.Node {
        var comparison = comparison
        try advance()
        if token.kind == .keyword(.not) {
            comparison.operation = .relation(.unequal)
            try advance()
        }
        guard token.kind == .keyword(.null) || token.kind == .keyword(.nil_) else {
            throw unexpected("NULL or NOT NULL; other values are compared with == and !=")
        }
        comparison.right = PredicateSyntax.Operand(form: .literal(.null), offset: token.start)
        try advance()
        return .comparison(comparison)
    }

    /// Returns whether the token is a given word that is a keyword only at this position.
    private func isWord(_ word: String) -> Bool {
        if case .name(let name) = token.kind { name.lowercased() == word } else { false }
    }

    /// Parses an operator with its modifiers, and advances to the token after it.
    private mutating func operation() throws(RecordError) -> (PredicateSyntax.Operation, TextFolding) {
        let operation: PredicateSyntax.Operation
        switch token.kind {
        case .relation(let relation): operation = .relation(relation)
        case .keyword(.in): operation = .isIn
        case .keyword(.between): operation = .isBetween
        case .keyword(.contains): operation = .contains
        case .keyword(.beginswith): operation = .beginsWith
        case .keyword(.endswith): operation = .endsWith
        case .keyword(.like): operation = .like
        case .keyword(.matches): operation = .matches
        case .keyword(.tokenmatches): return (.containsTokens(.all), try searchModifiers())
        case .name(let name) where name.lowercased() == "contains_any_tokens":
            return (.containsTokens(.any), try searchModifiers())
        case .name(let name) where name.lowercased() == "contains_all_tokens":
            return (.containsTokens(.all), try searchModifiers())
        case .name(let name) where Self.textWords.contains(name.lowercased()):
            throw unexpected(Self.textOperators)
        default:
            if token.isSign("[") { throw unavailable("An index into a list", "an operator") }
            throw unexpected("an operator, such as == or IN")
        }
        try advance()
        guard token.isSign("["), !operation.takesList || areModifiers else { return (operation, []) }
        return (operation, try folding())
    }

    /// Advances over an operator of a search and its modifiers. A search always ignores case and diacritics.
    private mutating func searchModifiers() throws(RecordError) -> TextFolding {
        try advance()
        guard token.isSign("[") else { return [] }
        guard areModifiers else { throw unexpected("modifiers such as [cd], or a text") }
        repeat { try advance() } while !token.isSign("]")
        try advance()
        return []
    }

    /// Parses the modifiers at the current token, such as `[cd]`, and advances to the token after them.
    private mutating func folding() throws(RecordError) -> TextFolding {
        var folding: TextFolding = []
        let words = modifiers()
        guard words.count > 2, words.last == "]" else { throw unexpected("modifiers such as [c], [d] or [cd]") }
        for letter in words.dropFirst().dropLast() {
            switch letter {
            case "c", "C": folding.insert(.caseInsensitive)
            case "d", "D": folding.insert(.diacriticInsensitive)
            case "n", "N": continue
            default:
                throw .condition(
                    letter == "l" || letter == "L"
                        ? "The modifier l depends on a language, which the server does not have. Write [c], [d] or [cd]"
                        : "The modifiers are c, to ignore case, and d, to ignore diacritics",
                    at: location, found: words, expected: "[c], [d] or [cd]")
            }
        }
        repeat { try advance() } while !token.isSign("]")
        try advance()
        return folding
    }

    /// Advice for unsupported pattern operators, for error messages.
    private static let textOperators = "BEGINSWITH, CONTAINS, ENDSWITH, LIKE or MATCHES, or == for all of a string"
    /// String operators of other query languages.
    private static let textWords: Set<String> = ["ilike", "startswith", "starts", "glob", "regexp", "similar"]

    /// Whether the brackets at the current token contain comparison modifiers, such as `[cd]`, instead of a list.
    private var areModifiers: Bool {
        // A list in brackets contains values: no word of these letters is one.
        let letters = modifiers().lowercased().dropFirst().dropLast()
        return !letters.isEmpty && letters.allSatisfy { "cdln".contains($0) }
    }

    /// Returns the text of the brackets at the current token, for the error message.
    private func modifiers() -> String {
        let rest = lexer.bytes[token.start...].prefix(8)
        let end = rest.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } ?? token.end
        return String(decoding: lexer.bytes[token.start..<end], as: UTF8.self)
    }

    mutating func advance() throws(RecordError) {
        token = try lexer.next()
    }

    /// Skips a required sign.
    ///
    /// - Throws: `BAD_REQUEST` for another token.
    mutating func take(_ sign: Unicode.Scalar, _ expected: String) throws(RecordError) {
        guard token.isSign(sign) else { throw unexpected(expected) }
        try advance()
    }

    var location: PredicateLocation { PredicateLocation(offset: token.start) }

    /// The text of the current token, for error messages.
    var found: String {
        token.kind == .end
            ? "end of the condition"
            : String(decoding: lexer.bytes[token.start..<token.end], as: UTF8.self).clipped
    }

    func unexpected(_ expected: String) -> RecordError {
        .predicateSyntax(at: token.start, found: found, expected: expected)
    }

    /// Returns an error for a construct of the predicate language that this version lacks.
    func unavailable(_ construct: String, _ expected: String, found: String? = nil) -> RecordError {
        .condition(
            "\(construct) is not available in this version. Expected here: \(expected)", at: location,
            found: found ?? self.found, expected: expected)
    }
}
