import HTTP
import HTTPTransport
import Sockets
import TestSupport
import Testing

/// Connections that are idle for long, and continue without a task.
@Suite struct RestingConnectionTests {
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    /// A server whose connections rest at once, and that counts resting connections.
    private final class Server: Sendable {
        let server: TestServer
        let clock = LoopClock()
        private let metrics = TransportMetrics()

        init(_ configure: (inout HTTPServerConfiguration) -> Void = { _ in }) throws {
            let (metrics, clock) = (metrics, clock)
            server = try TestServer.greeting {
                $0.loops = 1
                $0.clock = clock
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
        func rests(_ count: Int) async -> Bool {
            await eventually { resting == count }
        }
    }

    @Test func `a resting connection responds to requests in any pieces`() async throws {
        let server = try Server()
        let client = try server.server.client()
        #expect(await server.rests(1))
        for round in 1...5 {
            // A head that has begun keeps the connection awake: its own deadline applies.
            let cut = Self.get.index(Self.get.startIndex, offsetBy: round * 4)
            try client.send(String(Self.get[..<cut]))
            #expect(await server.rests(0))
            server.clock.skip(.seconds(1))
            _ = try server.server.exchange("GET /other HTTP/1.0\r\n\r\n")
            #expect(server.resting == 0)
            try client.send(String(Self.get[cut...]) + Self.get)
            var responses = ""
            while responses.occurrences(of: "hello /") < 2 {
                responses += String(decoding: try client.receive(), as: UTF8.self)
            }
            #expect(await server.rests(1))
        }
        #expect(server.server.server.openConnections == 1)
        await server.server.stop()
    }

    @Test func `a head that stops in the middle is rejected at its deadline, also after a rest`() async throws {
        let server = try Server { $0.deadlines.head = .milliseconds(60) }
        let client = try server.server.client()
        #expect(await server.rests(1))
        try client.send("GET / HT")
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 408"))
        await server.server.stop()
        #expect(server.resting == 0)
    }

    @Test func `a resting connection that its client closes is removed`() async throws {
        let server = try Server()
        for ending in 0..<3 {
            let client = try server.server.client()
            try client.send(Self.get)
            _ = try client.receive(until: "hello /")
            #expect(await server.rests(1))
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

    @Test func `the deadline of idle connections applies to resting ones`() async throws {
        let server = try Server { $0.deadlines.idle = .seconds(3_600) }
        let client = try server.server.client()
        try client.send(Self.get)
        _ = try client.receive(until: "hello /")
        #expect(await server.rests(1))
        server.clock.skip(.seconds(3_000))
        _ = try server.server.exchange("GET /other HTTP/1.0\r\n\r\n")
        #expect(await eventually { server.server.server.openConnections == 1 })
        server.clock.skip(.seconds(600))
        // The end, without a response.
        #expect(try client.receive().isEmpty)
        #expect(await server.rests(0))
        #expect(await eventually { server.server.server.openConnections == 0 })
        await server.server.stop()
    }

    @Test func `a shutdown closes resting connections at once`() async throws {
        let server = try Server()
        let clients = try (0..<20).map { _ in try server.server.client() }
        #expect(await server.rests(20))
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
        let server = try Server { $0.deadlines.rest = .seconds(60) }
        let client = try server.server.client()
        for round in 0..<400 {
            // The loop wakes, lets the connection rest, and finds the request at about the same time.
            server.clock.skip(.seconds(59 + round % 3))
            try client.send(Self.get)
            _ = try client.receive(until: "hello /")
        }
        await server.server.stop()
    }

    /// More requests than the loop accepts from the kernel at once have arrived while it was blocked, all of them in
    /// time.
    @Test func `a request that arrived in time gets its response, however late the loop polls`() async throws {
        let (isHeld, gate) = (Gate(), Gate())
        defer { gate.open() }
        let clock = LoopClock()
        let server = try TestServer { configuration in
            configuration.loops = 1
            configuration.clock = clock
            configuration.deadlines.rest = .milliseconds(1)
            configuration.deadlines.idle = .seconds(3_600)
        } handler: { request in
            if request.target.rawPath == "/hold" {
                isHeld.open()
                gate.waitBlocking()
            }
            return .text("hello " + request.target.rawPath)
        }
        let clients = try (0..<400).map { _ in try server.client() }
        for client in clients {
            try client.send(Self.get)
            _ = try client.receive(until: "hello /")
        }
        let holder = try server.client()
        try holder.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
        await isHeld.wait()
        // Those with the earliest deadline come last.
        for client in clients.reversed() { try client.send(Self.get) }
        clock.skip(.seconds(3_600))
        gate.open()
        for client in clients { _ = try client.receive(until: "hello /") }
        holder.close()
        await server.stop()
    }
}
