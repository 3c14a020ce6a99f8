extension JSONReader {
    /// Reads a string. The current byte must be its opening quote.
    ///
    /// - Throws: `JSONError` if the string is malformed or not UTF-8.
    mutating func string() throws(JSONError) -> JSONToken {
        let start = position
        guard start < end, bytes[start] == UInt8(ascii: "\"") else {
            throw JSONError("a string was expected", at: start)
        }
        var index = start &+ 1
        var kind = JSONKind.string
        while true {
            while end &- index >= 8 {
                let hits = Self.specials(
                    in: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
                if hits != 0 {
                    index &+= hits.trailingZeroBitCount &>> 3
                    break
                }
                index &+= 8
            }
            guard index < end else { throw JSONError("a string is not closed", at: start) }
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                position = index &+ 1
                return JSONToken(kind: kind, start: start, end: position)
            } else if byte == UInt8(ascii: "\\") {
                kind = .escapedString
                index = try escape(at: index).end
            } else if byte < 0x20 {
                throw JSONError("a control character in a string must be escaped", at: index)
            } else if byte >= 0x80 {
                index = try skipNonASCII(from: index)
            } else {
                index &+= 1
            }
        }
    }

    /// Sets bit 7 of each byte of a word that is a quote, a backslash, a control character or not ASCII.
    @inline(__always)
    static func specials(in word: UInt64) -> UInt64 {
        escapes(in: word) | word & 0x8080_8080_8080_8080
    }

    /// Sets bit 7 of each byte of a word that is a quote, a backslash or a control character.
    ///
    /// The subtraction may also set bit 7 of bytes above a matching byte, but never below one. So the lowest set bit is
    /// exact.
    @inline(__always)
    static func escapes(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let found =
            ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- (ones &* 0x20)) & ~word)
        return found & 0x8080_8080_8080_8080
    }

    /// Skips well-formed multibyte sequences (RFC 3629, section 4) up to the next ASCII byte.
    private func skipNonASCII(from start: Int) throws(JSONError) -> Int {
        var index = start
        while index < end, bytes[index] >= 0x80 {
            let lead = bytes[index]
            let length: Int
            let second: ClosedRange<UInt8>
            switch lead {
            case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            default: throw JSONError("a string is not UTF-8", at: index)
            }
            guard end &- index >= length, second.contains(bytes[index &+ 1]) else {
                throw JSONError("a string is not UTF-8", at: index)
            }
            if length > 2, bytes[index &+ 2] & 0xC0 != 0x80 { throw JSONError("a string is not UTF-8", at: index) }
            if length > 3, bytes[index &+ 3] & 0xC0 != 0x80 { throw JSONError("a string is not UTF-8", at: index) }
            index &+= length
        }
        return index
    }

    /// Reads the escape whose backslash is at `start`.
    private func escape(at start: Int) throws(JSONError) -> (scalar: UInt32, end: Int) {
        guard start &+ 1 < end else { throw JSONError("a string is not closed", at: start) }
        switch bytes[start &+ 1] {
        case UInt8(ascii: "\""): return (0x22, start &+ 2)
        case UInt8(ascii: "\\"): return (0x5C, start &+ 2)
        case UInt8(ascii: "/"): return (0x2F, start &+ 2)
        case UInt8(ascii: "b"): return (0x08, start &+ 2)
        case UInt8(ascii: "f"): return (0x0C, start &+ 2)
        case UInt8(ascii: "n"): return (0x0A, start &+ 2)
        case UInt8(ascii: "r"): return (0x0D, start &+ 2)
        case UInt8(ascii: "t"): return (0x09, start &+ 2)
        case UInt8(ascii: "u"): break
        default: throw JSONError("an escape is unknown", at: start)
        }
        let unit = try hexadecimals(at: start &+ 2)
        switch unit {
        case 0xD800...0xDBFF:
            guard end &- start >= 12, bytes[start &+ 6] == UInt8(ascii: "\\"), bytes[start &+ 7] == UInt8(ascii: "u")
            else { throw JSONError("a surrogate has no partner", at: start) }
            let low = try hexadecimals(at: start &+ 8)
            guard (0xDC00...0xDFFF).contains(low) else { throw JSONError("a surrogate has no partner", at: start) }
            return (0x10000 &+ ((unit &- 0xD800) &<< 10) &+ (low &- 0xDC00), start &+ 12)
        case 0xDC00...0xDFFF: throw JSONError("a surrogate has no partner", at: start)
        default: return (unit, start &+ 6)
        }
    }

    private func hexadecimals(at start: Int) throws(JSONError) -> UInt32 {
        guard end &- start >= 4 else { throw JSONError("an escape is cut off", at: start) }
        var unit: UInt32 = 0
        for index in start..<(start &+ 4) {
            let byte = bytes[index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
            default: throw JSONError("an escape needs four hexadecimal digits", at: index)
            }
            unit = unit &<< 4 | UInt32(digit)
        }
        return unit
    }

    /// Returns the text of a scanned string.
    func string(_ token: JSONToken) -> String {
        if token.kind == .string {
            return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[token.content]), as: UTF8.self)
        }
        return String(decoding: unescaped(token), as: UTF8.self)
    }

    /// Returns the text of a scanned string as UTF-8.
    func unescaped(_ token: JSONToken) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(token.count)
        var index = token.start &+ 1
        let last = token.end &- 1
        while index < last {
            // The scan has validated every escape, so this call cannot fail.
            if bytes[index] == UInt8(ascii: "\\"), let (scalar, end) = try? escape(at: index) {
                appendUTF8(scalar, to: &text)
                index = end
            } else {
                text.append(bytes[index])
                index &+= 1
            }
        }
        return text
    }

    private func appendUTF8(_ scalar: UInt32, to text: inout [UInt8]) {
        switch scalar {
        case 0..<0x80: text.append(UInt8(scalar))
        case 0x80..<0x800:
            text.append(UInt8(0xC0 | scalar &>> 6))
            text.append(UInt8(0x80 | scalar & 0x3F))
        case 0x800..<0x10000:
            text.append(UInt8(0xE0 | scalar &>> 12))
            text.append(UInt8(0x80 | (scalar &>> 6) & 0x3F))
            text.append(UInt8(0x80 | scalar & 0x3F))
        default:
            text.append(UInt8(0xF0 | scalar &>> 18))
            text.append(UInt8(0x80 | (scalar &>> 12) & 0x3F))
            text.append(UInt8(0x80 | (scalar &>> 6) & 0x3F))
            text.append(UInt8(0x80 | scalar & 0x3F))
        }
    }
}
