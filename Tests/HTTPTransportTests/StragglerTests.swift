import Glibc
import HTTP
import HTTPTransport
import TestSupport
import Testing
import Threads

@Suite struct StragglerTests {
    private static let longField = "GET / HTTP/1.1\r\nHost: x\r\nX-Long: "

    @Test func `what may be read at once is a burst, and what comes later a rate`() {
        var limits = HTTPServerConfiguration.StragglerLimits()
        limits.bytesPerSecond = 1000
        limits.burst = 50
        var stragglers = Stragglers(limits, now: 0)
        #expect(stragglers.takeBytes(atMost: 30, now: 0) == 30)
        #expect(stragglers.takeBytes(atMost: 30, now: 0) == 20)
        #expect(stragglers.takeBytes(atMost: 30, now: 0) == 0)
        #expect(stragglers.takeBytes(atMost: 30, now: 7_000_000) == 7)
        #expect(stragglers.takeBytes(atMost: 30, now: 7_000_000) == 0)
        #expect(stragglers.takeBytes(atMost: 100, now: 3_600_000_000_000) == 50)
        #expect(stragglers.takeBytes(atMost: 100, now: .max) == 50)
    }

    @Test(arguments: [(UInt64(100_000), 20), (1_900_000, 19)])
    func `parts of a millisecond add up, whenever it is asked`(pause: UInt64, expected: Int) {
        var limits = HTTPServerConfiguration.StragglerLimits()
        limits.bytesPerSecond = 1000
        limits.burst = 50
        var stragglers = Stragglers(limits, now: 0)
        #expect(stragglers.takeBytes(atMost: 50, now: 0) == 50)
        var taken = 0
        for now in stride(from: pause, through: UInt64(expected) * 1_000_000, by: Int(pause)) {
            taken += stragglers.takeBytes(atMost: 50, now: now)
        }
        #expect(taken == expected)
    }

    @Test func `who sends byte by byte uses up no more than these bytes`() {
        var limits = HTTPServerConfiguration.StragglerLimits()
        limits.bytesPerSecond = 0
        limits.burst = 5000
        var stragglers = Stragglers(limits, now: 0)
        for _ in 0..<1000 {
            #expect(stragglers.takeBytes(atMost: 4000, now: 0) == 4000)
            stragglers.giveBack(3999)
        }
        #expect(stragglers.takeBytes(atMost: 5000, now: 0) == 4000)
    }

    @Test(arguments: [false, true], [16 << 20, 64 << 10])
    func `a client that sends eight megabytes before it reads still gets its refusal`(
        isLocal: Bool, burst: Int
    ) async throws {
        let path = "/tmp/fogbase-http-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let server = try TestServer(
            addresses: ["127.0.0.1:0", "unix:\(path)"],
            {
                // A machine may stand still for longer than the default.
                $0.deadlines.linger = .seconds(60)
                $0.stragglers.burst = burst
            }, handler: { await .echo($0) })
        let client = try isLocal ? RawClient(path: path) : server.client()
        try client.send(Self.longField)
        try client.send([UInt8](repeating: 0x76, count: 8 << 20))
        client.finishSending()
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 431"))
        await server.stop()
    }

    /// 16 MiB of it would be read if it were as fast as it can be. Its single bytes come one by one before, and cost no more.
    @Test func `a refused client that never stops is read at the loop's rate`() async throws {
        let server = try TestServer.greeting({
            $0.loops = 1
            $0.deadlines.linger = .seconds(3600)
            $0.stragglers.burst = 4 << 20
            $0.stragglers.bytesPerSecond = 1
            // So the end of the ration is the end of the connection, and no time is waited for.
            $0.stragglers.count = 0
        })
        let client = try server.client(sendBuffer: 64 << 10)
        try client.send(Self.longField + String(repeating: "v", count: 40_000))
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 431"))
        for _ in 0..<300 {
            try client.send("v")
            usleep(500)
        }
        var sent = 0
        let piece = [UInt8](repeating: 0x76, count: 16 << 10)
        while sent < 64 << 20, (try? client.send(piece)) != nil { sent += piece.count }
        // What was read, and what the kernel keeps of it at both ends.
        #expect((4 << 20..<12 << 20).contains(sent))
        await server.stop()
    }

    @Test func `of refused clients that never stop, one too many ends the stay of the first`() async throws {
        let server = try TestServer.greeting({
            $0.loops = 1
            $0.deadlines.linger = .seconds(3600)
            $0.stragglers.burst = 0
            $0.stragglers.bytesPerSecond = 0
            $0.stragglers.count = 2
        })
        var clients: [RawClient] = []
        for _ in 0..<3 {
            let client = try server.client()
            try client.send(Self.longField + String(repeating: "v", count: 100_000))
            #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 431"))
            clients.append(client)
        }
        // Whoever is reset can send nothing; the others are still there, though nobody reads them.
        #expect(await eventually { (try? clients[0].send("v")) == nil })
        #expect((try? clients[1].send("v")) != nil)
        #expect((try? clients[2].send("v")) != nil)
        for client in clients { client.close() }
        await server.stop()
    }

    @Test func `a refused client that has come to its end makes room at once, whatever others have left`() async throws
    {
        let server = try TestServer.greeting({
            $0.loops = 1
            $0.maxConnections = 1
            $0.deadlines.linger = .seconds(3600)
            $0.stragglers.burst = 0
            $0.stragglers.bytesPerSecond = 0
        })
        let client = try server.client()
        try client.send(Self.longField + String(repeating: "v", count: 100_000))
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 431"))
        #expect(try server.client().receiveText().hasPrefix("HTTP/1.1 503"))
        client.finishSending()
        #expect(await eventually { server.server.openConnections == 0 })
        await server.stop()
    }
}
