/// Splits the text of a predicate into tokens. All errors are `BAD_REQUEST`.
struct PredicateLexer {
    let bytes: [UInt8]
    var position = 0
    /// Whether `+` and `-` are signs of their own, and no part of a number.
    var readsSigns = false

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the next token. At the end of the text, each call returns `end`.
    mutating func next() throws(RecordError) -> PredicateToken {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        let start = position
        let kind = try kind()
        return PredicateToken(kind: kind, start: start, end: position)
    }

    private mutating func kind() throws(RecordError) -> PredicateToken.Kind {
        guard let byte = peek() else { return .end }
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            return word()
        case UInt8(ascii: "+") where readsSigns, UInt8(ascii: "-") where readsSigns:
            position += 1
            return .sign(byte)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            return try number()
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "%"): return try placeholder()
        case UInt8(ascii: "$"): return .variable(try name(behind: "a variable's name after $"))
        case UInt8(ascii: "#"): return .name(try name(behind: "a field's name after #"))
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"): return relation(byte)
        case UInt8(ascii: "&"), UInt8(ascii: "|"):
            guard peek(1) == byte else {
                throw unexpected(at: position, byte == UInt8(ascii: "&") ? "AND, written &&" : "OR, written ||")
            }
            position += 2
            return .keyword(byte == UInt8(ascii: "&") ? .and : .or)
        case UInt8(ascii: ".") where peek(1) == UInt8(ascii: "@"):
            position += 1
            return .collection(try name(behind: "an operator on a list, such as @count"))
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "*"), UInt8(ascii: "/"):
            position += 1
            return .sign(byte)
        case 0x80... where scalar(at: position)?.isIdentifierStart == true: return word()
        default: throw unexpected(at: position, Self.instead(of: byte))
        }
    }

    /// Returns the replacement for a sign that other query languages use, for the error message.
    private static func instead(of byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "~"), UInt8(ascii: "^"):
            "an operator: BEGINSWITH, CONTAINS, ENDSWITH, LIKE or MATCHES for strings"
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"):
            "a placeholder: %@ for the next of the arguments, or $name for a named one"
        case UInt8(ascii: "`"): "a field's name; one that is a keyword is written #name"
        default: "a name, a value or an operator"
        }
    }

    private mutating func relation(_ first: UInt8) -> PredicateToken.Kind {
        let second = peek(1)
        let (relation, length): (PredicateSyntax.Relation?, Int) =
            switch (first, second) {
            case (UInt8(ascii: "="), UInt8(ascii: "=")): (.equal, 2)
            case (UInt8(ascii: "="), UInt8(ascii: "<")): (.lessOrEqual, 2)
            case (UInt8(ascii: "="), UInt8(ascii: ">")): (.greaterOrEqual, 2)
            case (UInt8(ascii: "="), _): (.equal, 1)
            case (UInt8(ascii: "!"), UInt8(ascii: "=")): (.unequal, 2)
            case (UInt8(ascii: "<"), UInt8(ascii: "=")): (.lessOrEqual, 2)
            case (UInt8(ascii: "<"), UInt8(ascii: ">")): (.unequal, 2)
            case (UInt8(ascii: "<"), _): (.less, 1)
            case (UInt8(ascii: ">"), UInt8(ascii: "=")): (.greaterOrEqual, 2)
            case (UInt8(ascii: ">"), _): (.greater, 1)
            default: (nil, 1)
            }
        position += length
        return relation.map { .relation($0) } ?? .keyword(.not)
    }

    private mutating func word() -> PredicateToken.Kind {
        let start = position
        skipName()
        let word = bytes[start..<position]
        if peek() == UInt8(ascii: ":") {
            while let byte = peek(), Self.isNameByte(byte) || byte == UInt8(ascii: ":") { position += 1 }
            return .selector
        }
        if let keyword = PredicateKeyword(word) { return .keyword(keyword) }
        return .name(String(decoding: word, as: UTF8.self))
    }

    /// Reads a name after a one-byte sign.
    private mutating func name(behind expected: String) throws(RecordError) -> String {
        position += 1
        let start = position
        skipName()
        guard start < position, !Self.isDigit(bytes[start]) else { throw unexpected(at: start, expected) }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Skips letters, digits and underscores of any script.
    private mutating func skipName() {
        while let byte = peek() {
            if Self.isNameByte(byte) {
                position += 1
            } else if byte >= 0x80, let scalar = scalar(at: position), scalar.isIdentifierPart {
                position += UTF8.width(scalar)
            } else {
                return
            }
        }
    }

    /// Returns the scalar whose first byte is at an offset.
    private func scalar(at offset: Int) -> Unicode.Scalar? {
        String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    }

    private mutating func placeholder() throws(RecordError) -> PredicateToken.Kind {
        let start = position
        position += 1
        if peek() == UInt8(ascii: "@") {
            position += 1
            return .placeholder
        }
        while let byte = peek(), Self.isNameByte(byte) { position += 1 }
        let word = bytes[(start + 1)..<position]
        if word.elementsEqual([UInt8(ascii: "K")]) { return .keyPlaceholder }
        guard word.count <= 3, Self.placeholders.contains(String(decoding: word, as: UTF8.self)) else {
            position = start
            throw unexpected(at: start, "a placeholder: %@, %K or a C form such as %d")
        }
        return .placeholder
    }

    /// The placeholders of C format strings. Like `%@`, each takes an argument of any type.
    private static let placeholders: Set<String> = [
        "d", "i", "u", "x", "X", "o", "ld", "li", "lu", "lx", "lld", "lli", "llu", "llx", "zd", "zu", "f", "lf", "e",
        "g",
    ]

    func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    /// Returns an error about the scalar at an offset.
    func unexpected(at offset: Int, _ expected: String) -> RecordError {
        guard offset < bytes.count else {
            return .predicateSyntax(at: offset, found: "end of the condition", expected: expected)
        }
        let found = scalar(at: offset).map { String(Character($0)) } ?? ""
        return .predicateSyntax(at: offset, found: found, expected: expected)
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
    static func isNameByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || (byte | 0x20) &- UInt8(ascii: "a") < 26
    }
}
