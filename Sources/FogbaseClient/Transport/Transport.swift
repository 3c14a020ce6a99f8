public import Foundation

/// A way to send requests to a server.
///
/// ``URLSessionTransport`` uses the network, and ``InMemoryServer`` responds within a test. To use another HTTP client,
/// conform to this protocol.
public protocol Transport: Sendable {
    /// Sends a request and returns the complete response. A response with an error status is returned, not thrown.
    ///
    /// If the task is canceled, the transport aborts the request, releases its connection, and throws
    /// `CancellationError`.
    ///
    /// - Throws: `TransportError` if there was no response.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends a request and streams the body of the response.
    ///
    /// While the caller reads no part, the transport applies backpressure to the server if the platform allows it. On
    /// other platforms, such as Linux, the transport buffers the received bytes.
    ///
    /// - Returns: The response without its body, and the parts of the body. The request ends when the stream is
    ///   released.
    /// - Throws: `TransportError` if there was no response. The stream throws `TransportError` if the body ends too
    ///   early.
    func stream(_ request: TransportRequest) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>)

    /// Whether ``stream(_:)`` returns the response and each part of its body as soon as they arrive, even if the server
    /// goes on sending for hours.
    ///
    /// Change feeds and live results then stay connected. Otherwise they poll, which is the default for transports that
    /// do not implement this property.
    var streamsEvents: Bool { get }
}

extension Transport {
    public var streamsEvents: Bool { false }
}

/// An HTTP request.
public struct TransportRequest: Sendable {
    /// The method: `GET`, `POST` and so on.
    public var method: String
    /// The URL, with its query.
    public var url: URL
    /// Names and values of header fields. The transport adds `Host` and `Content-Length`.
    public var fields: [(name: String, value: String)]
    /// The body; `nil` for none.
    public var body: Data?
    /// The longest time without received bytes. After this time, the transport ends the request with an error.
    public var timeout: Duration

    /// The name of the header field for the offset of a part in a resumable upload.
    static let uploadOffset = "Upload-Offset"

    /// Whether the request asks for a stream of events, which lasts until one side ends it.
    var isForEvents: Bool { fields.contains { $0.name == "Accept" && $0.value == EventStream.mediaType } }

    /// Creates a request.
    public init(
        method: String, url: URL, fields: [(name: String, value: String)] = [], body: Data? = nil,
        timeout: Duration = .seconds(60)
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
    }
}

/// An HTTP response.
public struct TransportResponse: Sendable {
    /// The status, 100 to 599.
    public var status: Int
    /// The header fields, with names in lower case.
    public var fields: [String: String]
    /// The body; empty if it is streamed.
    public var body: Data

    /// Creates a response, for custom transports.
    public init(status: Int, fields: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// The reason why a request has no response.
public enum TransportError: Error, Hashable, Sendable {
    /// The server was not reached and has not received the request.
    case unreachable(String)
    /// The server may have received the request, but the response was lost or timed out.
    case responseLost(String)
}
