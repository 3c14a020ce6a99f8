/// The failures of cryptographic operations, other than a wrong password or token.
package enum CryptographyError: Error, Hashable, Sendable {
    /// The installed libcrypto lacks this algorithm.
    case unavailable(algorithm: String)
    /// A stored password hash cannot be parsed, or its costs exceed the server's limits.
    case malformedPasswordHash
    /// The password could not be hashed because too little memory was available.
    case passwordHashingFailed
}
