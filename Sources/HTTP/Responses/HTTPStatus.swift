/// A response status code with its reason phrase (RFC 9110 §15).
public struct HTTPStatus: Hashable, Sendable {
    /// The code, 100 to 599.
    public let code: UInt16

    /// Creates a status from its code.
    public init(_ code: UInt16) {
        self.code = code
    }

    /// 200 OK (RFC 9110 §15.3.1).
    public static let ok = HTTPStatus(200)
    /// 201 Created (RFC 9110 §15.3.2).
    public static let created = HTTPStatus(201)
    /// 202 Accepted (RFC 9110 §15.3.3).
    public static let accepted = HTTPStatus(202)
    /// 204 No Content (RFC 9110 §15.3.5).
    public static let noContent = HTTPStatus(204)
    /// 206 Partial Content (RFC 9110 §15.3.7).
    public static let partialContent = HTTPStatus(206)
    /// 308 Permanent Redirect (RFC 9110 §15.4.9).
    public static let permanentRedirect = HTTPStatus(308)
    /// 304 Not Modified (RFC 9110 §15.4.5).
    public static let notModified = HTTPStatus(304)
    /// 400 Bad Request (RFC 9110 §15.5.1).
    public static let badRequest = HTTPStatus(400)
    /// 401 Unauthorized (RFC 9110 §15.5.2).
    public static let unauthorized = HTTPStatus(401)
    /// 403 Forbidden (RFC 9110 §15.5.4).
    public static let forbidden = HTTPStatus(403)
    /// 404 Not Found (RFC 9110 §15.5.5).
    public static let notFound = HTTPStatus(404)
    /// 405 Method Not Allowed (RFC 9110 §15.5.6).
    public static let methodNotAllowed = HTTPStatus(405)
    /// 406 Not Acceptable (RFC 9110 §15.5.7).
    public static let notAcceptable = HTTPStatus(406)
    /// 408 Request Timeout (RFC 9110 §15.5.9).
    public static let requestTimeout = HTTPStatus(408)
    /// 409 Conflict (RFC 9110 §15.5.10).
    public static let conflict = HTTPStatus(409)
    /// 410 Gone (RFC 9110 §15.5.11).
    public static let gone = HTTPStatus(410)
    /// 411 Length Required (RFC 9110 §15.5.12).
    public static let lengthRequired = HTTPStatus(411)
    /// 412 Precondition Failed (RFC 9110 §15.5.13).
    public static let preconditionFailed = HTTPStatus(412)
    /// 413 Content Too Large (RFC 9110 §15.5.14).
    public static let contentTooLarge = HTTPStatus(413)
    /// 414 URI Too Long (RFC 9110 §15.5.15).
    public static let uriTooLong = HTTPStatus(414)
    /// 415 Unsupported Media Type (RFC 9110 §15.5.16).
    public static let unsupportedMediaType = HTTPStatus(415)
    /// 416 Range Not Satisfiable (RFC 9110 §15.5.17).
    public static let rangeNotSatisfiable = HTTPStatus(416)
    /// 417 Expectation Failed (RFC 9110 §15.5.18).
    public static let expectationFailed = HTTPStatus(417)
    /// 421 Misdirected Request (RFC 9110 §15.5.20).
    public static let misdirectedRequest = HTTPStatus(421)
    /// 422 Unprocessable Content (RFC 9110 §15.5.21).
    public static let unprocessableContent = HTTPStatus(422)
    /// 429 Too Many Requests (RFC 6585 §4).
    public static let tooManyRequests = HTTPStatus(429)
    /// 431 Request Header Fields Too Large (RFC 6585 §5).
    public static let requestHeaderFieldsTooLarge = HTTPStatus(431)
    /// 460 Checksum Mismatch: the bytes do not match their Upload-Checksum (tus 1.0.0; not registered).
    public static let checksumMismatch = HTTPStatus(460)
    /// 499 Client Closed Request: the client disconnected before the response was complete. Appears only in logs and
    /// metrics (nginx; not registered).
    public static let clientClosedRequest = HTTPStatus(499)
    /// 500 Internal Server Error (RFC 9110 §15.6.1).
    public static let internalServerError = HTTPStatus(500)
    /// 501 Not Implemented (RFC 9110 §15.6.2).
    public static let notImplemented = HTTPStatus(501)
    /// 503 Service Unavailable (RFC 9110 §15.6.4).
    public static let serviceUnavailable = HTTPStatus(503)
    /// 505 HTTP Version Not Supported (RFC 9110 §15.6.6).
    public static let httpVersionNotSupported = HTTPStatus(505)
    /// 507 Insufficient Storage (RFC 4918 §11.5).
    public static let insufficientStorage = HTTPStatus(507)

    /// Whether a response with this status never has a body (RFC 9110 §6.4.1).
    public var isBodyless: Bool {
        code < 200 || code == 204 || code == 304
    }

    /// The phrase for the status line; empty for codes without a constant above.
    public var reasonPhrase: StaticString {
        switch code {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 304: "Not Modified"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 460: "Checksum Mismatch"
        case 499: "Client Closed Request"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        case 507: "Insufficient Storage"
        default: ""
        }
    }
}
