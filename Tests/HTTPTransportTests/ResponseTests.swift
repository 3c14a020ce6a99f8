import Compression
import HTTP
import HTTPTransport
import TestSupport
import Testing
import Threads

@Suite struct ResponseTests {
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"

    @Test func `a stream without length is chunked, and each piece is sent at once`() async throws {
        let gate = Gate()
        let server = try TestServer { _ in
            HTTPResponse(
                .ok, body: .stream(length: nil, GatedSource([(nil, Array("one".utf8)), (gate, Array("two".utf8))])))
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        let first = try client.receive(until: "3\r\none\r\n")
        #expect(first.contains("Transfer-Encoding: chunked\r\n"))
        #expect(!first.contains("Content-Length"))
        gate.open()
        #expect(try client.receive(until: "0\r\n\r\n") == "3\r\ntwo\r\n0\r\n\r\n")
        await server.stop()
    }

    @Test func `HTTP 1.0 gets the end of the connection instead of chunks`() async throws {
        let server = try TestServer { _ in
            HTTPResponse(
                .ok, body: .stream(length: nil, GatedSource([(nil, Array("one".utf8)), (nil, Array("two".utf8))])))
        }
        let response = try server.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(response.bodyText == "onetwo")
        #expect(!response.contains("Transfer-Encoding"))
        await server.stop()
    }

    @Test func `an interrupted stream has no last chunk, and one of the wrong length is cut off`() async throws {
        let server = try TestServer { request in
            switch request.target.rawPath {
            case "/broken":
                HTTPResponse(.ok, body: .stream(length: nil, GatedSource([(nil, [0x61]), (nil, nil)])))
            case "/short": HTTPResponse(.ok, body: .stream(length: 3, GatedSource([(nil, [0x61])])))
            default: HTTPResponse(.ok, body: .stream(length: 1, GatedSource([(nil, [0x61, 0x62])])))
            }
        }
        for path in ["/broken", "/short", "/long"] {
            let body = try server.exchange("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n").bodyText
            #expect(["/broken": "1\r\na\r\n", "/short": "a", "/long": ""][path] == body)
        }
        await server.stop()
    }

    @Test func `large bodies and large pieces arrive whole`() async throws {
        let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let server = try TestServer { request in
            request.target.rawPath == "/stream"
                ? HTTPResponse(
                    .ok, body: .stream(length: large.count, GatedSource([(nil, large), (nil, []), (nil, [])])))
                : HTTPResponse(.ok, body: .bytes(large))
        }
        for path in ["/bytes", "/stream"] {
            let client = try server.client(receiveBuffer: 8192)
            try client.send("GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let response = try client.receiveAll()
            #expect(response.suffix(large.count).elementsEqual(large))
        }
        await server.stop()
    }

    @Test func `responses of compressible types are gzipped from the threshold on, if the client accepts it`()
        async throws
    {
        let server = try TestServer { request in
            let size = Int(request.target.query("size") ?? "") ?? 0
            var response = HTTPResponse.text(
                String(repeating: "a", count: size), type: request.target.query("type") ?? "application/json")
            if let tag = request.target.query("tag") { response.fields.append(.etag, tag) }
            return response
        }
        func respond(_ query: String, accept: String = "gzip, br") throws -> String {
            try server.exchange(
                "GET /?\(query) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: \(accept)\r\n\r\n"
            ).lowercased()
        }
        let packed = try respond("size=1400")
        #expect(packed.contains("content-encoding: gzip\r\n"))
        #expect(packed.contains("vary: accept-encoding\r\n"))
        #expect(packed.utf8.count < 600)
        let small = try respond("size=1399")
        #expect(!small.contains("content-encoding"))
        #expect(!small.contains("vary"))
        let plain = try respond("size=1400", accept: "gzip;q=0")
        #expect(!plain.contains("content-encoding"))
        #expect(plain.contains("vary: accept-encoding\r\n"))
        #expect(try !respond("size=1400&type=image/png").contains("content-encoding"))
        #expect(try respond("size=1400&type=Text/HTML;x").contains("content-encoding"))
        #expect(try !respond("size=1400&tag=%22strong%22").contains("content-encoding"))
        #expect(try respond("size=1400&tag=W/%22weak%22").contains("content-encoding"))
        await server.stop()
    }

    /// A response of a megabyte takes up to 20 ms to compress, and must not take one time slice.
    @Test func `other connections are served while a large response is compressed`() async throws {
        let content = Self.words(1 << 20)
        let (began, mayGoOn) = (Gate(), Gate())
        let server = try TestServer({
            $0.loops = 1
            // Each round of the other client is a request.
            $0.timeSlice = .zero
        }) { request in
            guard request.target.rawPath == "/large" else { return .text("small", .noContent) }
            // The loop is blocked until the other client's request has arrived.
            began.open()
            mayGoOn.waitBlocking()
            return .text(content)
        }
        let (client, other) = (try server.client(), try server.client())
        try other.send("GET /before HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.receive(until: "\r\n\r\n")
        try client.send(
            "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n")
        await began.wait()
        try other.send(String(repeating: "GET /other HTTP/1.1\r\nHost: x\r\n\r\n", count: 100))
        other.finishSending()
        mayGoOn.open()
        _ = try client.receiveAll()
        #expect(try other.receiveText().occurrences(of: " 204 ") == 100)
        let place = try #require(server.handler.summaries.withLock { $0.firstIndex { $0.status == .ok } })
        #expect(place >= 15)
        await server.stop()
    }

    @Test func `responses compressed in parts are whole, and one above the limit is sent uncompressed`() async throws {
        let content = Self.words(600_000)
        let server = try TestServer({ $0.loops = 1 }) { _ in .text(content) }
        /// Whether the next response of a client is compressed; it is complete in any case.
        func isCompressed(_ client: RawClient) throws -> Bool {
            let response = try client.receiveAll()
            let end = try #require(response.indices.first { response[..<$0].suffix(4) == [13, 10, 13, 10] })
            let head = String(decoding: response[..<end], as: UTF8.self).lowercased()
            #expect(head.contains("vary: accept-encoding\r\n"))
            var body = Array(response[end...])
            let isCompressed = head.contains("content-encoding: gzip")
            if isCompressed {
                #expect(body.count < content.utf8.count / 2)
                body = try GzipDecoder.decode(body, limits: .init(maxOutputBytes: 1 << 20))
            }
            #expect(body[...].isSame(as: content.utf8))
            return isCompressed
        }
        for _ in 0..<3 {
            let clients = try (0..<20).map { _ in try server.client() }
            for client in clients { try client.send("\(Self.get)Accept-Encoding: gzip\r\n\r\n") }
            var compressed = 0
            for client in clients where try isCompressed(client) { compressed += 1 }
            #expect(compressed > 0)
            // A single client gets an encoder again.
            let client = try server.client()
            try client.send("\(Self.get)Accept-Encoding: gzip\r\n\r\n")
            #expect(try isCompressed(client))
        }
        await server.stop()
    }

    @Test func `an encoder starts over with the next response after its client left`() async throws {
        let content = Self.words(1 << 20)
        let (began, mayGoOn) = (Gate(), Gate())
        let server = try TestServer({ $0.loops = 1 }) { request in
            if request.target.rawPath == "/gone" {
                // The loop is blocked until the client has disconnected.
                began.open()
                mayGoOn.waitBlocking()
            }
            return .text(content)
        }
        let gone = try server.client()
        try gone.send("GET /gone HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n")
        await began.wait()
        gone.reset()
        mayGoOn.open()
        for _ in 0..<2 {
            let client = try server.client()
            try client.send("\(Self.get)Accept-Encoding: gzip\r\n\r\n")
            let response = try client.receiveAll()
            let end = try #require(response.indices.first { response[..<$0].suffix(4) == [13, 10, 13, 10] })
            let body = try GzipDecoder.decode(Array(response[end...]), limits: .init(maxOutputBytes: 2 << 20))
            #expect(body[...].isSame(as: content.utf8))
        }
        await server.stop()
    }

    /// This many bytes of words, without repetitions.
    private static func words(_ count: Int) -> String {
        var generator = SeededGenerator(seed: 3)
        var text = ""
        while text.utf8.count < count { text += "word \(Int.random(in: 0...99_999, using: &generator)) " }
        return String(text.prefix(count))
    }

    @Test func `a prepared body is chosen by what the client accepts`() async throws {
        let server = try TestServer { _ in
            HTTPResponse(.ok, body: .prepared(identity: Array("plain".utf8), gzip: Array("packed".utf8)))
        }
        #expect(try server.exchange("\(Self.get)\r\n").bodyText == "plain")
        #expect(try server.exchange("\(Self.get)Accept-Encoding: gzip\r\n\r\n").bodyText == "packed")
        await server.stop()
        let plain = try TestServer({ $0.minimumCompressedBytes = nil }) { _ in
            HTTPResponse(.ok, body: .prepared(identity: Array("plain".utf8), gzip: Array("packed".utf8)))
        }
        #expect(try plain.exchange("\(Self.get)Accept-Encoding: gzip\r\n\r\n").bodyText == "plain")
        await plain.stop()
    }

    @Test func `unread responses share a limit, and the stalest are dropped`() async throws {
        let server = try TestServer({
            $0.loops = 1
            $0.maxResponseBytesInFlight = 40 << 20
        }) { _ in HTTPResponse(.ok, body: .bytes([UInt8](repeating: 0x61, count: 16 << 20))) }
        let get = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        var idle: [RawClient] = []
        for _ in 0..<6 {
            let client = try server.client(receiveBuffer: 4096)
            try client.send(get)
            // Only one that has been begun can be the stalest.
            _ = try client.receive(until: "\r\n\r\n")
            idle.append(client)
        }
        // On a busy machine the idle ones may have timed out too.
        #expect(await eventually { server.server.openConnections <= 2 })
        // A client that reads gets everything, whatever the others hold.
        let response = try server.exchange(get)
        #expect(response.bodyText.utf8.count == 16 << 20)
        #expect(throws: RawClient.Failure.self) { try idle[0].receiveAll() }
        idle.removeAll()
        #expect(await eventually { server.server.openConnections == 0 })
        await server.stop()
    }

    @Test func `a large unread response evicts as many small ones as it needs, the stalest first`()
        async throws
    {
        let server = try TestServer({
            $0.loops = 1
            $0.maxResponseBytesInFlight = 40 << 20
            $0.deadlines.write = .seconds(120)
        }) { request in
            let mebibytes = Int(request.target.query("mebibytes") ?? "") ?? 0
            return HTTPResponse(.ok, body: .bytes([UInt8](repeating: 0x61, count: mebibytes << 20)))
        }
        func begin(_ mebibytes: Int) throws -> RawClient {
            let client = try server.client(receiveBuffer: 4096)
            try client.send("GET /?mebibytes=\(mebibytes) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            _ = try client.receive(until: "\r\n\r\n")
            return client
        }
        let idle = try (0..<9).map { _ in try begin(4) }
        let large = try begin(20)
        #expect(await eventually { server.server.openConnections == 6 })
        for client in idle[..<4] { #expect(throws: RawClient.Failure.self) { try client.receiveAll() } }
        for client in idle[4...] { #expect(try client.receiveAll().count > 4_000_000) }
        #expect(try large.receiveAll().count > 20_000_000)
        await server.stop()
    }

    @Test func `a status without a body has none`() async throws {
        let server = try TestServer { _ in HTTPResponse(.noContent, body: .bytes([0x61])) }
        let response = try server.exchange("\(Self.get)\r\n")
        #expect(response.bodyText.isEmpty)
        #expect(!response.contains("Content-Length"))
        await server.stop()
    }
}
