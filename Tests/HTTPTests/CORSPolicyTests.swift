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

    @Test func `an allowed origin may ask beforehand`() throws {
        let policy = CORSPolicy(origins: ["https://a.example"])
        let request = try Self.request(headers: "authorization, if-match\r\nX: y")
        let answer = try #require(policy.preflight(request, allow: [.get, .put]))
        #expect(answer.status == .noContent)
        #expect(answer.fields[.accessControlAllowOrigin] == "https://a.example")
        #expect(answer.fields[.accessControlAllowMethods] == "GET, PUT")
        #expect(answer.fields[.accessControlAllowHeaders] == "authorization, if-match  X: y")
        #expect(answer.fields.values(of: .vary).joined(separator: ", ").contains("Origin"))
        #expect(!answer.fields.contains(.accessControlAllowCredentials))
    }

    @Test(arguments: [
        "https://b.example", "https://a.example.evil", "http://a.example", "https://A.example", "null", "",
        "https://a.example:443",
    ])
    func `no other origin may`(_ origin: String) throws {
        let policy = CORSPolicy(origins: ["https://a.example"])
        let answer = try #require(policy.preflight(try Self.request(origin: origin), allow: [.put]))
        #expect(!answer.fields.contains(.accessControlAllowOrigin))
        #expect(!answer.fields.contains(.accessControlAllowMethods))
        #expect(answer.fields[.vary] == "Origin")
    }

    @Test func `what is no preflight is left to the route`() throws {
        let policy = CORSPolicy(origins: ["*"])
        #expect(policy.preflight(try Self.request(.get), allow: [.get]) == nil)
        #expect(policy.preflight(try Self.request(origin: nil), allow: [.get]) == nil)
        #expect(policy.preflight(try Self.request(asks: nil), allow: [.get]) == nil)
    }

    @Test func `all origins are allowed by an asterisk and never by reflection`() throws {
        let policy = CORSPolicy(origins: ["*"])
        var answer = HTTPResponse(.ok)
        policy.apply(to: &answer, for: try Self.request(.get))
        #expect(answer.fields[.accessControlAllowOrigin] == "*")
        #expect(!answer.fields.contains(.vary))
    }

    @Test func `an upload from a page may send its fields and read those of the answer`() throws {
        let policy = CORSPolicy(origins: ["https://a.example"])
        let wanted = "tus-resumable,upload-offset,upload-checksum,content-digest,content-type"
        let preflight = try #require(
            policy.preflight(try Self.request(asks: "PATCH", headers: wanted), allow: [.patch, .head]))
        #expect(preflight.fields[.accessControlAllowHeaders] == wanted)
        var answer = HTTPResponse(.noContent)
        policy.apply(to: &answer, for: try Self.request(.patch))
        #expect(answer.fields.count(of: .accessControlExposeHeaders) == 1)
        let exposed = Set(
            (answer.fields[.accessControlExposeHeaders] ?? "").lowercased().split(separator: ",").map {
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
        var answer = HTTPResponse(.ok)
        policy.apply(to: &answer, for: try Self.request(.get))
        #expect(answer.fields.isEmpty)
        #expect(!policy.isEnabled)
    }

    @Test func `an answer without a listed origin still varies by it`() throws {
        var answer = HTTPResponse(.ok)
        CORSPolicy(origins: ["https://a.example"]).apply(to: &answer, for: try Self.request(.get, origin: nil))
        #expect(answer.fields[.vary] == "Origin")
        #expect(answer.fields.count == 1)
    }
}
