/// A POST request to another server.
public struct OutgoingRequest: Sendable {
    /// The URL.
    public let url: OutgoingURL
    /// The fields in addition to those of libcurl. Names and values must not contain line breaks.
    public let fields: [(name: String, value: String)]
    /// The body.
    public let body: [UInt8]

    /// Creates a request.
    public init(to url: OutgoingURL, fields: [(name: String, value: String)], body: [UInt8]) {
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// What another server responded.
public struct IncomingResponse: Hashable, Sendable {
    /// The status code.
    public let status: Int
    /// The first bytes of the body.
    public let body: [UInt8]
    /// The delay of `Retry-After` in seconds; `nil` without this field.
    public let retryAfter: Int64?

    /// Creates a response.
    public init(status: Int, body: [UInt8], retryAfter: Int64?) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
    }
}

/// Why there is no response.
public enum SendingFailure: Error, Hashable, Sendable {
    /// The sender is closed, or has been closed during the request.
    case closed
    /// The request failed. The sentence has no period, and contains no part of the URL but the host.
    case failed(String)

    static func notAllowed(isEncrypted: Bool) -> String {
        isEncrypted
            ? "The URL's address is not public, and the setting webhooks.allow_private does not name it"
            : "Without TLS, messages go only to networks of the setting webhooks.allow_private"
    }
}

/// The limits of a sender.
public struct SendingLimits: Hashable, Sendable {
    /// The time for resolving the name, connecting and the TLS handshake, in milliseconds.
    public var connectMilliseconds = 5_000
    /// The time for the whole request, in milliseconds.
    public var totalMilliseconds = 15_000
    /// The number of requests at the same time. Further requests wait in order of arrival.
    public var requests = 64
    /// The number of bytes of a body that a response keeps.
    public var keptBytes = 4_096
    /// The number of bytes of a body after which the rest is not read.
    public var bodyBytes = 64 << 10
    /// The number of bytes of all header lines after which the request fails.
    public var headBytes = 64 << 10

    /// Creates the default limits.
    public init() {}
}
