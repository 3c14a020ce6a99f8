import HTTP
import HTTPSending
import Testing

@Suite struct OutgoingURLTests {
    @Test(arguments: [
        ("https://example.org/hook?key=1", "example.org"), ("https://example.org:8443", "example.org"),
        ("https://[2001:db8::1]/x", "2001:db8::1"), ("HTTPS://EXAMPLE.org/", "EXAMPLE.org"),
        // The URL parser reads such numbers as addresses, as a resolver would.
        ("https://0x7f000001/", "127.0.0.1"), ("https://2130706433/", "127.0.0.1"), ("https://127.1/", "127.0.0.1"),
    ])
    func `a URL has a host`(text: String, host: String) throws {
        let url = try OutgoingURL(text)
        #expect(url.host == host)
        #expect(url.isEncrypted)
    }

    @Test(arguments: [
        "", "example.org", "//example.org", "/hook", "ftp://example.org", "file:///etc/passwd", "gopher://example.org",
        "unix:///run/docker.sock", "https://", "https://user@example.org",
        "https://user:word@example.org", "https:///example.org", "https:/example.org", "https:example.org",
        "https:////x",
        "https://\\example.org",
        "https://example.org/#part", "https://example.org/a b", "https://example.org/\r\nX: y", "https://exämple.org",
        "https://example.org:99999/", "https://exa mple.org",
        "https://example.org/" + String(repeating: "a", count: 2_048),
    ])
    func `other texts are no URLs to send to`(text: String) {
        #expect(throws: OutgoingURL.Problem.self) { try OutgoingURL(text) }
    }

    @Test func `an address or a scheme that is never allowed is found before sending`() throws {
        let none = AddressPolicy()
        let local = AddressPolicy(allowing: [try #require(IPNetwork("127.0.0.0/8"))])
        #expect(try OutgoingURL("http://example.org").isAllowed(by: none) == false)
        #expect(try OutgoingURL("http://example.org").isAllowed(by: local))
        #expect(try OutgoingURL("https://127.0.0.1").isAllowed(by: none) == false)
        #expect(try OutgoingURL("https://0x7f.1").isAllowed(by: none) == false)
        #expect(try OutgoingURL("https://[::1]").isAllowed(by: none) == false)
        #expect(try OutgoingURL("http://127.0.0.1").isAllowed(by: local))
        #expect(try OutgoingURL("http://8.8.8.8").isAllowed(by: local) == false)
        #expect(try OutgoingURL("https://localhost").isAllowed(by: none))
    }
}
