import CCrypto

/// Digests that others choose, to find what went wrong on the way. Whoever chooses one here uses SHA-256.
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

    /// Whether libcrypto has it: one that is restricted to FIPS algorithms has no MD5.
    package var isAvailable: Bool { algorithm != nil }

    fileprivate var algorithm: OpenSSLAlgorithm? {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .md5: .md5
        }
    }
}

/// A digest, by an algorithm that is known by name, of bytes that arrive in pieces.
///
/// An instance belongs to one thread at a time, and gives one digest. A failure inside libcrypto, as with
/// `SHA256Hasher`, ends the process.
package final class MessageDigest {
    private let context: OpaquePointer
    private let byteCount: Int

    /// - Returns: `nil` for an algorithm that libcrypto does not have.
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

    /// Returns the digest of everything added. Call it once.
    package func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            let finished = EVP_DigestFinal_ex(context, output.baseAddress, nil)
            precondition(finished == 1, "A digest cannot finish")
            count = byteCount
        }
    }
}
