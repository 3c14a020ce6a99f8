internal import Cryptography
internal import Encodings

/// A new bearer token.
///
/// ```text
/// fbs_ or fbi_   base64url of 256 random bits
/// 4 characters   43 characters
/// ```
///
/// The prefix lets scanners find leaked tokens.
struct SecretToken: Sendable {
    /// The use of a token. The raw value is the token's prefix.
    enum Purpose: String {
        case session = "fbs_"
        case invitation = "fbi_"
    }

    /// The token's text. It is sent to the client once and not stored.
    let text: String
    /// The SHA-256 digest of the text, which is stored.
    let hash: [UInt8]

    init(_ purpose: Purpose) {
        text = purpose.rawValue + Base64URL.encode(RandomBytes.make(32))
        hash = SHA256.hash(utf8: text).bytes
    }

    /// Returns a random public id for a session or an invitation. The id reveals neither the token nor the number of
    /// tokens.
    static func makePublicID() -> String { Hex.encode(RandomBytes.make(16)) }
}
