import Glibc
import HTTP
import HTTPTransport
import Sockets
import TestSupport
import Testing
import Threads

@Suite struct ConnectionLifeTests {
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func `a head that arrives slowly is rejected at its deadline`() async throws {
        let server = try TestServer.greeting({ $0.deadlines.head = .milliseconds(60) })
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        let response = try client.receiveText()
        #expect(response.hasPrefix("HTTP/1.1 408"))
        await server.stop()
    }

    @Test func `a body that stalls ends in a timeout`() async throws {
        let server = try TestServer({ $0.deadlines.body = .milliseconds(60) }) { await .echo($0) }
        let client = try server.client()
        try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 408"))
        await server.stop()
    }

    @Test func `the kernel buffers few unsent bytes per client`() async throws {
        let server = try TestServer { _ in .text("short") }
        let client = try server.client()
        try client.send(Self.get)
        _ = try client.receive(until: "short")
        // The server's end of the connection, among the descriptors of this process; all tests together have thousands.
        let most = min(Int32(clamping: sysconf(Int32(_SC_OPEN_MAX))), 65_536)
        let ends = (3..<most).filter { Self.localPort(of: $0) == server.port && Self.isConnected($0) }
        let end = try #require(ends.count == 1 ? ends.first : nil)
        #expect(Self.unsentLimit(of: end) == 128 << 10)
        client.close()
        await server.stop()
    }

