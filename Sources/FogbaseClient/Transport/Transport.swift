public import Foundation

/// Carries requests to a server: `URLSessionTransport` over the network, `InMemoryServer` within a test, or one of your own.
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer. An answer with an error status is an answer.
    ///
    /// When the task that waits is cancelled, the request ends, its connection is given back, and `CancellationError` is
    /// thrown.
    ///
    /// - Throws: `TransportError` if no answer came.
    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// Sends a request and hands out the answer's body as it comes. Where the transport can, the server waits while nobody
    /// reads; where it cannot, as on Linux, all that has come is held.
    ///
    /// - Returns: The answer's head, and the parts of its body. The request ends when the parts are let go of.
    /// - Throws: `TransportError` if no answer came; the parts throw it if the body ends too early.
    func stream(_ request: TransportRequest) async throws -> (TransportResponse, AsyncThrowingStream<Data, any Error>)
}

/// A request of HTTP.
public struct TransportRequest: Sendable {
    /// `GET`, `POST` and so on.
    public var method: String
    /// The whole address, with its query.
    public var url: URL
    /// Names and values of header fields; the transport adds `Host` and `Content-Length`.
    public var fields: [(name: String, value: String)]
    /// The bytes to send; `nil` is no body.
    public var body: Data?
    /// How long nothing may come before the transport gives up.
    public var timeout: Duration

    /// Marks a part of a file, and says where it begins.
    static let uploadOffset = "Upload-Offset"

    /// A request of a method to an address.
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

/// An answer of HTTP.
public struct TransportResponse: Sendable {
    /// The status, 100 to 599.
    public var status: Int
    /// Header fields, by their names in lower case.
    public var fields: [String: String]
    /// All of the body; empty where it is streamed.
    public var body: Data

    /// An answer, for transports of your own.
    public init(status: Int, fields: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Why a request got no answer.
public enum TransportError: Error, Hashable, Sendable {
    /// The server was not reached; it knows nothing of the request.
    case unreachable(String)
    /// The request may have reached the server, whose answer was lost or did not come in time.
    case responseLost(String)
}
