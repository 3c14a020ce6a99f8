import RecordWire
import TestSupport
import Testing

@Suite struct HostileClientTests {
    @Test func `requests that two parsers could read differently are rejected and the connection closed`() throws {
        let server = try ServerProcess()
        let hostile = [
            "POST /records HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST /records HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            "POST /records HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
            "POST /records HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost : a\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n",
            "GET /health/live HTTP/1.1\nHost: a\n\n",
            "GET /health/live HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
            "GET /health/live HTTP/1.1\r\n\r\n",
            "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            "GET /../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /_/%2e%2e/secret HTTP/1.1\r\nHost: a\r\n\r\n",
        ]
        for request in hostile {
            let client = try RawClient(port: server.port)
            // A second request after the first must never get a response.
            try client.send(request + "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
            let text = try client.receiveText()
            #expect(text.hasPrefix("HTTP/1.1 4") || text.hasPrefix("HTTP/1.1 5"), "\(request) → \(text)")
            #expect(!text.contains(#"{"status":"ok"}"#), "\(request) → \(text)")
            #expect(text.contains("serverErrorCode"), "\(request) → \(text)")
        }
    }

    @Test func `bad bodies get a precise error and never harm the server`() throws {
        let server = try ServerProcess()
        let client = try HTTPClient(port: server.port)
        let token = ServerProcess.administratorToken
        var random = SystemRandomNumberGenerator()
        let valid = #"{"fields":{"title":"sea","good":{"value":3,"type":"INT64"},"l":["a","b"]},"recordName":"x"}"#
        for turn in 0..<400 {
            var bytes = Array(valid.utf8)
            for _ in 0...(turn % 4) {
                let index = Int.random(in: bytes.indices, using: &random)
                bytes[index] = UInt8.random(in: 0x20...0x7E, using: &random)
            }
            let response = try client.send(
                "PUT", "/records/Post/x", String(decoding: bytes, as: UTF8.self), token: token)
            #expect([200, 201, 400, 409, 413].contains(response.status), "\(response.status) \(response.text)")
            if response.status >= 400 {
                #expect(response.json?["serverErrorCode"]?.string != nil)
                #expect(response.json?["reason"]?.string?.isEmpty == false)
            }
        }
        let deep = String(repeating: "[", count: 100_000)
        #expect(try client.send("PUT", "/records/Post/y", deep, token: token).status == 400)
        #expect(try client.send("GET", "/health/live").status == 200)
    }

    @Test(.timeLimit(.minutes(2)))
    func `patterns with much work stop at the limits, and leave the server to others`() throws {
        let server = try ServerProcess()
        let client = try HTTPClient(port: server.port)
        let text = String(repeating: "a", count: 500_000)
        let made = try client.send(
            "PUT", "/records/Post/long", #"{"fields":{"title":"\#(text)","n":1}}"#,
            token: ServerProcess.administratorToken)
        #expect(made.status == 201)
        // Compiling this took hours, on an event loop.
        let nothing =
            "recordName MATCHES '\(String(repeating: "(", count: 20))()\(String(repeating: "){1000}", count: 20))'"
        for _ in 0..<4 {
            let response = try client.send("GET", "/query/Post?where=\(Follower.encoded(nothing))")
            #expect(response.status == 200 && response.json?["records"]?.array?.isEmpty == true, "\(response.text)")
        }
        // Matching this took minutes, also after the client had left.
        let slow = #"recordName IN {'long'} AND title MATCHES '(?:[\\p{Cn}\\p{Co}\\p{Zp}\\p{L}]*){330}Z'"#
        let target = "/query/Post?where=\(Follower.encoded(slow))"
        for _ in 0..<3 {
            let leaving = try RawClient(port: server.port)
            try leaving.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        let groups = try client.send("GET", "/query/Post?groupBy=n&aggregate=count")
        #expect(groups.status == 200, "\(groups.text)")
        let response = try client.send("GET", target)
        #expect(response.status == 400 && response.text.contains("QUERY_TOO_EXPENSIVE"), "\(response.text)")
        #expect(try client.send("GET", "/health/live").status == 200)
    }

    @Test func `names of every kind stay plain data`() throws {
        let server = try ServerProcess()
        let client = try HTTPClient(port: server.port)
        let token = ServerProcess.administratorToken
        let names = [
            "__proto__", "constructor", "' OR 1=1; --", "\"quoted\"", "a/b", "日本", "%00x", "\\", "$where", "a.b",
        ]
        for name in names {
            let path = "/records/Post/\(Follower.encoded(name))"
            let made = try client.send("PUT", path, #"{"fields":{"n":1}}"#, token: token)
            #expect(made.status == 201, "\(name): \(made.text)")
            let read = try client.send("GET", path)
            #expect(read.json?["recordName"]?.string == name)
        }
        for type in ["Post'", "Post--", "_x", "1x", "Po st"] {
            let response = try client.send(
                "POST", "/records/\(Follower.encoded(type))", #"{"fields":{}}"#, token: token)
            #expect(response.status == 400, "\(type): \(response.text)")
        }
        let field = try client.send("POST", "/records/Post", #"{"fields":{"a.b":1}}"#, token: token)
        #expect(field.status == 400)
        #expect(try Follower.list("Post", on: server).count == names.count)
    }
}
