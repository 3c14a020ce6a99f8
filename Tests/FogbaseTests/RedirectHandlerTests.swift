import HTTP
import Testing

@testable import fogbase

/// Where plain HTTP is sent.
@Suite struct RedirectHandlerTests {
    private static func response(
        _ target: String, host: String?, port: UInt16 = 443, url: String? = nil, hosts: [String] = []
    ) throws -> HTTPResponse {
        let handler = RedirectHandler(
            publicURL: try url.map { try PublicURL($0) }, port: port, hosts: HostPolicy(hosts))
        var fields = HTTPFields()
        if let host { fields.append(.host, host) }
        return handler.response(
            to: HTTPRequest(method: .post, target: try #require(RequestTarget(target)), fields: fields))
    }

    @Test(
        arguments: [
            ("/", "db.example.org", 443, "https://db.example.org/"),
            ("/records/Post?limit=5&x=%20", "db.example.org", 443, "https://db.example.org/records/Post?limit=5&x=%20"),
            ("/a", "DB.example.org:80", 443, "https://db.example.org/a"),
            ("/a", "db.example.org:8080", 8443, "https://db.example.org:8443/a"),
            ("/a", "127.0.0.1", 8443, "https://127.0.0.1:8443/a"), ("/a", "[::1]:80", 8443, "https://[::1]:8443/a"),
            ("/a", "[::1]", 443, "https://[::1]/a"), ("*", "x", 443, "https://x/"), ("/?", "x", 443, "https://x/?"),
            ("http://x", "x", 443, "https://x/"),
        ] as [(String, String, UInt16, String)])
    func `the host, the path and the query stay`(target: String, host: String, port: UInt16, location: String) throws {
        let response = try Self.response(target, host: host, port: port)
        #expect(response.status == .permanentRedirect && response.fields[.location] == location)
        #expect(response.closesConnection)
    }

    @Test func `the public URL decides, and has the base path only once`() throws {
        let response = try Self.response("/fog/records", host: "10.0.0.1", url: "https://db.example.org/fog")
        #expect(response.fields[.location] == "https://db.example.org/fog/records")
    }

    @Test(arguments: [nil, "", "a b", "x/evil.example", "user@evil.example", "a\\b", "x:99999"])
    func `a host that is none is not sent anywhere`(host: String?) throws {
        let response = try Self.response("/", host: host)
        #expect(response.status == .badRequest && !response.fields.contains(.location))
    }

    @Test func `a host that the settings do not name is rejected`() throws {
        let response = try Self.response("/", host: "evil.example", hosts: ["db.example.org"])
        #expect(response.status == .misdirectedRequest && !response.fields.contains(.location))
        #expect(
            try Self.response("/", host: "db.example.org:80", hosts: ["db.example.org"]).status == .permanentRedirect)
    }
}
