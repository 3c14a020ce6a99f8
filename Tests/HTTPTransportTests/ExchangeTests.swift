import HTTP
import HTTPTransport
import TestSupport
import Testing
import Threads

@Suite struct ExchangeTests {
    @Test func `a response has a date, a length and an id, and the connection stays`() async throws {
        let server = try TestServer.greeting()
        let client = try server.client()
        for path in ["/one", "/two"] {
            try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = try client.receive(until: "hello " + path)
            #expect(response.hasPrefix("HTTP/1.1 200 OK\r\nDate: "))
            #expect(response.contains("\r\nContent-Length: 10\r\n"))
            #expect(response.contains("\r\nX-Request-ID: "))
            #expect(!response.contains("Connection:"))
            #expect(!response.contains("Server:"))
        }
        client.close()
        await server.stop()
        let summaries = server.handler.summaries.withLock { $0 }
        #expect(summaries.count == 2)
        #expect(summaries.allSatisfy { $0.status == .ok && $0.responseBytes > 100 && $0.method == .get })
    }

    @Test func `a request gets the same response wherever it is cut`() async throws {
        let server = try TestServer { await .echo($0) }
        let request = Array(
            "POST /a?b=c HTTP/1.1\r\nHost: x\r\nX-Request-ID: cut\r\nContent-Length: 5\r\n\r\nhello".utf8)
        let client = try server.client()
        for cut in 1..<request.count {
            try client.send(Array(request[..<cut]))
            try client.send(Array(request[cut...]))
            let response = try client.receive(until: "\r\n\r\nhello")
            #expect(response.contains("Content-Length: 5\r\nX-Request-ID: cut\r\n"))
        }
        for byte in request { try client.send([byte]) }
        #expect(try client.receive(until: "\r\n\r\nhello").hasPrefix("HTTP/1.1 200"))
        await server.stop()
    }

