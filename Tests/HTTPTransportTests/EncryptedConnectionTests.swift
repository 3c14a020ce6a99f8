import Glibc
import HTTP
import HTTPTransport
import Sockets
import TLS
import TestSupport
import Testing
import Threads

/// Connections that begin with a TLS handshake. `TLSProcessTests` has other programs as clients.
@Suite struct EncryptedConnectionTests {
    private static func server(
        _ configure: @escaping (inout HTTPServerConfiguration) -> Void = { _ in },
        addresses: [String] = ["127.0.0.1:0"],
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { .text("hello " + $0.target.rawPath) }
    ) throws -> TestServer {
        let tls = try TLSServer.forTests()
        return try TestServer(
            addresses: addresses,
            {
                $0.tls = tls
                // Machines may pause for longer than the default.
                $0.deadlines.head = .seconds(3_600)
                configure(&$0)
            }, handler: handler)
    }

    private static func get(_ path: String, _ fields: String = "Connection: close\r\n") -> String {
        "GET \(path) HTTP/1.1\r\nHost: x\r\n\(fields)\r\n"
    }

    private static func body(of response: [UInt8]) -> ArraySlice<UInt8> {
        let end = response.indices.first { response[$0...].starts(with: [13, 10, 13, 10]) }
        return end.map { response[($0 + 4)...] } ?? []
    }

    @Test func `requests follow each other, also pipelined and after a rest`() async throws {
        let server = try Self.server({ $0.deadlines.rest = .milliseconds(1) })
        let client = try EncryptedClient(port: server.port)
        for round in 0..<3 {
            try client.send(Self.get("/\(round)", ""))
            #expect(try client.receive(until: "hello /\(round)").hasPrefix("HTTP/1.1 200"))
            // The connection has no task now.
            usleep(5_000)
        }
        try client.send(Self.get("/a", "") + Self.get("/b", "") + Self.get("/c"))
        let text = String(decoding: try client.receiveAll(), as: UTF8.self)
        #expect(["/a", "/b", "/c"].allSatisfy { text.contains("hello \($0)") })
        await server.stop()
    }

    @Test(arguments: [0, 1, 16_384, 16_385, 100_000, 5_000_000])
    func `bodies and files arrive whole, also through small buffers`(size: Int) async throws {
        let file = try TestFile(size: size)
        let server = try Self.server(handler: { request in
            request.target.rawPath == "/file"
                ? HTTPResponse(.ok, body: .file(HTTPFileBody(file, parts: [.range(0..<size)])), route: "GET /file")
                : HTTPResponse(.ok, body: .bytes(file.content), route: "GET /bytes")
        })
        for path in ["/file", "/bytes"] {
            let client = try EncryptedClient(port: server.port, receiveBuffer: 16_384)
            try client.send(Self.get(path))
            let response = try client.receiveAll()
            #expect(String(decoding: response.prefix(300), as: UTF8.self).contains("Content-Length: \(size)\r\n"))
            #expect(Self.body(of: response).isSame(as: file.content), "\(path)")
        }
        await server.stop()
    }

    @Test func `parts of a file alternate with bytes`() async throws {
        let file = try TestFile(size: 300_000)
        let server = try Self.server(handler: { _ in
            HTTPResponse(
                .ok,
                body: .file(
                    HTTPFileBody(file, parts: [.bytes([1, 2]), .range(10..<200_001), .bytes([3]), .range(7..<8)])),
                route: "GET /file")
        })
        let client = try EncryptedClient(port: server.port)
        try client.send(Self.get("/"))
        let expected = [1, 2] + file.content[10..<200_001] + [3] + file.content[7..<8]
        #expect(Self.body(of: try client.receiveAll()).isSame(as: Array(expected)))
        await server.stop()
    }

    @Test func `an upload arrives whole, and a later request on the connection is served`() async throws {
        let server = try Self.server(handler: { await .echo($0, upTo: 4 << 20) })
        let client = try EncryptedClient(port: server.port)
        let body = String(repeating: "0123456789", count: 200_000)
        try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
        #expect(try client.receive(until: body).hasPrefix("HTTP/1.1 200"))
        try client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        for piece in ["5\r\nhello\r\n", "0\r\n\r\n"] { try client.send(piece) }
        #expect(String(decoding: try client.receiveAll(), as: UTF8.self).hasSuffix("hello"))
        await server.stop()
    }

