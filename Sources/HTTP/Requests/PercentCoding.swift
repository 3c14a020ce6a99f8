/// Percent-decoding (RFC 3986 §2.1). The text is decoded once, never twice.
package enum PercentCoding {
    /// Returns the decoded text, or `nil` for a malformed escape, a NUL or bytes that are not UTF-8.
    package static func decode(_ bytes: UnsafeRawBufferPointer, plusIsSpace: Bool) -> String? {
        guard bytes.contains(where: { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) }) else {
            // Nearly all text is ASCII, and the check for ASCII takes a tenth of the time of UTF-8 validation.
            let isASCII = bytes.reduce(0) { $0 | $1 } < 0x80
            return isASCII ? String(decoding: bytes, as: UTF8.self) : String(validating: bytes, as: UTF8.self)
        }
        return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 1) { target -> String? in
            var length = 0
            var index = 0
            while index < bytes.count {
                var byte = bytes[index]
                if byte == UInt8(ascii: "%") {
                    guard index + 2 < bytes.count, let high = bytes[index + 1].hexValue,
                        let low = bytes[index + 2].hexValue
                    else { return nil }
                    byte = high << 4 | low
                    guard byte != 0 else { return nil }
                    index += 3
                } else {
                    if plusIsSpace, byte == UInt8(ascii: "+") { byte = 0x20 }
                    index += 1
                }
                target[length] = byte
                length += 1
            }
            return String(validating: UnsafeRawBufferPointer(target).part(0, length), as: UTF8.self)
        }
    }
}
