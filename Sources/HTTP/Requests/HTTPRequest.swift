/// A request as a handler sees it: the head is complete and valid, the body may still be on its way.
public struct HTTPRequest: Sendable {
    public var method: HTTPMethod
    /// The request target, split but not yet decoded.
    public var target: RequestTarget
    public var fields: HTTPFields
    public var body: HTTPRequestBody
    /// The client's address as text without a port; empty if nobody knows it, as on a Unix socket. It is the peer's, unless
    /// the peer is a trusted proxy that names another.
    public var remoteAddress: String
    /// The same to count by.
    public var client: IPAddress?
    /// What `X-Request-ID` of the answer says: the client's own if it is well formed, else one made by the transport.
    public var id: String

    public init(
        method: HTTPMethod, target: RequestTarget, fields: HTTPFields = HTTPFields(),
        body: HTTPRequestBody = .empty, remoteAddress: String = "", id: String = ""
    ) {
        self.init(
            method: method, target: target, fields: fields, body: body, remoteAddress: remoteAddress,
            client: IPAddress(remoteAddress), id: id)
    }

    /// - Parameter client: What `remoteAddress` says, for whoever knows it already.
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

/// The body of a request: whole, or to be pulled piece by piece.
///
/// Nothing is read from the socket, and no `100 Continue` is sent (RFC 9110 §10.1.1), before a handler asks for it; so a
/// request can be refused before its body crosses the network.
public enum HTTPRequestBody: Sendable {
    case empty
    case bytes([UInt8])
    case stream(any HTTPBodyReader)

    /// The whole body.
    ///
    /// - Parameter limit: The most bytes to accept, after decompression.
    /// - Throws: `HTTPBodyError.tooLarge` beyond `limit`, or what the stream throws.
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

/// Where a streamed body comes from. It is read by one task, once.
public protocol HTTPBodyReader: Sendable {
    /// The length announced by Content-Length; `nil` for a chunked or compressed body.
    var expectedLength: Int? { get }
    /// The next piece, decoded from chunks and gzip; `nil` at the end.
    func next() async throws(HTTPBodyError) -> [UInt8]?
    /// A piece of `count` bytes, or fewer at the end of the body; `nil` behind it. For whoever pays per piece.
    ///
    /// - Parameter room: Makes an empty array for so many bytes, where possible of memory that was used before.
    func next(
        gathering count: Int, in room: @escaping @Sendable (Int) -> [UInt8]
    ) async throws(HTTPBodyError) -> [UInt8]?
    /// The rest of the body in one array; refuses at once if the announced length is beyond `limit`.
    func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8]
}

extension HTTPBodyReader {
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

/// Why a body could not be read. Apart from `tooLarge` and `unsupportedEncoding` the connection cannot be used again.
public enum HTTPBodyError: Error, Hashable, Sendable {
    /// More bytes than the handler accepts: 413.
    case tooLarge(limit: Int)
    /// A malformed chunk, trailer or gzip stream: 400, with a sentence.
    case malformed(String)
    /// A content coding other than gzip and identity: 415.
    case unsupportedEncoding
    /// Decompression passed the limit on the ratio: 413.
    case bomb
    /// The body did not arrive in time: 408.
    case timeout
    /// The client went away; nobody will read an answer.
    case disconnected
    /// Too many bodies are in flight together: 503.
    case overloaded
}
