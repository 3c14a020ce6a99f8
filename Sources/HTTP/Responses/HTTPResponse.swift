/// An answer as a handler makes it. The transport adds `Date`, `Content-Length` or chunking, `Connection`,
/// `X-Request-ID`, CORS fields and, where it pays, gzip.
public struct HTTPResponse: Sendable {
    public var status: HTTPStatus
    public var fields: HTTPFields
    public var body: HTTPResponseBody
    /// The name under which metrics and the access log count this answer, such as `GET /records/{type}/{name}`.
    public var route: StaticString
    /// The connection is closed after this answer.
    public var closesConnection: Bool
    /// The path is a secret, such as a signed URL: the access log shows the route in its place.
    public var hidesPath = false

    public init(
        _ status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: HTTPResponseBody = .none,
        route: StaticString = "other", closesConnection: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.route = route
        self.closesConnection = closesConnection
    }
}

extension HTTPResponse {
    /// The path of the route, with names in the place of what a client may keep to itself.
    public var pattern: String { String("\(route)".split(separator: " ", maxSplits: 1).last ?? "") }
}

/// The body of an answer.
public enum HTTPResponseBody: Sendable {
    case none
    case bytes([UInt8])
    /// Bytes whose gzip form was made beforehand (static files); the transport picks by `Accept-Encoding`.
    case prepared(identity: [UInt8], gzip: [UInt8]?)
    /// A body made piece by piece: with a length it is sent as it is, without one it is chunked.
    case stream(length: Int?, any HTTPBodySource)
    /// Parts of an open file, sent as they are without passing through this process's memory.
    case file(HTTPFileBody)
}

/// A body that is made of ranges of one file, and of bytes between them (multipart/byteranges).
public struct HTTPFileBody: Sendable {
    public enum Part: Hashable, Sendable {
        case bytes([UInt8])
        /// Bytes of the file.
        case range(Range<Int>)

        public var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .range(let range): range.count
            }
        }
    }

    public let file: any HTTPFile
    public let parts: [Part]

    public init(_ file: any HTTPFile, parts: [Part]) {
        self.file = file
        self.parts = parts
    }

    /// The length of the body in bytes.
    public var length: Int { parts.reduce(0) { $0 + $1.count } }
}

/// An open regular file, which is closed with its last reference.
public protocol HTTPFile: AnyObject, Sendable {
    /// Open for reading. Nobody moves its position: it is read at given places.
    var descriptor: Int32 { get }
}

/// Where a streamed answer comes from.
public protocol HTTPBodySource: Sendable {
    /// The next piece, `nil` at the end. An error closes the connection without the last chunk, so that the client
    /// sees a cut-off answer as one.
    func next() async throws -> [UInt8]?
}
