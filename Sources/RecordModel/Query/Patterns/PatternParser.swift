internal import UnicodeText

/// A pattern that cannot be used, with the offset in scalars and the reason.
struct PatternProblem: Error {
    var offset: Int
    var reason: String
}

/// A recursive-descent parser for the regular expressions of MATCHES.
///
/// The syntax is that of ICU, without the constructs that cannot be matched in linear time:
///
/// ```
/// choice   = sequence { "|" sequence }
/// sequence = { part [ "*" | "+" | "?" | "{" n [ "," [ n ] ] "}" ] [ "?" ] }
/// part     = scalar | "." | set | escape | "^" | "$" | "(" [ "?:" | "?<" name ">" ] choice ")"
/// set      = "[" [ "^" ] { scalar [ "-" scalar ] | escape } "]"
/// escape   = "\\" ( "d" | "D" | "w" | "W" | "s" | "S" | "b" | "B" | "p{" category "}" | "P{" category "}"
///          | "t" | "n" | "r" | "f" | "u" 4 hex | "x{" hex "}" | punctuation )
/// ```
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private let folding: TextFolding
    private var position = 0
    private var depth = 0

    private static let maxDepth = 32
    /// The most times that a part can be counted, as in `x{1000}`.
    private static let maxCount = 1_000

    /// - Parameter folding: The folding of the texts that the pattern is compared with.
    init(_ pattern: String, folding: TextFolding) {
        // A folded text is in NFC.
        scalars = Array((folding.isEmpty ? pattern : pattern.nfc).unicodeScalars)
        self.folding = folding
    }

    mutating func parse() throws(PatternProblem) -> PatternSyntax {
        let syntax = try choice()
        if let scalar = peek() { throw problem("nothing opens this '\(scalar)'") }
        return syntax
    }

    private mutating func choice() throws(PatternProblem) -> PatternSyntax {
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(PatternProblem) -> PatternSyntax {
        var parts: [PatternSyntax] = []
        while let scalar = peek(), scalar != "|", scalar != ")" { parts.append(try repeated(try part())) }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func repeated(_ part: PatternSyntax) throws(PatternProblem) -> PatternSyntax {
        let counts: (least: Int, most: Int?)
        switch peek() {
        case "*": counts = (0, nil)
        case "+": counts = (1, nil)
        case "?": counts = (0, 1)
        case "{": return try counted(part)
        default: return part
        }
        position += 1
        return try finished(.repeated(part, least: counts.least, most: counts.most))
    }

    private mutating func counted(_ part: PatternSyntax) throws(PatternProblem) -> PatternSyntax {
        let start = position
        position += 1
        guard let least = number() else { throw problem("a number was expected, as in x{2,5}") }
        var most: Int? = least
        if take(",") { most = peek() == "}" ? nil : number() ?? -1 }
        guard take("}") else { throw problem("a closing brace was expected, as in x{2,5}") }
        guard least <= Self.maxCount, (most ?? 0) <= Self.maxCount, most.map({ $0 >= least }) ?? true else {
            position = start
            throw problem("counts go from 0 to \(Self.maxCount), the smaller one first")
        }
        return try finished(.repeated(part, least: least, most: most))
    }

    /// Reads the `?` that makes a repetition reluctant. It does not change whether a text matches.
    private mutating func finished(_ syntax: PatternSyntax) throws(PatternProblem) -> PatternSyntax {
        _ = take("?")
        if let scalar = peek(), ["*", "+", "?", "{"].contains(scalar) {
            throw problem(scalar == "+" ? "possessive repetition is not supported" : "nothing to repeat")
        }
        return syntax
    }

    private mutating func part() throws(PatternProblem) -> PatternSyntax {
        guard let scalar = peek() else { return .empty }
        switch scalar {
        case "(": return try group()
        case "[": return .set(try set())
        case "\\": return try escape()
        case "*", "+", "?", "{": throw problem("nothing to repeat")
        default: break
        }
        position += 1
        switch scalar {
        case ".": return .set(ScalarSet(.inLine))
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        default: return literal(scalar)
        }
    }

    private mutating func group() throws(PatternProblem) -> PatternSyntax {
        guard depth < Self.maxDepth else { throw problem("groups are nested too deep") }
        depth += 1
        defer { depth -= 1 }
        let start = position
        position += 1
        if take("?") {
            switch peek() {
            case ":": position += 1
            case "<" where peek(1) != "=" && peek(1) != "!":
                while peek() ?? ">" != ">" { position += 1 }
                guard take(">") else { throw problem("the name of the group ends with >") }
            case "=", "!", "<": throw problem("looking ahead or behind is not supported", at: start)
            case "i": throw problem("write MATCHES[c] to ignore case", at: start)
            default: throw problem("this kind of group is not supported", at: start)
            }
        }
        let syntax = try choice()
        guard take(")") else { throw problem("a closing parenthesis was expected") }
        return syntax
    }

    // MARK: Scalars and sets

    /// Returns the syntax for one scalar of the pattern, folded like the texts.
    private func literal(_ scalar: Unicode.Scalar) -> PatternSyntax {
        guard !folding.isEmpty else { return .scalar(scalar) }
        if scalar.isASCII {
            let isCapital = folding.contains(.caseInsensitive) && (0x41...0x5A).contains(scalar.value)
            return .scalar(isCapital ? Unicode.Scalar(scalar.value | 0x20) ?? scalar : scalar)
        }
        let folded = String(decoding: folding.fold(Array(String(Character(scalar)).utf8)), as: UTF8.self)
        let parts = folded.unicodeScalars.map { PatternSyntax.scalar($0) }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .empty : .sequence(parts)
    }

    private mutating func escape() throws(PatternProblem) -> PatternSyntax {
        switch peek(1) {
        case "b":
            position += 2
            return .assertion(.wordBoundary)
        case "B":
            position += 2
            return .assertion(.noWordBoundary)
        default: break
        }
        switch try escaped() {
        case .scalar(let scalar): return literal(scalar)
        case .member(let member):
            var set = ScalarSet(member)
            set.ignoresCase = folding.contains(.caseInsensitive)
            return .set(set)
        }
    }

    private enum Escaped {
        case scalar(Unicode.Scalar)
        case member(ScalarClasses)
    }

    /// Reads an escape that stands for a scalar or a class.
    private mutating func escaped() throws(PatternProblem) -> Escaped {
        let start = position
        position += 1
        guard let scalar = peek() else { throw problem("an escape was expected after \\", at: start) }
        position += 1
        switch scalar {
        case "d": return .member(.digit)
        case "D": return .member(.noDigit)
        case "w": return .member(.word)
        case "W": return .member(.noWord)
        case "s": return .member(.space)
        case "S": return .member(.noSpace)
        case "p", "P": return .member(try category(isNegated: scalar == "P", from: start))
        case "t": return .scalar("\t")
        case "n": return .scalar("\n")
        case "r": return .scalar("\r")
        case "f": return .scalar("\u{0C}")
        case "u": return .scalar(try code(digits: 4, from: start))
        case "x":
            guard take("{") else { throw problem("a code was expected, as in \\x{1F600}", at: start) }
            let scalar = try code(digits: nil, from: start)
            guard take("}") else { throw problem("a code was expected, as in \\x{1F600}", at: start) }
            return .scalar(scalar)
        case "1"..."9": throw problem("references to groups are not supported", at: start)
        default:
            // Letters and digits may get a meaning later.
            guard !ScalarClasses(of: scalar).contains(.word) else {
                throw problem("the escape \\\(scalar) is unknown", at: start)
            }
            return .scalar(scalar)
        }
    }

    private mutating func category(isNegated: Bool, from start: Int) throws(PatternProblem) -> ScalarClasses {
        var name = ""
        guard take("{") else { throw problem("a category was expected, as in \\p{L}", at: start) }
        while let scalar = peek(), scalar != "}" {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take("}"), let category = ScalarClasses(category: name) else {
            throw problem("a category of Unicode was expected, as in \\p{L} or \\p{Lu}", at: start)
        }
        return isNegated ? category.otherCategories : category
    }

    private mutating func code(digits: Int?, from start: Int) throws(PatternProblem) -> Unicode.Scalar {
        var value: UInt32 = 0
        var count = 0
        while count < digits ?? 6, let digit = peek()?.hexDigit {
            value = value << 4 | digit
            count += 1
            position += 1
        }
        guard count == digits ?? max(count, 1), let scalar = Unicode.Scalar(value) else {
            throw problem("the code of a Unicode scalar was expected", at: start)
        }
        return scalar
    }

    private mutating func set() throws(PatternProblem) -> ScalarSet {
        let start = position
        var set = ScalarSet()
        set.ignoresCase = folding.contains(.caseInsensitive)
        position += 1
        set.isNegated = take("^")
        repeat {
            guard let scalar = peek() else { throw problem("nothing closes this set", at: start) }
            if scalar == "[" || (scalar == "&" && peek(1) == "&") {
                throw problem("sets within sets are not supported; write \\\(scalar) for the sign")
            }
            guard let first = try bound(&set) else { continue }
            guard peek() == "-", let next = peek(1), next != "]" else {
                set.insert(first.value...first.value)
                continue
            }
            let dash = position
            position += 1
            guard let last = try bound(&set), last >= first else {
                throw problem("a range goes from a scalar to a larger one", at: dash)
            }
            set.insert(first.value...last.value)
        } while peek() != "]"
        position += 1
        set.finish()
        return set
    }

    /// Reads one end of a range. A class is added to the set instead, and the result is `nil`.
    private mutating func bound(_ set: inout ScalarSet) throws(PatternProblem) -> Unicode.Scalar? {
        guard let scalar = peek() else { throw problem("nothing closes the set") }
        guard scalar == "\\" else {
            position += 1
            return scalar
        }
        switch try escaped() {
        case .scalar(let scalar): return scalar
        case .member(let member):
            set.formUnion(member)
            return nil
        }
    }

    // MARK: Reading

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        position += 1
        return true
    }

    private mutating func number() -> Int? {
        let start = position
        var value = 0
        while let digit = peek()?.value, digit &- 0x30 < 10 {
            value = min(value * 10 + Int(digit - 0x30), Self.maxCount + 1)
            position += 1
        }
        return position == start ? nil : value
    }

    private func problem(_ reason: String, at offset: Int? = nil) -> PatternProblem {
        PatternProblem(offset: offset ?? position, reason: reason)
    }
}

extension Unicode.Scalar {
    fileprivate var hexDigit: UInt32? {
        switch value {
        case 0x30...0x39: value - 0x30
        case 0x41...0x46: value - 0x37
        case 0x61...0x66: value - 0x57
        default: nil
        }
    }
}
