/// The syntax of the boundary of a multipart body.
enum MultipartBoundary {
    /// Whether a boundary has 1 to 70 bchars and does not end with a space (RFC 2046 §5.1.1).
    static func isValid(_ boundary: some BidirectionalCollection<UInt8>) -> Bool {
        (1...70).contains(boundary.count) && boundary.allSatisfy(isBoundaryByte) && boundary.last != 0x20
    }

    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        if byte.isDigit || byte.isLetter { return true }
        return switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "+"), UInt8(ascii: "_"),
            UInt8(ascii: ","), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: " "):
            true
        default: false
        }
    }
}
