/// Standard base64 with padding (RFC 4648 §4). Decoding is strict: each byte string has one text.
package enum Base64 {
    /// Returns the number of characters for `count` bytes.
    package static func encodedCount(_ count: Int) -> Int { Base64Codec.standard.encodedCount(count) }

    /// Returns the number of bytes that `text` decodes to, without decoding it; `nil` if it is not canonical base64.
    package static func decodedCount(_ text: UnsafeRawBufferPointer) -> Int? { Base64Codec.standard.decodedCount(text) }

    /// Appends the base64 text of `bytes` to `output`.
    package static func encode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        Base64Codec.standard.encode(bytes, into: &output)
    }

    /// Appends the base64 text of `bytes` to `output`.
    package static func encode(_ bytes: [UInt8], into output: inout [UInt8]) {
        bytes.withUnsafeBytes { encode($0, into: &output) }
    }

    /// Returns the base64 text of `bytes`.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> String { Base64Codec.standard.text(of: bytes) }

    /// Returns the base64 text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { encode($0) } }

    /// Returns the bytes that `text` decodes to; `nil` if it is not canonical base64.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? { Base64Codec.standard.bytes(of: text) }

    /// Returns the bytes that `text` decodes to; `nil` if it is not canonical base64.
    package static func decode(_ text: [UInt8]) -> [UInt8]? { text.withUnsafeBytes { decode($0) } }

    /// Returns the bytes that `text` decodes to; `nil` if it is not canonical base64.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }
}

/// Base64 for URLs and file names, without padding (RFC 4648 §5). Decoding is strict: each byte string has one text.
package enum Base64URL {
    /// Returns the base64url text of `bytes`.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> String { Base64Codec.urlSafe.text(of: bytes) }

    /// Returns the base64url text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { encode($0) } }

    /// Returns the bytes that `text` decodes to; `nil` if it is not canonical base64url.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? { Base64Codec.urlSafe.bytes(of: text) }

    /// Returns the bytes that `text` decodes to; `nil` if it is not canonical base64url.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }
}

extension Base64Codec {
    func encode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: encodedCount(bytes.count)))
        output.withUnsafeMutableBytes { encode(bytes, to: UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }

    func text(of bytes: UnsafeRawBufferPointer) -> String {
        let count = encodedCount(bytes.count)
        return String(unsafeUninitializedCapacity: count) { output in
            encode(bytes, to: UnsafeMutableRawBufferPointer(output))
            return count
        }
    }

    func bytes(of text: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let capacity = shape(of: text)?.bytes else { return nil }
        // An array without capacity is a singleton that all threads share, and the initializer would write its length.
        guard !text.isEmpty else { return [] }
        var isValid = false
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            guard let decoded = decode(text, to: UnsafeMutableRawBufferPointer(output)) else { return }
            count = decoded
            isValid = true
        }
        return isValid ? bytes : nil
    }
}
