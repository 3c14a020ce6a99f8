import HTTP
import HTTPSending
import Testing

@Suite struct AddressPolicyTests {
    private func address(_ text: String) throws -> IPAddress {
        try #require(IPAddress(text), "\(text)")
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "198.17.255.255",
        "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "2001:200::1", "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8", "2002:808:808::1",
    ])
    func `public addresses are allowed with TLS alone`(text: String) throws {
        let address = try address(text)
        #expect(AddressPolicy().allows(address, isEncrypted: true))
        #expect(!AddressPolicy().allows(address, isEncrypted: false))
    }

    @Test(arguments: [
        // Unspecified, loopback, private, link-local with the metadata service, carrier-grade NAT.
        "0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.255", "10.0.0.1", "10.255.255.255", "172.16.0.1",
        "172.31.255.255", "192.168.0.1", "192.168.255.255", "169.254.0.1", "169.254.169.254", "100.64.0.0",
        "100.100.100.200", "100.127.255.255",
        // Protocol assignments, documentation, benchmarks, multicast, reserved, broadcast.
        "192.0.0.1", "192.0.0.192", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "198.18.0.1",
        "198.19.255.255", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16",
        // The same for IPv6.
        "::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "fd20:ce::254", "ff02::1", "100::1",
        "2001:db8::1", "2001::1", "2001:2::1", "3fff::1", "64:ff9b:1::1", "4000::1",
        // IPv4 addresses in IPv6 addresses.
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::8.8.8.8",
        "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "2002:7f00:1::1", "2002:a00:1::1",
        "2002:a9fe:a9fe::1",
    ])
    func `other addresses are refused`(text: String) throws {
        let address = try address(text)
        #expect(!AddressPolicy().allows(address, isEncrypted: true))
        #expect(!AddressPolicy().allows(address, isEncrypted: false))
    }

    @Test func `networks that the operator names are allowed, also without TLS`() throws {
        let networks = try ["10.1.0.0/16", "fd00::/8"].map { try #require(IPNetwork($0)) }
        let policy = AddressPolicy(allowing: networks)
        for text in ["10.1.0.1", "::ffff:10.1.2.3", "fd00::1"] {
            #expect(policy.allows(try address(text), isEncrypted: true), "\(text)")
            #expect(policy.allows(try address(text), isEncrypted: false), "\(text)")
        }
        for text in ["10.2.0.1", "127.0.0.1", "64:ff9b::10.1.0.1", "fe80::1"] {
            #expect(!policy.allows(try address(text), isEncrypted: true), "\(text)")
        }
        #expect(!policy.allows(try address("8.8.8.8"), isEncrypted: false))
    }
}
