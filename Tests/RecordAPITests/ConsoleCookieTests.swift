import HTTP
import RecordWire
import Testing

@testable import RecordAPI

/// The console's cookie is a credential for the console's page alone.
@Suite struct ConsoleCookieTests {
    private static let own = [
        ("X-Fogbase-Console", "1"), ("Sec-Fetch-Site", "same-origin"), ("Host", "db.example:8080"),
    ]

    private func console(
        _ test: TestDatabase, _ method: HTTPMethod, _ body: String? = nil, headers: [(String, String)] = own,
        target: String = "/_/session"
    ) async throws -> Response {
        var fields = HTTPFields()
        for (name, value) in headers { fields.append(try #require(HTTPFieldName(name)), value) }
        let request = HTTPRequest(
            method: method, target: try #require(RequestTarget(target)), fields: fields,
            body: body.map { .bytes(Array($0.utf8)) } ?? .empty, remoteAddress: "192.0.2.1", id: "request-1")
        return Response(await test.api.respondToConsole(request, in: test.context))
    }

    /// The `name=value` of a Set-Cookie.
    private func signIn(_ test: TestDatabase, token: String = "the-operators-secret") async throws -> String {
        let response = try await console(test, .post, #"{"token":"\#(token)"}"#)
        try #require(response.status == 200, "\(response.text)")
        return String(try #require(response.field("Set-Cookie")).prefix { $0 != ";" })
    }

    @Test func `signing in sets a cookie that does not show the token`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        let response = try await console(test, .post, #"{"token":"the-operators-secret"}"#)
        let cookie = try #require(response.field("Set-Cookie"))
        #expect(cookie.hasPrefix("fogbase=") && cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
        #expect(!cookie.contains("secret") && response.field("Cache-Control") == "no-store")
        #expect(response.json?["isAdministrator"]?.bool == true)
        let secure = try await TestDatabase.make(withUsers: false) {
            $0.publicURL = try? PublicURL("https://db.example")
        }
        let other = try #require(
            try await console(secure, .post, #"{"token":"the-operators-secret"}"#).field("Set-Cookie"))
        #expect(other.hasPrefix("__Host-fogbase=") && other.hasSuffix("; Path=/; HttpOnly; SameSite=Strict; Secure"))
        // `__Host-` is for the path / alone.
        let below = try await TestDatabase.make(withUsers: false) {
            $0.publicURL = try? PublicURL("https://db.example/fog/")
        }
        let path = try #require(
            try await console(below, .post, #"{"token":"the-operators-secret"}"#).field("Set-Cookie"))
        #expect(path.hasPrefix("__Secure-fogbase="))
        #expect(path.hasSuffix("; Path=/fog/; HttpOnly; SameSite=Strict; Secure"))
        let end = try await console(test, .delete)
        #expect(end.status == 204 && end.field("Set-Cookie")?.hasPrefix("fogbase=; ") == true)
        #expect(end.field("Set-Cookie")?.hasSuffix("; Max-Age=0") == true)
        for (body, status) in [
            (#"{"token":"wrong"}"#, 401), (#"{"token":""}"#, 400), (#"{"token":"a\r\nb"}"#, 400), ("{}", 400),
            ("", 400),
            (#"{"token":7}"#, 400),
        ] {
            let response = try await console(test, .post, body)
            #expect(response.status == status && response.field("Set-Cookie") == nil, "\(body): \(response.text)")
        }
        #expect(try await console(test, .put).status == 405)
    }

    @Test func `the cookie is the console's credential on every route`() async throws {
        let test = try await TestDatabase.make()
        let cookie = try await signIn(test)
        let headers = Self.own + [("Cookie", "theme=dark; \(cookie); a=b")]
        let schema = await test.call(.get, "/schema", headers: headers)
        #expect(schema.status == 200 && schema.field("Cache-Control") == "no-store", "\(schema.text)")
        #expect(await test.call(.put, "/records/Post/a", headers: headers).status != 401)
        #expect(try await console(test, .get, headers: headers).json?["isAdministrator"]?.bool == true)
        #expect(try await console(test, .get).status == 204)
        // The cookie may also hold a user's token, which gives that user's rights.
        let user = try await signIn(test, token: try #require(test.tokens[.creator]))
        let mine = Self.own + [("Cookie", user)]
        #expect(await test.call(.get, "/users/me", headers: mine).json?["name"]?.string == "ann")
        #expect(await test.call(.get, "/schema", headers: mine).status == 403)
        // A revoked token is invalid in a cookie too.
        #expect(await test.call(.delete, "/sessions/current", headers: mine).status == 204)
        #expect(await test.call(.get, "/users/me", headers: mine).status == 401)
    }

    @Test func `an invalid cookie is rejected and not treated as anonymous`() async throws {
        let test = try await TestDatabase.make()
        // Another process has sealed it.
        let cookie = try await signIn(try await TestDatabase.make(withUsers: false))
        for target in ["/records/Post", "/schema", "/users/me"] {
            let response = await test.call(.get, target, headers: Self.own + [("Cookie", cookie)])
            #expect(response.status == 401 && response.code == "AUTHENTICATION_FAILED", "\(target): \(response.text)")
        }
        let headers = Self.own + [("Cookie", cookie)]
        #expect(try await console(test, .get, headers: headers).status == 204)
        #expect(try await console(test, .post, #"{"token":"the-operators-secret"}"#, headers: headers).status == 200)
        // A request without the console's cookie, or from another origin, is anonymous.
        let foreign = [("Cookie", cookie)]
        for others in [Self.own + [("Cookie", "theme=dark")], Self.own + [("Cookie", "fogbase=")], foreign] {
            #expect(await test.call(.get, "/records/Post", headers: others).status != 401)
        }
    }

    static let foreign: [[(String, String)]] = [
        // A link, an image or a form cannot set fields of their own.
        [("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "none")], [],
        [("X-Fogbase-Console", "0"), ("Sec-Fetch-Site", "same-origin")],
        [("X-Fogbase-Console", "1"), ("X-Fogbase-Console", "1"), ("Sec-Fetch-Site", "same-origin")],
        // A script of elsewhere.
        [("X-Fogbase-Console", "1"), ("Sec-Fetch-Site", "cross-site")],
        [("X-Fogbase-Console", "1"), ("Sec-Fetch-Site", "same-site")],
        [("X-Fogbase-Console", "1"), ("Sec-Fetch-Site", "none")],
        [("X-Fogbase-Console", "1"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")],
        [("X-Fogbase-Console", "1"), ("Origin", "https://evil.example")],
        [("X-Fogbase-Console", "1"), ("Origin", "null")],
        [("X-Fogbase-Console", "1"), ("Origin", "http://db.example")],
        [("X-Fogbase-Console", "1"), ("Origin", "http://db.example:8080.evil.example")],
        [("X-Fogbase-Console", "1"), ("Origin", "http://db.example:8080"), ("Origin", "https://evil.example")],
    ]

    @Test(arguments: foreign)
    func `the cookie gives no rights to a request that another page may have caused`(_ headers: [(String, String)])
        async throws
    {
        let test = try await TestDatabase.make(withUsers: false)
        let cookie = try await signIn(test)
        let all = headers + [("Host", "db.example:8080"), ("Cookie", cookie)]
        for (method, target) in [
            (HTTPMethod.get, "/schema"), (.head, "/schema"), (.put, "/schema"), (.get, "/users/me"),
            (.delete, "/query/Post"),
        ] {
            let response = await test.call(method, target, headers: all)
            #expect(response.status == 401 || response.status == 400, "\(method) \(target): \(response.status)")
        }
        #expect(await test.call(.get, "/schema", headers: all).code == "AUTHENTICATION_REQUIRED")
        for method in [HTTPMethod.get, .post, .delete] {
            let response = try await console(test, method, #"{"token":"the-operators-secret"}"#, headers: all)
            #expect(response.status == 403 && response.field("Set-Cookie") == nil, "\(method)")
        }
    }

    @Test func `over plain HTTP a page of this origin is recognized by Origin, and a GET by its field`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        let cookie = try await signIn(test)
        let plain = [("X-Fogbase-Console", "1"), ("Host", "db.example:8080"), ("Cookie", cookie)]
        #expect(await test.call(.get, "/schema", headers: plain).status == 200)
        #expect(await test.call(.put, "/schema", body: #"{"types":{}}"#, headers: plain).status == 401)
        let origin = plain + [("Origin", "http://db.example:8080")]
        #expect(await test.call(.put, "/schema", body: #"{"types":{}}"#, headers: origin).status == 200)
    }

    @Test func `a changed, doubled, expired or foreign cookie is invalid`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        let cookie = try await signIn(test)
        let other = try await signIn(try await TestDatabase.make(withUsers: false))
        // The first four have the cookie name of the console, whose session has ended. The others are foreign cookies.
        let values: [(cookie: String, code: String)] = [
            (String(cookie.dropLast(9)) + "AAAAAAAAA", "AUTHENTICATION_FAILED"),
            ("\(cookie); \(cookie)", "AUTHENTICATION_FAILED"), (other, "AUTHENTICATION_FAILED"),
            ("fogbase=the-operators-secret", "AUTHENTICATION_FAILED"), ("x" + cookie, "AUTHENTICATION_REQUIRED"),
            ("fogbase=", "AUTHENTICATION_REQUIRED"), ("__Host-" + cookie, "AUTHENTICATION_REQUIRED"),
        ]
        for (value, code) in values {
            let response = await test.call(.get, "/schema", headers: Self.own + [("Cookie", value)])
            #expect(response.code == code, "\(value)")
        }
        // A credential in `Authorization` takes precedence over the cookie.
        let both = await test.call(
            .get, "/schema", headers: Self.own + [("Cookie", cookie), ("Authorization", "Bearer wrong")])
        #expect(both.code == "AUTHENTICATION_FAILED")
        let clock = TestClock()
        let jar = ConsoleCookie(nil) { Int64(clock.now / 1_000_000_000) }
        let issued = String(jar.issue(Array("token".utf8)).prefix { $0 != ";" })
        var fields = HTTPFields()
        for (name, value) in Self.own + [("Cookie", issued)] {
            fields.append(try #require(HTTPFieldName(name)), value)
        }
        let request = HTTPRequest(method: .get, target: try #require(RequestTarget("/schema")), fields: fields)
        #expect(jar.open(request)?.fields[.authorization] == "Bearer token")
        clock.pass(seconds: UInt64(ConsoleCookie.lifetime))
        #expect(jar.open(request) == nil)
    }
}
