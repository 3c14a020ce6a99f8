import Sockets
import Testing

@testable import fogbase

/// The addresses that `server.host` means.
@Suite struct ListeningAddressTests {
    private static func addresses(_ host: String, port: UInt16 = 80) throws -> [String] {
        var settings = Settings()
        settings.host = host
        settings.port = port
        return try TransportSetup.addresses(settings).map { "\($0)" }
    }

    @Test(
        arguments: [
            ("127.0.0.1", ["127.0.0.1:80"]), ("127.0.0.1, 127.0.0.2", ["127.0.0.1:80", "127.0.0.2:80"]),
            ("::1,127.0.0.1", ["[::1]:80", "127.0.0.1:80"]), ("[::1]", ["[::1]:80"]),
            ("127.0.0.1,127.0.0.1, 127.0.0.1", ["127.0.0.1:80"]), ("*", ["0.0.0.0:80"]),
            // One socket takes the connections to all of them. A second one would find its port in use.
            ("0.0.0.0, 127.0.0.1", ["0.0.0.0:80"]), ("::, 0.0.0.0", ["[::]:80"]), ("0.0.0.0,::", ["[::]:80"]),
            ("127.0.0.1, ::, ::1", ["[::]:80"]), ("0.0.0.0, ::1", ["0.0.0.0:80", "[::1]:80"]),
        ] as [(String, [String])])
    func `each address is there once, and none that another one includes`(host: String, addresses: [String]) throws {
        #expect(try Self.addresses(host) == addresses)
    }

    @Test func `localhost is both families where the machine has both, also beside its address`() throws {
        let both = ListeningHost.hasIPv6 ? ["127.0.0.1:80", "[::1]:80"] : ["127.0.0.1:80"]
        #expect(try Self.addresses("localhost") == both)
        #expect(try Self.addresses("localhost, 127.0.0.1, localhost") == both)
        #expect(try Self.addresses("0.0.0.0, localhost").first == "0.0.0.0:80")
        #expect(try Self.addresses("localhost", port: 0) == ["127.0.0.1:0"], "The system would choose two ports")
    }

    @Test(arguments: ["", "example.org", "127.0.0.1,", "127.0.0.1:80", "1.2.3", "fe80::1%eth0", "127.0.0.1 127.0.0.2"])
    func `what is no address is an error`(host: String) {
        #expect(throws: Failure.self) { try Self.addresses(host) }
    }
}
