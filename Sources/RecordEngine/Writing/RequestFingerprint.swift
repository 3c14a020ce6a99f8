internal import Cryptography

extension IdempotencyKey {
    /// Creates the idempotency key of an HTTP request; `nil` if `text` is empty, too long or not visible ASCII.
    ///
    /// - Parameters:
    ///   - target: The path and query as received.
    package init?(_ text: String, method: String, target: String, body: [UInt8]) {
        let hasher = SHA256Hasher()
        // Method and target contain no line feed, so two different requests cannot give the same input.
        hasher.update(Array("\(method)\n\(target)\n".utf8))
        hasher.update(body)
        self.init(text, request: hasher.finalize().bytes)
    }
}
