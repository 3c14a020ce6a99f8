import Glibc
import HTTP
import HTTPTransport
import TestSupport
import Testing
import Threads

@Suite struct ObservationTests {
    private func logged(
        _ format: AccessLog.Format, sampleRate: Double = 1, _ requests: [String],
        loggedPath: @escaping @Sendable (String) -> String = { $0 },
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = { _ in .text("x") }
    ) async throws -> [Substring] {
        let path = "/tmp/fogbase-log-\(getpid())-\(UInt32.random(in: 0 ... .max)).log"
        defer { unlink(path) }
        let log = try AccessLog(format: format, destination: .file(path: path), sampleRate: sampleRate)
        let server = try TestServer(
            {
                $0.accessLog = log
                $0.loggedPath = loggedPath
                $0.cors = CORSPolicy(origins: ["https://a.example"])
            }, handler: handler)
        for request in requests { _ = try server.exchange(request) }
        await server.stop()
        log.flush()
        #expect(log.dropped == 0)
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
    }

    @Test func `a line has the path without its query`() async throws {
        let lines = try await logged(
            .text,
            [
                "GET /a?token=secret HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-ID: me\r\n\r\n",
                "BAD\r\n\r\n",
            ])
        #expect(lines.count == 2)
        let first = try #require(lines.first)
        #expect(first.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z 127\.0\.0\.1 GET \/a 200 \d+ \d+\.\d{3}ms me$/))
        #expect(!lines.joined().contains("secret"))
        #expect(lines.last?.contains(" - - 400 ") == true)
    }

    /// A signed address also reaches the server in a preflight or with a wrong method, where no route tells.
    @Test func `the path of a response without a route is logged as the configuration says`() async throws {
        let close = "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        let preflight = "Origin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n"
        let lines = try await logged(
            .text,
            [
                "OPTIONS /assets/token/a.jpg \(close)\(preflight)\r\n", "POST /assets/token \(close)\r\n",
                "GET /assets/token/a/b \(close)\r\n", "GET /known/token \(close)\r\n",
            ], loggedPath: { _ in "/hidden" },
            handler: { request in
                var response = HTTPResponse.text("x")
                response.route = request.target.segmentEquals(0, "known") ? "GET /known/{name}" : "other"
                return response
            })
        #expect(lines.count == 4)
        #expect(lines.count { $0.contains(" /hidden ") } == 3)
        #expect(lines.last?.contains(" GET /known/token 200 ") == true)
    }

    @Test func `JSON lines escape what could forge them`() async throws {
        let lines = try await logged(
            .json, ["GET /a%22%0Ab\"\\ü HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"])
        #expect(lines.count == 1)
        for line in lines { #expect(line.hasPrefix("{\"time\":\"") && line.hasSuffix("\"}")) }
    }

    @Test func `a sample is evenly spread and has every failure`() async throws {
        let close = "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let lines = try await logged(
            .text, sampleRate: 0.25, (0..<20).map { _ in "GET /ok \(close)" } + ["GET /bad \(close)"],
            handler: { $0.target.rawPath == "/bad" ? .text("", .internalServerError) : .text("x") })
        #expect(lines.filter { $0.contains(" /ok ") }.count == 5)
        #expect(lines.filter { $0.contains(" /bad ") }.count == 1)
    }

    @Test func `a log that cannot write drops lines and delays nobody`() async throws {
        let path = "/tmp/fogbase-pipe-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // A pipe without a reader takes 64 KiB, then blocks its writers, like a disk that hangs.
        let reader = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let log = try AccessLog(format: .json, destination: .file(path: path), capacity: 100)
        let server = try TestServer({ $0.accessLog = log }, handler: { _ in .text("x") })
        let client = try server.client()
        let target = String(repeating: "p", count: 2000)
        try client.send(String(repeating: "GET /\(target) HTTP/1.1\r\nHost: x\r\n\r\n", count: 600))
        client.finishSending()
        #expect(try client.receiveText().occurrences(of: "200 OK") == 600)
        #expect(log.dropped >= 300)
        // Reading again gets the rest.
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        async let stopped: Void = server.stop()
        let size = bytes.count
        #expect(
            await eventually { read(reader, &bytes, size) <= 0 && server.server.openConnections == 0 && log.isIdle })
        await stopped
    }

    @Test func `a scrape shows connections, bytes, and responses by route and status`() async throws {
        let metrics = TransportMetrics()
        let server = try TestServer(
            { $0.metrics = metrics }, handler: { .text("x", $0.method == .get ? .ok : .notFound) })
        let clients = try (0..<4).map { _ in try server.client() }
        for client in clients {
            try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nDELETE / HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try client.receive(until: "404 Not Found")
        }
        #expect(await eventually { server.handler.summaries.withLock { $0.count } == 8 })
        var text = MetricsText()
        metrics.writeMetrics(into: &text)
        let page = String(decoding: text.text, as: UTF8.self)
        #expect(page.contains("fogbase_http_connections 4"))
        #expect(page.contains("fogbase_http_connections_accepted_total 4\n"))
        #expect(page.contains("fogbase_http_requests_total{route=\"GET /test\",status=\"200\"} 4\n"))
        #expect(page.contains("fogbase_http_requests_total{route=\"GET /test\",status=\"404\"} 4\n"))
        #expect(page.contains("fogbase_http_request_duration_seconds_count{route=\"GET /test\"} 8\n"))
        await server.stop()
    }
}
