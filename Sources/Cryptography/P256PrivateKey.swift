import CCrypto
import Encodings

/// A private key on the curve P-256, which makes ECDSA signatures with SHA-256 (FIPS 186-5).
package struct P256PrivateKey: Sendable {
    /// The reason why a text is not such a key.
    package enum Problem: Error, Hashable, Sendable {
        /// The text has no PEM block with a private key.
        case notPEM
        /// The key is encrypted with a passphrase.
        case encrypted
        /// The key is on another curve, or of another kind.
        case notP256
    }

    private let pem: [UInt8]

    /// The longest text that is read, in bytes.
    private static let longest = 8_192
    /// More than the longest signature in DER, 72 bytes.
    private static let signatureBytes = 80

    /// Creates a key from PEM text: `EC PRIVATE KEY` (RFC 5915) or `PRIVATE KEY` (RFC 5958).
    ///
    /// - Throws: `Problem`.
    package init(pem text: String) throws(Problem) {
        guard text.utf8.count <= Self.longest, text.contains("PRIVATE KEY-----") else { throw .notPEM }
        guard !text.contains("ENCRYPTED") else { throw .encrypted }
        pem = Array(text.utf8)
        let result = Self.sign([], with: pem)
        guard result.count > 0 else { throw result.isKey ? .notP256 : .notPEM }
    }

    /// Returns the signature of a message in DER, as base64. Takes about 0.2 ms.
    package func signature(for message: [UInt8]) -> String {
        let result = Self.sign(message, with: pem)
        // The key has signed before. Only without memory it does not.
        precondition(result.count > 0, "libcrypto cannot sign")
        return Base64.encode(result.bytes)
    }

    private static func sign(
        _ message: [UInt8], with pem: [UInt8]
    ) -> (bytes: [UInt8], count: Int, isKey: Bool) {
        var output = [UInt8](repeating: 0, count: signatureBytes)
        let count = Int(fogbase_p256_sign(pem, pem.count, message, message.count, &output, output.count))
        if count <= 0 { ERR_clear_error() }
        return (Array(output.prefix(max(0, count))), count, count != 0)
    }
}