    private static func unsentLimit(of descriptor: Int32) -> Int32? {
        var limit: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, Int32(IPPROTO_TCP), Int32(TCP_NOTSENT_LOWAT), &limit, &size) == 0 ? limit : nil
    }

    private static func localPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &size) }
        }
        return code == 0 && Int32(address.sin_family) == AF_INET ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static func isConnected(_ descriptor: Int32) -> Bool {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getpeername(descriptor, $0.baseAddress, &size) }
        } == 0
    }

    @Test func `a burst buys a client no more silence than the deadline allows`() {
        var timeout = TransferTimeout(allowance: 60, bytesPerSecond: 1_000_000_000)
        timeout.moved(1_000_000)
        timeout.waited(50)
        #expect(timeout.left == 10)
        timeout.moved(20)
        #expect(timeout.left == 30)
        timeout.moved(.max)
        #expect(timeout.left == 60)
        timeout.waited(.max)
        #expect(timeout.left == 0)
    }

    @Test func `an idle connection is closed without a word`() async throws {
        let server = try TestServer.greeting({ $0.deadlines.idle = .milliseconds(60) })
        let client = try server.client()
        #expect(try client.receive().isEmpty)
        let used = try server.client()
        try used.send(Self.get)
        #expect(try used.receiveText().hasSuffix("hello /"))
        await server.stop()
    }

    @Test func `a client that never reads is disconnected`() async throws {
        let server = try TestServer({ $0.deadlines.write = .milliseconds(60) }) { _ in
            HTTPResponse(.ok, body: .bytes([UInt8](repeating: 0x61, count: 32 << 20)))
        }
        let client = try server.client(receiveBuffer: 4096)
        try client.send(Self.get)
        #expect(await eventually { server.handler.summaries.withLock { $0.count } == 1 })
        #expect(await eventually { server.server.openConnections == 0 })
        client.close()
        await server.stop()
    }

    @Test func `a reset in the middle of a response cancels its handler`() async throws {
        let started = Gate()
        let server = try TestServer { _ in
            started.open()
            await untilCancelled()
            return .text("nobody reads this")
        }
        let client = try server.client()
        try client.send(Self.get)
        await started.wait()
        client.reset()
        #expect(await eventually { server.server.openConnections == 0 })
        await server.stop()
    }

    @Test func `a shutdown closes idle connections at once and finishes what is in flight`() async throws {
        let (started, gate) = (Gate(), Gate())
        let server = try TestServer { request in
            guard request.target.rawPath == "/slow" else { return .text("fast") }
            started.open()
            await gate.wait()
            return .text("slow but whole")
        }
        let idle = try server.client()
        try idle.send(Self.get)
        _ = try idle.receive(until: "fast")
        let busy = try server.client()
        try busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        await started.wait()
        async let stopped: Void = server.stop()
        #expect(try idle.receive().isEmpty)
        // The listening sockets are closed once all loops know of the shutdown.
        #expect(await eventually { (try? server.client()) == nil })
        gate.open()
        let response = try busy.receiveText()
        #expect(response.contains("Connection: close\r\n"))
        #expect(response.hasSuffix("slow but whole"))
        await stopped
        #expect(server.server.openConnections == 0)
    }

    @Test func `the remaining connections are closed at the end of the grace period`() async throws {
        let started = Gate()
        let gate = Gate()
        let server = try TestServer { _ in
            started.open()
            await gate.wait()
            return .text("too late")
        }
        let client = try server.client()
        try client.send(Self.get)
        await started.wait()
        await server.server.shutdown(grace: .milliseconds(30))
        #expect((try? client.receiveText())?.isEmpty ?? true)
        // The handler's task still runs to its end, though its loop has stopped.
        gate.open()
        #expect(await eventually { server.handler.summaries.withLock { $0.count } == 1 })
    }

    private static func rejected(_ metrics: TransportMetrics) -> Int? {
        var text = MetricsText()
        metrics.writeMetrics(into: &text)
        let line = String(decoding: text.text, as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("fogbase_http_connections_refused_total ")
        }
        return line.flatMap { Int($0.split(separator: " ")[1]) }
    }

    @Test func `a connection above the limit gets 503, and a slot is free again later`() async throws {
        for perAddress in [true, false] {
            let (metrics, clock) = (TransportMetrics(), LoopClock())
            let server = try TestServer.greeting({ configuration in
                (configuration.metrics, configuration.clock) = (metrics, clock)
                if perAddress { configuration.maxConnectionsPerAddress = 2 } else { configuration.maxConnections = 2 }
            })
            let clients = [try server.client(), try server.client()]
            for client in clients {
                try client.send(Self.get)
                _ = try client.receive(until: "hello")
            }
            #expect(try server.exchange(Self.get).hasPrefix("HTTP/1.1 503"))
            // A request that never comes, and one that comes later.
            let silent = try server.client()
            #expect(await eventually { Self.rejected(metrics) == 2 })
            clock.skip(.seconds(1))
            #expect(try silent.receiveText().hasPrefix("HTTP/1.1 503"))
            let late = try server.client()
            #expect(await eventually { Self.rejected(metrics) == 3 })
            try late.send(Self.get)
            #expect(try late.receiveText().hasPrefix("HTTP/1.1 503"))
            // A browser's EventSource connects again after a lost connection, and after no other status than 200.
            let events = "GET / HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n"
            #expect(try server.exchange(events).isEmpty)
            for client in clients { client.close() }
            #expect(await eventually { server.server.openConnections == 0 })
            let next = try server.client()
            try next.send(Self.get)
            _ = try next.receive(until: "hello")
            await server.stop()
        }
    }

    @Test func `a Unix socket and IPv6 are served like IPv4`() async throws {
        let path = "/tmp/fogbase-http-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let server = try TestServer(
            addresses: ["unix:\(path)", "[::1]:0", "127.0.0.1:0"], { $0.maxConnectionsPerAddress = 1 },
            handler: { .text("from '\($0.remoteAddress)'") })
        let local = [try RawClient(path: path), try RawClient(path: path)]
        for client in local {
            try client.send(Self.get)
            _ = try client.receive(until: "from ''")
        }
        let six = try RawClient(port6: try #require(server.addresses[1].port))
        try six.send(Self.get)
        _ = try six.receive(until: "from '::1'")
        let four = try RawClient(port: try #require(server.addresses[2].port))
        try four.send(Self.get)
        _ = try four.receive(until: "from '127.0.0.1'")
        await server.stop()
        #expect(access(path, F_OK) != 0)
    }

    @Test func `a thousand aborted connections leave no descriptor behind`() async throws {
        // In a separate process, in which no other test opens descriptors.
        await #expect(processExitsWith: .success) {
            let server = try TestServer { _ in
                HTTPResponse(.ok, body: .bytes([UInt8](repeating: 0x61, count: 100_000)))
            }
            let before = ProcessFacts.openDescriptors
            for number in 0..<1000 {
                let client = try server.client()
                switch number % 4 {
                case 0: break
                case 1: try client.send("GET / HT")
                case 2: try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                default: try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
                }
                if number % 3 == 0 { client.reset() } else { client.close() }
            }
            #expect(await eventually { server.server.openConnections == 0 })
            // The runtime may have opened a timer or two in between; a leak of the server would be hundreds.
            #expect(await eventually { ProcessFacts.openDescriptors <= before + 8 })
            await server.stop()
        }
    }

    @Test func `out of descriptors, the server waits without spinning and serves on later`() async throws {
        await #expect(processExitsWith: .success) {
            let server = try TestServer.greeting { $0.loops = 1 }
            var clients = [try server.client()]
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(7), &limit)
            limit.rlim_cur = rlim_t(ProcessFacts.openDescriptors + 20)
            setrlimit(__rlimit_resource_t(7), &limit)
            // Each needs two descriptors here, so that the last clients wait in the queue.
            while let client = try? server.client() { clients.append(client) }
            #expect(clients.count > 8)
            let last = clients.removeLast()
            try last.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let before = clock()
            // The measurement covers events while time passes. (Task.sleep would need a descriptor.)
            poll(nil, 0, 120)
            // A spinning loop would have used all of the time.
            #expect(clock() - before < 60_000)
            for client in clients { client.close() }
            #expect(try last.receive(until: "hello").hasPrefix("HTTP/1.1 200"))
            await server.stop()
        }
    }

    @Test func `connections are spread over the loops`() async throws {
        let loops = Locked<[UInt: Int]>([:])
        let server = try TestServer { _ in
            loops.withLock { $0[SystemThread.current, default: 0] += 1 }
            return .text("x")
        }
        let clients = try (0..<40).map { _ in try server.client() }
        for client in clients {
            try client.send(Self.get)
            _ = try client.receive(until: "\r\n\r\nx")
        }
        #expect(loops.withLock { $0.values.sorted() } == [20, 20])
        await server.stop()
    }
}
