/// The versions of HTTP that the server speaks.
public enum HTTPVersion: Hashable, Sendable {
    case http10
    /// Also any later minor version of HTTP/1, as RFC 9110 §6.2 asks.
    case http11
}

/// How long the body of a request is (RFC 9112 §6.3).
public enum BodyFraming: Hashable, Sendable {
    /// Neither Content-Length nor Transfer-Encoding: no body.
    case none
    /// Content-Length, which may be 0.
    case length(Int)
    /// Transfer-Encoding: chunked.
    case chunked
}

/// The head of a request, complete and valid.
public struct RequestHead: Sendable {
    public var method: HTTPMethod
    public var target: RequestTarget
    public var version: HTTPVersion
    /// The fields as received, except that the authority of an absolute-form target stands in for Host
    /// (RFC 9112 §3.2.2).
    public var fields: HTTPFields
    public var framing: BodyFraming
    /// Whether the connection may be used for another request (RFC 9112 §9.3).
    public var keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    public var expectsContinue: Bool
}
