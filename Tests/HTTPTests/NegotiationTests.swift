import HTTP
import Testing

@Suite struct NegotiationTests {
    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("x-gzip", true), ("deflate", false),
            ("gzip, deflate, br", true), ("br;q=1.0, gzip;q=0.8, *;q=0.1", true), ("gzip;q=0", false),
            ("gzip;q=0.0", false), ("gzip;q=0.000", false), ("gzip;q=0.001", true), ("gzip;q=1.000", true), ("*", true),
            ("*;q=0", false), ("*;q=0, gzip", true), ("*, gzip;q=0", false), ("identity", false),
            ("identity, gzip", true),
            ("identity;q=0", false), ("identity;q=0, *", true), ("identity;q=1, gzip;q=0.5", false),
            ("identity;q=0.5, gzip;q=0.5", true), ("gzip ; q=0.5", true), ("gzip;Q=0.5", true), ("gzip;q=2", false),
            ("gzip;q=1.001", false), ("gzip;q=0.1234", false), ("gzip;q=-1", false), ("gzip;q=", false),
            ("gzip;q", false),
            ("gzip;x=1", false), ("gzip q=1", false), ("gzipped", false), ("\"gzip\"", false), (",,gzip,,", true),
            ("gzip;q=0.5;q=0.5", false), ("gzip;q=.5", false), ("gzip;q=1.", true), ("gzip;q=0,gzip;q=1", true),
        ] as [(String?, Bool)])
    func `gzip is used if the client takes it and does not like it less`(_ value: String?, _ accepts: Bool) {
        var fields = HTTPFields()
        if let value { fields.append(.acceptEncoding, value) }
        #expect(AcceptEncoding.acceptsGzip(fields) == accepts)
    }

    @Test func `several Accept-Encoding lines are one list`() {
        var fields = HTTPFields()
        fields.append(.acceptEncoding, "br")
        fields.append(.acceptEncoding, "gzip")
        #expect(AcceptEncoding.acceptsGzip(fields))
    }

    @Test(
        arguments: [
            ("application/json", "application/json"), ("Application/JSON", "application/json"),
            ("text/plain; charset=UTF-8", "text/plain|charset=UTF-8"),
            ("text/plain;charset=\"a;b\"", "text/plain|charset=a;b"),
            ("a/b; c=\"x\\\"y\"; D=e", "a/b|c=x\"y|d=e"), ("a/b;", "a/b"), ("a/b ; ; c=d ;", "a/b|c=d"),
            (" a/b ", "a/b"),
            ("*/*", "*/*"), ("", nil), ("a", nil), ("a/", nil), ("/b", nil), ("a/b/c", nil), ("a /b", nil),
            ("a/b c", nil),
            ("a/b; c", nil), ("a/b; c=", nil), ("a/b; =d", nil), ("a/b; c = d", nil), ("a/b; c=\"d", nil),
            ("a/b; c=\"d\\", nil), ("a/b; c=d; C=e", nil), ("a/b, c/d", nil), ("a/b; c=\"\n\"", nil), ("ä/b", nil),
        ] as [(String, String?)])
    func `a media type is read or rejected`(_ text: String, _ expected: String?) {
        let words = MediaType(text).map { type in
            (["\(type.type)/\(type.subtype)"] + type.parameters.map { "\($0.name)=\($0.value)" })
                .joined(separator: "|")
        }
        #expect(words == expected)
    }

    @Test func `JSON is known by its type`() {
        #expect(MediaType("application/json; charset=utf-8")?.isJSON == true)
        #expect(MediaType("application/merge-patch+json")?.isJSON == true)
        #expect(MediaType("text/json")?.isJSON == false)
        #expect(MediaType("application/json; charset=utf-8")?["charset"] == "utf-8")
    }
}
