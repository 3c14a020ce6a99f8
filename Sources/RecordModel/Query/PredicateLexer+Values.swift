/// Tokens for numbers and strings. All errors are `BAD_REQUEST`.
extension PredicateLexer {
    /// Reads a number with an optional sign: decimal with fraction and exponent, `0x`, `0o` or `0b`. As in JSON, an
    /// integer outside Int64 becomes the nearest double.
    mutating func number() throws(RecordError) -> PredicateToken.Kind {
        let start = position
        let isNegative = peek() == UInt8(ascii: "-")
        if isNegative || peek() == UInt8(ascii: "+") { position += 1 }
        guard let first = peek(), Self.isDigit(first) else {
            position = start
            throw unexpected(at: start, "a number, or an operator")
        }
        let kind: PredicateToken.Kind
        switch (first, peek(1).map { $0 | 0x20 }) {
        case (UInt8(ascii: "0"), UInt8(ascii: "x")?): kind = try integer(bitsPerDigit: 4, isNegative: isNegative)
        case (UInt8(ascii: "0"), UInt8(ascii: "o")?): kind = try integer(bitsPerDigit: 3, isNegative: isNegative)
        case (UInt8(ascii: "0"), UInt8(ascii: "b")?): kind = try integer(bitsPerDigit: 1, isNegative: isNegative)
        default: kind = try decimal(from: start, digits: position)
        }
        if let byte = peek(), Self.isNameByte(byte) { throw unexpected(at: position, "the end of the number") }
        return kind
    }

    private mutating func decimal(from start: Int, digits: Int) throws(RecordError) -> PredicateToken.Kind {
        skipDigits()
        var isInteger = true
        if peek() == UInt8(ascii: "."), let byte = peek(1), Self.isDigit(byte) {
            isInteger = false
            position += 1
            skipDigits()
        }
        if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            position += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            guard let digit = peek(), Self.isDigit(digit) else { throw unexpected(at: position, "an exponent") }
            skipDigits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        guard let double = Double(text), double.isFinite else {
            throw .predicateSyntax(at: start, found: text.clipped, expected: "a number in the range of DOUBLE")
        }
        return .double(double)
    }

    private mutating func skipDigits() {
        while let byte = peek(), Self.isDigit(byte) { position += 1 }
    }

    private mutating func integer(bitsPerDigit: UInt64, isNegative: Bool) throws(RecordError) -> PredicateToken.Kind {
        let prefix = position
        position += 2
        var magnitude: UInt64 = 0
        let first = position
        while let byte = peek(), let digit = Self.hexDigit(byte), digit < 1 << bitsPerDigit {
            guard magnitude.leadingZeroBitCount >= Int(bitsPerDigit) else {
                throw .predicateSyntax(at: prefix, found: "a longer number", expected: "a number of 64 bits")
            }
            magnitude = magnitude << bitsPerDigit | digit
            position += 1
        }
        guard position > first else { throw unexpected(at: position, "a digit") }
        if isNegative, magnitude <= Int64.min.magnitude { return .integer(Int64(truncatingIfNeeded: 0 &- magnitude)) }
        if !isNegative, let integer = Int64(exactly: magnitude) { return .integer(integer) }
        return .double(isNegative ? -Double(magnitude) : Double(magnitude))
    }

    private static func hexDigit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte &- UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte &- UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte &- UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    /// Reads a string in single or double quotes and resolves its escapes.
    mutating func string() throws(RecordError) -> String {
        let start = position
        let quote = bytes[start]
        position += 1
        var text: [UInt8] = []
        while let byte = peek() {
            if byte == quote {
                position += 1
                return String(decoding: text, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                text.append(contentsOf: try escape().utf8)
            } else {
                text.append(byte)
                position += 1
            }
        }
        throw .predicateSyntax(
            at: bytes.count, found: "end of the condition",
            expected: "the quote that closes the string at byte \(start)")
    }

    private mutating func escape() throws(RecordError) -> String {
        let start = position
        position += 2
        guard start + 1 < bytes.count else { throw unexpected(at: bytes.count, "an escape") }
        switch bytes[start + 1] {
        case UInt8(ascii: "'"): return "'"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default:
            throw unexpected(at: start + 1, "an escape: \\' \\\" \\\\ \\n \\r \\t or \\u and four hexadecimal digits")
        }
        var code = try codeUnit()
        if (0xD800..<0xDC00).contains(code), peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: "u") {
            position += 2
            let low = try codeUnit()
            guard (0xDC00..<0xE000).contains(low) else { throw Self.loneSurrogate(at: start) }
            code = 0x1_0000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw Self.loneSurrogate(at: start) }
        return String(Character(scalar))
    }

    /// Reads the four digits of a `\u` escape.
    private mutating func codeUnit() throws(RecordError) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Self.hexDigit(byte) else {
                throw unexpected(at: position, "four hexadecimal digits")
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }

    private static func loneSurrogate(at offset: Int) -> RecordError {
        .predicateSyntax(at: offset, found: "half of a surrogate pair", expected: "a Unicode scalar")
    }
}
