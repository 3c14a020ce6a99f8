/// Hexadecimal digits, as databases write bytes.
enum Hexadecimal {
    /// The value of a digit in either case; `nil` for another byte.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- 0x37
        default: nil
        }
    }

    /// The bytes of pairs of digits; `nil` for another text.
    static func bytes(_ text: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for byte in text {
            guard let digit = digit(byte) else { return nil }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        return bytes
    }
}
