import Compression
import Glibc
import HTTP
import HTTPTransport
import Synchronization
import TestSupport
import Testing
import Threads

@Suite struct BodyTests {
    private static let post = "POST / HTTP/1.1\r\nHost: x\r\n"

    @Test func `a body that came with its head is whole, a later one is a stream`() async throws {
        let server = try TestServer { request in
            switch request.body {
            case .empty: return .text("empty")
            case .bytes(let bytes): return .text("bytes \(bytes.count)")
            case .stream(let reader):
                let length = reader.expectedLength
                return .text("stream \(length ?? -1) " + (await HTTPResponse.echo(request).status == .ok ? "ok" : "no"))
            }
        }
        let client = try server.client()
        try client.send("\(Self.post)Content-Length: 0\r\n\r\n\(Self.post)\r\n")
        #expect(try client.receive(until: "empty").hasPrefix("HTTP/1.1 200"))
        try client.send("\(Self.post)Content-Length: 3\r\n\r\nabc")
        _ = try client.receive(until: "bytes 3")
        let gate = Gate()
        gate.open()
        try client.send("\(Self.post)Content-Length: 70000\r\n\r\n" + String(repeating: "x", count: 70_000))
        _ = try client.receive(until: "stream 70000 ok")
        await server.stop()
    }

    @Test func `chunks are joined wherever they are cut, and the next request is found`() async throws {
        let server = try TestServer { await .echo($0) }
        let body = Array("5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nTrailer: x\r\n\r\n".utf8)
        let client = try server.client()
        for cut in 0..<body.count {
            try client.send(Array("\(Self.post)Transfer-Encoding: chunked\r\n\r\n".utf8) + body[..<cut])
            try client.send(Array(body[cut...]))
            _ = try client.receive(until: "\r\n\r\nhello world")
        }
        try client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 200"))
        await server.stop()
    }

    @Test func `a malformed chunk is a 400, and the connection ends`() async throws {
        let server = try TestServer { await .echo($0) }
        let response = try server.exchange("\(Self.post)Transfer-Encoding: chunked\r\n\r\nzz\r\nhello")
        #expect(response.hasPrefix("HTTP/1.1 400"))
        #expect(response.contains("Connection: close\r\n"))
        await server.stop()
    }

    @Test func `a body is accepted up to the limit and rejected one past it, however it is framed`() async throws {
        let server = try TestServer { await .echo($0, upTo: 10) }
        let head = "\(Self.post)Connection: close\r\n"
        #expect(try server.exchange("\(head)Content-Length: 10\r\n\r\n0123456789").hasPrefix("HTTP/1.1 200"))
        #expect(try server.exchange("\(head)Content-Length: 11\r\n\r\n0123456789a").hasPrefix("HTTP/1.1 413"))
        let chunked = "\(head)Transfer-Encoding: chunked\r\n\r\n"
        #expect(try server.exchange("\(chunked)a\r\n0123456789\r\n0\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        #expect(try server.exchange("\(chunked)b\r\n0123456789a\r\n0\r\n\r\n").hasPrefix("HTTP/1.1 413"))
        await server.stop()
    }

