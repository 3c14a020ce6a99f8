import Sockets
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: [
        "127.0.0.1:80", "0.0.0.0:0", "255.255.255.255:65535", "[::1]:8080", "[::]:1", "[2001:db8::5]:443",
        "unix:/run/fog.sock",
    ])
    func `an address is printed as it is written`(_ text: String) throws {
        #expect(try SocketAddress(text).description == text)
    }

    @Test(arguments: [
        "", "127.0.0.1", ":80", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:1 ", "256.0.0.1:1",
        "::1:80",
        "[127.0.0.1]:80", "[::1]", "[::1]80", "localhost:80", "unix:", "127.1:80",
    ])
    func `a text that is not an address is rejected`(_ text: String) {
        #expect(throws: SocketError.self) { try SocketAddress(text) }
    }

    @Test func `a path has at most 107 bytes`() throws {
        let path = "/" + String(repeating: "a", count: 106)
        #expect(try SocketAddress("unix:" + path) == .unix(path: path))
        #expect(throws: SocketError.pathTooLong(path + "a")) { try SocketAddress("unix:" + path + "a") }
    }

    @Test func `the host has no port and no brackets`() throws {
        #expect(try SocketAddress("[2001:0db8:0::5]:443").host == "2001:db8::5")
        #expect(try SocketAddress("10.0.200.7:443").host == "10.0.200.7")
        #expect(try SocketAddress("10.0.200.7:443").port == 443)
        #expect(SocketAddress.unix(path: "/a").port == nil)
    }
}