    @Test func `the pieces of a stream arrive as they are made`() async throws {
        let (first, second) = (Gate(), Gate())
        let server = try Self.server(handler: { _ in
            HTTPResponse(
                .ok,
                body: .stream(
                    length: nil, GatedSource([(first, Array("one".utf8)), (second, Array("two".utf8)), (nil, [])])),
                route: "GET /stream")
        })
        let client = try EncryptedClient(port: server.port)
        try client.send(Self.get("/"))
        first.open()
        _ = try client.receive(until: "one")
        second.open()
        _ = try client.receive(until: "two")
        await server.stop()
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "DELETE /a HTTP/1.1\r\nHost: x\r\n\r\n"])
    func `plain HTTP gets a plain response that says what to do`(request: String) async throws {
        let server = try Self.server()
        let text = try server.exchange(request)
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("This port speaks HTTPS"), "\(text)")
        #expect(text.contains("\r\nConnection: close\r\n"))
        await server.stop()
    }

    @Test func `a Unix socket stays plain`() async throws {
        let path = "/tmp/fogbase-http-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let server = try Self.server(
            { $0.strictTransportSecurity = "max-age=60" }, addresses: ["127.0.0.1:0", "unix:\(path)"])
        let client = try RawClient(path: path)
        try client.send(Self.get("/"))
        let text = try client.receiveText()
        #expect(text.hasSuffix("hello /") && !text.contains("Strict-Transport-Security"))
        let encrypted = try EncryptedClient(port: server.port)
        try encrypted.send(Self.get("/"))
        let other = String(decoding: try encrypted.receiveAll(), as: UTF8.self)
        #expect(other.contains("\r\nStrict-Transport-Security: max-age=60\r\n"))
        await server.stop()
    }

    @Test(arguments: [
        [0x00], [0x80, 0x2E], [0x16, 0x03, 0x01, 0xFF, 0xFF], Array("get / ".utf8), [0x15, 3, 3, 0, 2, 1, 0],
    ])
    func `garbage is closed, and frees its slot`(bytes: [UInt8]) async throws {
        let server = try Self.server({ $0.deadlines.head = .milliseconds(200) })
        let client = try server.client()
        try client.send(bytes)
        let answer = (try? client.receiveAll()) ?? []
        // At most an alert.
        #expect(answer.count <= 7 && !answer.starts(with: Array("HTTP".utf8)))
        client.close()
        #expect(await eventually { server.server.openConnections == 0 })
        await server.stop()
    }

    @Test func `a handshake has a deadline, with no byte, with a part, and byte by byte`() async throws {
        let clock = LoopClock()
        let server = try Self.server({ $0.clock = clock })
        let hello = try Self.clientHello()
        let clients = try (0..<3).map { _ in try server.client() }
        try clients[1].send(Array(hello[..<20]))
        #expect(await eventually { server.server.openConnections == 3 })
        for second in 0..<9 {
            try clients[2].send([hello[second]])
            clock.skip(.seconds(300))
        }
        #expect(server.server.openConnections == 3)
        // A loop may have begun a connection after some of the skips.
        #expect(
            await eventually {
                clock.skip(.seconds(600))
                return server.server.openConnections == 0
            })
        for client in clients { #expect((try? client.receiveAll())?.count ?? 0 <= 7) }
        await server.stop()
    }

    @Test func `connections in their handshake count to the limit of their address`() async throws {
        let server = try Self.server({ $0.maxConnectionsPerAddress = 1 })
        let first = try server.client()
        #expect(await eventually { server.server.openConnections == 1 })
        #expect(throws: (any Error).self) { try EncryptedClient(port: server.port) }
        first.close()
        #expect(await eventually { server.server.openConnections == 0 })
        let third = try EncryptedClient(port: server.port)
        try third.send(Self.get("/"))
        #expect(String(decoding: try third.receiveAll(), as: UTF8.self).hasSuffix("hello /"))
        await server.stop()
    }

    @Test func `a body that is cut off by the end of the connection is not taken for a whole one`() async throws {
        let outcome = Locked<HTTPBodyError?>(nil)
        let server = try Self.server(handler: { request in
            do throws(HTTPBodyError) { _ = try await request.body.collect(upTo: 100) } catch {
                outcome.withLock { $0 = error }
            }
            return .text("")
        })
        let client = try EncryptedClient(port: server.port)
        try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
        client.raw.finishSending()
        #expect(await eventually { outcome.withLock { $0 } == .disconnected })
        await server.stop()
    }

    @Test func `a client that reads nothing is reset after its time`() async throws {
        let server = try Self.server({ $0.deadlines.write = .milliseconds(100) }) { _ in
            HTTPResponse(.ok, body: .bytes([UInt8](repeating: 1, count: 20_000_000)), route: "GET /bytes")
        }
        let client = try EncryptedClient(port: server.port, receiveBuffer: 16_384)
        try client.send(Self.get("/"))
        #expect(await eventually { server.server.openConnections == 0 })
        await server.stop()
    }

    @Test func `a stop ends connections in their handshake, and completes requests`() async throws {
        let gate = Gate()
        let server = try Self.server(
            { $0.loops = 1 },
            handler: { _ in
                await gate.wait()
                return .text("done")
            })
        let silent = try server.client()
        let client = try EncryptedClient(port: server.port)
        try client.send(Self.get("/", ""))
        #expect(await eventually { server.server.openConnections == 2 })
        let stop = Task { await server.stop() }
        // Without blocking this thread, which the stop may need.
        #expect(await eventually { server.server.openConnections == 1 })
        #expect(try silent.receiveAll().isEmpty)
        gate.open()
        let text = String(decoding: try client.receiveAll(), as: UTF8.self)
        #expect(text.hasSuffix("done") && text.contains("Connection: close"))
        await stop.value
    }

    @Test func `new connections use a new certificate, and old ones go on`() async throws {
        let tls = try TLSServer.forTests()
        let server = try Self.server({ $0.tls = tls })
        let old = try EncryptedClient(port: server.port)
        tls.identity = try TLSIdentity(
            certificates: Array(TestCertificates.otherCertificate.utf8), key: Array(TestCertificates.otherKey.utf8))
        let new = try EncryptedClient(port: server.port)
        for client in [old, new] {
            try client.send(Self.get("/"))
            #expect(String(decoding: try client.receiveAll(), as: UTF8.self).hasSuffix("hello /"))
        }
        await server.stop()
    }

    @Test func `a crowd of handshakes leaves a connection its share of the loop`() async throws {
        let (isFree, isBlocked) = (Monitor(false), Locked(false))
        let (crowd, answered) = (Locked<[Int32]>([]), Locked(-1))
        let server = try Self.server(
            { $0.loops = 1 },
            handler: { request in
                if request.target.rawPath == "/block" {
                    isBlocked.withLock { $0 = true }
                    isFree.wait(until: { $0 }, then: { _ in })
                } else {
                    // This runs on the loop's thread, so no handshake continues meanwhile.
                    var byte: UInt8 = 0
                    let count = crowd.withLock { $0 }
                        .count { recv($0, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 1 }
                    answered.withLock { $0 = count }
                }
                return .text("done")
            })
        let (blocker, client) = (try EncryptedClient(port: server.port), try EncryptedClient(port: server.port))
        let clients = try (0..<100).map { _ in try server.client() }
        crowd.withLock { $0 = clients.map(\.descriptor) }
        #expect(await eventually { server.server.openConnections == 102 })
        try blocker.send(Self.get("/block"))
        #expect(await eventually { isBlocked.withLock { $0 } })
        // The loop finds all of these in one poll.
        let hello = try Self.clientHello()
        for one in clients { try one.send(hello) }
        try client.send(Self.get("/"))
        isFree.withLock { $0 = true }
        isFree.signal()
        #expect(String(decoding: try client.receiveAll(), as: UTF8.self).hasSuffix("done"))
        #expect((0...2).contains(answered.withLock { $0 }))
        for one in clients { #expect(try one.receive(upTo: 1).first == 22, "ServerHello") }
        await server.stop()
    }

    @Test func `handshakes and the certificate's end are in the metrics`() async throws {
        let metrics = TransportMetrics()
        let server = try Self.server({ $0.metrics = metrics })
        let client = try EncryptedClient(port: server.port)
        _ = try server.exchange(Self.get("/"))
        func text() -> String {
            var text = MetricsText()
            metrics.writeMetrics(into: &text)
            return String(decoding: text.text, as: UTF8.self)
        }
        #expect(await eventually { text().contains(#"fogbase_tls_handshakes_total{result="failed"} 1"#) })
        #expect(text().contains(#"fogbase_tls_handshakes_total{result="full"} 1"#))
        #expect(text().contains("fogbase_tls_certificate_expiry_timestamp_seconds 4859740800"))
        client.raw.close()
        await server.stop()
    }

    /// The first bytes of a client.
    private static func clientHello() throws -> [UInt8] {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let session = try #require(TLSSession(clientOn: ends[0]))
        var input = TLSSession.Input()
        #expect(session.shakeHands(&input) == .wantsRead)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(ends[1], &bytes, bytes.count)
        return Array(bytes[..<max(0, count)])
    }
}
