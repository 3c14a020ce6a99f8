import HTTP
import Testing

@Suite struct TrustedProxiesTests {
    private func client(
        _ lines: [String], field: TrustedProxies.Field = .xForwardedFor, peer: String? = "10.0.0.1",
        trusted: [String] = ["10.0.0.0/8"], local: Bool = false
    ) throws -> String? {
        let proxies = TrustedProxies(
            networks: try trusted.map { try #require(IPNetwork($0)) }, trustsLocal: local, field: field)
        var fields = HTTPFields()
        for line in lines { fields.append(field == .forwarded ? .forwarded : .xForwardedFor, line) }
        // Addresses that a client might add to the field that the proxy does not write.
        fields.append(
            field == .forwarded ? .xForwardedFor : .forwarded, field == .forwarded ? "6.6.6.6" : "for=6.6.6.6")
        return try proxies.client(of: fields, peer: peer.map { try #require(IPAddress($0)) }).map { "\($0)" }
    }

    @Test(arguments: [
        (["203.0.113.9"], "203.0.113.9"),
        // The client's entries are to the left of those of the proxy.
        (["1.2.3.4, 203.0.113.9"], "203.0.113.9"), (["1.2.3.4", "203.0.113.9"], "203.0.113.9"),
        (["nonsense, 203.0.113.9"], "203.0.113.9"), (["\", 203.0.113.9"], "203.0.113.9"),
        // Trusted proxies in a row are passed over.
        (["1.2.3.4, 203.0.113.9, 10.9.9.9"], "203.0.113.9"), (["203.0.113.9, 10.1.1.1", "10.2.2.2"], "203.0.113.9"),
        // If all are trusted, the one farthest away counts.
        (["10.3.3.3, 10.2.2.2"], "10.3.3.3"),
        (["203.0.113.9:4711"], "203.0.113.9"), (["2001:db8::9"], "2001:db8::9"), (["[2001:db8::9]:80"], "2001:db8::9"),
        (["::ffff:203.0.113.9"], "203.0.113.9"), ([" , 203.0.113.9 ,"], "203.0.113.9"),
        (["::ffff:10.2.2.2, ::ffff:10.3.3.3"], "10.2.2.2"),
    ])
    func `the rightmost address that is not a proxy's is used`(_ lines: [String], _ expected: String) throws {
        #expect(try client(lines) == expected)
    }

    @Test(arguments: [
        [String](), [""], ["unknown"], ["203.0.113.9, unknown"], ["_hidden"], ["203.0.113.9:port"], ["[203.0.113.9]"],
        ["203.0.113.9 1.2.3.4"], ["203.0.113.9, 10.2.2.2, x"],
    ])
    func `a list that is malformed where it matters leaves the peer`(_ lines: [String]) throws {
        #expect(try client(lines) == nil)
    }

    @Test func `the fields of other peers are ignored`() throws {
        #expect(try client(["1.2.3.4"], peer: "203.0.113.1") == nil)
        #expect(try client(["1.2.3.4"], peer: nil) == nil)
        #expect(try client(["1.2.3.4"], trusted: []) == nil)
        #expect(try client(["1.2.3.4"], peer: nil, local: true) == "1.2.3.4")
        // Trusting the socket is not trusting everybody.
        #expect(try client(["1.2.3.4"], trusted: [], local: true) == nil)
    }

    @Test(arguments: [
        (["for=203.0.113.9"], "203.0.113.9"), (["For=\"203.0.113.9:80\";proto=http;by=10.0.0.2"], "203.0.113.9"),
        (["for=1.2.3.4, for=203.0.113.9;host=a"], "203.0.113.9"), (["for=\"[2001:db8::9]:80\""], "2001:db8::9"),
        (["for=\"_a,b\", for=203.0.113.9"], "203.0.113.9"), (["for=203.0.113.9", "for=10.2.2.2"], "203.0.113.9"),
        (["for=\"", "for=203.0.113.9"], "203.0.113.9"),
    ])
    func `Forwarded has the same meaning`(_ lines: [String], _ expected: String) throws {
        #expect(try client(lines, field: .forwarded) == expected)
    }

    @Test(arguments: [
        "for=unknown", "proto=http", "for=1.2.3.4;for=5.6.7.8", "for=\"1.2.3.4", "203.0.113.9", "for=\"1.2.3.4\\\"\"",
        "for=\", for=203.0.113.9", "for=203.0.113.9, host=a",
    ])
    func `a malformed Forwarded leaves the peer`(_ line: String) throws {
        #expect(try client([line], field: .forwarded) == nil)
    }

    @Test func `a host that is not on the list is rejected, whatever its port and case`() {
        let policy = HostPolicy(["db.example.org", "[::1]", "other.example:8080"])
        func allows(_ host: String?) -> Bool {
            var fields = HTTPFields()
            if let host { fields.append(.host, host) }
            return policy.allows(fields)
        }
        for host in ["db.example.org", "DB.example.org:9", "[::1]:80", "other.example:8080"] {
            #expect(allows(host), "\(host)")
        }
        for host in [
            "evil.example", "db.example.org.evil.example", "other.example", "other.example:81", "[::2]", "::1",
        ] {
            #expect(!allows(host), "\(host)")
        }
        #expect(!allows(nil))
        #expect(HostPolicy().allows(HTTPFields()))
    }
}
