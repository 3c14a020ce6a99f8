import HTTP
import Testing

@Suite struct CORSPolicyTests {
    static func request(
        _ method: HTTPMethod = .options, origin: String? = "https://a.example", asks: String? = "PUT",
        headers: String? = nil
    ) throws -> HTTPRequest {
        var fields = HTTPFields()
        if let origin { fields.append(.origin, origin) }
        if let asks { fields.append(.accessControlRequestMethod, asks) }
        if let headers { fields.append(.accessControlRequestHeaders, headers) }
        return HTTPRequest(method: method, target: try #require(RequestTarget("/x")), fields: fields)
    }

    @Test func `an allowed origin may send a preflight`() throws {
        let policy = CORSPolicy(origins: ["https://a.example"])
        let request = try Self.request(headers: "authorization, if-match\r\nX: y")
        let response = try #require(policy.preflight(request, allow: [.get, .put]))
        #expect(response.status == .noContent)
        #expect(response.fields[.accessControlAllowOrigin] == "https://a.example")
        #expect(response.fields[.accessControlAllowMethods] == "GET, PUT")
        #expect(response.fields[.accessControlAllowHeaders] == "authorization, if-match  X: y")
        #expect(response.fields.values(of: .vary).joined(separator: ", ").contains("Origin"))
        #expect(!response.fields.contains(.accessControlAllowCredentials))
    }

    @Test(arguments: [
        "https://b.example", "https://a.example.evil", "http://a.example", "https://A.example", "null", "",
        "https://a.example:443",
    ])
    func `no other origin may send a preflight`(_ origin: String) throws {
        let policy = CORSPolicy(origins: ["https://a.example"])
        let response = try #require(policy.preflight(try Self.request(origin: origin), allow: [.put]))
        #expect(!response.fields.contains(.accessControlAllowOrigin))
        #expect(!response.fields.contains(.accessControlAllowMethods))
        #expect(response.fields[.vary] == "Origin")
    }

    private static func page(_ origin: String?, mode: String? = nil, site: String? = nil) throws -> HTTPRequest {
        var fields = HTTPFields()
        fields.append(.host, "db.example:8080")
        for (name, value) in [(HTTPFieldName.origin, origin), (.secFetchMode, mode), (.secFetchSite, site)] {
            if let value { fields.append(name, value) }
        }
        return HTTPRequest(method: .get, target: try #require(RequestTarget("/x")), fields: fields)
    }

    @Test(
        arguments: [
            ("http://localhost:5173", nil, nil), ("https://app.example", "cors", "cross-site"), ("null", nil, nil),
            ("https://db.example:8080", "cors", "cross-site"), ("http://db.example:8081", "cors", "same-site"),
        ] as [(String, String?, String?)])
    func `a page that may not read the response is found`(_ origin: String, mode: String?, site: String?) throws {
        let request = try Self.page(origin, mode: mode, site: site)
        #expect(CORSPolicy(origins: []).rejectedOrigin(of: request) == origin)
        #expect(CORSPolicy(origins: ["https://other.example"]).rejectedOrigin(of: request) == origin)
        #expect(CORSPolicy(origins: ["*"]).rejectedOrigin(of: request) == nil)
        #expect(CORSPolicy(origins: [origin]).rejectedOrigin(of: request) == nil)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (nil, "cors", "cross-site"), ("http://db.example:8080", nil, nil),
            ("https://db.example:8080", nil, nil), ("https://proxy.example", "cors", "same-origin"),
            ("https://app.example", "navigate", "cross-site"), ("https://app.example", "no-cors", "cross-site"),
        ] as [(String?, String?, String?)])
    func `a form, a page of this server and a program are not taken for one`(
        _ origin: String?, mode: String?, site: String?
    ) throws {
        #expect(CORSPolicy(origins: []).rejectedOrigin(of: try Self.page(origin, mode: mode, site: site)) == nil)
    }

    @Test func `a request that is no preflight is passed to the route`() throws {
        let policy = CORSPolicy(origins: ["*"])
        #expect(policy.preflight(try Self.request(.get), allow: [.get]) == nil)
        #expect(policy.preflight(try Self.request(origin: nil), allow: [.get]) == nil)
        #expect(policy.preflight(try Self.request(asks: nil), allow: [.get]) == nil)
    }

    @Test func `all origins are allowed by an asterisk and never by reflection`() throws {
        let policy = CORSPolicy(origins: ["*"])
        var response = HTTPResponse(.ok)
        policy.apply(to: &response, for: try Self.request(.get))
        #expect(response.fields[.accessControlAllowOrigin] == "*")
        #expect(!response.fields.contains(.vary))
    }

    @Test func `an upload from a page may send its fields and read those of the response`() throws {
        let policy = CORSPolicy(origins: ["https://a.example"])
        let wanted = "tus-resumable,upload-offset,upload-checksum,content-digest,content-type"
        let preflight = try #require(
            policy.preflight(try Self.request(asks: "PATCH", headers: wanted), allow: [.patch, .head]))
        #expect(preflight.fields[.accessControlAllowHeaders] == wanted)
        var response = HTTPResponse(.noContent)
        policy.apply(to: &response, for: try Self.request(.patch))
        #expect(response.fields.count(of: .accessControlExposeHeaders) == 1)
        let exposed = Set(
            (response.fields[.accessControlExposeHeaders] ?? "").lowercased().split(separator: ",").map {
                String($0.drop { $0 == " " })
            })
        for name: HTTPFieldName in [
            .uploadOffset, .uploadLength, .uploadExpires, .location, .tusResumable, .tusVersion, .tusExtension,
            .tusMaxSize, .tusChecksumAlgorithm, .etag, .wwwAuthenticate, .contentRange, .contentDisposition,
        ] {
            #expect(exposed.contains(name.text.lowercased()), "\(name.text)")
        }
    }

    @Test func `without origins nothing is added`() throws {
        let policy = CORSPolicy(origins: [])
        var response = HTTPResponse(.ok)
        policy.apply(to: &response, for: try Self.request(.get))
        #expect(response.fields.isEmpty)
        #expect(!policy.isEnabled)
    }

    @Test func `a response without a listed origin still varies by it`() throws {
        var response = HTTPResponse(.ok)
        CORSPolicy(origins: ["https://a.example"]).apply(to: &response, for: try Self.request(.get, origin: nil))
        #expect(response.fields[.vary] == "Origin")
        #expect(response.fields.count == 1)
    }
}
