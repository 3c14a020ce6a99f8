/// The first line of a request: `method SP target SP version` (RFC 9112 §3).
struct RequestLine: Sendable {
    var method: HTTPMethod
    var target: RequestTarget.Shape
    var version: HTTPVersion

    /// Parses a request line.
    ///
    /// - Parameters:
    ///   - start: The start of the line in `bytes`.
    ///   - end: The position of the line's CR LF.
    /// - Throws: An `HTTPRejection`: 400 for a malformed line or target, 414 for a long target, 501 for CONNECT or a
    ///   long method, 505 for a version other than HTTP/1.
    init(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int, _ limits: RequestParser.Limits
    ) throws(HTTPRejection) {
        var methodEnd = start
        while methodEnd < end, bytes[methodEnd].isToken { methodEnd &+= 1 }
        guard methodEnd &- start <= limits.maxMethodBytes else { throw .tooLongMethod }
        guard methodEnd > start, methodEnd < end, bytes[methodEnd] == 0x20 else { throw .malformedRequestLine }
        let targetStart = methodEnd &+ 1
        var targetEnd = targetStart
        while targetEnd < end, bytes[targetEnd] != 0x20 { targetEnd &+= 1 }
        guard targetEnd &- targetStart <= limits.maxTargetBytes else { throw .tooLongTarget }
        guard targetEnd < end else { throw .malformedRequestLine }
        // Check the version first: for the HTTP/2 preface, the target would cause a less helpful rejection.
        version = try Self.version(bytes.part(targetEnd &+ 1, end))
        let name = bytes.part(start, methodEnd)
        if name.equals("CONNECT") {
            throw HTTPRejection(.notImplemented, "This server is no proxy and makes no tunnels; do not send CONNECT.")
        }
        method = HTTPMethod(token: name)
        target = try TargetParser.parse(bytes, targetStart, targetEnd, isOptions: method == .options)
    }

    private static func version(_ text: UnsafeRawBufferPointer) throws(HTTPRejection) -> HTTPVersion {
        guard text.count == 8, text.part(0, 5).equals("HTTP/"), text[5].isDigit, text[6] == UInt8(ascii: "."),
            text[7].isDigit
        else { throw .malformedVersion }
        guard text[5] == UInt8(ascii: "1") else {
            if text[5] == UInt8(ascii: "2") { throw .http2 }
            throw HTTPRejection(.httpVersionNotSupported, "This server speaks HTTP/1.1 and HTTP/1.0; use one of them.")
        }
        return text[7] == UInt8(ascii: "0") ? .http10 : .http11
    }
}

extension HTTPMethod {
    /// - Parameter token: A valid token.
    init(token: UnsafeRawBufferPointer) {
        switch token.count {
        case 3 where token.equals("GET"): self = .get
        case 3 where token.equals("PUT"): self = .put
        case 4 where token.equals("POST"): self = .post
        case 4 where token.equals("HEAD"): self = .head
        case 5 where token.equals("PATCH"): self = .patch
        case 6 where token.equals("DELETE"): self = .delete
        case 7 where token.equals("OPTIONS"): self = .options
        default: self = .other(String(decoding: token, as: UTF8.self))
        }
    }
}
