import CCrypto

/// SHA-256 of bytes in memory (FIPS 180-4).
package enum SHA256 {
    /// Returns the digest of `bytes`.
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> Digest {
        let hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finish()
    }

    /// Returns the digest of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> Digest {
        bytes.withUnsafeBytes { hash($0) }
    }

    /// Returns the digest of the UTF-8 bytes of `text`.
    package static func hash(utf8 text: String) -> Digest {
        var text = text
        return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
    }
}

/// A SHA-256 hasher for bytes that arrive in pieces.
///
/// Only one thread at a time can use an instance. If libcrypto fails, which only happens when memory is exhausted, the
/// process ends. A wrong digest must not become a file name or a token hash.
package final class SHA256Hasher {
    private let context: OpaquePointer

    /// Creates a hasher with an empty message.
    package init() {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("No memory for a digest") }
        self.context = context
        begin()
    }

    /// Creates an independent copy of a hasher, with the bytes that were added to the original so far.
    package init(copying other: SHA256Hasher) {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("No memory for a digest") }
        self.context = context
        let copied = EVP_MD_CTX_copy_ex(context, other.context)
        precondition(copied == 1, "SHA-256 cannot be copied")
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    private func begin() {
        let begun = EVP_DigestInit_ex2(context, OpenSSLAlgorithm.sha256.pointer, nil)
        precondition(begun == 1, "SHA-256 cannot begin")
    }

    /// Adds `bytes` to the message.
    package func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty else { return }
        let updated = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(updated == 1, "SHA-256 cannot go on")
    }

    /// Adds `bytes` to the message.
    package func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Returns the digest of the current message, and starts a new, empty message.
    package func finalize() -> Digest {
        let digest = finish()
        begin()
        return digest
    }

    /// Returns the digest of the message. The hasher cannot be used afterwards.
    fileprivate func finish() -> Digest {
        Digest(filledBy: { output in
            let finished = EVP_DigestFinal_ex(context, output.baseAddress, nil)
            precondition(finished == 1, "SHA-256 cannot finish")
        })
    }
}
