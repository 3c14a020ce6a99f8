import HTTP
import Testing

@Suite struct RejectedHeadTests {
    private static func head(_ text: String) -> RejectedHead {
        var head = RejectedHead()
        Array(text.utf8).withUnsafeBytes { head.read($0) }
        return head
    }

    private static let long = String(repeating: "a", count: 9_000)

    @Test(arguments: [
        ("GET /a/b?x=1&y=2 HTTP/1.1\r\nHost: x\r\n", "GET", "/a/b?x=1&y=2"),
        ("PROPFIND /a HTTP/1.1\r\n", "PROPFIND", "/a"),
        ("OPTIONS http://h/a?x HTTP/1.1\r\n", "OPTIONS", "/a?x"),
        // The line has not ended.
        ("GET /a?x=1", "GET", "/a?x=1"),
        ("\r\nPOST /a HTTP/1.1\r\n", "POST", "/a"),
        // Long parameters are left out, wherever they stand.
        ("GET /a?x=\(long)&t=1 HTTP/1.1\r\n", "GET", "/a?t=1"),
        ("GET /a?t=1&x=\(long) HTTP/1.1\r\n", "GET", "/a?t=1&"),
        ("GET /a?t=1&x=\(long)", "GET", "/a?t=1&"),
        ("GET /a?\(long)&t=1&\(long)&u=2 HTTP/1.1\r\n", "GET", "/a?t=1&u=2"),
        // A long path is cut off.
        ("GET /\(long)?t=1 HTTP/1.1\r\n", "GET", "/\(long.prefix(1_019))?t=1"),
        ("GET /\(long)", "GET", "/\(long.prefix(1_019))"),
    ])
    func `the method and the target are those of the request line`(text: String, method: String, target: String) {
        let head = Self.head(text)
        let shown = (head.target?.rawPath ?? "-") + (head.target?.rawQuery.map { "?" + $0 } ?? "")
        #expect(head.method.text == method && shown == target)
    }

    @Test(arguments: [
        "", "GET", "\u{16}\u{3}\u{1}", "GET  HTTP/1.1\r\n", "GET /a/../b HTTP/1.1\r\n", "GET a HTTP/1.1\r\n",
        "GET /\u{e4} HTTP/1.1\r\n", "\r\n\r\n",
    ])
    func `a malformed request line has no target`(text: String) {
        #expect(Self.head(text).target == nil)
    }

    @Test func `many short parameters are bounded too`() throws {
        let text = "GET /a?" + (0..<100_000).map { "p\($0)=1" }.joined(separator: "&") + " HTTP/1.1\r\n"
        let query = try #require(Self.head(text).target?.rawQuery)
        #expect(query.hasPrefix("p0=1&p1=1&") && query.utf8.count < 6_000)
    }

    @Test func `every cut of a head gives the same`() {
        let text = Array("GET /a?x=\(Self.long)&t=1 HTTP/1.1\r\nOrigin: https://a.example\r\n\r\n".utf8)
        for cut in [1, 3, 4, 7, 8, 200, 9_009, 9_012, 9_020, text.count - 3] {
            var head = RejectedHead()
            text[..<cut].withUnsafeBytes { head.read($0) }
            text[cut...].withUnsafeBytes { head.read($0) }
            #expect(head.target?.rawQuery == "t=1" && head.fields[.origin] == "https://a.example" && head.isComplete)
        }
    }

    @Test func `a list of addresses that was cut off names no client`() {
        let forged = "X-Forwarded-For: 203.0.113.9\r\n"
        let cut = "X-Forwarded-For: \(String(repeating: "203.0.113.9, ", count: 100))192.0.2.1\r\n"
        #expect(Self.head("GET / HTTP/1.1\r\n\(forged)\r\n").fields[.xForwardedFor] == "203.0.113.9")
        #expect(Self.head("GET / HTTP/1.1\r\n\(forged)\(cut)\r\n").fields[.xForwardedFor] == nil)
        #expect(Self.head("GET / HTTP/1.1\r\n\(cut)\(forged)\r\n").fields[.xForwardedFor] == "203.0.113.9")
        // More may follow.
        #expect(Self.head("GET / HTTP/1.1\r\n\(forged)").fields[.xForwardedFor] == nil)
    }
}
