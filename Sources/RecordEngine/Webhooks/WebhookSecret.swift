internal import Cryptography
internal import Encodings

/// The secrets with which the messages of webhooks are signed, in the form of Standard Webhooks.
///
/// A secret is derived from the data directory's secret, the webhook's random ID and a number that rises with each
/// rotation. So the database file and its backups contain no secret of a webhook.
struct WebhookSecret: Sendable {
    private let key: [UInt8]

    private static let prefix = "whsec_"

    /// Derives a secret.
    ///
    /// - Parameter number: The number of the secret, from 1.
    init(_ keys: DatabaseKeys, webhook publicID: String, number: Int64) {
        key = keys.webhooks.code(for: Array("\(publicID) \(number)".utf8)).bytes
    }

    /// Parses a secret; `nil` for a text in another form.
    init?(_ text: String) {
        guard text.hasPrefix(Self.prefix), let key = Base64.decode(String(text.dropFirst(Self.prefix.count))) else {
            return nil
        }
        self.key = key
    }

    /// The text that a receiver needs for verification: `whsec_` and the key in base64.
    var text: String { Self.prefix + Base64.encode(key) }

    /// Returns the signature of a message: `v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64.
    ///
    /// - Parameter seconds: The time of the attempt, in seconds since 1970.
    /// - Source: Standard Webhooks, "Signature scheme".
    func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        "v1," + Base64.encode(HMACSHA256(key: key).code(for: Array("\(id).\(seconds).".utf8) + body).bytes)
    }
}
