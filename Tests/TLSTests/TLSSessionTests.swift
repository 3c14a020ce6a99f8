import Glibc
import TLS
import TestSupport
import Testing

/// Both sides of a connection over a pair of sockets that do not block, in one thread.
@Suite struct TLSSessionTests {
    /// A session and its end of the pair.
    private final class End {
        let session: TLSSession
        let descriptor: Int32
        var input = TLSSession.Input(mayRead: true, endsShort: true)

        init(_ session: TLSSession, _ descriptor: Int32) {
            self.session = session
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }

        func read(upTo count: Int = 65_536) -> (TLSSession.Outcome, [UInt8]) {
            var bytes = [UInt8](repeating: 0, count: count)
            let outcome = bytes.withUnsafeMutableBytes { session.read(into: $0, &input) }
            if case .done(let count) = outcome { return (outcome, Array(bytes[..<count])) }
            return (outcome, [])
        }

        func write(_ bytes: [UInt8]) -> TLSSession.Outcome {
            bytes.withUnsafeBytes { session.write($0) }
        }
    }

    private static func pair() throws -> (server: End, client: End) {
        var ends: [Int32] = [0, 0]
        try #require(
            socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
                == 0)
        let identity = try TLSIdentity(
            certificates: Array(TestCertificates.certificate.utf8), key: Array(TestCertificates.key.utf8))
        let server = try #require(TLSSession(of: TLSServer(identity), on: ends[0]))
        let client = try #require(TLSSession(clientOn: ends[1]))
        return (End(server, ends[0]), End(client, ends[1]))
    }

    private static func connected() throws -> (server: End, client: End) {
        let (server, client) = try pair()
        var rounds = 0
        var (serverIsDone, clientIsDone) = (false, false)
        while !serverIsDone || !clientIsDone {
            for end in [client, server] {
                end.input.mayRead = true
                let outcome = end.session.shakeHands(&end.input)
                try #require(outcome == .done(0) || outcome == .wantsRead, "\(outcome)")
                if end === server { serverIsDone = outcome == .done(0) } else { clientIsDone = outcome == .done(0) }
            }
            rounds += 1
            try #require(rounds < 10)
        }
        #expect(!server.session.wasResumed)
        return (server, client)
    }

    @Test func `bytes arrive as they were written, and the input says whether more may come`() throws {
        let (server, client) = try Self.connected()
        #expect(client.write(Array("hello".utf8)) == .done(5))
        server.input.mayRead = true
        // A buffer smaller than the record: the rest is in the session, not in the kernel.
        #expect(server.read(upTo: 2) == (.done(2), Array("he".utf8)))
        #expect(server.input.mayRead)
        #expect(server.read() == (.done(3), Array("llo".utf8)))
        #expect(server.read().0 == .wantsRead)
        #expect(!server.input.mayRead)
        #expect(client.write([1, 2]) == .done(2))
        server.input.mayRead = true
        #expect(server.read() == (.done(2), [1, 2]))
        #expect(!server.input.mayRead, "The short read has emptied the kernel's queue")
    }

    @Test func `a write that the kernel accepts in part continues where it has stopped`() throws {
        let (server, client) = try Self.connected()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        var (written, received): (Int, [UInt8]) = (0, [])
        var blocked = 0
        while received.count < bytes.count {
            if written < bytes.count {
                switch server.write(Array(bytes[written...])) {
                case .done(let count): written += count
                case .wantsWrite: blocked += 1
                case let other: Issue.record("\(other)")
                }
            }
            client.input.mayRead = true
            received += client.read().1
        }
        #expect(received == bytes && blocked > 0)
    }

    @Test func `the end of the stream is read after an alert, and without one`() throws {
        for isPolite in [true, false] {
            let (server, client) = try Self.connected()
            #expect(client.write([1]) == .done(1))
            if isPolite { client.session.finish() }
            shutdown(client.descriptor, Int32(SHUT_WR))
            server.input = TLSSession.Input()
            #expect(server.read() == (.done(1), [1]))
            #expect(server.read().0 == .done(0))
            server.session.finish()
            server.session.finish()
        }
    }

    @Test func `garbage in the handshake and after it fails the session for good`() throws {
        let (server, client) = try Self.pair()
        _ = [UInt8](repeating: 0x16, count: 100).withUnsafeBytes { send(client.descriptor, $0.baseAddress, 100, 0) }
        #expect(server.session.shakeHands(&server.input) == .failed)
        server.input.mayRead = true
        #expect(server.session.shakeHands(&server.input) == .failed)
        let (second, other) = try Self.connected()
        // A record of 18,000 bytes is longer than any.
        let head: [UInt8] = [23, 3, 3, 0x46, 0x50] + [UInt8](repeating: 0, count: 18_000)
        _ = head.withUnsafeBytes { send(other.descriptor, $0.baseAddress, $0.count, 0) }
        second.input.mayRead = true
        #expect(second.read().0 == .failed)
        #expect(second.write([1]) == .failed)
    }
}
