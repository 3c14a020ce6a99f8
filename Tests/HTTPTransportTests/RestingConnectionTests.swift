import Glibc
import HTTP
import HTTPTransport
import TestSupport
import Testing

/// Connections that idle for long, and go on without a task.
@Suite struct RestingConnectionTests {
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    /// A server whose connections rest at once, and that counts those which do.
    private final class Server: Sendable {
        let server: TestServer
        private let metrics = TransportMetrics()

        init(_ configure: (inout HTTPServerConfiguration) -> Void = { _ in }) throws {
            let metrics = metrics
            server = try TestServer.greeting {
                $0.deadlines.rest = .milliseconds(1)
                $0.metrics = metrics
                configure(&$0)
            }
        }

        var resting: Int {
            var text = MetricsText()
            metrics.writeMetrics(into: &text)
            let line = String(decoding: text.text, as: UTF8.self).split(separator: "\n").first {
                $0.hasPrefix("fogbase_http_connections_resting ")
            }
            return line.flatMap { Double($0.split(separator: " ")[1]) }.map { Int($0) } ?? -1
        }

        /// Waits until so many rest.
        func rests(_ count: Int) async throws -> Bool {
            let limit = ContinuousClock.now + .seconds(60)
            while resting != count {
                if ContinuousClock.now > limit { return false }
                try await Task.sleep(for: .milliseconds(1))
            }
            return true
        }
    }

    @Test func `a connection that rests answers what comes, in whatever pieces`() async throws {
        let server = try Server()
        let client = try server.server.client()
        #expect(try await server.rests(1))
        for round in 1...5 {
            // A head that has begun keeps the connection awake: its own deadline holds.
            let cut = Self.get.index(Self.get.startIndex, offsetBy: round * 4)
            try client.send(String(Self.get[..<cut]))
            #expect(try await server.rests(0))
            try await Task.sleep(for: .milliseconds(10))
            #expect(server.resting == 0)
            try client.send(String(Self.get[cut...]) + Self.get)
            var answers = ""
            while answers.occurrences(of: "hello /") < 2 {
                answers += String(decoding: try client.receive(), as: UTF8.self)
            }
            #expect(try await server.rests(1))
        }
        #expect(server.server.server.openConnections == 1)
        await server.server.stop()
    }

    @Test func `a head that stops in the middle is refused at its deadline, also after a rest`() async throws {
        let server = try Server { $0.deadlines.head = .milliseconds(60) }
        let client = try server.server.client()
        #expect(try await server.rests(1))
        try client.send("GET / HT")
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 408"))
        await server.server.stop()
        #expect(server.resting == 0)
    }

    @Test func `whoever leaves while resting is forgotten`() async throws {
        let server = try Server()
        for ending in 0..<3 {
            let client = try server.server.client()
            try client.send(Self.get)
            _ = try client.receive(until: "hello /")
            #expect(try await server.rests(1))
            switch ending {
            case 0: client.close()
            case 1: client.finishSending()
            default: client.reset()
            }
            #expect(await eventually { server.server.server.openConnections == 0 })
            #expect(server.resting == 0)
        }
        await server.server.stop()
    }

    @Test func `the deadline of idle connections holds for those that rest`() async throws {
        let server = try Server { $0.deadlines.idle = .seconds(2) }
        let client = try server.server.client()
        try client.send(Self.get)
        let start = ContinuousClock.now
        _ = try client.receive(until: "hello /")
        // The end, without a word.
        #expect(try client.receive().isEmpty)
        #expect(ContinuousClock.now - start > .seconds(1))
        #expect(try await server.rests(0))
        #expect(await eventually { server.server.server.openConnections == 0 })
        await server.server.stop()
    }

    @Test func `a shutdown ends those that rest at once`() async throws {
        let server = try Server()
        let clients = try (0..<20).map { _ in try server.server.client() }
        #expect(try await server.rests(20))
        // Those that are still there when the grace of thirty seconds is over are ended by force.
        let start = ContinuousClock.now
        await server.server.stop()
        #expect(ContinuousClock.now - start < .seconds(20))
        for client in clients { #expect(try client.receive().isEmpty) }
        #expect(server.server.server.openConnections == 0)
        #expect(server.resting == 0)
    }

    /// Requests that come at the very moment at which connections go to rest.
    @Test func `no request is lost at the edge of a rest`() async throws {
        let server = try Server()
        let client = try server.server.client()
        for round in 0..<400 {
            try client.send(Self.get)
            _ = try client.receive(until: "hello /")
            // Around the millisecond after which it rests.
            try await Task.sleep(for: .microseconds(600 + round % 40 * 20))
        }
        await server.server.stop()
    }

    /// More requests than the loop takes from the kernel at once have come while it was held up, and all of them in time.
    @Test func `a request that came in time is answered, however late the loop looks`() async throws {
        // A slow machine needs longer to send them than a fast one should have to wait.
        for idle in [0.6, 3, 15, 60] {
            guard let answered = try await Self.answeredInTime(of: 400, idle: .seconds(idle)) else { continue }
            #expect(answered == 400)
            return
        }
        Issue.record("400 requests were not sent within half a minute")
    }

    /// How many requests are answered of those that came within half of the idle time while the loop was held up for longer
    /// than all of it.
    ///
    /// - Returns: `nil` if they did not come in time.
    private static func answeredInTime(of count: Int, idle: Duration) async throws -> Int? {
        let (isHeld, gate) = (Gate(), Gate())
        defer { gate.open() }
        let server = try TestServer { configuration in
            configuration.loops = 1
            configuration.deadlines.rest = .milliseconds(1)
            configuration.deadlines.idle = idle
        } handler: { request in
            if request.target.rawPath == "/hold" {
                isHeld.open()
                gate.waitBlocking()
            }
            return .text("hello " + request.target.rawPath)
        }
        let start = ContinuousClock.now
        func isInTime() -> Bool { .now - start < idle / 2 }
        var holder: RawClient?
        let clients = try (0..<count).map { _ in try server.client() }
        do {
            for client in clients {
                try client.send(get)
                _ = try client.receive(until: "hello /")
            }
            if isInTime() {
                holder = try server.client()
                try holder?.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
                await isHeld.wait()
                // Those whose time ends first come last.
                for client in clients.reversed() { try client.send(get) }
            }
        } catch {
            // Later than that, those that came first may have idled for too long.
            if isInTime() { throw error }
        }
        let came = isInTime()
        if came { try await Task.sleep(for: idle) }
        gate.open()
        let answered = came ? clients.count { (try? $0.receive(until: "hello /")) != nil } : nil
        holder?.close()
        await server.stop()
        return answered
    }
}
