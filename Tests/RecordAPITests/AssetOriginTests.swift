import HTTP
import RecordAPI
import RecordWire
import Testing

/// Pages of other origins that read assets by their signed URLs.
@Suite struct AssetOriginTests {
    private static let origin = [("Origin", "https://app.example.org")]

    @Test func `pages of all origins read a signed URL, ranges of it and its errors`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        let target = try AssetRoutesTests.target(try await AssetRoutesTests.upload(test))
        let token = target.split(separator: "/")[1]
        let tag = try #require(await test.call(.get, target).field("ETag"))
        for (method, path, headers, status) in [
            (HTTPMethod.get, target, [], 200), (.head, target, [], 200), (.get, target, [("Range", "bytes=0-3")], 206),
            (.get, target, [("If-None-Match", tag)], 304), (.get, target, [("Range", "bytes=5000-")], 416),
            (.get, "/assets/\(token)x/a.txt", [], 404), (.get, target + "?width=x", [], 400), (.post, target, [], 405),
        ] as [(HTTPMethod, String, [(String, String)], Int)] {
            // A copy that an image put into the browser's cache must suit a script too.
            for origin in [Self.origin, []] {
                let response = await test.call(method, path, headers: headers + origin)
                #expect(response.status == status, "\(method) \(path): \(response.text)")
                #expect(response.field("Access-Control-Allow-Origin") == "*", "\(method) \(path) \(status)")
                #expect(response.field("Access-Control-Allow-Credentials") == nil)
                #expect(response.field("Access-Control-Expose-Headers")?.contains("Content-Range") == true)
                #expect(response.field("Vary")?.contains("Origin") != true)
            }
        }
    }

    @Test func `a preflight of a signed URL allows every page`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        let asks = [
            ("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "range, if-none-match"),
        ]
        for path in ["/assets/x", "/assets/x/a.txt"] {
            let response = await test.call(.options, path, headers: Self.origin + asks)
            #expect(response.status == 204 && response.field("Access-Control-Allow-Origin") == "*", "\(path)")
            #expect(response.field("Access-Control-Allow-Methods")?.contains("GET") == true)
            #expect(response.field("Access-Control-Allow-Headers") == "range, if-none-match")
            #expect(response.field("Access-Control-Allow-Credentials") == nil)
            let plain = await test.call(.options, path)
            #expect(plain.status == 204 && plain.field("Allow")?.contains("GET") == true)
        }
        for (path, isOpen) in [
            ("/assets/x", true), ("/assets/x/a.txt?download=true", true), ("/assets", false),
            ("/assets/uploads", false),
            ("/assets/uploads/x", false), ("/records/Post/a", false), ("/assets/x/y/z", false),
        ] {
            let target = try #require(RequestTarget(path))
            #expect(RouteTable.decidesOrigins(of: target) == isOpen, "\(path)")
        }
    }

    @Test func `pages of all origins read that the message for a signed URL was rejected`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        for status in [HTTPStatus.uriTooLong, .requestHeaderFieldsTooLarge, .expectationFailed, .serviceUnavailable] {
            for path in ["/assets/x", "/assets/x/a.txt?width=100", "/assets/x/a%e"] {
                let response = await test.reject(HTTPRejection(status, "No."), .get, path, headers: Self.origin)
                #expect(response.status == Int(status.code) && response.json?["uuid"] == "request-1")
                #expect(response.field("Access-Control-Allow-Origin") == "*", "\(path) \(status)")
                let preflight = await test.reject(
                    HTTPRejection(status, "No."), .options, path,
                    headers: Self.origin + [("Access-Control-Request-Method", "GET")])
                #expect(preflight.status == 204 && preflight.field("Access-Control-Allow-Origin") == "*")
            }
            for path in ["/assets", "/assets/uploads", "/assets/uploads/x", "/records/Post", "*"] {
                let response = await test.reject(HTTPRejection(status, "No."), .get, path, headers: Self.origin)
                #expect(response.field("Access-Control-Allow-Origin") == nil, "\(path) \(status)")
            }
        }
    }

    @Test func `other routes do not allow all origins`() async throws {
        let test = try await AssetRoutesTests.makeDatabase()
        for (method, path) in [
            (HTTPMethod.get, "/records/Post"), (.post, "/assets"), (.options, "/assets"), (.options, "/assets/uploads"),
            (.get, "/assets/uploads/x"), (.get, "/nothing"),
        ] {
            let response = await test.call(method, path, as: .creator, headers: Self.origin)
            #expect(response.field("Access-Control-Allow-Origin") == nil, "\(path)")
        }
    }
}
