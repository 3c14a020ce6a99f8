import Glibc
import HTTP
import HTTPTransport
import TestSupport
import Testing

/// Clients that continue to send after their last response.
@Suite struct LingeringCloseTests {
    private static let longField = "GET / HTTP/1.1\r\nHost: x\r\nX-Long: "

    @Test(arguments: [false, true])
    func `a client that sends eight megabytes before it reads still gets its rejection`(isLocal: Bool) async throws {
        let path = "/tmp/fogbase-http-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock"
        let server = try TestServer(
            addresses: ["127.0.0.1:0", "unix:\(path)"],
            {
                // A machine may pause for longer than the default.
                $0.deadlines.linger = .seconds(60)
            }, handler: { await .echo($0) })
        let client = try isLocal ? RawClient(path: path) : server.client()
        try client.send(Self.longField)
        try client.send([UInt8](repeating: 0x76, count: 8 << 20))
        client.finishSending()
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 431"))
        await server.stop()
    }

    @Test func `a rejected client that never stops is read up to a bound`() async throws {
        let server = try TestServer.greeting({
            $0.loops = 1
            $0.deadlines.linger = .seconds(3600)
        })
        let client = try server.client(sendBuffer: 64 << 10)
        try client.send(Self.longField + String(repeating: "v", count: 40_000))
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 431"))
        var sent = 0
        let piece = [UInt8](repeating: 0x76, count: 16 << 10)
        while sent < 64 << 20, (try? client.send(piece)) != nil { sent += piece.count }
        // The bytes read, and the buffers of the kernel at both ends.
        #expect((16 << 20..<32 << 20).contains(sent))
        await server.stop()
    }

    @Test func `a rejected client that never stops is closed after its time`() async throws {
        let server = try TestServer.greeting({ $0.deadlines.linger = .milliseconds(60) })
        let client = try server.client()
        try client.send(Self.longField + String(repeating: "v", count: 40_000))
        #expect(try client.receive(until: "\r\n\r\n").hasPrefix("HTTP/1.1 431"))
        // A byte at a time is far from the bound.
        while (try? client.send("v")) != nil { usleep(1_000) }
        #expect(await eventually { server.server.openConnections == 0 })
        await server.stop()
    }

    @Test func `a rejected client that closes frees its slot at once`() async throws {
        let server = try TestServer.greeting({
            $0.loops = 1
            $0.maxConnections = 1
            $0.deadlines.linger = .seconds(3600)
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
