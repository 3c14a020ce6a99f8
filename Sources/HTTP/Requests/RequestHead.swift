/// The supported versions of HTTP.
public enum HTTPVersion: Hashable, Sendable {
    case http10
    /// HTTP/1.1 or a later minor version of HTTP/1 (RFC 9110 §6.2).
    case http11
}

/// The framing of a request body (RFC 9112 §6.3).
public enum BodyFraming: Hashable, Sendable {
    /// There is no body: the request has neither Content-Length nor Transfer-Encoding.
    case none
    /// Content-Length: the length of the body in bytes, which may be 0.
    case length(Int)
    /// Transfer-Encoding: chunked.
    case chunked
}

/// The head of a request, complete and valid.
public struct RequestHead: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// The request target.
    public var target: RequestTarget
    /// The protocol version.
    public var version: HTTPVersion
    /// The fields as received, except that the authority of an absolute-form target replaces the value of Host
    /// (RFC 9112 §3.2.2).
    public var fields: HTTPFields
    /// The framing of the body.
    public var framing: BodyFraming
    /// Whether the connection may be used for another request (RFC 9112 §9.3).
    public var keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    public var expectsContinue: Bool
}
