/// Base64 of RFC 4648 section 4: the standard alphabet with padding, and one text per value.
package enum Base64 {
    /// The number of bytes that canonical base64 stands for, or `nil` if the text is not canonical: a length that is no
    /// multiple of four, a foreign character, misplaced padding, or unused bits that are not zero.
    package static func decodedCount(_ text: UnsafeRawBufferPointer) -> Int? {
        guard text.count & 3 == 0 else { return nil }
        guard text.count > 0 else { return 0 }
        var length = text.count
        if text[length &- 1] == UInt8(ascii: "=") { length &-= 1 }
        if text[length &- 1] == UInt8(ascii: "=") { length &-= 1 }
        return values.withUnsafeBufferPointer { values -> Int? in
            var seen: UInt8 = 0
            for index in 0..<length { seen |= values[Int(text[index])] }
            guard seen & 0xC0 == 0 else { return nil }
            let last = values[Int(text[length &- 1])]
            switch text.count &- length {
            case 1: return last & 0x03 == 0 ? text.count / 4 * 3 - 1 : nil
            case 2: return last & 0x0F == 0 ? text.count / 4 * 3 - 2 : nil
            default: return text.count / 4 * 3
            }
        }
    }

    /// Decodes canonical base64; `nil` for anything else.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let count = decodedCount(text) else { return nil }
        // An array without capacity is the one that all threads share, whose length would be written.
        guard !text.isEmpty else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            var written = 0
            var index = 0
            while index < text.count {
                var word: UInt32 = 0
                for offset in 0..<4 { word = word &<< 6 | UInt32(values[Int(text[index &+ offset])] & 0x3F) }
                if written < count { output[written] = UInt8(truncatingIfNeeded: word &>> 16) }
                if written &+ 1 < count { output[written &+ 1] = UInt8(truncatingIfNeeded: word &>> 8) }
                if written &+ 2 < count { output[written &+ 2] = UInt8(truncatingIfNeeded: word) }
                written &+= 3
                index &+= 4
            }
            initialized = count
        }
    }

    package static func decode(_ text: String) -> [UInt8]? {
        var copy = text
        return copy.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }

    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var index = 0
        while bytes.count - index >= 3 {
            let word = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            for shift: UInt32 in [18, 12, 6, 0] { text.append(letter(word >> shift)) }
            index += 3
        }
        switch bytes.count - index {
        case 1:
            let word = UInt32(bytes[index]) << 16
            text += [letter(word >> 18), letter(word >> 12), UInt8(ascii: "="), UInt8(ascii: "=")]
        case 2:
            let word = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8
            text += [letter(word >> 18), letter(word >> 12), letter(word >> 6), UInt8(ascii: "=")]
        default: break
        }
    }

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func letter(_ sextet: UInt32) -> UInt8 {
        alphabet[Int(sextet & 0x3F)]
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The sextet of each letter; 0xFF for a byte that is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (sextet, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(sextet) }
        return values
    }()
}
