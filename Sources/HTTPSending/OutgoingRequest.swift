/// A request to another server: POST, or GET.
public struct OutgoingRequest: Sendable {
    /// The URL.
    public let url: OutgoingURL
    /// The fields in addition to those of libcurl. Names and values must not contain line breaks.
    public let fields: [(name: String, value: String)]
    /// The body of a POST request; `nil` for a GET request.
    public let body: [UInt8]?
    /// The path of a new file for the body of a response with status 200; `nil` to keep the body in memory.
    public let file: String?
    /// The number of bytes of the file after which the rest is not read; `nil` for no limit.
    public let mostFileBytes: Int64?
    /// The names of the header fields that the response keeps, in lower case.
    public var keptFields: Set<String> = []

    /// Creates a POST request.
    public init(to url: OutgoingURL, fields: [(name: String, value: String)], body: [UInt8]) {
        self.url = url
        self.fields = fields
        self.body = body
        file = nil
        mostFileBytes = nil
    }

    /// Creates a GET request whose response is kept in memory.
    public init(getting url: OutgoingURL, fields: [(name: String, value: String)]) {
        self.url = url
        self.fields = fields
        body = nil
        file = nil
        mostFileBytes = nil
    }

    /// Creates a GET request whose response goes into a file.
    ///
    /// - Parameters:
    ///   - file: The path of a new file for the body of a response with status 200. It is written on the thread of the
    ///     sender.
    ///   - mostBytes: The number of bytes of the file after which the rest is not read; `nil` for no limit.
    public init(
        getting url: OutgoingURL, into file: String, mostBytes: Int64? = nil
    ) {
        self.url = url
        fields = []
        body = nil
        self.file = file
        mostFileBytes = mostBytes
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
    /// Whether the body is longer than what was kept.
    public let isTruncated: Bool
    /// The header fields that the request wanted, by name in lower case.
    public let fields: [String: String]

    /// Creates a response.
    public init(
        status: Int, body: [UInt8], retryAfter: Int64?, isTruncated: Bool = false, fields: [String: String] = [:]
    ) {
        self.status = status
        self.body = body
        self.retryAfter = retryAfter
        self.isTruncated = isTruncated
        self.fields = fields
    }
}

/// Why there is no response.
public enum SendingFailure: Error, Hashable, Sendable {
    /// The sender is closed, or has been closed during the request.
    case closed
    /// The policy does not allow the address.
    case notAllowed(isEncrypted: Bool)
    /// The request failed. The sentence has no period, and contains no part of the URL but the host.
    case failed(String)
}

/// The limits of a sender.
public struct SendingLimits: Hashable, Sendable {
    /// The time for resolving the name, connecting and the TLS handshake, in milliseconds.
    public var connectMilliseconds = 5_000
    /// The time for the whole request, in milliseconds; `nil` for no limit.
    public var totalMilliseconds: Int? = 15_000
    /// The time without a byte after which the request fails, in seconds; `nil` for no limit.
    public var idleSeconds: Int?
    /// The number of requests at the same time. Further requests wait in order of arrival.
    public var requests = 64
    /// The number of bytes of a body that a response keeps.
    public var keptBytes = 4_096
    /// The number of bytes of a body after which the rest is not read. A file has the limit of its request.
    public var bodyBytes = 64 << 10
    /// The number of bytes of all header lines after which the request fails.
    public var headBytes = 64 << 10

    /// Creates the default limits.
    public init() {}
}
