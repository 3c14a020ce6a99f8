import CCrypto

/// HMAC-SHA256 under one key (RFC 2104, FIPS 198-1), prepared once for any number of codes. Every thread can use it.
///
/// The initializer computes the key schedule. Each code then costs one copy of the prepared state and the hashing of
/// the message.
package struct HMACSHA256: Sendable {
    private let prepared: PreparedKey

    /// Prepares a key of any length in bytes.
    package init(key: UnsafeRawBufferPointer) {
        prepared = PreparedKey(key)
    }

    /// Prepares a key of any length in bytes.
    package init(key: [UInt8]) {
        prepared = key.withUnsafeBytes { PreparedKey($0) }
    }

    /// Derives a 32-byte key from `secret` and prepares it. Each `label` gives an independent key.
    package init(secret: SecretKey, label: String) {
        self.init(key: secret.derive(label: label, length: 32))
    }

    /// Returns the authentication code of `message`.
    package func code(for message: UnsafeRawBufferPointer) -> Digest {
        guard let context = EVP_MAC_CTX_dup(prepared.context) else { preconditionFailure("No memory for an HMAC") }
        defer { EVP_MAC_CTX_free(context) }
        if !message.isEmpty {
            let updated = EVP_MAC_update(context, message.baseAddress, message.count)
            precondition(updated == 1, "HMAC cannot go on")
        }
        return Digest(filledBy: { output in
            var count = 0
            let finished = EVP_MAC_final(context, output.baseAddress, &count, output.count)
            precondition(finished == 1 && count == Digest.byteCount, "HMAC cannot finish")
        })
    }

    /// Returns the authentication code of `message`.
    package func code(for message: [UInt8]) -> Digest {
        message.withUnsafeBytes { code(for: $0) }
    }

    /// Returns whether `code` is the complete authentication code of `message`. The comparison takes constant time.
    package func isValid(_ code: [UInt8], for message: [UInt8]) -> Bool {
        guard let code = Digest(code) else { return false }
        return code.isEqualInConstantTime(to: self.code(for: message))
    }

    /// The owner of the prepared libcrypto context. After creation, the context is only copied, so threads can share
    /// it.
    private final class PreparedKey: @unchecked Sendable {
        let context: OpaquePointer

        init(_ key: UnsafeRawBufferPointer) {
            let hmac = OpenSSLAlgorithm.hmac.pointer
            guard let context = fogbase_hmac_sha256_keyed(hmac, key.baseAddress, key.count) else {
                preconditionFailure("HMAC cannot take its key")
            }
            self.context = context
        }

        deinit {
            EVP_MAC_CTX_free(context)
        }
    }
}
