internal import Cryptography
internal import Encodings

/// A new bearer token: 256 random bits behind a prefix by which leaked ones are found.
struct SecretToken: Sendable {
    /// What a token is good for.
    enum Purpose: String {
        case session = "fbs_"
        case invitation = "fbi_"
    }

    /// Shown once.
    let text: String
    /// Stored.
    let hash: [UInt8]

    init(_ purpose: Purpose) {
        text = purpose.rawValue + Base64URL.encode(RandomBytes.make(32))
        hash = SHA256.hash(utf8: text).bytes
    }

    /// A random name for what a token opens: it tells neither the token nor how many there are.
    static func makePublicID() -> String { Hex.encode(RandomBytes.make(16)) }
}
