package import Cryptography

/// The credential of requests to the source.
package enum SourceCredential: Sendable {
    /// A server-to-server key, which reads the public database.
    case key(id: String, P256PrivateKey)
    /// An API token, and the web auth token of a user.
    case user(apiToken: String, webAuthToken: String)
}

/// The signature of a request by a server-to-server key (CloudKit Web Services Reference, "Composing Web Service
/// Requests").
///
/// ```text
/// date ":" base64(SHA-256(body)) ":" path
/// ```
enum SourceSignature {
    /// Returns the fields of a signed request.
    ///
    /// - Parameters:
    ///   - path: The path from the root of the source.
    ///   - body: The body; `nil` for a GET request, whose message has no digest.
    ///   - now: The time in milliseconds since 1970.
    static func fields(
        keyID: String, key: P256PrivateKey, path: String, body: [UInt8]?, now: Int64
    ) -> [SourceRequest.Field] {
        let date = TimeText.seconds(now)
        let message = "\(date):\(body.map { SHA256.hash($0).base64 } ?? ""):\(path)"
        return [
            SourceRequest.Field(name: "X-Apple-CloudKit-Request-KeyID", value: keyID),
            SourceRequest.Field(name: "X-Apple-CloudKit-Request-ISO8601Date", value: date),
            SourceRequest.Field(
                name: "X-Apple-CloudKit-Request-SignatureV1", value: key.signature(for: Array(message.utf8))),
        ]
    }
}