    @Test func `100 Continue is sent when the handler pulls, and only then`() async throws {
        let server = try TestServer { request in
            request.target.rawPath == "/no" ? .text("no", .forbidden) : await .echo(request)
        }
        let client = try server.client()
        try client.send("POST /yes HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try client.send("hello")
        #expect(try client.receive(until: "hello").hasPrefix("HTTP/1.1 200"))
        // The body arrived with the head, so no wait is needed.
        try client.send("POST /yes HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello")
        #expect(try client.receive(until: "hello").hasPrefix("HTTP/1.1 200"))
        try client.send("POST /no HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
        let rejected = try client.receiveText()
        #expect(rejected.hasPrefix("HTTP/1.1 403"))
        #expect(rejected.contains("Connection: close\r\n"))
        await server.stop()
    }

    @Test func `a small unread body is skipped, a large one ends the connection after its response`() async throws {
        let server = try TestServer { _ in .text("not read", .unauthorized) }
        let client = try server.client()
        try client.send("\(Self.post)Content-Length: 65536\r\n\r\n" + String(repeating: "x", count: 65_536))
        #expect(try !client.receive(until: "not read").contains("Connection: close"))
        try client.send("\(Self.post)Content-Length: 10000000\r\n\r\n" + String(repeating: "x", count: 1_000_000))
        #expect(try client.receive(until: "not read").contains("Connection: close"))
        await server.stop()
    }

    @Test func `gzip bodies are decoded, bombs and other codings are rejected`() async throws {
        let server = try TestServer { await .echo($0, upTo: 64 << 20) }
        let text = String(repeating: "Fogbase ", count: 1000)
        let small = try GzipEncoder.encode(Array(text.utf8), level: .balanced)
        let bomb = try GzipEncoder.encode([UInt8](repeating: 0, count: 16 << 20), level: .smallest)
        func post(_ body: [UInt8], coding: String) throws -> String {
            let client = try server.client()
            try client.send(
                Array(
                    """
                    \(Self.post)Connection: close\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n
                    """.utf8) + body)
            return try client.receiveText()
        }
        #expect(try post(small, coding: "gzip").bodyText == text)
        #expect(try post(small, coding: "X-GZIP").bodyText == text)
        #expect(try post(Array("plain".utf8), coding: "identity").bodyText == "plain")
        #expect(try post(bomb, coding: "gzip").hasPrefix("HTTP/1.1 413"))
        #expect(try post(Array(small.dropLast()), coding: "gzip").hasPrefix("HTTP/1.1 400"))
        #expect(try post(small + [0], coding: "gzip").hasPrefix("HTTP/1.1 400"))
        #expect(try post(small, coding: "br").hasPrefix("HTTP/1.1 415"))
        #expect(try post(small, coding: "gzip, gzip").hasPrefix("HTTP/1.1 415"))
        await server.stop()
    }

    @Test func `a body can be pulled from another thread`() async throws {
        let elsewhere = ThreadExecutor(name: "test-elsewhere")
        let server = try TestServer { request in
            await Task(executorPreference: elsewhere) {
                guard case .stream(let reader) = request.body else { return HTTPResponse.text("no stream") }
                var count = 0
                while let piece = try? await reader.next() { count += piece.count }
                return .text("\(count) \(elsewhere.isOnThread)")
            }.value
        }
        let response = try server.exchange(
            "\(Self.post)Connection: close\r\nContent-Length: 300000\r\n\r\n" + String(repeating: "x", count: 300_000))
        #expect(response.bodyText == "300000 true")
        await server.stop()
        await elsewhere.end()
    }

    @Test func `bodies in flight share a budget and release it`() async throws {
        let gate = Gate()
        let server = try TestServer({ $0.maxBodyBytesInFlight = 1000 }) { request in
            let response = await HTTPResponse.echo(request)
            if request.target.rawPath == "/hold" { await gate.wait() }
            return response
        }
        let holder = try server.client()
        try holder.send(
            "POST /hold HTTP/1.1\r\nHost: x\r\nContent-Length: 600\r\n\r\n" + String(repeating: "x", count: 600))
        #expect(await eventually { server.server.bodyBytesInFlight == 600 })
        let body = String(repeating: "y", count: 401)
        let eager = "\(Self.post)Connection: close\r\nContent-Length: 401\r\n\r\n\(body)"
        #expect(try server.exchange(eager).hasPrefix("HTTP/1.1 503"))
        let chunked = "\(Self.post)Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n191\r\n\(body)\r\n0\r\n\r\n"
        #expect(try server.exchange(chunked).hasPrefix("HTTP/1.1 503"))
        gate.open()
        _ = try holder.receive(until: "\r\n\r\nx")
        #expect(await eventually { server.server.bodyBytesInFlight == 0 })
        #expect(try server.exchange(eager).hasPrefix("HTTP/1.1 200"))
        #expect(try server.exchange(chunked).hasPrefix("HTTP/1.1 200"))
        await server.stop()
        #expect(server.server.bodyBytesInFlight == 0)
    }

    @Test func `slow large bodies leave room for small requests`() async throws {
        let server = try TestServer({ $0.maxBodyBytesInFlight = 8000 }) { await .echo($0) }
        let crawler = try server.client()
        try crawler.send("\(Self.post)Content-Length: 20000\r\n\r\n")
        try crawler.send(String(repeating: "x", count: 6500))
        #expect(await eventually { server.server.bodyBytesInFlight == 6500 })
        let body = String(repeating: "y", count: 800)
        let chunked = "\(Self.post)Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n320\r\n\(body)\r\n0\r\n\r\n"
        #expect(try server.exchange(chunked).hasPrefix("HTTP/1.1 503"))
        let eager = "\(Self.post)Connection: close\r\nContent-Length: 800\r\n\r\n\(body)"
        #expect(try server.exchange(eager).hasPrefix("HTTP/1.1 200"))
        crawler.close()
        #expect(await eventually { server.server.bodyBytesInFlight == 0 })
        await server.stop()
    }

    @Test(arguments: [false, true])
    func `a body of megabytes arrives whole up to the limit, and one byte more is rejected`(isChunked: Bool)
        async throws
    {
        let limit = 5_000_000
        let content = (0..<limit).map { UInt8(truncatingIfNeeded: 32 + $0 % 89) }
        let isSame = Locked<[Bool]>([])
        let server = try TestServer { request in
            do throws(HTTPBodyError) {
                let body = try await request.body.collect(upTo: limit)
                isSame.withLock { $0.append(body == content) }
                return .text("whole")
            } catch {
                return .text("\(error)", error == .tooLarge(limit: limit) ? .contentTooLarge : .badRequest)
            }
        }
        for more in [[], [UInt8(32)]] {
            let client = try server.client()
            var body = content + more
            var framing = "Content-Length: \(body.count)"
            if isChunked {
                framing = "Transfer-Encoding: chunked"
                let head = Array("\(String(body.count, radix: 16))\r\n".utf8)
                body = head + body + Array("\r\n0\r\n\r\n".utf8)
            }
            try client.send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(framing)\r\n\r\n")
            // A client may get its rejection while it still sends.
            try? client.send(body)
            let response = try client.receive(until: "\r\n\r\n")
            #expect(response.hasPrefix(more.isEmpty ? "HTTP/1.1 200" : "HTTP/1.1 413"))
            client.close()
        }
        #expect(isSame.withLock { $0 } == [true])
        await server.stop()
    }

    /// A fast body must not be read in one time slice, however long it is. A Unix socket holds all of this one
    /// beforehand.
    @Test(arguments: [false, true])
    func `other connections are served while a body is read`(isChunked: Bool) async throws {
        let ends = Locked<[String]>([])
        let (began, mayGoOn) = (Gate(), Gate())
        let path = "/tmp/fogbase-http-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let server = try TestServer(
            addresses: ["127.0.0.1:0", "unix:\(path)"],
            {
                $0.loops = 1
                // Each round of the other client is a request.
                $0.timeSlice = .zero
            }
        ) { request in
            if request.target.rawPath == "/body" {
                // The loop is blocked until the other client's requests have arrived.
                began.open()
                mayGoOn.waitBlocking()
                let response = await HTTPResponse.echo(request)
                ends.withLock { $0.append("body \(response.status.code)") }
                return .text("done")
            }
            ends.withLock { $0.append("other") }
            return .text("other")
        }
        let (client, other) = (try RawClient(path: path), try server.client())
        try other.send("GET /before HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.receive(until: "other")
        var body = [UInt8](repeating: 0x78, count: 180_000)
        var framing = "Content-Length: \(body.count)"
        if isChunked {
            framing = "Transfer-Encoding: chunked"
            let chunk = Array("100\r\n".utf8) + body[..<256] + Array("\r\n".utf8)
            body = Array(repeatElement(chunk, count: 690).joined()) + Array("0\r\n\r\n".utf8)
        }
        try client.send("POST /body HTTP/1.1\r\nHost: x\r\n\(framing)\r\n\r\n")
        await began.wait()
        try client.send(body)
        try other.send(String(repeating: "GET /other HTTP/1.1\r\nHost: x\r\n\r\n", count: 100))
        other.finishSending()
        mayGoOn.open()
        #expect(try other.receiveText().occurrences(of: "200 OK") == 100)
        _ = try client.receive(until: "done")
        let place = try #require(ends.withLock { $0.firstIndex(of: "body 200") })
        #expect(place >= 3)
        await server.stop()
    }

    /// This many zeros, with some noise that keeps it from being treated as a bomb.
    private static func sparse(_ count: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: 1)
        var content = [UInt8](repeating: 0, count: count)
        for index in content.indices where index % (16 << 10) < 100 {
            content[index] = .random(in: 0...255, using: &generator)
        }
        return content
    }

    private static func gzipped(_ body: [UInt8], path: String = "/") -> [UInt8] {
        Array(
            "POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8
        ) + body
    }

    /// 64 KiB may decompress to 13 MiB, which takes tens of milliseconds: the work must be divided.
    @Test(arguments: [(4 << 20, 30), (0, 3)])
    func `other connections are served while a body is decompressed`(count: Int, turns: Int) async throws {
        var body = try GzipEncoder.encode(Self.sparse(count), level: .smallest)
        if count == 0 {
            // Blocks without content (RFC 1951 §3.2.4), which cost time and produce nothing.
            let blocks = Array(repeatElement([0, 0, 0, 0xFF, 0xFF] as [UInt8], count: 12_000).joined())
            body = Array(body[..<10]) + blocks + body[10...]
        }
        #expect(body.count < 63 << 10)
        let ends = Locked<[String]>([])
        let (began, mayGoOn) = (Gate(), Gate())
        let server = try TestServer({
            $0.loops = 1
            // Each round of the other client is a request.
            $0.timeSlice = .zero
        }) { request in
            if request.target.rawPath == "/body" {
                // The loop is blocked until the other client's request has arrived.
                began.open()
                mayGoOn.waitBlocking()
                let response = await HTTPResponse.echo(request, upTo: 16 << 20)
                ends.withLock { $0.append("body \(response.status.code)") }
                return .text("done")
            }
            ends.withLock { $0.append("other") }
            return .text("other")
        }
        let (client, other) = (try server.client(), try server.client())
        try other.send("GET /before HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try other.receive(until: "other")
        let request = Self.gzipped(body, path: "/body")
        try client.send(Array(request.dropLast(body.count)))
        await began.wait()
        try client.send(body)
        try other.send(String(repeating: "GET /other HTTP/1.1\r\nHost: x\r\n\r\n", count: 100))
        other.finishSending()
        mayGoOn.open()
        #expect(try other.receiveText().occurrences(of: "200 OK") == 100)
        _ = try client.receive(until: "done")
        let place = try #require(ends.withLock { $0.firstIndex(of: "body 200") })
        #expect(place >= turns)
        await server.stop()
    }

    /// The budget must count decompressed bytes before they are in memory.
    @Test func `decompressed bytes arrive in pieces, each counted while the handler has it`() async throws {
        let content = Self.sparse(3_000_000)
        let counted = Locked<[Bool]>([])
        let itself = Locked<TestServer?>(nil)
        let server = try TestServer({ $0.loops = 1 }) { request in
            guard case .stream(let reader) = request.body else { return .text("no stream") }
            var all: [UInt8] = []
            while let piece = try? await reader.next() {
                all += piece
                let inFlight = itself.withLock { $0?.server.bodyBytesInFlight }
                counted.withLock { $0.append(inFlight == piece.count && piece.count <= 128 << 10) }
            }
            return .text("\(all[...].isSame(as: content))")
        }
        itself.withLock { $0 = server }
        let client = try server.client()
        try client.send(Self.gzipped(try GzipEncoder.encode(content, level: .smallest)))
        _ = try client.receive(until: "\r\n\r\ntrue")
        let pieces = counted.withLock { $0 }
        #expect(pieces.count >= 3_000_000 / (128 << 10))
        #expect(pieces.allSatisfy { $0 })
        itself.withLock { $0 = nil }
        #expect(await eventually { server.server.bodyBytesInFlight == 0 })
        await server.stop()
    }

    @Test func `a gzipped body may be as large as the budget has room for, and not larger`() async throws {
        // Seven eighths are for bodies that are waited for.
        let server = try TestServer({ $0.maxBodyBytesInFlight = 800_000 }) { await .echo($0) }
        for (count, status) in [(100, 200), (699_999, 200), (700_001, 503), (100, 200)] {
            let client = try server.client()
            try client.send(Self.gzipped(try GzipEncoder.encode(Self.sparse(count), level: .smallest)))
            #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status)"), "\(count)")
            client.close()
            #expect(await eventually { server.server.bodyBytesInFlight == 0 })
        }
        await server.stop()
    }

    /// The trailing eight bytes of a body need no room, even if they arrive alone when the budget is used up.
    @Test func `the end of a gzipped body needs no room`() async throws {
        let server = try TestServer({ $0.maxBodyBytesInFlight = 80_000 }) { await .echo($0) }
        let request = Self.gzipped(try GzipEncoder.encode(Self.sparse(70_000), level: .smallest))
        let client = try server.client()
        try client.send(Array(request.dropLast(8)))
        #expect(await eventually { server.server.bodyBytesInFlight == 70_000 })
        try client.send(Array(request.suffix(8)))
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        client.close()
        await server.stop()
    }

    @Test func `a gzipped body is the same wherever it is cut, with every way to read it`() async throws {
        let content = Self.sparse(40_000)
        let server = try TestServer { request in
            guard case .stream(let reader) = request.body else { return .text("no stream") }
            var all: [UInt8] = []
            do throws(HTTPBodyError) {
                switch request.target.rawPath {
                case "/next": while let piece = try await reader.next() { all += piece }
                case "/gather":
                    while let piece = try await reader.next(gathering: 777, in: { _ in [] }) {
                        guard piece.count == 777 || all.count + piece.count == content.count else {
                            return .text("short")
                        }
                        all += piece
                    }
                default: all = try await reader.collect(upTo: content.count)
                }
            } catch {
                return .text("\(error)", .badRequest)
            }
            return .text("\(all[...].isSame(as: content))")
        }
        let body = try GzipEncoder.encode(content, level: .smallest)
        let client = try server.client()
        for path in ["/next", "/gather", "/collect"] {
            let request = Self.gzipped(body, path: path)
            let head = request.count - body.count
            for cut in head..<request.count {
                try client.send(Array(request[..<cut]))
                try client.send(Array(request[cut...]))
                #expect(try client.receive(until: "\r\n\r\ntrue").hasSuffix("true"))
            }
        }
        await server.stop()
    }
}
