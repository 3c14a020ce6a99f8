import HTTP
import Testing

@Suite struct PublicURLTests {
    @Test(
        arguments: [
            ("https://example.org", "https://example.org", ""), ("https://example.org/", "https://example.org", ""),
            ("HTTPS://Example.ORG:443//", "https://example.org", ""),
            ("http://example.org:80", "http://example.org", ""),
            ("http://example.org:8080/", "http://example.org:8080", ""),
            ("https://example.org/fog/", "https://example.org", "/fog"),
            ("https://example.org/a/B%20c", "https://example.org", "/a/B%20c"),
            ("http://[0:0::1]:8080", "http://[::1]:8080", ""),
            ("https://bücher.example/fog", "https://xn--bcher-kva.example", "/fog"),
        ])
    func `a URL is brought into one form`(_ text: String, _ origin: String, _ path: String) throws {
        let url = try PublicURL(text)
        #expect(url.origin == origin && url.basePath == path && url.text == origin + path)
        #expect(url.isHTTPS == origin.hasPrefix("https"))
        #expect(try PublicURL(url.text) == url)
    }

    @Test(
        arguments: [
            ("example.org", "write https://example.org"), ("localhost:8080", "write http://localhost:8080"),
            ("[::1]:8080", "write http://[::1]:8080"),
            ("javascript:alert(1)", "write https://example.org"), ("mailto:ann@b.org", "write https://example.org"),
            ("ann@b.org", "write https://example.org"), ("tel:5551234", "write https://example.org"),
            ("https://example.org/fog/?a=b", "write https://example.org/fog"),
            ("https://example.org/#top", "write https://example.org"),
            ("https://ann:secret@example.org/fog", "write https://example.org/fog"),
            ("ftp://example.org", "https://example.org"), ("https://", "host"), ("https:///fog", "host"),
            ("https://example.org/a//b", "path"), ("https://example.org/a/../b", "path"),
            ("https://example.org/%zz", "path"), ("https://example.org/größe", "percent-encoded"),
            ("https://example.org/a b", "blanks"), ("https://*.example.org", "host"),
        ])
    func `a URL that clients cannot use is rejected with a spelling that they can`(_ text: String, _ says: String) {
        do {
            let url = try PublicURL(text)
            Issue.record("\(text) is taken as \(url.text)")
        } catch {
            #expect(error.expected.hasPrefix("must ") && error.expected.contains(says), "\(error.expected)")
            #expect(!error.expected.contains("secret"))
        }
    }

    @Test(
        arguments: [
            ("/fog/records/Post?x=/fog/", "/records/Post"), ("/fog", "/"), ("/fog?x", "/"), ("/fog/", "/"),
            ("/fogs/records", "/fogs/records"), ("/Fog/records", "/Fog/records"), ("/records/fog", "/records/fog"),
            ("/fog/fog/records", "/fog/records"), ("http://host/fog/records", "/records"), ("/f", "/f"),
            ("/fog/records/a%2Fb", "/records/a%2Fb"),
        ])
    func `a proxy's path is removed from targets below it`(_ text: String, _ path: String) throws {
        let target = try #require(RequestTarget(text))
        let below = target.below(Array("/fog".utf8))
        #expect(below.rawPath == path && below.rawQuery == target.rawQuery)
        #expect(below.segmentCount == RequestTarget(path)?.segmentCount)
        #expect(target.below([]).rawPath == target.rawPath)
    }
}
