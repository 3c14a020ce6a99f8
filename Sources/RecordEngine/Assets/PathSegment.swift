/// Encodes segments of a URL's path (RFC 3986 §3.3).
package enum PathSegment {
    private static let hexadecimal = Array("0123456789ABCDEF".utf8)

    /// Returns a text with all bytes but the unreserved characters (§2.3) percent-encoded.
    package static func encode(_ text: String) -> String {
        // The usual record name is a UUID, which needs no encoding.
        let isPlain = text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isUnreserved) }
        if isPlain ?? text.utf8.allSatisfy(isUnreserved) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
