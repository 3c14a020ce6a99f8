import HTTP
import HTTPTransport
import Sockets
import TestSupport
import Testing

/// Which pages may read the rejections of the transport. Without CORS fields, a browser shows them as CORS errors.
@Suite struct RejectionOriginTests {
    private static let app = "https://app.example"

    private static func server(
        _ origins: [String] = [app], _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws -> TestServer {
        try TestServer.greeting {
            $0.cors = CORSPolicy(origins: origins)
            configure(&$0)
        }
    }

    private static func isReadable(_ response: String, by origin: String = app) -> Bool {
        response.lowercased().contains("access-control-allow-origin: \(origin)\r\n")
    }

    private static let long = String(repeating: "a", count: 9_000)
    /// A bad start of a head, and the status.
    private static let heads = [
        ("GET /?where=\(long) HTTP/1.1\r\nHost: x\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: x\r\nX-Big: \(long)\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n", 400),
        ("GET / HTTP/1.1\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n", 413),
        ("GET / HTTP/1.1\r\nHost: x\r\nExpect: cake\r\n", 417),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n", 501),
        ("GET / HTTP/2.0\r\nHost: x\r\n", 505),
    ]

    @Test(arguments: heads)
    func `the page may read the rejection of a head, wherever its origin stands`(start: String, status: Int)
        async throws
    {
        let server = try Self.server()
        let origin = "Origin: \(Self.app)\r\n"
        let lines = start.split(separator: "\r\n").map { "\($0)\r\n" }
        for head in [start + origin, lines[0] + origin + lines.dropFirst().joined()] {
            let response = try server.exchange(head + "\r\n")
            #expect(response.hasPrefix("HTTP/1.1 \(status)"), "\(response)")
            #expect(Self.isReadable(response), "\(response)")
            #expect(response.contains("Vary: Origin\r\n"))
        }
        let other = try server.exchange(start + "Origin: https://evil.example\r\n\r\n")
        #expect(other.hasPrefix("HTTP/1.1 \(status)") && !other.lowercased().contains("access-control"), "\(other)")
        let none = try server.exchange(start + "\r\n")
        #expect(none.hasPrefix("HTTP/1.1 \(status)") && !none.lowercased().contains("access-control"), "\(none)")
        await server.stop()
    }

    @Test func `the rest of a rejected head may come later`() async throws {
        let server = try Self.server()
        let client = try server.client()
        try client.send("GET /?where=" + String(repeating: "a", count: 100_000))
        try client.send(" HTTP/1.1\r\nHost: x\r\nOri")
        try client.send("gin: \(Self.app)\r\n\r\n")
        let response = try client.receiveText()
        #expect(response.hasPrefix("HTTP/1.1 414") && Self.isReadable(response), "\(response)")
        await server.stop()
    }

    @Test func `a preflight with a long target is granted, so that the page learns of the 414`() async throws {
        let server = try Self.server()
        func preflight(_ origin: String) throws -> String {
            try server.exchange(
                """
                OPTIONS /?where=\(Self.long) HTTP/1.1\r\nHost: x\r\nOrigin: \(origin)\r\n\
                Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n\r\n
                """)
        }
        let granted = try preflight(Self.app)
        #expect(granted.hasPrefix("HTTP/1.1 204") && Self.isReadable(granted), "\(granted)")
        #expect(granted.lowercased().contains("access-control-allow-headers: authorization\r\n"), "\(granted)")
        #expect(!(try preflight("https://evil.example").lowercased().contains("access-control-allow")))
        await server.stop()
    }

    @Test func `without allowed origins, a rejection does not wait for the rest of the head`() async throws {
        let server = try Self.server([])
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\nBad Name: y\r\n")
        let response = try client.receiveText()
        #expect(response.hasPrefix("HTTP/1.1 400") && !response.contains("Vary"), "\(response)")
        await server.stop()
    }

    /// As API tokens of CloudKit Web Services do, which `cors.origins` does not list.
    @Test(arguments: [[], [app]])
    func `the handler decides which pages may read the rejections of its own paths`(origins: [String]) async throws {
        let server = try Self.server(origins) { $0.handlesOwnPreflights = { $0.segmentEquals(0, "own") } }
        for (start, status) in Self.heads + [("POST /?x=\(Self.long)&t=1 HTTP/1.1\r\nHost: x\r\n", 414)] {
            guard let slash = start.firstIndex(of: "/") else { continue }
            let own = String(start[..<slash]) + "/own" + String(start[slash...])
            let response = try server.exchange(own + "Origin: https://other.example\r\n\r\n")
            #expect(response.hasPrefix("HTTP/1.1 \(status)"), "\(response)")
            #expect(Self.isReadable(response, by: "*") && !response.contains("Vary: Origin"), "\(response)")
            let method = String(start[..<slash].dropLast())
            #expect(response.contains("\r\nLocation: \(method) \(own.contains("&t=1") ? "1" : "-")\r\n"), "\(response)")
        }
        // The rest of the head may come later, also if no origin is allowed by the server's setting.
        let client = try server.client()
        try client.send("GET /own?x=" + Self.long)
        try client.send("\(Self.long)&t=2 HTTP/1.1\r\nHost: x\r\n\r\n")
        let response = try client.receiveText()
        #expect(response.hasPrefix("HTTP/1.1 414") && response.contains("\r\nLocation: GET 2\r\n"), "\(response)")
        await server.stop()
    }

    @Test func `below a base path too`() async throws {
        let server = try Self.server([]) {
            $0.basePath = Array("/fog".utf8)
            $0.handlesOwnPreflights = { $0.segmentEquals(0, "own") }
        }
        let response = try server.exchange("GET /fog/own?x=\(Self.long)&t=1 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(response.hasPrefix("HTTP/1.1 414") && response.contains("\r\nLocation: GET 1\r\n"), "\(response)")
        await server.stop()
    }

    @Test func `the handler decides for connections beyond the limit, too`() async throws {
        let server = try Self.server { $0.maxConnections = 1 }
        let first = try server.client()
        try first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try first.receive(until: "hello /")
        let own = try server.exchange("GET /own HTTP/1.1\r\nHost: x\r\nX-Request-ID: me\r\n\r\n")
        #expect(own.hasPrefix("HTTP/1.1 503") && Self.isReadable(own, by: "*"), "\(own)")
        #expect(own.contains("\r\nX-Request-ID: me\r\n"), "\(own)")
        let other = try server.exchange("GET / HTTP/1.1\r\nHost: x\r\nOrigin: \(Self.app)\r\n\r\n")
        #expect(other.hasPrefix("HTTP/1.1 503") && Self.isReadable(other), "\(other)")
        await server.stop()
    }

    @Test func `the page may read that its head came too late, and that bodies are too many`() async throws {
        let late = try Self.server { $0.deadlines.head = .milliseconds(30) }
        let client = try late.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\nOrigin: \(Self.app)\r\n")
        let timeout = try client.receiveText()
        #expect(timeout.hasPrefix("HTTP/1.1 408") && Self.isReadable(timeout), "\(timeout)")
        await late.stop()
        let full = try Self.server { $0.maxBodyBytesInFlight = 0 }
        let busy = try full.exchange(
            "POST / HTTP/1.1\r\nHost: x\r\nOrigin: \(Self.app)\r\nContent-Length: 4\r\n\r\nbody")
        #expect(busy.hasPrefix("HTTP/1.1 503") && Self.isReadable(busy), "\(busy)")
        await full.stop()
    }
}
