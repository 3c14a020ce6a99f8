import FuzzTargets
import HTTP
import Testing

@Suite struct ResponseEncoderTests {
    static func head(
        _ response: HTTPResponse, contentLength: Int? = 2, requestID: String = "r1", keepAlive: Bool = true,
        version: HTTPVersion = .http11
    ) -> String {
        var output: [UInt8] = []
        ResponseEncoder.appendHead(
            response, contentLength: contentLength, date: HTTPDate.text(unixSeconds: 784_111_777),
            requestID: requestID, keepAlive: keepAlive, version: version, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `a head has the status line, the transport's fields and the handler's`() throws {
        var fields = HTTPFields()
        fields.append(.contentType, "text/plain")
        fields.append(try #require(HTTPFieldName("X-Own")), "1")
        #expect(
            Self.head(HTTPResponse(.ok, fields: fields)) == """
                HTTP/1.1 200 OK\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Content-Length: 2\r
                X-Request-ID: r1\r
                Content-Type: text/plain\r
                x-own: 1\r
                \r\n
                """)
    }

    @Test(
        arguments: [
            (200, 5, HTTPVersion.http11, true, ["Content-Length: 5"]),
            (200, nil, .http11, true, ["Transfer-Encoding: chunked"]),
            (200, nil, .http10, true, ["Connection: close"]),
            (200, 5, .http10, true, ["Content-Length: 5", "Connection: keep-alive"]),
            (200, 5, .http11, false, ["Content-Length: 5", "Connection: close"]),
            (204, nil, .http11, true, []), (204, 0, .http11, true, []), (304, 5, .http11, true, []),
            (304, nil, .http10, true, ["Connection: keep-alive"]), (500, 0, .http11, true, ["Content-Length: 0"]),
        ] as [(UInt16, Int?, HTTPVersion, Bool, [String])])
    func `framing follows from status, length and version`(
        _ status: UInt16, _ length: Int?, _ version: HTTPVersion, _ keepAlive: Bool, _ expected: [String]
    ) {
        let head = Self.head(
            HTTPResponse(HTTPStatus(status)), contentLength: length, requestID: "", keepAlive: keepAlive,
            version: version)
        let lines = head.split(separator: "\r\n").map(String.init)
        #expect(Array(lines.dropFirst(2)) == expected)
        #expect(head.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [
        "a\r\nSet-Cookie: x", "a\nb", "a\rb", "a\r\n\r\n<html>", "\0", "a\u{1B}b", "\r\n", "\u{7F}", "\u{0B}x",
        "a\u{85}b",
    ])
    func `no value can split a response`(_ value: String) throws {
        var fields = HTTPFields()
        fields.append(.location, value)
        fields.append(try #require(HTTPFieldName("x-a")), ascii: Array(value.utf8))
        fields.append(.etag, ascii: value.utf8.lazy.map { $0 })
        fields.set(.server, value)
        let head = Self.head(HTTPResponse(.ok, fields: fields), requestID: value)
        #expect(head.split(separator: "\r\n", omittingEmptySubsequences: false).count == 10)
        for byte in head.utf8.split(separator: 0x0A).joined() where byte != 0x0D {
            #expect(byte >= 0x20 && byte != 0x7F)
        }
        #expect(head.utf8.filter { $0 == 0x0D }.count == 9)
        #expect(head.utf8.filter { $0 == 0x0A }.count == 9)
    }

    @Test(arguments: ["", "a b", "a:b", "a\r\nb", "a\0", "ä", "a\n", "(a)", "a,b"])
    func `only a token is a field name`(_ text: String) {
        #expect(HTTPFieldName(text) == nil)
    }

    @Test func `only the transport sets the fields that frame the message`() {
        var fields = HTTPFields()
        for name: HTTPFieldName in [
            .contentLength, .transferEncoding, .connection, .date, .keepAlive, .trailer, .upgrade, .xRequestID,
        ] {
            fields.append(name, "chunked")
        }
        #expect(!Self.head(HTTPResponse(.ok, fields: fields)).contains("chunked"))
    }

    @Test func `chunks can be decoded again`() {
        var output: [UInt8] = []
        for text in ["hello", "", " ", String(repeating: "x", count: 1000)] {
            ResponseEncoder.appendChunk(Array(text.utf8), to: &output)
        }
        output += ResponseEncoder.lastChunk
        let data = "data \"hello \(String(repeating: "x", count: 1000))\""
        #expect(Feed.chunked(output) == [data, "finished \(output.count)"])
        #expect(output.starts(with: "5\r\nhello\r\n1\r\n \r\n3e8\r\n".utf8))
    }
}
