internal import Cryptography

extension IdempotencyKey {
    /// Creates the key of an HTTP request, or `nil` if `text` is empty, too long, or not visible ASCII.
    ///
    /// - Parameters:
    ///   - target: Path and query as they were received.
    package init?(_ text: String, method: String, target: String, body: [UInt8]) {
        let hasher = SHA256Hasher()
        // Neither a method nor a target has a line feed, so no two requests run together.
        hasher.update(Array("\(method)\n\(target)\n".utf8))
        hasher.update(body)
        self.init(text, request: hasher.finalize().bytes)
    }
}
