import HTTP
import HTTPTransport
import TestSupport
import Testing
import Threads

/// Clients that disconnect before their response, and clients that only seem to.
@Suite struct DisconnectedClientTests {
    @Test func `a half-closed client still gets its response`() async throws {
        let gate = Gate()
        let server = try TestServer { _ in
            await gate.wait()
            return .text("late")
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        client.finishSending()
        gate.open()
        #expect(try client.receiveText().hasSuffix("late"))
        await server.stop()
    }

    @Test(arguments: [false, true])
    func `the handler of a client that has gone is cancelled`(resets: Bool) async throws {
        let (begun, ended) = (Gate(), Gate())
        let server = try TestServer { _ in
            begun.open()
            await untilCancelled()
            ended.open()
            return .text("for nobody")
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await begun.wait()
        resets ? client.reset() : client.close()
        await ended.wait()
        await server.stop()
    }

    @Test func `a client that closes after its request is detected too`() async throws {
        let ended = Gate()
        let server = try TestServer { _ in
            await untilCancelled()
            ended.open()
            return .text("for nobody")
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        client.close()
        await ended.wait()
        await server.stop()
    }

    @Test func `a half-closed client is asked by an interim response whether it reads, unless the response is there`()
        async throws
    {
        let gate = Gate()
        let server = try TestServer { request in
            if request.target.rawPath == "/late" { await gate.wait() }
            return .text("done")
        }
        let late = try server.client()
        try late.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
        late.finishSending()
        #expect(try late.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        gate.open()
        let response = try late.receiveText()
        #expect(response.hasPrefix("HTTP/1.1 200 OK\r\n") && response.hasSuffix("done"))

        let now = try server.client()
        try now.send("GET /now HTTP/1.1\r\nHost: x\r\n\r\n")
        now.finishSending()
        #expect(try now.receiveText().hasPrefix("HTTP/1.1 200 OK\r\n"))
        await server.stop()
    }

    @Test func `HTTP 1.0 has no interim responses`() async throws {
        let gate = Gate()
        let server = try TestServer({ $0.loops = 1 }) { request in
            if request.target.rawPath == "/" { await gate.wait() }
            return .text("late")
        }
        let client = try server.client()
        try client.send("GET / HTTP/1.0\r\n\r\n")
        client.finishSending()
        // Once the loop has served another client, it has also seen the end of this one.
        _ = try server.exchange("GET /other HTTP/1.0\r\n\r\n")
        gate.open()
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 200 OK\r\n"))
        await server.stop()
    }

    @Test func `a request is not executed if its client has reset the connection`() async throws {
        let (holds, mayGoOn) = (Gate(), Gate())
        let paths = Locked<[String]>([])
        let server = try TestServer({ $0.loops = 1 }) { request in
            paths.withLock { $0.append(request.target.rawPath) }
            if request.target.rawPath == "/hold" {
                holds.open()
                mayGoOn.waitBlocking()
            }
            return .text("done")
        }
        let first = try server.client()
        try first.send("GET /hold HTTP/1.1\r\nHost: x\r\n\r\n")
        await holds.wait()
        // They arrive while the loop is busy: one client has disconnected, one has only closed its side.
        let (gone, closed) = (try server.client(), try server.client())
        try gone.send("GET /gone HTTP/1.1\r\nHost: x\r\n\r\n")
        gone.reset()
        try closed.send("GET /closed HTTP/1.1\r\nHost: x\r\n\r\n")
        closed.close()
        mayGoOn.open()
        #expect(try first.receive(until: "done").contains("200 OK"))
        #expect(try server.exchange("GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").contains("done"))
        await server.stop()
        // Requests that are there together are served in any order.
        #expect(Set(paths.withLock { $0 }) == ["/hold", "/closed", "/last"])
    }

    @Test func `a client that leaves during a body is not probed, and all its bytes are read`() async throws {
        let (begun, mayRead, ended) = (Gate(), Gate(), Gate())
        let received = Locked(0)
        let server = try TestServer({ $0.loops = 1 }) { request in
            if request.target.rawPath == "/other" { return .text("") }
            begun.open()
            await mayRead.wait()
            if case .stream(let reader) = request.body {
                while let piece = try? await reader.next() { received.withLock { $0 += piece.count } }
            }
            ended.open()
            return .text("for nobody")
        }
        let client = try server.client()
        try client.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 600000\r\n\r\n")
        await begun.wait()
        // The kernel's buffers take this much, so that the end arrives, too.
        try client.send([UInt8](repeating: 7, count: 30_000))
        client.close()
        // Once the loop has served another client, it has also seen the end of this one.
        _ = try server.exchange("GET /other HTTP/1.0\r\n\r\n")
        mayRead.open()
        await ended.wait()
        #expect(received.withLock { $0 } == 30_000)
        await server.stop()
    }
}
