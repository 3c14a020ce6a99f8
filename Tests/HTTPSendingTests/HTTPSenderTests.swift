import Foundation
import HTTP
import HTTPSending
import TestSupport
import Testing
import Threads

/// The sender against receivers that misbehave.
@Suite struct HTTPSenderTests {
    private static let ok = "HTTP/1.1 204 No Content\r\n\r\n"

    /// Short limits, so that a receiver that hangs costs no seconds. They are far above what a quick receiver takes.
    private static func limits(_ milliseconds: Int = 600) -> SendingLimits {
        var limits = SendingLimits()
        limits.connectMilliseconds = milliseconds
        limits.totalMilliseconds = milliseconds
        return limits
    }

    private func makeSender(
        allowing networks: [String] = ["127.0.0.0/8"], _ limits: SendingLimits = SendingLimits(),
        authorities: String? = nil
    ) throws -> HTTPSender {
        HTTPSender(
            AddressPolicy(allowing: try networks.map { try #require(IPNetwork($0)) }), limits: limits, agent: "Test/1",
            authorities: authorities)
    }

    private func send(
        _ sender: HTTPSender, to url: String, _ body: String = #"{"a":1}"#
    ) async throws -> Result<IncomingResponse, SendingFailure> {
        let request = OutgoingRequest(
            to: try OutgoingURL(url), fields: [("Content-Type", "application/json"), ("webhook-id", "msg_1")],
            body: Array(body.utf8))
        do throws(SendingFailure) {
            return .success(try await sender.send(request))
        } catch {
            return .failure(error)
        }
    }

    /// Sends one request to a receiver with a script.
    private func result(
        _ limits: SendingLimits = SendingLimits(), _ script: @escaping @Sendable (ScriptedReceiver.Peer) -> Void
    ) async throws -> Result<IncomingResponse, SendingFailure> {
        let receiver = ScriptedReceiver(script)
        let sender = try makeSender(limits)
        let result = try await send(sender, to: "http://127.0.0.1:\(receiver.port)/hook")
        await sender.close()
        return result
    }

    private func response(_ status: Int, _ body: String = "", retryAfter: Int64? = nil)
        -> Result<IncomingResponse, SendingFailure>
    {
        .success(IncomingResponse(status: status, body: Array(body.utf8), retryAfter: retryAfter))
    }

    @Test func `a request has exactly the fields and the body that were given`() async throws {
        let seen = Locked("")
        let receiver = ScriptedReceiver { peer in
            let request = peer.request()
            seen.withLock { $0 = request }
            peer.send(Self.ok)
        }
        let sender = try makeSender()
        let long = String(repeating: "x", count: 300_000)
        #expect(try await send(sender, to: "http://127.0.0.1:\(receiver.port)/a?b=c", long) == response(204))
        await sender.close()
        let lines = seen.withLock { $0 }.components(separatedBy: "\r\n")
        #expect(lines.first == "POST /a?b=c HTTP/1.1")
        #expect(
            Set(lines.dropFirst().prefix(while: { !$0.isEmpty })) == [
                "Host: 127.0.0.1:\(receiver.port)", "User-Agent: Test/1", "Accept: */*",
                "Content-Type: application/json", "webhook-id: msg_1", "Content-Length: 300000",
            ])
        #expect(lines.last == long)
    }

    @Test func `a response has its status, the beginning of its body, and its delay`() async throws {
        let busy = try await result {
            _ = $0.request()
            $0.send("HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 5\r\n\r\nlater")
        }
        #expect(busy == response(503, "later", retryAfter: 120))
    }

    @Test func `a redirect is not followed`() async throws {
        let target = ScriptedReceiver { $0.send(Self.ok) }
        let redirection = try await result { [port = target.port] in
            _ = $0.request()
            $0.send("HTTP/1.1 307 There\r\nLocation: http://127.0.0.1:\(port)/\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(redirection == response(307))
        #expect(target.connections == 0)
    }

    @Test func `a receiver that hangs, drips or never ends its response is left`() async throws {
        let late = Result<IncomingResponse, SendingFailure>.failure(.failed("The receiver did not respond in time"))
        let hanging = try await result(Self.limits()) { $0.waitForEnd() }
        #expect(hanging == late)
        let unfinished = try await result(Self.limits()) {
            _ = $0.request()
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            $0.waitForEnd()
        }
        #expect(unfinished == late)
        let dripping = try await result(Self.limits()) {
            _ = $0.request()
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            // One byte at a time for as long as the sender listens.
            while $0.send("x"), !$0.hasEnded(within: 1) {}
        }
        #expect(dripping == late)
        let hinting = try await result(Self.limits()) {
            _ = $0.request()
            while $0.send("HTTP/1.1 103 Early Hints\r\n\r\n"), !$0.hasEnded(within: 1) {}
        }
        guard case .failure(.failed) = hinting else {
            Issue.record("There was no final response")
            return
        }
    }

    @Test func `a huge body is not read, and a huge head is a failure`() async throws {
        let sent = Locked(0)
        let huge = try await result {
            _ = $0.request()
            $0.send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            let piece = String(repeating: "y", count: 16_384)
            while $0.send(piece) { sent.withLock { $0 += 16_384 } }
        }
        let kept = Array(String(repeating: "y", count: 4_096).utf8)
        #expect(huge == .success(IncomingResponse(status: 200, body: kept, retryAfter: nil, isTruncated: true)))
        // The buffers of both sockets hold some megabytes.
        #expect(sent.withLock { $0 } < 64 << 20)
        let head = try await result {
            _ = $0.request()
            guard $0.send("HTTP/1.1 200 OK\r\n") else { return }
            while $0.send("X-Filler: \(String(repeating: "z", count: 1_000))\r\n") {}
        }
        #expect(head == .failure(.failed("The receiver's response has too many header fields")))
    }

    @Test func `garbage, an early end and a closed port are failures`() async throws {
        for script: @Sendable (ScriptedReceiver.Peer) -> Void in [
            { $0.send("nonsense\r\n\r\n") }, { _ in },
            {
                _ = $0.request()
                $0.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
            },
            {
                _ = $0.request()
                $0.send("HTTP/1.1 200 OK\r\nContent-Len")
            },
            {
                _ = $0.request()
                $0.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n")
            },
        ] {
            let outcome = try await result(Self.limits(5_000), script)
            guard case .failure(.failed(let reason)) = outcome else {
                Issue.record("It was no failure: \(outcome)")
                continue
            }
            #expect(!reason.isEmpty)
        }
        let closed = ScriptedReceiver(listens: false) { _ in }
        let sender = try makeSender()
        guard case .failure(.failed) = try await send(sender, to: "http://127.0.0.1:\(closed.port)/") else {
            Issue.record("Nobody listens there")
            return
        }
        await sender.close()
    }

    @Test(arguments: ["https://127.0.0.1", "https://localhost", "http://localhost", "https://[::ffff:127.0.0.1]"])
    func `an address that is not public gets no connection, whatever its name`(place: String) async throws {
        let receiver = ScriptedReceiver { $0.send(Self.ok) }
        let sender = try makeSender(allowing: ["10.0.0.0/8"])
        let result = try await send(sender, to: "\(place):\(receiver.port)/")
        #expect(result == .failure(.notAllowed(isEncrypted: place.hasPrefix("https"))))
        #expect(receiver.connections == 0)
        await sender.close()
    }

    @Test func `certificates are verified, and the name in them`() async throws {
        let receiver = try TLSReceiver()
        let port = receiver.port
        try #require(port != 0)
        let trusting = try makeSender(authorities: receiver.authorities)
        #expect(try await send(trusting, to: "https://localhost:\(port)/") == response(204))
        guard case .failure(.failed) = try await send(trusting, to: "https://127.0.0.1:\(port)/") else {
            Issue.record("The certificate is for another name")
            return
        }
        await trusting.close()
        let other = try makeSender()
        guard case .failure(.failed(let reason)) = try await send(other, to: "https://localhost:\(port)/") else {
            Issue.record("Nobody knows the certificate")
            return
        }
        #expect(reason.lowercased().contains("certificate"), "\(reason)")
        let plain = ScriptedReceiver { $0.send(Self.ok) }
        guard case .failure(.failed) = try await send(other, to: "https://127.0.0.1:\(plain.port)/") else {
            Issue.record("The receiver does not speak TLS")
            return
        }
        await other.close()
    }

    @Test func `a slow receiver does not delay another, and closing ends it at once`() async throws {
        let slow = ScriptedReceiver { $0.waitForEnd() }
        let quick = ScriptedReceiver {
            _ = $0.request()
            $0.send(Self.ok)
        }
        let sender = try makeSender(Self.limits(60_000))
        async let waiting = (0..<32).concurrently { _ in
            try await send(sender, to: "http://127.0.0.1:\(slow.port)/")
        }
        #expect(await eventually { slow.connections == 32 })
        #expect(try await send(sender, to: "http://127.0.0.1:\(quick.port)/") == response(204))
        await sender.close()
        #expect(try await waiting == Array(repeating: .failure(.closed), count: 32))
        #expect(try await send(sender, to: "http://127.0.0.1:\(quick.port)/") == .failure(.closed))
    }

    @Test func `requests beyond the limit wait for their turn`() async throws {
        var limits = SendingLimits()
        limits.requests = 2
        let gate = Gate()
        let receiver = ScriptedReceiver {
            _ = $0.request()
            gate.waitBlocking()
            $0.send("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        }
        let sender = try makeSender(limits)
        async let all = (0..<6).concurrently { _ in try await send(sender, to: "http://127.0.0.1:\(receiver.port)/") }
        #expect(await eventually { receiver.connections == 2 })
        gate.open()
        #expect(try await all == Array(repeating: response(204), count: 6))
        #expect(receiver.connections == 6)
        await sender.close()
    }
}

extension Range<Int> {
    /// Runs `body` for all members at the same time.
    fileprivate func concurrently<Value: Sendable>(
        _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for index in self { group.addTask { try await body(index) } }
            var values: [Value] = []
            for try await value in group { values.append(value) }
            return values
        }
    }
}
