/// A code of four bytes that identifies a chunk, box or brand, such as `IHDR`.
struct Code: Hashable, ExpressibleByStringLiteral {
    let value: UInt32

    init(_ value: UInt32) { self.value = value }

    /// Creates a code from four characters of one byte each (ISO 8859-1).
    init(stringLiteral text: StaticString) {
        value = text.description.unicodeScalars.reduce(0) { $0 << 8 | $1.value & 0xFF }
    }

    /// Whether these four bytes can be the start of a JPEG: SOI, followed by the 0xFF of the next marker.
    var isJPEG: Bool { value >> 8 == 0xFF_D8FF }

    /// Whether all four bytes are ASCII letters.
    var isLetters: Bool {
        (0..<4).allSatisfy { index in
            let folded = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) | 0x20
            return (0x61...0x7A).contains(folded)
        }
    }
}
