import CCrypto

/// The digest algorithms that clients may choose for checksums. The server itself uses SHA-256.
package enum DigestAlgorithm: String, CaseIterable, Sendable {
    case sha1, sha256, md5

    /// The length of a digest in bytes.
    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .md5: 16
        }
    }

    /// Whether libcrypto has the algorithm. A libcrypto that is restricted to FIPS algorithms has no MD5.
    package var isAvailable: Bool { algorithm != nil }

    fileprivate var algorithm: OpenSSLAlgorithm? {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .md5: .md5
        }
    }
}

/// A hasher for bytes that arrive in pieces, with a selectable algorithm.
///
/// Only one thread at a time can use an instance, and an instance computes one digest. A failure inside libcrypto ends
/// the process, as in `SHA256Hasher`.
package final class MessageDigest {
    private let context: OpaquePointer
    private let byteCount: Int

    /// Creates a hasher with an empty message; `nil` if libcrypto lacks the algorithm.
    package init?(_ algorithm: DigestAlgorithm) {
        guard let found = algorithm.algorithm else { return nil }
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("No memory for a digest") }
        self.context = context
        byteCount = algorithm.byteCount
        let begun = EVP_DigestInit_ex2(context, found.pointer, nil)
        precondition(begun == 1, "A digest cannot begin")
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Adds `bytes` to the message.
    package func update(_ bytes: [UInt8]) {
        let updated = bytes.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(updated == 1, "A digest cannot go on")
    }

    /// Returns the digest of all added bytes. An instance allows only one call.
    package func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            let finished = EVP_DigestFinal_ex(context, output.baseAddress, nil)
            precondition(finished == 1, "A digest cannot finish")
            count = byteCount
        }
    }
}
