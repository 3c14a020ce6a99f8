import Glibc
import Sockets
import TestSupport
import Testing

@Suite struct ListeningSocketTests {
    @Test func `port zero becomes a real one`() throws {
        let socket = try ListeningSocket(SocketAddress("127.0.0.1:0"))
        #expect(try #require(socket.address.port) > 0)
        #expect(throws: SocketError.system(call: "bind", errno: EADDRINUSE)) { try ListeningSocket(socket.address) }
        socket.close()
        try ListeningSocket(socket.address).close()
    }

    @Test func `closing a Unix socket removes its file, and a stale file is replaced`() throws {
        let address = SocketAddress.unix(path: "/tmp/fogbase-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock")
        let first = try ListeningSocket(address)
        // A live one is not pushed aside.
        #expect(throws: SocketError.system(call: "bind", errno: EADDRINUSE)) { try ListeningSocket(address) }
        first.close()
        try makeStaleFile(address)
        let second = try ListeningSocket(address)
        second.close()
        guard case .unix(let path) = address else { return }
        #expect(access(path, F_OK) != 0)
    }

    private static func makeAddress() -> SocketAddress {
        .unix(path: "/tmp/fogbase-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock")
    }

    @Test func `the process that listens on a Unix socket is known`() throws {
        let address = Self.makeAddress()
        guard case .unix(let path) = address else { return }
        #expect(ListeningSocket.processListening(at: path) == nil)
        let socket = try ListeningSocket(address)
        #expect(ListeningSocket.processListening(at: path) == getpid())
        socket.close()
        try makeStaleFile(address)
        #expect(ListeningSocket.processListening(at: path) == nil)
        unlink(path)
        #expect(ListeningSocket.processListening(at: "/etc/passwd") == nil)
    }

    @Test func `closing leaves the file of another socket that has taken the path`() throws {
        let address = Self.makeAddress()
        guard case .unix(let path) = address else { return }
        let first = try ListeningSocket(address)
        unlink(path)
        let second = try ListeningSocket(address)
        first.close()
        #expect(ListeningSocket.processListening(at: path) == getpid())
        second.close()
        #expect(access(path, F_OK) != 0)
    }

    @Test func `what is no socket is neither replaced nor deleted`() throws {
        let address = Self.makeAddress()
        guard case .unix(let path) = address else { return }
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        #expect(throws: SocketError.system(call: "bind", errno: EADDRINUSE)) { try ListeningSocket(address) }
        #expect(access(path, F_OK) == 0)
        unlink(path)
        // A link to nothing is not followed either.
        #expect(symlink(path + "-target", path) == 0)
        #expect(throws: SocketError.system(call: "bind", errno: EADDRINUSE)) { try ListeningSocket(address) }
        unlink(path)
    }

    private func makeStaleFile(_ address: SocketAddress) throws {
        let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(raw >= 0)
        try #require(address.withSystemAddress { bind(raw, $0, $1) } == 0)
        close(raw)
    }
}
