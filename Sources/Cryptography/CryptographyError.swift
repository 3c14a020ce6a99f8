/// What a cryptographic operation can fail with besides a wrong password or token.
package enum CryptographyError: Error, Hashable, Sendable {
    /// The libcrypto found at run time does not have this algorithm.
    case unavailable(algorithm: String)
    /// A stored password hash cannot be read, or asks for more work than this server accepts.
    case malformedPasswordHash
    /// The password could not be hashed, for want of memory.
    case passwordHashingFailed
}
