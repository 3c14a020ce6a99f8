/// A request as a handler receives it. The head is complete and valid; the body may not have arrived yet.
public struct HTTPRequest: Sendable {
    /// The request method.
    public var method: HTTPMethod
    /// The request target, split but not decoded.
    public var target: RequestTarget
    /// The header fields.
    public var fields: HTTPFields
    /// The request body, which may not have arrived yet.
    public var body: HTTPRequestBody
    /// The client's address as text without a port: the address of the peer, or the address that a trusted proxy
    /// reports. Empty if unknown, as on a Unix socket.
    public var remoteAddress: String
    /// The parsed `remoteAddress`, for rate limits and connection limits; `nil` if the address is unknown.
    public var client: IPAddress?
    /// The value of `X-Request-ID` in the response: the client's value if it is well formed, else a value that the
    /// transport generates.
    public var id: String

    /// Creates a request whose `client` is parsed from `remoteAddress`.
    public init(
        method: HTTPMethod, target: RequestTarget, fields: HTTPFields = HTTPFields(),
        body: HTTPRequestBody = .empty, remoteAddress: String = "", id: String = ""
    ) {
        self.init(
            method: method, target: target, fields: fields, body: body, remoteAddress: remoteAddress,
            client: IPAddress(remoteAddress), id: id)
    }

    /// Creates a request.
    ///
    /// - Parameter client: The parsed `remoteAddress`, for callers that have it already.
    public init(
        method: HTTPMethod, target: RequestTarget, fields: HTTPFields, body: HTTPRequestBody, remoteAddress: String,
        client: IPAddress?, id: String
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.remoteAddress = remoteAddress
        self.client = client
        self.id = id
    }
}

/// The body of a request: complete, or a stream that the handler reads on demand.
///
/// Before a handler reads the body, the server reads none of it from the socket and sends no `100 Continue` (RFC 9110
/// §10.1.1). So a handler can reject a request before the client sends the body.
public enum HTTPRequestBody: Sendable {
    case empty
    case bytes([UInt8])
    case stream(any HTTPBodyReader)

    /// Returns the whole body.
    ///
    /// - Parameter limit: The maximum number of bytes to accept, after decompression.
    /// - Throws: `HTTPBodyError.tooLarge` beyond `limit`, or the error of the stream.
    public func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8] {
        switch self {
        case .empty:
            return []
        case .bytes(let bytes):
            guard bytes.count <= limit else { throw .tooLarge(limit: limit) }
            return bytes
        case .stream(let reader):
            return try await reader.collect(upTo: limit)
        }
    }
}

/// The source of a streamed body. Only one task may read it, and only once.
public protocol HTTPBodyReader: Sendable {
    /// The Content-Length in bytes; `nil` for a chunked or compressed body.
    var expectedLength: Int? { get }
    /// Returns the next piece, with chunked coding and gzip decoded; `nil` at the end.
    ///
    /// - Throws: The `HTTPBodyError` that ended the body.
    func next() async throws(HTTPBodyError) -> [UInt8]?
    /// Returns a piece of `count` bytes, or fewer at the end of the body; `nil` after the end. For callers that pay a
    /// cost per piece, such as one file write.
    ///
    /// - Parameter room: Returns an empty array with this capacity in bytes, preferably of reused memory.
    /// - Throws: The `HTTPBodyError` that ended the body.
    func next(
        gathering count: Int, in room: @escaping @Sendable (Int) -> [UInt8]
    ) async throws(HTTPBodyError) -> [UInt8]?
    /// Returns the rest of the body in one array.
    ///
    /// - Throws: `HTTPBodyError.tooLarge` if the body exceeds `limit`, before reading if the Content-Length exceeds
    ///   `limit`; or the error that ended the body.
    func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8]
}

extension HTTPBodyReader {
    /// Returns a piece of `count` bytes or more, or fewer at the end of the body; `nil` after the end. Appends the
    /// pieces of `next()` and does not use `room`.
    ///
    /// - Throws: The error of `next()`.
    public func next(
        gathering count: Int, in room: @escaping @Sendable (Int) -> [UInt8]
    ) async throws(HTTPBodyError) -> [UInt8]? {
        var gathered: [UInt8]?
        while (gathered?.count ?? 0) < count, let piece = try await next() {
            if gathered == nil { gathered = piece } else { gathered?.append(contentsOf: piece) }
        }
        return gathered
    }
}

/// The reason why a body could not be read. The connection can be reused only after `tooLarge` and
/// `unsupportedEncoding`.
public enum HTTPBodyError: Error, Hashable, Sendable {
    /// Status 413: the body has more bytes than the handler accepts.
    case tooLarge(limit: Int)
    /// Status 400: a malformed chunk, trailer or gzip stream, with a sentence for the client.
    case malformed(String)
    /// Status 415: a content coding other than gzip and identity.
    case unsupportedEncoding
    /// Status 413: the decompression ratio exceeded its limit.
    case bomb
    /// Status 408: the body did not arrive in time.
    case timeout
    /// The client disconnected, so no response can reach it.
    case disconnected
    /// Status 503: all request bodies in memory together exceed their common limit.
    case overloaded
}
