/// Appends JSON to bytes, without spaces and with only the escapes that RFC 8259 requires.
extension [UInt8] {
    /// Appends ASCII that needs no escaping, such as `{"fields":`.
    @inline(__always)
    package mutating func appendLiteral(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends bytes without quotes and escapes.
    @inline(__always)
    package mutating func appendBytes(_ bytes: UnsafeRawBufferPointer) {
        append(contentsOf: bytes.assumingMemoryBound(to: UInt8.self))
    }

    /// Appends a string with quotes and escapes.
    package mutating func appendString(_ text: String) {
        var copy = text
        copy.withUTF8 { appendString(UnsafeRawBufferPointer($0)) }
    }

    /// Appends UTF-8 as a string with quotes and escapes. The caller must ensure that the bytes are UTF-8.
    package mutating func appendString(_ text: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        var copied = 0
        var index = 0
        while index < text.count {
            if text.count &- index >= 8 {
                let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                let hits = JSONReader.escapes(in: word)
                if hits == 0 {
                    index &+= 8
                    continue
                }
                index &+= hits.trailingZeroBitCount &>> 3
            }
            let byte = text[index]
            if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                index &+= 1
                continue
            }
            appendBytes(UnsafeRawBufferPointer(rebasing: text[copied..<index]))
            appendEscape(byte)
            index &+= 1
            copied = index
        }
        appendBytes(UnsafeRawBufferPointer(rebasing: text[copied..<text.count]))
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            appendLiteral("u00")
            append(UInt8(ascii: "0") &+ byte &>> 4)
            let low = byte & 0x0F
            append(low < 10 ? UInt8(ascii: "0") &+ low : UInt8(ascii: "a") &+ low &- 10)
        }
    }

    /// Appends an integer in decimal.
    package mutating func appendInteger(_ number: Int64) {
        if number < 0 { append(UInt8(ascii: "-")) }
        var rest = number.magnitude
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        repeat {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            first &-= 1
            digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: remainder)
            rest = quotient
        } while rest != 0
        digits.span.withUnsafeBufferPointer { append(contentsOf: UnsafeBufferPointer(rebasing: $0[first...])) }
    }

    /// Appends the shortest decimal that parses to the same double. The text always has a fraction or an exponent
    /// (`3.0`, `1e+20`), so that it differs from an integer. The number must be finite.
    package mutating func appendDouble(_ number: Double) {
        precondition(number.isFinite, "JSON has no infinity")
        append(contentsOf: number.description.utf8)
    }
}
