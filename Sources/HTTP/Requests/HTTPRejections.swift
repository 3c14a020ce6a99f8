/// The rejections of a request head. Each has a status and a sentence that says how to fix the request.
extension HTTPRejection {
    private static func bad(_ reason: String) -> HTTPRejection { HTTPRejection(.badRequest, reason) }

    // MARK: Lines

    static var emptyLines: HTTPRejection { bad("More than two empty lines precede the request line; send none.") }
    static var bareCarriageReturn: HTTPRejection {
        bad("A carriage return stands without a line feed; end each line of the head with CR LF.")
    }

    /// - Parameter isFirst: Whether `byte` is the first byte of the request. There, 0x16 is the start of a TLS
    ///   handshake.
    static func control(_ byte: UInt8, isFirst: Bool) -> HTTPRejection {
        if byte == 0x0A { return bad("A line feed stands without a carriage return; end each line with CR LF.") }
        if byte == 0x16, isFirst {
            return bad("This port speaks plain HTTP and the request begins a TLS handshake; use http, not https.")
        }
        return bad("The head has a control character; leave it out or encode it.")
    }

    // MARK: Request line

    static var malformedRequestLine: HTTPRejection {
        bad("The request line is malformed; send 'METHOD target HTTP/1.1' with single spaces.")
    }
    static var malformedVersion: HTTPRejection {
        bad("The protocol version is malformed; the request line must end in ' HTTP/1.1'.")
    }
    static var http2: HTTPRejection {
        HTTPRejection(
            .httpVersionNotSupported, "This server does not speak HTTP/2; send the request as HTTP/1.1 without upgrade."
        )
    }
    static var tooLongMethod: HTTPRejection {
        HTTPRejection(.notImplemented, "The request method is too long for any that this server knows.")
    }
    static var tooLongTarget: HTTPRejection {
        HTTPRejection(.uriTooLong, "The request target is too long; shorten it or send the parameters in a body.")
    }

    /// - Parameter bytes: The received bytes. More bytes follow `start` than a request line may have, so a method of
    ///   allowed length is complete.
    static func tooLongRequestLine(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ limits: RequestParser.Limits
    ) -> HTTPRejection {
        let methodLimit = min(start + limits.maxMethodBytes + 1, bytes.count)
        return bytes.part(min(start, methodLimit), methodLimit).contains(0x20) ? tooLongTarget : tooLongMethod
    }

    // MARK: Fields

    static func tooLongHead(_ limits: RequestParser.Limits) -> HTTPRejection {
        HTTPRejection(
            .requestHeaderFieldsTooLarge,
            "The header fields together are longer than \(limits.maxHeadBytes) bytes; send fewer or shorter ones.")
    }

    /// - Parameter bytes: The received bytes. More bytes follow `start` than a field line may have.
    static func tooLongField(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ limits: RequestParser.Limits
    ) -> HTTPRejection {
        let line = bytes.part(start, min(start + shownNameBytes + 1, bytes.count))
        let name = line.prefix { $0.isToken }
        let isShown = !name.isEmpty && name.count < line.count && line[name.count] == UInt8(ascii: ":")
        let subject = isShown ? "The header field '\(String(decoding: name, as: UTF8.self))'" : "A header field"
        // Browsers send a host's cookies to each of its ports.
        let advice =
            UnsafeRawBufferPointer(rebasing: name).equalsIgnoringCase("cookie") && isShown
            ? "clear the cookies of this host." : "shorten it or send it in the body."
        return HTTPRejection(
            .requestHeaderFieldsTooLarge,
            "\(subject) is longer than \(limits.maxFieldBytes) bytes (the server's limits.field_bytes); \(advice)")
    }

    /// The maximum length of a field name in a sentence.
    private static let shownNameBytes = 64

    static func tooManyFields(_ limit: Int) -> HTTPRejection {
        HTTPRejection(.requestHeaderFieldsTooLarge, "There are more than \(limit) header fields; send fewer.")
    }

    /// Returns the rejection of a line that is not a field. `stop` is the end of the field name.
    static func malformedField(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ stop: Int, _ end: Int
    ) -> HTTPRejection {
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

    static var missingHost: HTTPRejection { bad("HTTP/1.1 needs a Host field; send 'Host: ' and the server's name.") }
    static var twoHosts: HTTPRejection { bad("There is more than one Host field; send exactly one.") }
    static var malformedHost: HTTPRejection {
        bad("The Host field is malformed; send a name or an address with an optional ':port'.")
    }

    // MARK: Body

    static var twoLengths: HTTPRejection { bad("There is more than one Content-Length; send exactly one.") }
    static var malformedLength: HTTPRejection {
        bad("The Content-Length is malformed; send one decimal number without sign or list.")
    }
    static var lengthOverflow: HTTPRejection {
        HTTPRejection(.contentTooLarge, "The Content-Length is beyond any body that this server takes.")
    }
    static var twoFramings: HTTPRejection {
        bad("There are both Content-Length and Transfer-Encoding; send one of them.")
    }
    static var twoTransferEncodings: HTTPRejection {
        bad("There is more than one Transfer-Encoding; send 'Transfer-Encoding: chunked' once.")
    }
    static var transferEncodingInHTTP10: HTTPRejection {
        bad("HTTP/1.0 has no Transfer-Encoding; send a Content-Length or use HTTP/1.1.")
    }

    /// Returns the rejection of a Transfer-Encoding other than `chunked`. The status is 400 if the last coding is not
    /// `chunked`, because the length of the body is then unknown (RFC 9112 §6.3). The status is 501 for a coding that
    /// the server does not implement (§6.1).
    static func transferEncoding(_ value: UnsafeRawBufferPointer) -> HTTPRejection {
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
        return HTTPRejection(
            .notImplemented, "This server knows no transfer coding but chunked; compress with Content-Encoding instead."
        )
    }

    static var unknownExpectation: HTTPRejection {
        HTTPRejection(.expectationFailed, "This server knows no expectation but '100-continue'; leave Expect out.")
    }
}
