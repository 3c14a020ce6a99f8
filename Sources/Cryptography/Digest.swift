import Encodings

/// The 32 bytes of a SHA-256 digest or of an HMAC-SHA256 code, stored inline. A digest can be a dictionary key without
/// a heap allocation.
///
/// The time of a comparison does not depend on the position of the first difference.
package struct Digest: Hashable, Sendable {
    /// The number of bytes, 32.
    package static let byteCount = 32

    // The bytes in memory order. The values of the four integers have no meaning.
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// Creates a digest from the 32 bytes that `fill` writes.
    ///
    /// - Throws: The error of `fill`.
    package init<Failure: Error>(filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void) throws(Failure)
    {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        try Swift.withUnsafeMutableBytes(of: &words, fill)
        self.words = words
    }

    /// Creates a digest from its bytes. The result is `nil` unless `bytes` has exactly 32 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Digest.byteCount else { return nil }
        self.init(filledBy: { $0.copyMemory(from: bytes) })
    }

    /// Creates a digest from its bytes. The result is `nil` unless `bytes` has exactly 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard let digest = bytes.withUnsafeBytes({ Digest($0) }) else { return nil }
        self = digest
    }

    /// Creates a digest from hexadecimal text. The result is `nil` unless `hex` has exactly 64 hexadecimal digits.
    package init?(hex: String) {
        guard hex.utf8.count == 2 * Digest.byteCount, let bytes = Hex.decode(hex) else { return nil }
        self.init(bytes)
    }

    /// Creates a digest from standard base64 with padding. The result is `nil` unless `base64` is the 44-character form
    /// of 32 bytes.
    package init?(base64: String) {
        guard base64.utf8.count == 44, let bytes = Base64.decode(base64) else { return nil }
        self.init(bytes)
    }

    /// The 32 bytes.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The digest as 64 lowercase hexadecimal digits.
    package var hex: String { withUnsafeBytes { Hex.encode($0) } }

    /// The digest as 44 characters of standard base64 with padding.
    package var base64: String { withUnsafeBytes { Base64.encode($0) } }

    /// Calls `body` with the 32 bytes. The buffer is invalid after the call.
    ///
    /// - Throws: The error of `body`.
    package func withUnsafeBytes<Value, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try Swift.withUnsafeBytes(of: words, body)
    }

    /// Returns whether both digests are equal. The running time does not depend on the position of the first
    /// difference.
    package func isEqualInConstantTime(to other: Digest) -> Bool {
        let difference =
            (words.0 ^ other.words.0) | (words.1 ^ other.words.1) | (words.2 ^ other.words.2)
            | (words.3 ^ other.words.3)
        return difference == 0
    }

    package static func == (left: Digest, right: Digest) -> Bool {
        left.isEqualInConstantTime(to: right)
    }

    package func hash(into hasher: inout Hasher) {
        // One of the four words suffices, because digest bytes are uniformly distributed and Swift's hasher is seeded
        // per process.
        hasher.combine(words.0)
    }
}

extension Digest: CustomStringConvertible {
    package var description: String { hex }
}
