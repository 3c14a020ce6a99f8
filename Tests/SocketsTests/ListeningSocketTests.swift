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

    private func makeStaleFile(_ address: SocketAddress) throws {
        let raw = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        try #require(raw >= 0)
        try #require(address.withSystemAddress { bind(raw, $0, $1) } == 0)
        close(raw)
    }
}
