import CCrypto

/// SHA-256 of bytes that are in memory as a whole (FIPS 180-4).
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

    /// Returns the digest of the UTF-8 form of `text`.
    package static func hash(utf8 text: String) -> Digest {
        var text = text
        return text.withUTF8 { hash(UnsafeRawBufferPointer($0)) }
    }
}

/// SHA-256 of bytes that arrive in pieces.
///
/// An instance belongs to one thread at a time. A failure inside libcrypto (it can only be exhausted memory) ends the
/// process: a wrong digest must not reach a file name or a token table.
package final class SHA256Hasher {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("No memory for a digest") }
        self.context = context
        begin()
    }

    /// Makes one that has the same message so far, and goes on by itself.
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

    /// Returns the digest of everything added since the beginning or the last call, and begins anew.
    package func finalize() -> Digest {
        let digest = finish()
        begin()
        return digest
    }

    /// The digest, after which nothing can be added.
    fileprivate func finish() -> Digest {
        Digest(filledBy: { output in
            let finished = EVP_DigestFinal_ex(context, output.baseAddress, nil)
            precondition(finished == 1, "SHA-256 cannot finish")
        })
    }
}
