/// Appends text and numbers without an intermediate string.
extension [UInt8] {
    @inline(__always)
    mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends a non-negative number in hexadecimal.
    mutating func append(hexadecimal value: Int) {
        var shift = Swift.max(0, (value.bitWidth - value.leadingZeroBitCount - 1) & ~3)
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 15)
            append(digit < 10 ? digit &+ 0x30 : digit &+ 0x57)
            shift -= 4
        }
    }
}
