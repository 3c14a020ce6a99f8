import Compression
import HTTP
import HTTPTransport
import TestSupport
import Testing
import Threads

@Suite struct BodyChunkTests {
    private static let post = "POST / HTTP/1.1\r\nHost: x\r\n"
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 ^ $0 >> 9) }

    /// A server that reports the size of each gathered piece, and whether together they are a prefix of `content`.
    private static func server(
        gathering sizes: [Int], _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }
    ) throws -> TestServer {
        try TestServer(configure) { request in
            guard case .stream(let reader) = request.body else { return .text("no stream") }
            return await describe(reader, sizes)
        }
    }

    private static func describe(_ reader: any HTTPBodyReader, _ sizes: [Int]) async -> HTTPResponse {
        var counts: [Int] = []
        var all: [UInt8] = []
        do throws(HTTPBodyError) {
            while let piece = try await reader.next(gathering: sizes[min(counts.count, sizes.count - 1)], in: Self.room)
            {
                counts.append(piece.count)
                all += piece
            }
        } catch {
            return .text("\(error) after \(counts)", .badRequest)
        }
        return .text("\(counts) \(content[..<all.count].isSame(as: all))")
    }

    private static func chunked(_ bytes: [UInt8], by size: Int) -> [UInt8] {
        var out: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            out += Array(String(piece.count, radix: 16).utf8) + [13, 10] + piece + [13, 10]
        }
        return out + Array("0\r\n\r\n".utf8)
    }

    @Test func `pieces have the size that was asked for, and the next request is found`() async throws {
        let server = try Self.server(gathering: [1, 100_000])
        let client = try server.client()
        let head = Array("\(Self.post)Content-Length: 250001\r\n\r\n".utf8)
        for cut in [0, 1, 1000, 250_001] {
            try client.send(head + Self.content[..<cut])
            try client.send(Array(Self.content[cut..<250_001]))
            #expect(try client.receive(until: "true").hasSuffix("[1, 100000, 100000, 50000] true"))
        }
        // The next head comes in one write with the body's end.
        try client.send(head)
        try client.send(
            Array(Self.content[..<250_001]) + Array("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8))
        #expect(try client.receiveText().hasSuffix("no stream"))
        await server.stop()
    }

    @Test(arguments: ["chunked", "gzip", "gzip, chunked"])
    func `chunks and gzip come in pieces of the same size`(_ coding: String) async throws {
        let server = try Self.server(gathering: [7, 100_000])
        var body = Array(Self.content[..<250_007])
        if coding.hasPrefix("gzip") { body = try GzipEncoder.encode(body, level: .fastest) }
        var head = Self.post + "Connection: close\r\n"
        if coding.hasPrefix("gzip") { head += "Content-Encoding: gzip\r\n" }
        if coding.hasSuffix("chunked") {
            head += "Transfer-Encoding: chunked\r\n\r\n"
            body = Self.chunked(body, by: 3001)
        } else {
            head += "Content-Length: \(body.count)\r\n\r\n"
        }
        let client = try server.client()
        try client.send(Array(head.utf8) + body)
        #expect(try client.receiveText().bodyText == "[7, 100000, 100000, 50000] true")
        #expect(await eventually { server.server.bodyBytesInFlight == 0 })
        await server.stop()
    }

    /// Memory with old content.
    @Sendable private static func room(_ count: Int) -> [UInt8] {
        var used = [UInt8](repeating: 7, count: count + 5)
        used.removeAll(keepingCapacity: true)
        return used
    }

    @Test func `bytes gathered in excess are available to the other ways to read`() async throws {
        let server = try TestServer { request in
            guard case .stream(let reader) = request.body else { return .text("no stream") }
            let first = (try? await reader.next(gathering: 3, in: Self.room)) ?? []
            let second = request.target.rawPath == "/next" ? (try? await reader.next()) ?? [] : []
            let rest = (try? await reader.collect(upTo: 1 << 20)) ?? []
            return .text("\(first.count) \((first + second + rest)[...].isSame(as: Self.content[..<10_000]))")
        }
        for path in ["/next", "/collect"] {
            let client = try server.client()
            try client.send(
                Array("POST \(path) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
                    + Self.chunked(Array(Self.content[..<10_000]), by: 5000))
            _ = try client.receive(until: "3 true")
        }
        #expect(await eventually { server.server.bodyBytesInFlight == 0 })
        await server.stop()
    }

    @Test func `100 Continue is sent with the first pull`() async throws {
        let server = try Self.server(gathering: [10])
        let client = try server.client()
        try client.send("\(Self.post)Expect: 100-continue\r\nContent-Length: 15\r\n\r\n")
        #expect(try client.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try client.send(Array(Self.content[..<15]))
        _ = try client.receive(until: "[10, 5] true")
        await server.stop()
    }

    @Test func `a piece may arrive slowly, up to the client's deadline`() async throws {
        let server = try Self.server(gathering: [50])
        let client = try server.client()
        try client.send("\(Self.post)Content-Length: 50\r\nConnection: close\r\n\r\n")
        for byte in Self.content[..<50] { try client.send([byte]) }
        #expect(try client.receiveText().bodyText == "[50] true")
        await server.stop()
        let hasty = try Self.server(gathering: [50], { $0.deadlines.body = .milliseconds(60) })
        let late = try hasty.client()
        try late.send("\(Self.post)Content-Length: 50\r\n\r\n0123456789")
        #expect(try late.receiveText().hasSuffix("timeout after []"))
        await hasty.stop()
    }

    @Test func `a client that goes away midway is noticed`() async throws {
        let server = try Self.server(gathering: [100])
        let client = try server.client()
        try client.send("\(Self.post)Content-Length: 1000\r\n\r\n" + String(repeating: "x", count: 150))
        client.finishSending()
        #expect(try client.receiveText().hasSuffix("disconnected after [100]"))
        #expect(await eventually { server.server.bodyBytesInFlight == 0 })
        await server.stop()
    }

    @Test func `pieces count for the budget while the handler has them`() async throws {
        let gate = Gate()
        let server = try TestServer({ $0.maxBodyBytesInFlight = 100_000 }) { request in
            guard case .stream(let reader) = request.body else { return .text("no stream") }
            var count = 0
            while let piece = try? await reader.next(gathering: 50_000, in: Self.room) {
                count += piece.count
                if count == 100_000 { await gate.wait() }
            }
            return .text("took \(count)")
        }
        let client = try server.client()
        try client.send("\(Self.post)Content-Length: 250000\r\n\r\n")
        try client.send(Array(Self.content[..<100_000]))
        #expect(await eventually { server.server.bodyBytesInFlight == 50_000 })
        gate.open()
        try client.send(Array(Self.content[..<150_000]))
        _ = try client.receive(until: "took 250000")
        #expect(await eventually { server.server.bodyBytesInFlight == 0 })
        // A piece larger than the budget is not to be had.
        let greedy = try Self.server(gathering: [200_000], { $0.maxBodyBytesInFlight = 100_000 })
        let other = try greedy.client()
        try other.send("\(Self.post)Content-Length: 200000\r\n\r\n")
        try? other.send(Array(Self.content[..<200_000]))
        #expect(await eventually { greedy.handler.summaries.withLock { $0.count } == 1 })
        #expect(greedy.server.bodyBytesInFlight == 0)
        await server.stop()
        await greedy.stop()
    }

    @Test func `pieces can be pulled from another thread`() async throws {
        let elsewhere = ThreadExecutor(name: "test-elsewhere")
        let server = try TestServer { request in
            await Task(executorPreference: elsewhere) {
                guard case .stream(let reader) = request.body else { return HTTPResponse.text("no stream") }
                return await Self.describe(reader, [200_000])
            }.value
        }
        let client = try server.client()
        try client.send("\(Self.post)Connection: close\r\nContent-Length: 300000\r\n\r\n")
        try client.send(Self.content)
        #expect(try client.receiveText().bodyText == "[200000, 100000] true")
        await server.stop()
        await elsewhere.end()
    }
}
