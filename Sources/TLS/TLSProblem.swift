/// The reason why a certificate and its key cannot be used.
package enum TLSProblem: Error, Hashable, Sendable {
    /// The text has no certificate in PEM.
    case noCertificate
    /// A certificate of the text is damaged.
    case damagedCertificate
    /// The text has no private key in PEM.
    case noKey
    /// The private key is protected by a passphrase.
    case encryptedKey
    /// The private key is damaged.
    case damagedKey
    /// The private key does not belong to the first certificate.
    case otherKey
    /// OpenSSL rejects them, with its reason, such as `ee key too small`.
    case rejected(String)
    /// OpenSSL cannot be used, for example because memory is exhausted.
    case unavailable
}
