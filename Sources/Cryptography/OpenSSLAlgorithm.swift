import CCrypto

/// An algorithm fetched from libcrypto once per process.
///
/// Fetching by name costs about a microsecond and takes a lock. A fetched algorithm is immutable and reference counted
/// atomically (openssl crypto(7), "ALGORITHM FETCHING"), so threads can share it. The algorithm is never freed.
struct OpenSSLAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer

    private init?(_ pointer: OpaquePointer?) {
        guard let pointer else {
            // Remove the error from libcrypto's queue, so that a later call does not find it.
            ERR_clear_error()
            return nil
        }
        self.pointer = pointer
    }

    /// The digest SHA-256.
    static let sha256 = required(OpenSSLAlgorithm(EVP_MD_fetch(nil, "SHA256", nil)), "SHA-256")
    /// The digest SHA-1, for protocols that require it.
    static let sha1 = OpenSSLAlgorithm(EVP_MD_fetch(nil, "SHA1", nil))
    /// The digest MD5, which a library restricted to FIPS algorithms does not have.
    static let md5 = OpenSSLAlgorithm(EVP_MD_fetch(nil, "MD5", nil))
    /// The message authentication code HMAC.
    static let hmac = required(OpenSSLAlgorithm(EVP_MAC_fetch(nil, "HMAC", nil)), "HMAC")
    /// The key derivation function HKDF.
    static let hkdf = required(OpenSSLAlgorithm(EVP_KDF_fetch(nil, "HKDF", nil)), "HKDF")
    /// The cipher AES-128-SIV, which a library restricted to FIPS algorithms does not have.
    static let aes128SIV = OpenSSLAlgorithm(EVP_CIPHER_fetch(nil, "AES-128-SIV", nil))
    /// The password hash argon2id, which libraries before 3.2 do not have.
    static let argon2id = OpenSSLAlgorithm(EVP_KDF_fetch(nil, "ARGON2ID", nil))

    private static func required(_ algorithm: OpenSSLAlgorithm?, _ name: String) -> OpenSSLAlgorithm {
        guard let algorithm else { preconditionFailure("libcrypto has no \(name)") }
        return algorithm
    }
}
