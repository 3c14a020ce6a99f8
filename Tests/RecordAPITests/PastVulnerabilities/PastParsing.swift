import Foundation
import HTTP
import Testing

/// Heads of requests without bound, and lengths that two parties read differently.
@Suite struct PastParsing {
    static let numbers = [33]

    /// The status with which a head is rejected; `nil` for a head that is accepted or incomplete.
    private static func rejection(_ text: String) -> Int? {
        var parser = RequestParser()
        let bytes = Array(text.utf8)
        let verdict = bytes.withUnsafeBytes { parser.parse($0) }
        guard case .rejected(let rejection) = verdict else { return nil }
        return Int(rejection.status.code)
    }

    @Test func `33: fields are limited in number and size`() {
        let start = "GET / HTTP/1.1\r\nHost: a\r\n"
        #expect(Self.rejection(start + "\r\n") == nil)
        #expect(Self.rejection(start + String(repeating: "A: b\r\n", count: 99) + "\r\n") == nil)
        #expect(Self.rejection(start + String(repeating: "A: b\r\n", count: 100) + "\r\n") == 431)
        #expect(Self.rejection(start + "A: \(String(repeating: "b", count: 9_000))\r\n\r\n") == 431)
        #expect(
            Self.rejection(
                start + String(repeating: "A: \(String(repeating: "b", count: 4_000))\r\n", count: 9))
                == 431)
        // Without an end in sight too.
        #expect(Self.rejection(start + "A: \(String(repeating: "b", count: 40_000))") == 431)
        #expect(
            Self.rejection("GET /\(String(repeating: "a", count: 9_000)) HTTP/1.1\r\nHost: a\r\n\r\n")
                == 414)
    }

    @Test(arguments: [
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, gzip",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked", "Transfer-Encoding: chunkedx", "Transfer-Encoding: \"chunked\"",
        "Transfer-Encoding:", "Transfer-Encoding: ,chunked", "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding : chunked", " Transfer-Encoding: chunked",
        "Transfer-Encoding: \u{0B}chunked",
        "Transfer-Encoding\u{00}: chunked", "Transfer-Encoding: chunked\r\n Transfer-Encoding: x",
        "Content-Length: 5\r\nContent-Length: 6", "Content-Length: +5", "Content-Length: 5, 6",
        "Content-Length: 0x5",
        "Content-Length: -1", "Content-Length: 5 5", "Content-Length: 99999999999999999999",
        "Content-Length: ",
        "Transfer-Encoding: chunked\nContent-Length: 5",
    ]) func `33: a length that can be read in two ways is rejected`(_ fields: String) {
        let status = Self.rejection("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\nhello")
        #expect(status == 400 || status == 501 || status == 413, "\(String(describing: status))")
    }
}
