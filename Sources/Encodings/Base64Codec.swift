/// Base64 with one alphabet (RFC 4648 §4 and §5). Tables encode two characters per lookup and decode a group with four
/// lookups.
///
/// Decoding is strict: it rejects white space, other characters, missing or superfluous padding, and nonzero unused
/// bits of the last character (§3.5). So each byte string has one text.
struct Base64Codec: Sendable {
    /// Whether the last group is padded with "=".
    private let isPadded: Bool
    /// The two characters for each 12-bit number, in memory order.
    private let pairs: [UInt16]
    /// The six bits of each character, shifted for its position in a group, or `invalid`. There is one table of 256 for
    /// each of the four positions.
    private let values: [UInt32]

    private static let invalid: UInt32 = 1 << 31

    /// The alphabet with "+" and "/", padded.
    static let standard = Base64Codec(last: "+/", isPadded: true)
    /// The alphabet with "-" and "_", not padded.
    static let urlSafe = Base64Codec(last: "-_", isPadded: false)

    private init(last: String, isPadded: Bool) {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let alphabet = Array((letters + last).utf8)
        self.isPadded = isPadded
        pairs = (0..<4096).map { bits in
            UInt16(littleEndian: UInt16(alphabet[bits >> 6]) | UInt16(alphabet[bits & 63]) << 8)
        }
        var values = [UInt32](repeating: Base64Codec.invalid, count: 4 * 256)
        for (value, character) in alphabet.enumerated() {
            for place in 0..<4 {
                values[256 * place + Int(character)] = UInt32(value) << UInt32(6 * (3 - place))
            }
        }
        self.values = values
    }

    /// Returns the number of characters for `count` bytes.
    func encodedCount(_ count: Int) -> Int {
        isPadded ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3
    }

    /// Writes exactly `encodedCount(input.count)` characters to the start of `output`.
    func encode(_ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer) {
        precondition(output.count >= encodedCount(input.count), "The output is too short")
        guard let source = input.baseAddress, let target = output.baseAddress else { return }
        pairs.withUnsafeBufferPointer { pairs in
            var read = 0
            var written = 0
            while read + 3 <= input.count {
                let bits =
                    Int(source.load(fromByteOffset: read, as: UInt8.self)) << 16
                    | Int(source.load(fromByteOffset: read + 1, as: UInt8.self)) << 8
                    | Int(source.load(fromByteOffset: read + 2, as: UInt8.self))
                let group = UInt32(pairs[bits & 4095]) << 16 | UInt32(pairs[bits >> 12])
                target.storeBytes(of: group.littleEndian, toByteOffset: written, as: UInt32.self)
                read += 3
                written += 4
            }
            let rest = input.count - read
            guard rest > 0 else { return }
            var bits = Int(source.load(fromByteOffset: read, as: UInt8.self)) << 16
            if rest == 2 { bits |= Int(source.load(fromByteOffset: read + 1, as: UInt8.self)) << 8 }
            target.storeBytes(of: pairs[bits >> 12].littleEndian, toByteOffset: written, as: UInt16.self)
            let padding = UInt8(ascii: "=")
            if rest == 2 || isPadded {
                let third = UInt8(truncatingIfNeeded: pairs[bits & 4095])
                target.storeBytes(of: rest == 2 ? third : padding, toByteOffset: written + 2, as: UInt8.self)
            }
            if isPadded {
                target.storeBytes(of: padding, toByteOffset: written + 3, as: UInt8.self)
            }
        }
    }

    /// Returns the number of characters before the padding and the number of bytes that they encode; `nil` if no text
    /// has the length of `input`.
    func shape(of input: UnsafeRawBufferPointer) -> (characters: Int, bytes: Int)? {
        var characters = input.count
        if isPadded {
            guard characters % 4 == 0 else { return nil }
            if characters > 0, input[characters - 1] == UInt8(ascii: "=") {
                characters -= input[characters - 2] == UInt8(ascii: "=") ? 2 : 1
            }
        }
        guard characters % 4 != 1 else { return nil }
        return (characters, characters / 4 * 3 + max(0, characters % 4 - 1))
    }

    /// Returns the number of bytes that `input` decodes to; `nil` if it is not canonical.
    func decodedCount(_ input: UnsafeRawBufferPointer) -> Int? {
        guard let (characters, bytes) = shape(of: input) else { return nil }
        guard characters > 0 else { return bytes }
        return values.withUnsafeBufferPointer { values in
            var seen: UInt32 = 0
            for index in 0..<characters { seen |= values[Int(input[index])] }
            // The last character as an unshifted number. The last group may not use all of its six bits.
            let last = values[256 * 3 + Int(input[characters - 1])]
            let unused: UInt32 = characters % 4 == 2 ? 0x0F : characters % 4 == 3 ? 0x03 : 0
            return (seen | last) & Base64Codec.invalid == 0 && last & unused == 0 ? bytes : nil
        }
    }

    /// Writes the decoded bytes to the start of `output`.
    ///
    /// - Returns: The number of bytes; `nil` if `input` is not canonical. The content of `output` is then undefined.
    func decode(_ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer) -> Int? {
        guard let (characters, bytes) = shape(of: input) else { return nil }
        precondition(output.count >= bytes, "The output is too short")
        guard let source = input.baseAddress, let target = output.baseAddress else { return bytes == 0 ? 0 : nil }
        return values.withUnsafeBufferPointer { values in
            func value(at index: Int, place: Int) -> UInt32 {
                values[256 * place + Int(source.load(fromByteOffset: index, as: UInt8.self))]
            }
            var seen: UInt32 = 0
            var read = 0
            var written = 0
            while read + 4 <= characters {
                let bits =
                    value(at: read, place: 0) | value(at: read + 1, place: 1) | value(at: read + 2, place: 2)
                    | value(at: read + 3, place: 3)
                seen |= bits
                target.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 16), toByteOffset: written, as: UInt8.self)
                target.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 8), toByteOffset: written + 1, as: UInt8.self)
                target.storeBytes(of: UInt8(truncatingIfNeeded: bits), toByteOffset: written + 2, as: UInt8.self)
                read += 4
                written += 3
            }
            let rest = characters - read
            if rest >= 2 {
                var bits = value(at: read, place: 0) | value(at: read + 1, place: 1)
                if rest == 3 { bits |= value(at: read + 2, place: 2) }
                let unused: UInt32 = rest == 3 ? 0xFF : 0xFFFF
                guard bits & unused == 0 else { return nil }
                seen |= bits
                target.storeBytes(of: UInt8(truncatingIfNeeded: bits >> 16), toByteOffset: written, as: UInt8.self)
                if rest == 3 {
                    let second = UInt8(truncatingIfNeeded: bits >> 8)
                    target.storeBytes(of: second, toByteOffset: written + 1, as: UInt8.self)
                }
            }
            return seen & Base64Codec.invalid == 0 ? bytes : nil
        }
    }
}
