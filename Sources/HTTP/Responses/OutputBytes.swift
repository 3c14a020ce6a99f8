/// Appending without an intermediate string.
extension [UInt8] {
    @inline(__always)
    mutating func append(literal: StaticString) {
        literal.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends text with each control but HTAB turned into a space.
    mutating func append(value: String) {
        for unit in value.utf8 { append(unit.isForbiddenInValue ? 0x20 : unit) }
    }

    mutating func append(decimal value: Int) {
        append(digits: value.magnitude, radix: 10, isNegative: value < 0)
    }

    mutating func append(hexadecimal value: Int) {
        append(digits: value.magnitude, radix: 16, isNegative: value < 0)
    }

    private mutating func append(digits value: UInt, radix: UInt, isNegative: Bool) {
        if isNegative { append(UInt8(ascii: "-")) }
        let start = count
        var rest = value
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            append(digit < 10 ? digit &+ 0x30 : digit &+ 0x57)
            rest /= radix
        } while rest > 0
        self[start...].reverse()
    }
}
