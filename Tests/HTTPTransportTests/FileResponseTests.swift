import HTTP
import HTTPTransport
import TestSupport
import Testing
import Threads

@Suite struct FileResponseTests {
    /// A server that responds with the parts of `file` that `parts` picks by path.
    private static func server(
        _ file: TestFile, _ configure: (inout HTTPServerConfiguration) -> Void = { _ in },
        parts: @escaping @Sendable (String) -> [HTTPFileBody.Part]
    ) throws -> TestServer {
        try TestServer(configure) { request in
            HTTPResponse(.ok, body: .file(HTTPFileBody(file, parts: parts(request.target.rawPath))), route: "GET /file")
        }
    }

    private static func get(_ path: String, _ fields: String = "Connection: close\r\n") -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
    }

    /// The bytes after the head.
    private static func body(of response: [UInt8]) -> ArraySlice<UInt8> {
        let end = response.indices.first { response[$0...].starts(with: [13, 10, 13, 10]) }
        return end.map { response[($0 + 4)...] } ?? []
    }

    @Test(arguments: [0, 1, 4096, 100_000, 5_000_000])
    func `a whole file arrives whole, whatever its size, and is counted`(_ size: Int) async throws {
        let file = try TestFile(size: size)
        let server = try Self.server(file) { _ in [.range(0..<size)] }
        let client = try server.client()
        try client.send(Self.get("/"))
        let response = try client.receiveAll()
        #expect(String(decoding: response.prefix(300), as: UTF8.self).contains("\r\nContent-Length: \(size)\r\n"))
        #expect(Self.body(of: response).isSame(as: file.content))
        #expect(await eventually { server.handler.summaries.withLock { $0.count } == 1 })
        #expect(server.handler.summaries.withLock { $0.first?.responseBytes } == response.count)
        await server.stop()
    }

    @Test func `ranges and the bytes between them arrive in their order`() async throws {
        let file = try TestFile(size: 3_000_000)
        let long = [UInt8](repeating: 0x2D, count: 40_000)
        let server = try Self.server(file) { path in
            switch path {
            case "/one": [.range(7..<8)]
            case "/middle": [.range(1_000_000..<2_500_001)]
            case "/none": []
            case "/empty": [.range(5..<5), .bytes([])]
            case "/bytes": [.bytes(Array("a".utf8)), .bytes(Array("b".utf8))]
            default:
                [
                    .bytes(Array("first".utf8)), .range(10..<20), .bytes(long), .range(2_000_000..<3_000_000),
                    .range(0..<1), .bytes(Array("last".utf8)),
                ]
            }
        }
        let client = try server.client(receiveBuffer: 16_384)
        let bytes = file.content
        let expected: [(String, [UInt8])] = [
            ("/one", Array(bytes[7..<8])), ("/middle", Array(bytes[1_000_000..<2_500_001])), ("/none", []),
            ("/empty", []), ("/bytes", Array("ab".utf8)),
            (
                "/many",
                Array("first".utf8) + bytes[10..<20] + long + bytes[2_000_000..<3_000_000] + bytes[..<1]
                    + Array("last".utf8)
            ),
        ]
        // All of them pipelined: the responses stay separate.
        try client.send(expected.map { Self.get($0.0, "") }.joined() + Self.get("/one"))
        var responses = try client.receiveAll()[...]
        for (path, body) in expected + [("/one", Array(bytes[7..<8]))] {
            let head = responses.indices.prefix(1000).first { responses[$0...].starts(with: [13, 10, 13, 10]) }
            let start = try #require(head) + 4
            let text = String(decoding: responses[..<start], as: UTF8.self)
            #expect(
                text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.contains("Content-Length: \(body.count)\r\n"), "\(path)")
            #expect(responses[start...].prefix(body.count).isSame(as: body), "\(path)")
            responses = responses[start...].dropFirst(body.count)
        }
        #expect(responses.isEmpty)
        await server.stop()
    }

    @Test func `the head and the beginning of the file come together`() async throws {
        let file = try TestFile(size: 500)
        let server = try Self.server(file) { _ in [.range(0..<500)] }
        let client = try server.client()
        for _ in 0..<20 {
            try client.send(Self.get("/", ""))
            #expect(try client.receive().suffix(500).isSame(as: file.content))
        }
        await server.stop()
    }

    @Test func `a file that is on the disk only arrives whole`() async throws {
        let size = 6_000_000
        let file = try TestFile(size: size)
        let server = try Self.server(file, { $0.loops = 1 }) { path in
            [.range(path == "/end" ? size - 9..<size : 0..<size)]
        }
        for path in ["/", "/end", "/"] {
            file.evict()
            let client = try server.client()
            try client.send(Self.get(path))
            let body = try Self.body(of: client.receiveAll())
            #expect(body.isSame(as: path == "/end" ? file.content.suffix(9) : file.content[...]))
        }
        await server.stop()
    }

    @Test func `a file ends where its receiver may get no more`() async throws {
        let file = try TestFile(size: 3_000_000)
        let checks = Locked(0)
        let server = try TestServer { _ in
            let body = HTTPFileBody(file, parts: [.range(0..<3_000_000)]) {
                let count = checks.withLock { count in
                    count += 1
                    return count
                }
                if count > 3 { throw CancellationError() }
            }
            return HTTPResponse(.ok, body: .file(body), route: "GET /file")
        }
        let client = try server.client(receiveBuffer: 16_384)
        try client.send(Self.get("/"))
        let found = Self.body(of: try client.receiveAll())
        // A piece may be sent in several parts, as the socket takes them.
        #expect(!found.isEmpty && found.count <= 3 * HTTPFileBody.pieceBytes)
        #expect(checks.withLock { $0 } == 4)
        await server.stop()
    }

    @Test func `HEAD and a status without a body send the head only`() async throws {
        let file = try TestFile(size: 1000)
        let server = try TestServer { request in
            HTTPResponse(
                request.target.rawPath == "/known" ? .notModified : .ok,
                body: .file(HTTPFileBody(file, parts: [.bytes([1, 2]), .range(0..<1000)])))
        }
        let client = try server.client()
        try client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.receive(until: "\r\n\r\n").contains("\r\nContent-Length: 1002\r\n"))
        try client.send(Self.get("/known"))
        let response = try client.receiveText()
        #expect(response.hasPrefix("HTTP/1.1 304"))
        #expect(response.hasSuffix("\r\n\r\n") && !response.contains("Content-Length"))
        await server.stop()
    }

    @Test func `HTTP 1.0 gets the same bytes, and gzip is never put on a file`() async throws {
        let file = try TestFile(size: 20_000)
        let server = try TestServer { _ in
            var response = HTTPResponse(.ok, body: .file(HTTPFileBody(file, parts: [.range(0..<20_000)])))
            response.fields.append(.contentType, literal: "text/plain")
            return response
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
        let response = try client.receiveAll()
        let head = String(decoding: response.prefix(response.count - 20_000), as: UTF8.self)
        #expect(head.contains("\r\nContent-Length: 20000\r\n") && head.contains("\r\nConnection: close\r\n"))
        #expect(!head.contains("gzip"))
        #expect(response.suffix(20_000).isSame(as: file.content))
        await server.stop()
    }

    @Test func `a client that hangs up midway ends only its own transfer`() async throws {
        let file = try TestFile(size: 16 << 20)
        let server = try Self.server(file, { $0.loops = 1 }) { _ in [.range(0..<16 << 20)] }
        for isReset in [true, false] {
            let client = try server.client(receiveBuffer: 4096)
            try client.send(Self.get("/"))
            _ = try client.receive(upTo: 1000)
            if isReset { client.reset() } else { client.close() }
        }
        let other = try server.client()
        try other.send(Self.get("/"))
        #expect(try Self.body(of: other.receiveAll()).isSame(as: file.content))
        #expect(await eventually { server.server.openConnections == 0 })
        await server.stop()
    }

    @Test func `a client that reads nothing is disconnected, and others are served meanwhile`() async throws {
        let file = try TestFile(size: 32 << 20)
        let server = try Self.server(
            file,
            {
                $0.loops = 1
                $0.deadlines.write = .milliseconds(200)
            }
        ) { path in [.range(0..<(path == "/small" ? 100 : 32 << 20))] }
        let stalled = try server.client(receiveBuffer: 4096)
        try stalled.send(Self.get("/"))
        _ = try stalled.receive(upTo: 1000)
        let other = try server.client()
        try other.send(Self.get("/small"))
        #expect(try Self.body(of: other.receiveAll()).count == 100)
        #expect(await eventually { server.server.openConnections == 0 })
        let sent = server.handler.summaries.withLock { $0.map(\.responseBytes).max() ?? 0 }
        #expect(sent > 1000 && sent < 32 << 20)
        await server.stop()
    }

    @Test func `sixty-four transfers at once arrive whole`() async throws {
        let size = 2_000_003
        let file = try TestFile(size: size)
        // The last client reads nothing until all others have been read, which a sanitizer makes slow.
        let server = try Self.server(file, { $0.deadlines.write = .seconds(600) }) { _ in [.range(0..<size)] }
        let clients = try (0..<64).map { _ in try server.client(receiveBuffer: 65_536) }
        for client in clients { try client.send(Self.get("/")) }
        for client in clients {
            let response = try client.receiveAll()
            #expect(response.suffix(size).isSame(as: file.content))
        }
        await server.stop()
    }

    @Test func `a file that became shorter ends the connection before the promised end`() async throws {
        let file = try TestFile(size: 100_000)
        let server = try Self.server(file) { _ in [.range(0..<100_000)] }
        file.truncate(to: 60_000)
        let client = try server.client()
        try client.send(Self.get("/", "") + Self.get("/", ""))
        let response = try client.receiveAll()
        #expect(String(decoding: response.prefix(300), as: UTF8.self).contains("\r\nContent-Length: 100000\r\n"))
        #expect(Self.body(of: response).isSame(as: file.content[..<60_000]))
        // Also while the client reads slowly.
        let large = try TestFile(size: 16 << 20)
        let slow = try Self.server(large) { _ in [.range(0..<16 << 20)] }
        let late = try slow.client(receiveBuffer: 4096)
        try late.send(Self.get("/"))
        _ = try late.receive(upTo: 100)
        large.truncate(to: 15 << 20)
        let rest = try late.receiveAll()
        #expect(rest.count < 16 << 20)
        await server.stop()
        await slow.stop()
    }
}
