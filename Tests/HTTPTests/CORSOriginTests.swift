import Testing

@testable import HTTP

/// Entries of `cors.origins`, and the origins that browsers send.
@Suite struct CORSOriginTests {
    struct Entry: Sendable, CustomTestStringConvertible {
        var entry: String
        var text: String
        var allows: [String]
        var refuses: [String] = []

        var testDescription: String { entry }
    }

    static let entries = [
        Entry(
            entry: "https://App.Example.ORG:443", text: "https://app.example.org", allows: ["https://app.example.org"],
            refuses: ["https://app.example.org:8443", "http://app.example.org", "https://app.example.org.evil", "null"]),
        Entry(
            entry: "http://localhost:80", text: "http://localhost", allows: ["http://localhost"],
            refuses: ["http://localhost:8080"]),
        Entry(
            entry: "capacitor://localhost", text: "capacitor://localhost", allows: ["capacitor://localhost"],
            refuses: ["ionic://localhost", "capacitor://localhost.evil", "https://localhost"]),
        Entry(entry: "ionic://localhost", text: "ionic://localhost", allows: ["ionic://localhost"]),
        Entry(entry: "tauri://localhost", text: "tauri://localhost", allows: ["tauri://localhost"]),
        Entry(entry: "http://tauri.localhost", text: "http://tauri.localhost", allows: ["http://tauri.localhost"]),
        Entry(entry: "app://.", text: "app://.", allows: ["app://."], refuses: ["app://-"]),
        Entry(entry: "app://obsidian.md", text: "app://obsidian.md", allows: ["app://obsidian.md"]),
        Entry(
            entry: "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
            text: "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
            allows: ["chrome-extension://abcdefghijklmnopabcdefghijklmnop"],
            refuses: ["chrome-extension://bbcdefghijklmnopabcdefghijklmnop"]),
        // Each browser has another number for the same extension of Firefox, and Safari writes it in capital letters.
        Entry(
            entry: "moz-extension://*", text: "moz-extension://*",
            allows: ["moz-extension://0b6f1a2e-7c1d-4a55-9d0e-1a2b3c4d5e6f"], refuses: ["https://a.example"]),
        Entry(
            entry: "safari-web-extension://9F0E5A11-1111-4222-8333-444455556666",
            text: "safari-web-extension://9f0e5a11-1111-4222-8333-444455556666",
            allows: ["safari-web-extension://9F0E5A11-1111-4222-8333-444455556666"]),
        Entry(entry: "null", text: "null", allows: ["null"], refuses: ["https://null", "file://", ""]),
        Entry(
            entry: "https://*.Example.org", text: "https://*.example.org",
            allows: ["https://a.example.org", "https://a.b.example.org"],
            refuses: [
                "https://example.org", "https://.example.org", "https://evilexample.org", "http://a.example.org",
                "https://a.example.org:8443", "https://a.example.org.evil", "https://evil/.example.org",
                "https://evil@a.example.org", "https://evil#.example.org", "https://evil?.example.org",
            ]),
        Entry(
            entry: "https://*.example.org:*", text: "https://*.example.org:*",
            allows: ["https://a.example.org", "https://a.example.org:8443"], refuses: ["https://example.org:8443"]),
        Entry(
            entry: "http://localhost:*", text: "http://localhost:*",
            allows: ["http://localhost", "http://localhost:5173"],
            refuses: [
                "https://localhost:5173", "http://localhost:5173.evil", "http://localhost.evil:80",
                "http://localhost:x",
            ]),
        Entry(
            entry: "http://[0:0::1]:*", text: "http://[::1]:*", allows: ["http://[::1]:3000", "http://[::1]"],
            refuses: ["http://[::2]:3000"]),
        Entry(
            entry: "https://Müller.example", text: "https://xn--mller-kva.example",
            allows: ["https://xn--mller-kva.example"]),
        Entry(
            entry: "https://*.例え.テスト", text: "https://*.xn--r8jz45g.xn--zckzah",
            allows: ["https://a.xn--r8jz45g.xn--zckzah"]),
        // The letter and its accent in two.
        Entry(
            entry: "https://cafe\u{301}.example", text: "https://xn--caf-dma.example",
            allows: ["https://xn--caf-dma.example"]),
        Entry(
            entry: "https://straße.example", text: "https://xn--strae-oqa.example",
            allows: ["https://xn--strae-oqa.example"]),
    ]

    @Test(arguments: entries)
    func `an entry matches what browsers send, and nothing else`(entry: Entry) throws {
        #expect(try CORSOrigin(entry.entry).text == entry.text)
        #expect(try CORSOrigin(entry.text).text == entry.text)
        let policy = CORSPolicy(origins: [entry.entry])
        #expect(policy.isEnabled)
        for origin in entry.allows { #expect(policy.allows(origin), "\(origin)") }
        for origin in entry.refuses { #expect(!policy.allows(origin), "\(origin)") }
    }

    @Test(
        arguments: [
            ("https://app.example.org/", "write https://app.example.org"),
            ("https://App.example.org:443/path?x#y", "write https://app.example.org"),
            ("https://ann@app.example.org", "write https://app.example.org"),
            ("https://*.example.org/", "write https://*.example.org"),
            ("app.example.org", "write https://app.example.org"),
            ("*.example.org", "write https://*.example.org"), ("app:alert(1)", "write https://app.example.org"),
            ("localhost:5173", "write http://localhost:5173"),
            ("wss://app.example.org", "write https://app.example.org"), ("file:///index.html", "must be null"),
            ("https://*", "https://*.example.org"), ("https://a*.example.org", "https://*.example.org"),
            ("https://a.*.org", "https://*.example.org"), ("https://*.10.0.0.1", "IP address"),
            ("https://app.example.org:0", "port from 1 to 65535"), ("https://app.example.org:99999", "port"),
            ("https://", "host"), ("https://a b", "blanks"), ("https://a%41.example", "letters"),
            ("https://1.2.3", "IP address"), ("https://[::1", "IPv6"), ("https://ｆｕｌｌ.example", "punycode"),
            ("https://☃.example", "punycode"), ("://x", "scheme"), ("", "scheme"),
        ])
    func `an entry that no browser sends is rejected with the spelling that would match`(
        _ entry: String, _ says: String
    ) {
        do {
            let origin = try CORSOrigin(entry)
            Issue.record("\(entry) is taken as \(origin.text)")
        } catch {
            #expect(error.expected.hasPrefix("must ") && error.expected.contains(says), "\(error.expected)")
        }
    }

    /// RFC 3492 §7.1, and names that are in use.
    @Test(
        arguments: [
            ("bücher", "bcher-kva"), ("münchen", "mnchen-3ya"), ("παράδειγμα", "hxajbheg2az3al"),
            ("испытание", "80akhbyknj4f"), ("测试", "0zwm56d"), ("테스트", "9t4b11yi5a"), ("परीक्षा", "11b5bs3a9aj6g"),
            ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("3年b組金八先生", "3b-ww4c5e180e575a65lsy2b"),
        ])
    func `labels are encoded as RFC 3492 encodes them`(_ label: String, _ encoded: String) {
        #expect(Punycode.encode(label.unicodeScalars) == encoded)
    }
}
