import CCrypto
import Encodings

/// A public key on the curve P-256 (also called prime256v1 and secp256r1), which verifies ECDSA signatures with SHA-256
/// (FIPS 186-5).
package struct P256PublicKey: Hashable, Sendable {
    /// The reason why bytes or text are not such a key.
    package enum Problem: Error, Hashable, Sendable {
        /// The text is not one PEM block `PUBLIC KEY` with base64.
        case notPEM
        /// The text has a private key, which must not leave its owner's machine.
        case privateKey
        /// The bytes are no SubjectPublicKeyInfo of a point on P-256.
        case notP256
    }

    /// The key as a SubjectPublicKeyInfo in DER (RFC 5480 §2), with the point uncompressed: 91 bytes. Equal keys have
    /// equal bytes, however they were written.
    package let subjectPublicKeyInfo: [UInt8]

    /// The longest SubjectPublicKeyInfo that is read, in bytes. The longest form of a key on P-256 with the curve's
    /// name has 91 bytes.
    private static let longest = 512

    /// Creates a key from a SubjectPublicKeyInfo in DER.
    ///
    /// - Throws: `Problem.notP256`.
    package init(subjectPublicKeyInfo bytes: [UInt8]) throws(Problem) {
        guard (1...Self.longest).contains(bytes.count) else { throw .notP256 }
        var output = [UInt8](repeating: 0, count: Self.longest)
        let count = fogbase_p256_canonical(bytes, bytes.count, &output, output.count)
        guard count > 0 else {
            ERR_clear_error()
            throw .notP256
        }
        subjectPublicKeyInfo = Array(output.prefix(Int(count)))
    }

    /// Creates a key from PEM text (RFC 7468 §13).
    ///
    /// - Throws: `Problem`.
    package init(pem text: String) throws(Problem) {
        guard text.utf8.count <= 8_192 else { throw .notPEM }
        let lines = text.split(whereSeparator: \.isNewline).map(Self.trimmed).filter { !$0.isEmpty }
        if lines.contains(where: { $0.hasPrefix("-----BEGIN") && $0.hasSuffix("PRIVATE KEY-----") }) {
            throw .privateKey
        }
        guard lines.first == "-----BEGIN PUBLIC KEY-----", lines.last == "-----END PUBLIC KEY-----",
            let bytes = Base64.decode(lines.dropFirst().dropLast().joined())
        else { throw .notPEM }
        try self.init(subjectPublicKeyInfo: bytes)
    }

    private static func trimmed(_ line: Substring) -> Substring {
        var line = line.drop(while: \.isWhitespace)
        while line.last?.isWhitespace == true { line.removeLast() }
        return line
    }

    /// The key as PEM text, with lines of 64 characters.
    package var pem: String {
        var text = "-----BEGIN PUBLIC KEY-----\n"
        var rest = Substring(Base64.encode(subjectPublicKeyInfo))
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END PUBLIC KEY-----\n"
    }

    /// Returns whether a signature belongs to a message and to this key. Takes about 0.1 ms.
    ///
    /// - Parameter signature: An ECDSA signature in DER (RFC 3279 §2.2.3), or the numbers r and s of 32 bytes each.
    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        // The longest DER signature has 72 bytes. One of 64 bytes is possible, but needs an r or s with 7 leading zero
        // bytes together; both forms are then tried.
        guard (8...72).contains(signature.count) else { return false }
        let isValid =
            fogbase_p256_verify(
                subjectPublicKeyInfo, subjectPublicKeyInfo.count, signature, signature.count, message, message.count)
            == 1
        if !isValid { ERR_clear_error() }
        return isValid
    }
}
