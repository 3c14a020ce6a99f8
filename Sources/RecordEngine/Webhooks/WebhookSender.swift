/// Sends the messages of webhooks. The engine itself knows no sockets.
package protocol WebhookSender: Sendable {
    /// Returns why the server cannot send to a URL, as a sentence without a period; `nil` if it can.
    func problem(with url: String) -> String?

    /// Sends a message, and returns the receiver's response. Ends early if the sender is closed.
    func send(_ request: WebhookRequest) async -> WebhookResult
}

/// A signed message on its way to a receiver.
package struct WebhookRequest: Sendable {
    /// The URL of the receiver.
    package let url: String
    /// The header fields.
    package let fields: [(name: String, value: String)]
    /// The body.
    package let body: [UInt8]
}

/// The result of sending a message.
package enum WebhookResult: Hashable, Sendable {
    /// The receiver responded.
    ///
    /// - `body`: The beginning of the response's body.
    /// - `retryAfter`: The delay of `Retry-After` in seconds; `nil` for none.
    /// - `location`: The value of `Location`, where the receiver sends clients; `nil` for none.
    case response(status: Int, body: [UInt8], retryAfter: Int64?, location: String? = nil)
    /// There is no response. The sentence has no period.
    case failure(String)
    /// The server stops.
    case closed
}
