/// The refusals of a request head: each a status and a sentence that says what to do.
extension HTTPRefusal {
    private static func bad(_ reason: String) -> HTTPRefusal { HTTPRefusal(.badRequest, reason) }

    // MARK: Lines

    static var emptyLines: HTTPRefusal { bad("More than two empty lines precede the request line; send none.") }
    static var bareCarriageReturn: HTTPRefusal {
        bad("A carriage return stands without a line feed; end each line of the head with CR LF.")
    }

    /// - Parameter isFirst: Whether it is the first byte of the request: then 0x16 is the start of a TLS handshake.
    static func control(_ byte: UInt8, isFirst: Bool) -> HTTPRefusal {
        if byte == 0x0A { return bad("A line feed stands without a carriage return; end each line with CR LF.") }
        if byte == 0x16, isFirst {
            return bad("This port speaks plain HTTP and the request begins a TLS handshake; use http, not https.")
        }
        return bad("The head has a control character; leave it out or encode it.")
    }

    // MARK: Request line

    static var malformedRequestLine: HTTPRefusal {
        bad("The request line is malformed; send 'METHOD target HTTP/1.1' with single spaces.")
    }
    static var malformedVersion: HTTPRefusal {
        bad("The protocol version is malformed; the request line must end in ' HTTP/1.1'.")
    }
    static var http2: HTTPRefusal {
        HTTPRefusal(
            .httpVersionNotSupported, "This server does not speak HTTP/2; send the request as HTTP/1.1 without upgrade."
        )
    }
    static var tooLongMethod: HTTPRefusal {
        HTTPRefusal(.notImplemented, "The request method is too long for any that this server knows.")
    }
    static var tooLongTarget: HTTPRefusal {
        HTTPRefusal(.uriTooLong, "The request target is too long; shorten it or send the parameters in a body.")
    }

    /// - Parameter bytes: Beyond the limit of a request line, so the bytes before it are all there.
    static func tooLongRequestLine(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ limits: RequestParser.Limits
    ) -> HTTPRefusal {
        let methodLimit = min(start + limits.maxMethodBytes + 1, bytes.count)
        return bytes.part(min(start, methodLimit), methodLimit).contains(0x20) ? tooLongTarget : tooLongMethod
    }

    // MARK: Fields

    static func tooLongFields(oneLine: Bool) -> HTTPRefusal {
        HTTPRefusal(
            .requestHeaderFieldsTooLarge,
            oneLine
                ? "A header field is too long; shorten it or send it in the body."
                : "The header fields together are too long; send fewer or shorter ones.")
    }

    static func tooManyFields(_ limit: Int) -> HTTPRefusal {
        HTTPRefusal(.requestHeaderFieldsTooLarge, "There are more than \(limit) header fields; send fewer.")
    }

    /// Why a line is no field: `stop` is where its name ended.
    static func malformedField(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ stop: Int, _ end: Int
    ) -> HTTPRefusal {
        if bytes[start].isBlank {
            return bad("A header line begins with white space; folded lines are obsolete, send each field on one line.")
        }
        if stop < end, bytes[stop].isBlank {
            return bad("White space stands between a header field's name and its colon; remove it.")
        }
        if stop == start, bytes[start] == UInt8(ascii: ":") {
            return bad("A header field has no name; send 'Name: value'.")
        }
        if stop == end { return bad("A header line has no colon; send 'Name: value'.") }
        return bad("A header field's name has a character that is not allowed; use letters, digits and '-'.")
    }

    // MARK: Host

    static var missingHost: HTTPRefusal { bad("HTTP/1.1 needs a Host field; send 'Host: ' and the server's name.") }
    static var twoHosts: HTTPRefusal { bad("There is more than one Host field; send exactly one.") }
    static var malformedHost: HTTPRefusal {
        bad("The Host field is malformed; send a name or an address with an optional ':port'.")
    }

    // MARK: Body

    static var twoLengths: HTTPRefusal { bad("There is more than one Content-Length; send exactly one.") }
    static var malformedLength: HTTPRefusal {
        bad("The Content-Length is malformed; send one decimal number without sign or list.")
    }
    static var lengthOverflow: HTTPRefusal {
        HTTPRefusal(.contentTooLarge, "The Content-Length is beyond any body that this server takes.")
    }
    static var twoFramings: HTTPRefusal {
        bad("There are both Content-Length and Transfer-Encoding; send one of them.")
    }
    static var twoTransferEncodings: HTTPRefusal {
        bad("There is more than one Transfer-Encoding; send 'Transfer-Encoding: chunked' once.")
    }
    static var transferEncodingInHTTP10: HTTPRefusal {
        bad("HTTP/1.0 has no Transfer-Encoding; send a Content-Length or use HTTP/1.1.")
    }

    /// A Transfer-Encoding other than `chunked`. RFC 9112 §6.3: 400 if the last coding is not chunked, since the length
    /// is then unknown; §6.1: 501 for a coding that is not understood.
    static func transferEncoding(_ value: UnsafeRawBufferPointer) -> HTTPRefusal {
        var count = 0
        var chunked = 0
        var endsChunked = false
        var isList = true
        value.forEachListElement { element in
            count += 1
            endsChunked = element.equalsIgnoringCase("chunked")
            if endsChunked { chunked += 1 }
            if !element.allSatisfy({ $0.isToken }) { isList = false }
        }
        guard isList, count > 1, chunked == 1, endsChunked else {
            return bad("The Transfer-Encoding is not 'chunked'; send exactly that, once, or a Content-Length.")
        }
        return HTTPRefusal(
            .notImplemented, "This server knows no transfer coding but chunked; compress with Content-Encoding instead."
        )
    }

    static var unknownExpectation: HTTPRefusal {
        HTTPRefusal(.expectationFailed, "This server knows no expectation but '100-continue'; leave Expect out.")
    }
}