    @Test func `pipelined requests get their responses in order, in one write`() async throws {
        let server = try TestServer(
            {
                $0.loops = 1
                $0.timeSlice = .seconds(3_600)
            }, handler: { .text("<\($0.target.rawPath)>") })
        let client = try server.client()
        try client.send((0..<20).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        let responses = String(decoding: try client.receive(), as: UTF8.self)
        #expect(responses.occurrences(of: "HTTP/1.1 200 OK") == 20)
        let order = responses.matches(of: /<\/(\d+)>/).compactMap { Int($0.output.1) }
        #expect(order == Array(0..<20))
        await server.stop()
    }

    @Test func `more pipelined requests than fit in a time slice all get a response`() async throws {
        let server = try TestServer.greeting({ $0.timeSlice = .zero })
        let client = try server.client()
        try client.send(String(repeating: "GET /x HTTP/1.1\r\nHost: x\r\n\r\n", count: 500))
        client.finishSending()
        #expect(try client.receiveText().occurrences(of: "hello /x") == 500)
        await server.stop()
    }

    @Test func `pipelined requests yield to other connections after 64 KiB of responses`() async throws {
        let paths = Locked<[String]>([])
        let (began, mayGoOn) = (Gate(), Gate())
        let server = try TestServer({
            $0.loops = 1
            $0.timeSlice = .seconds(3_600)
        }) { request in
            let path = request.target.rawPath
            let isFirst = paths.withLock { paths in
                paths.append(path)
                return paths.count == 2
            }
            if isFirst {
                // The loop is blocked until the other client's request has arrived.
                began.open()
                mayGoOn.waitBlocking()
            }
            return .text(String(repeating: "x", count: 2_000) + path)
        }
        let other = try server.client()
        try other.send("GET /before HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.receive(until: "/before")
        let client = try server.client()
        try client.send(String(repeating: "GET /x HTTP/1.1\r\nHost: x\r\n\r\n", count: 60))
        client.finishSending()
        await began.wait()
        try other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
        mayGoOn.open()
        #expect(try client.receiveText().occurrences(of: "200 OK") == 60)
        _ = try other.receive(until: "/other")
        let place = try #require(paths.withLock { $0.firstIndex(of: "/other") })
        #expect(place < 45)
        await server.stop()
    }

    /// Sixty-four responses of just under two milliseconds each must not delay all other connections.
    // Some short rounds pass before the loop polls its sockets.
    @Test(arguments: [(nil, 3), (Duration.zero, 8), (.seconds(3_600), 40)])
    func `pipelined requests yield to other connections after a time slice`(time: Duration?, responses: Int)
        async throws
    {
        let paths = Locked<[String]>([])
        let (began, mayGoOn) = (Gate(), Gate())
        let server = try TestServer({
            $0.loops = 1
            if let time { $0.timeSlice = time }
        }) { request in
            let path = request.target.rawPath
            paths.withLock { $0.append(path) }
            if path == "/first" {
                // The loop is blocked until the other client's request has arrived.
                began.open()
                mayGoOn.waitBlocking()
            }
            if path == "/x", time == nil {
                let end = Deadline.after(.milliseconds(1))
                while !end.hasPassed() {}
            }
            return .text("done " + path)
        }
        let (client, other) = (try server.client(), try server.client())
        try other.send("GET /before HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.receive(until: "/before")
        try client.send(
            "GET /first HTTP/1.1\r\nHost: x\r\n\r\n"
                + String(repeating: "GET /x HTTP/1.1\r\nHost: x\r\n\r\n", count: 40))
        client.finishSending()
        await began.wait()
        try other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
        mayGoOn.open()
        #expect(try client.receiveText().occurrences(of: "200 OK") == 41)
        _ = try other.receive(until: "/other")
        let order = paths.withLock { $0 }
        let place = try #require(order.firstIndex(of: "/other"))
        #expect(order[..<place].count { $0 == "/x" } <= responses)
        if responses == 40 { #expect(place == 42) }
        await server.stop()
    }

    @Test func `responses go out before a pipelined request makes the connection wait`() async throws {
        let gate = Gate()
        let server = try TestServer { request in
            if request.target.rawPath == "/slow" { await gate.wait() }
            return .text("done " + request.target.rawPath)
        }
        let client = try server.client()
        try client.send("GET /fast HTTP/1.1\r\nHost: x\r\n\r\nGET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try !client.receive(until: "done /fast").contains("slow"))
        gate.open()
        #expect(try client.receive(until: "done /slow").hasPrefix("HTTP/1.1 200"))
        await server.stop()
    }

    @Test func `HEAD has the fields of GET and no body`() async throws {
        let server = try TestServer.greeting()
        let client = try server.client()
        try client.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let responses = try client.receiveText()
        #expect(responses.occurrences(of: "Content-Length: 8\r\n") == 2)
        #expect(!responses.contains("hello /x"))
        #expect(responses.hasSuffix("hello /y"))
        await server.stop()
    }

    @Test func `Connection close and HTTP 1.0 end the connection`() async throws {
        let server = try TestServer.greeting()
        #expect(
            try server.exchange("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                .contains("Connection: close\r\n"))
        #expect(try server.exchange("GET / HTTP/1.0\r\n\r\n").contains("Connection: close\r\n"))
        await server.stop()
    }

    @Test func `a client's id is taken over if it is well formed`() async throws {
        let server = try TestServer { .text($0.id) }
        let long = String(repeating: "a", count: 64)
        for id in ["abc-1.2_X", long] {
            let response = try server.exchange(
                "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-ID: \(id)\r\n\r\n")
            #expect(response.contains("X-Request-ID: \(id)\r\n"))
            #expect(response.bodyText == id)
        }
        for id in [long + "a", "a b", "a/b", "ü"] {
            let response = try server.exchange(
                "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-ID: \(id)\r\n\r\n")
            #expect(response.bodyText.count == 15)
            #expect(response.contains("X-Request-ID: \(response.bodyText)\r\n"))
        }
        await server.stop()
    }

    @Test func `a preflight is answered by the transport, and responses name the origin`() async throws {
        let server = try TestServer.greeting({ $0.cors = CORSPolicy(origins: ["https://app.example"]) })
        let preflight = try server.exchange(
            """
            OPTIONS /records HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\n\
            Access-Control-Request-Method: PUT\r\nConnection: close\r\n\r\n
            """)
        #expect(preflight.hasPrefix("HTTP/1.1 204"))
        #expect(preflight.lowercased().contains("access-control-allow-methods: get, head, post, put"))
        let response = try server.exchange(
            "GET / HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\nConnection: close\r\n\r\n")
        #expect(response.lowercased().contains("access-control-allow-origin: https://app.example\r\n"))
        let other = try server.exchange(
            "GET / HTTP/1.1\r\nHost: x\r\nOrigin: https://evil.example\r\nConnection: close\r\n\r\n")
        #expect(!other.lowercased().contains("access-control-allow-origin"))
        await server.stop()
    }

    @Test func `an origin that is not allowed is reported, also for a preflight`() async throws {
        let reported = Locked<[String]>([])
        let server = try TestServer({
            $0.cors = CORSPolicy(origins: ["https://app.example"])
            $0.didRejectOrigin = { origin in reported.withLock { $0.append(origin) } }
            $0.handlesOwnPreflights = { $0.segmentEquals(0, "own") }
        }) { request in
            var response = HTTPResponse.text("handled")
            response.ownsOrigins = request.target.segmentEquals(0, "own")
            return response
        }
        let origins = ["https://app.example", "http://localhost:5173", "http://x", nil]
        for (index, origin) in origins.enumerated() {
            for (method, path) in [("GET", "/"), ("OPTIONS", "/"), ("GET", "/own"), ("OPTIONS", "/own")] {
                let line = origin.map { "Origin: \($0)\r\nAccess-Control-Request-Method: PUT\r\n" } ?? ""
                _ = try server.exchange("\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(line)Connection: close\r\n\r\n")
            }
            #expect(reported.withLock { $0.count } == (index == 0 ? 0 : 2))
        }
        #expect(reported.withLock { $0 } == ["http://localhost:5173", "http://localhost:5173"])
        await server.stop()
    }

    @Test func `a handler that decides origins itself gets the preflights of its paths`() async throws {
        let server = try TestServer({
            $0.cors = CORSPolicy(origins: ["*"])
            $0.handlesOwnPreflights = { $0.segmentEquals(0, "own") }
        }) { request in
            var response = HTTPResponse.text("handled \(request.method.text)")
            response.ownsOrigins = request.target.segmentEquals(0, "own")
            return response
        }
        for method in ["GET", "OPTIONS"] {
            for (path, isOwn) in [("/own", true), ("/other", false)] {
                let response = try server.exchange(
                    """
                    \(method) \(path) HTTP/1.1\r\nHost: x\r\nOrigin: https://app.example\r\n\
                    Access-Control-Request-Method: PUT\r\nConnection: close\r\n\r\n
                    """)
                #expect(response.lowercased().contains("access-control-allow-origin") != isOwn, "\(response)")
                #expect(response.contains("handled") == (isOwn || method == "GET"), "\(response)")
            }
        }
        await server.stop()
    }

    @Test func `a malformed head is rejected, and the client can read why`() async throws {
        let server = try TestServer.greeting()
        let response = try server.exchange(
            "GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n\r\n" + String(repeating: "more", count: 50_000))
        #expect(response.hasPrefix("HTTP/1.1 400"))
        #expect(response.contains("Connection: close\r\n"))
        await server.stop()
    }

    @Test func `heads are accepted up to the limit and rejected one past it`() async throws {
        let server = try TestServer.greeting({ $0.headLimits.maxFields = 4 })
        let fields = "Host: x\r\nConnection: close\r\nA: 1\r\nB: 2\r\n"
        #expect(try server.exchange("GET / HTTP/1.1\r\n\(fields)\r\n").hasPrefix("HTTP/1.1 200"))
        #expect(try server.exchange("GET / HTTP/1.1\r\n\(fields)C: 3\r\n\r\n").hasPrefix("HTTP/1.1 431"))
        await server.stop()
    }
}
