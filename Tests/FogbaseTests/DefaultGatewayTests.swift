import HTTP
import Testing

@testable import fogbase

/// The default gateways that a container trusts as its host.
@Suite struct DefaultGatewayTests {
    private static let ipv4 = """
        Iface Destination Gateway  Flags RefCnt Use Metric Mask     MTU Window IRTT
        eth0  00000000    010011AC 0003  0      0   0      00000000 0   0      0
        eth0  000011AC    00000000 0001  0      0   0      0000FFFF 0   0      0

        """
    /// A default route, a route to a network, and the entry for addresses without a route.
    private static let ipv6 = [
        zero + " 00 " + zero + " 00 fd000000000000000000000000000001 00000400 00000001 00000000 00000003     eth0",
        "fd000000000000000000000000000000 40 " + zero + " 00 " + zero + " 00000100 00000001 00000000 00000001     eth0",
        zero + " 00 " + zero + " 00 " + zero + " ffffffff 00000001 00000000 00200200       lo",
    ].joined(separator: "\n")
    private static let zero = String(repeating: "0", count: 32)

    @Test func `the default routes of both families have a gateway each`() {
        let found = DefaultGateway.networks(ipv4: Self.ipv4, ipv6: Self.ipv6)
        #expect(found == [IPNetwork("172.17.0.1"), IPNetwork("fd00::1")])
    }

    @Test(arguments: [
        "", "Iface", "eth0 00000000 xyz 0003 0 0 0 00000000", "eth0 00000000 00000000 1 0 0 0 00000000",
    ])
    func `a table without a gateway has none`(table: String) {
        #expect(DefaultGateway.networks(ipv4: table, ipv6: table).isEmpty)
    }

    @Test func `the setting accepts the word, and rejects it elsewhere`() throws {
        func setting(_ key: String) throws -> Setting { try #require(Setting.named(key)) }
        var settings = Settings()
        try setting("http.trusted_proxies").apply(&settings, "gateway, 10.0.0.0/8")
        #expect(settings.trustedProxies == ["gateway", "10.0.0.0/8"])
        for key in ["limits.rate_exempt", "webhooks.allow_private"] {
            #expect(throws: BadValue.self) { try setting(key).apply(&settings, "gateway") }
        }
    }
}
