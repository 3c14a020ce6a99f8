import HTTP
import Testing

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("0.0.0.0", "0.0.0.0"), ("::", "::"),
        ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ("1:0:0:4:0:0:0:8", "1:0:0:4::8"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
        ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"), ("fe80::1%2", "fe80::1"), ("fe80::1%eth0", "fe80::1"),
        ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ])
    func `an address is read and written`(_ text: String, _ written: String) throws {
        let address = try #require(IPAddress(text))
        #expect("\(address)" == written)
        #expect(IPAddress(written) == address)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.4 ", "1.2.3.4:80", "[::1]", ":", ":::",
        "1::2::3",
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "1.2.3.4%1", "unknown", "localhost", "+1.2.3.4",
        "１.2.3.4",
        "::1.2.3", "1.2.3.4::", "0x7f.0.0.1",
    ])
    func `any other text is no address`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test func `a customer is an IPv4 address or an IPv6 network of 64 bits`() throws {
        let one = try #require(IPAddress("2001:db8:1:2:3:4:5:6"))
        let other = try #require(IPAddress("2001:db8:1:2:ffff::1"))
        let neighbour = try #require(IPAddress("2001:db8:1:3::1"))
        #expect(one.customer == other.customer && one.customer != neighbour.customer)
        let four = try #require(IPAddress("192.0.2.1"))
        #expect(four.customer == four && four.customer == IPAddress("::ffff:192.0.2.1")?.customer)
    }

    @Test func `a network contains the addresses that begin with its bits`() throws {
        let ten = try #require(IPNetwork("10.0.0.0/8"))
        let six = try #require(IPNetwork("2001:db8::/32"))
        let lone = try #require(IPNetwork("::1"))
        let all = try #require(IPNetwork("0.0.0.0/0"))
        for (network, inside, outside) in [
            (ten, "10.255.1.2", "11.0.0.0"), (six, "2001:db8:ffff::1", "2001:db9::1"), (lone, "::1", "::2"),
            (all, "203.0.113.9", "2001:db8::1"), (ten, "::ffff:10.0.0.1", "::10.0.0.1"),
        ] {
            #expect(network.contains(try #require(IPAddress(inside))), "\(inside)")
            #expect(!network.contains(try #require(IPAddress(outside))), "\(outside)")
        }
    }

    @Test(arguments: ["10.0.0.1/8", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/+8", "/8", "a/8", "10.0.0.0/8/8"])
    func `a network with bits beyond its length, or none, is rejected`(_ text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
