/// Standard base64 with padding (RFC 4648 §4), decoded strictly: one text for each byte string.
package enum Base64 {
    /// The number of characters for `count` bytes.
    package static func encodedCount(_ count: Int) -> Int { Base64Codec.standard.encodedCount(count) }

    /// The number of bytes that `text` decodes to, without decoding it; `nil` if it is not canonical base64.
    package static func decodedCount(_ text: UnsafeRawBufferPointer) -> Int? { Base64Codec.standard.decodedCount(text) }

    /// Appends the text of `bytes` to `output`.
    package static func encode(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        Base64Codec.standard.encode(bytes, into: &output)
    }

    /// Appends the text of `bytes` to `output`.
    package static func encode(_ bytes: [UInt8], into output: inout [UInt8]) {
        bytes.withUnsafeBytes { encode($0, into: &output) }
    }

    /// Returns the text of `bytes`.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> String { Base64Codec.standard.text(of: bytes) }

    /// Returns the text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { encode($0) } }

    /// Returns the bytes of `text`, or `nil` if it is not canonical base64.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? { Base64Codec.standard.bytes(of: text) }

    /// Returns the bytes of `text`, or `nil` if it is not canonical base64.
    package static func decode(_ text: [UInt8]) -> [UInt8]? { text.withUnsafeBytes { decode($0) } }

    /// Returns the bytes of `text`, or `nil` if it is not canonical base64.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }
}

/// Base64 for URLs and file names, without padding (RFC 4648 §5), decoded strictly: one text for each byte string.
package enum Base64URL {
    /// Returns the text of `bytes`.
    package static func encode(_ bytes: UnsafeRawBufferPointer) -> String { Base64Codec.urlSafe.text(of: bytes) }

    /// Returns the text of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes { encode($0) } }

    /// Returns the bytes of `text`, or `nil` if it is not canonical.
    package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? { Base64Codec.urlSafe.bytes(of: text) }

    /// Returns the bytes of `text`, or `nil` if it is not canonical.
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
        // An array without capacity is the one that all threads share, whose length would be written.
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
