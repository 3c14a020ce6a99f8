import CCrypto

/// The server's secret of 32 bytes. All other keys are derived from this secret. Its description and mirror do not show
/// the bytes.
package struct SecretKey: Sendable {
    /// The number of bytes, 32.
    package static let byteCount = 32

    /// The secret bytes. Use them only to write the key file.
    package let bytes: [UInt8]

    /// Creates a random key.
    package init() {
        bytes = RandomBytes.make(SecretKey.byteCount)
    }

    /// Creates a key from its stored bytes; `nil` if there are not exactly 32.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == SecretKey.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Derives key material for one purpose with HKDF-SHA256. `label` is the `info` of RFC 5869, and the salt is empty.
    ///
    /// - Parameters:
    ///   - label: The name of the purpose. Different labels give independent keys.
    ///   - length: The number of bytes, 1 to 8,160 (RFC 5869 §2.3).
    package func derive(label: String, length: Int) -> [UInt8] {
        HKDF.derive(key: bytes, salt: [], info: Array(label.utf8), length: length)
    }
}

extension SecretKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "SecretKey" }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// HKDF-SHA256 (RFC 5869), with the extract and expand steps in one call.
enum HKDF {
    /// Returns `length` bytes (1 to 8,160) derived from `key`.
    static func derive(key: [UInt8], salt: [UInt8], info: [UInt8], length: Int) -> [UInt8] {
        precondition((1...255 * Digest.byteCount).contains(length), "HKDF-SHA256 gives 1 to 8,160 bytes")
        return [UInt8](unsafeUninitializedCapacity: length) { output, count in
            let derived = fogbase_hkdf_sha256(
                OpenSSLAlgorithm.hkdf.pointer, key, key.count, salt, salt.count, info, info.count,
                output.baseAddress, length)
            precondition(derived == 1, "HKDF failed")
            count = length
        }
    }
}
