/// A response as a handler returns it. The transport adds `Date`, `Content-Length` or chunked coding, `Connection`,
/// `X-Request-ID`, CORS fields and, if worthwhile, gzip.
public struct HTTPResponse: Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields.
    public var fields: HTTPFields
    /// The response body.
    public var body: HTTPResponseBody
    /// The name of the route in metrics and the access log, such as `GET /records/{type}/{name}`.
    public var route: StaticString
    /// Whether the transport closes the connection after this response.
    public var closesConnection: Bool
    /// Whether the path is a secret, such as a signed URL. The access log then shows the route instead.
    public var hidesPath = false
    /// Whether the log of the latest requests leaves this response out. The access log has it.
    public var isUnlogged = false
    /// Whether the handler has decided which origins may read the response. The transport then adds no CORS fields.
    public var ownsOrigins = false

    /// The route of a response to a request that no route has matched.
    public static let noRoute: StaticString = "other"

    /// Creates a response.
    public init(
        _ status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: HTTPResponseBody = .none,
        route: StaticString = noRoute, closesConnection: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.route = route
        self.closesConnection = closesConnection
    }
}

extension HTTPResponse {
    /// Whether a route has matched the request. Other responses have the route of `init`.
    public var hasRoute: Bool {
        // Most names have another length, and need no comparison.
        route.utf8CodeUnitCount != Self.noRoute.utf8CodeUnitCount
            || !"\(route)".elementsEqual("\(Self.noRoute)")
    }

    /// The path of the route for the access log. It shows parameter names instead of the values, which may be secret.
    public var pattern: String { String("\(route)".split(separator: " ", maxSplits: 1).last ?? "") }
}

/// The body of a response, in the form that is cheapest to send.
public enum HTTPResponseBody: Sendable {
    case none
    case bytes([UInt8])
    /// Bytes with a precomputed gzip form (static files). The transport chooses one form by `Accept-Encoding`.
    case prepared(identity: [UInt8], gzip: [UInt8]?)
    /// A body that is produced piece by piece. A body with a `length` is sent unframed; a body without a length is
    /// chunked.
    case stream(length: Int?, any HTTPBodySource)
    /// Events that are sent as they happen, until the client leaves or the source ends.
    case events(any HTTPEventSource)
    /// Parts of an open file. The kernel sends them without a copy through the memory of this process.
    case file(HTTPFileBody)
}

/// A body that consists of ranges of one file and of bytes between the ranges (multipart/byteranges).
public struct HTTPFileBody: Sendable {
    /// Bytes in memory, or a range of the file.
    public enum Part: Hashable, Sendable {
        case bytes([UInt8])
        /// A range of the file.
        case range(Range<Int>)

        /// The length of the part in bytes.
        public var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .range(let range): range.count
            }
        }
    }

    /// The maximum size of a piece in bytes.
    public static let pieceBytes = 256 << 10

    /// The open file that the ranges refer to.
    public let file: any HTTPFile
    /// The parts in the order in which they are sent.
    public let parts: [Part]
    /// Called before each piece of a range is sent. If it throws, the connection is closed, so that the client detects the
    /// truncation.
    public let check: (@Sendable () async throws -> Void)?

    /// Creates a body from parts of a file.
    public init(_ file: any HTTPFile, parts: [Part], check: (@Sendable () async throws -> Void)? = nil) {
        self.file = file
        self.parts = parts
        self.check = check
    }

    /// The length of the body in bytes.
    public var length: Int { parts.reduce(0) { $0 + $1.count } }
}

/// An open regular file. Its descriptor is closed when the last reference is released.
public protocol HTTPFile: AnyObject, Sendable {
    /// The descriptor, open for reading. Readers pass an offset, so that the descriptor's file position does not
    /// change.
    var descriptor: Int32 { get }
}

/// The source of a streamed response body.
public protocol HTTPBodySource: Sendable {
    /// Returns the next piece; `nil` at the end.
    ///
    /// - Throws: Any error. The connection is then closed without the last chunk, so that the client detects the
    ///   truncation.
    func next() async throws -> [UInt8]?
}

/// The source of a response that stays open: its pieces are sent as they happen.
///
/// The functions other than `next` are called on the connection's loop while `next` waits.
public protocol HTTPEventSource: AnyObject, HTTPBodySource {
    /// Called about once per second, for heartbeats and timeouts.
    ///
    /// - Parameter now: The time in nanoseconds of the monotonic clock.
    func tick(now: UInt64)

    /// Called when the client has closed its side of the connection. `next` should then return `nil`.
    func clientDidLeave()

    /// Called when the server stops. `next` should then return a last piece, and `nil` after it.
    func serverWillStop()
}
