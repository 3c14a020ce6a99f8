/// The number of tokens of a field, in one byte.
///
/// Numbers below 40 are exact. Larger ones keep four significant bits, so they are at most an eighth too small. Lucene has
/// the same code (`SmallFloat.intToByte4`).
package struct FieldLength: Hashable, Sendable {
    package let code: UInt8

    /// Creates a length from its code.
    package init(code: UInt8) {
        self.code = code
    }

    /// Creates the code of a number of tokens. Negative numbers count as 0, those above 2,013,265,944 as that.
    package init(_ count: Int) {
        let rest = min(count, Int(Int32.max)) - Self.exactCount
        guard rest > 0 else {
            code = UInt8(max(count, 0))
            return
        }
        let bits = Int.bitWidth - rest.leadingZeroBitCount
        let shift = bits - 4
        let tail = shift < 0 ? rest : rest >> shift & 7 | (shift + 1) << 3
        code = UInt8(Self.exactCount + tail)
    }

    /// The number of tokens, rounded down.
    package var count: Int {
        let rest = Int(code) - Self.exactCount
        if rest <= 0 { return Int(code) }
        let shift = rest >> 3 - 1
        return Self.exactCount + (shift < 0 ? rest & 7 : (rest & 7 | 8) << shift)
    }

    /// What remains of 256 codes when the others have four significant bits of 31.
    private static let exactCount = 24
}
