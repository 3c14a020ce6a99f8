import FuzzTargets
import HTTP
import Testing

@Suite struct RequestParserTests {
    @Test func `one parser reads pipelined requests one after the other`() throws {
        let first = Array("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n".utf8)
        let second = Array("GET /b?c HTTP/1.1\r\nHost: y\r\nA: 1\r\nB: 2\r\n\r\n".utf8)
        var parser = RequestParser(limits: .init())
        guard case .head(let a, let taken) = Feed.verdict(&parser, first + second, cuts: [7, 20]) else {
            Issue.record("no head")
            return
        }
        #expect(taken == first.count)
        #expect(a.target.rawPath == "/a")
        #expect(a.fields.count == 2)
        guard case .head(let b, let rest) = Feed.verdict(&parser, second, cuts: [1, 9]) else {
            Issue.record("no head")
            return
        }
        #expect(rest == second.count)
        #expect(b.fields[.host] == "y")
        #expect(b.fields.count == 3)
        #expect(b.framing == .none)
    }

    @Test func `reset forgets a head under way`() {
        var parser = RequestParser(limits: .init())
        let cut = Array("GET / HTTP/1.1\r\nContent-Length: 5\r\n".utf8)
        guard case .needMore = cut.withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("a verdict too early")
            return
        }
        parser.reset()
        let next = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        guard case .head(let head, _) = next.withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("no head")
            return
        }
        #expect(head.framing == .none)
        #expect(head.fields.count == 1)
    }

    @Test func `empty input has no verdict`() {
        var parser = RequestParser(limits: .init())
        guard case .needMore = parser.parse(UnsafeRawBufferPointer(start: nil, count: 0)) else {
            Issue.record("a verdict")
            return
        }
    }

    /// Around each limit, with every cut near it.
    @Test(arguments: [
        ("GET /12 HTTP/1.1\r\nHost: a\r\n\r\n", true), ("GET /123 HTTP/1.1\r\nHost: a\r\n\r\n", false),
        ("GETS / HTTP/1.1\r\nHost: a\r\n\r\n", true), ("GETSX / HTTP/1.1\r\nHost: a\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a2345678\r\n\r\n", true), ("GET / HTTP/1.1\r\nHost: a23456789\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: a\r\nB: 2\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: a\r\nB: 2\r\nC: 3\r\n\r\n", false),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: a234\r\nB: 3456\r\n\r\n", true),
        ("\r\n\r\nGET / HTTP/1.1\r\nHost: a234\r\nB: 34567\r\n\r\n", false),
    ])
    func `input at a limit passes, and one more byte does not`(_ request: String, _ passes: Bool) {
        let limits = RequestParser.Limits(
            maxTargetBytes: 3, maxFieldBytes: 14, maxHeadBytes: 39, maxFields: 2, maxMethodBytes: 4)
        let bytes = Array(request.utf8)
        let whole = Feed.verdict(bytes, limits: limits)
        if case .head = whole { #expect(passes) } else { #expect(!passes) }
        for cut in bytes.indices {
            #expect(Feed.verdict(bytes, cuts: [cut], limits: limits).words == whole.words)
        }
        #expect(Feed.verdict(bytes, cuts: bytes.indices, limits: limits).words == whole.words)
    }

    /// A head that comes byte by byte is looked at once: with rescans this takes minutes.
    @Test func `a long head byte by byte takes linear time`() {
        let line = "X-Field: \(String(repeating: "a", count: 7000))\r\n"
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(line)\(line)\(line)\(line)\r\n".utf8)
        var parser = RequestParser(limits: .init())
        for end in 0..<bytes.count {
            guard case .needMore = bytes.withUnsafeBytes({ parser.parse(.init(rebasing: $0[..<end])) }) else {
                Issue.record("a verdict at \(end)")
                return
            }
        }
        guard case .head = bytes.withUnsafeBytes({ parser.parse($0) }) else {
            Issue.record("no head")
            return
        }
    }
}
