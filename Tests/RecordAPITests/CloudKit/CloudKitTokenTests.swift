import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// API tokens of CloudKit Web Services and the server side of the sign-in page.
@Suite struct CloudKitTokenTests {
    private static func make(_ test: TestDatabase, _ name: String, _ more: String = "") async throws -> JSONValue {
        let response = await test.call(
            .post, "/cloudkit/tokens", as: .administrator, body: #"{"name":"\#(name)"\#(more)}"#)
        try #require(response.status == 201, "\(response.text)")
        #expect(response.field("Cache-Control") == "no-store")
        return try #require(response.json)
    }

    @Test func `a token is made, listed, changed and deleted, and shown once`() async throws {
        let test = try await TestDatabase.make()
        let made = try await Self.make(
            test, "App", #","origins":["https://App.Example.org:443","https://*.test.org"],"notes":"for the app""#)
        let (id, text) = (made["id"]?.string ?? "", made["token"]?.string ?? "")
        #expect(
            text.utf8.count == 64 && text.allSatisfy(\.isHexDigit) && made["prefix"]?.string.map(text.hasPrefix) == true
        )
        #expect(made["origins"] == ["https://app.example.org", "https://*.test.org"] && made["callback"] == .null)
        _ = try await Self.make(test, "Other")
        let page = await test.call(.get, "/cloudkit/tokens?limit=1", as: .administrator)
        #expect(page.json?["tokens"]?.array?.count == 1 && !page.text.contains(text), "\(page.text)")
        let cursor = page.json?["cursor"]?.string ?? ""
        let rest = await test.call(.get, "/cloudkit/tokens?cursor=\(cursor)", as: .administrator)
        #expect(rest.json?["tokens"]?.array?.map { $0["name"] } == ["Other"] && rest.json?["cursor"] == nil)
        let path = "/cloudkit/tokens/\(id)"
        await test.play([
            Scenario("a taken name", .administrator, .post, "/cloudkit/tokens", #"{"name":"App"}"#, 409),
            Scenario("no name", .administrator, .post, "/cloudkit/tokens", #"{"notes":"x"}"#, 400),
            Scenario("an unknown key", .administrator, .post, "/cloudkit/tokens", #"{"name":"x","scope":1}"#, 400),
            Scenario("no origins", .administrator, .patch, path, #"{"origins":[]}"#, 400),
            Scenario(
                "a path", .administrator, .patch, path, #"{"origins":["https://a.org/b"]}"#, 400,
                contains: ["https://a.org"]),
            Scenario(
                "a script", .administrator, .patch, path, #"{"callback":"javascript:alert(1)"}"#, 400,
                contains: ["write https://app.example.org/signed-in"], lacks: ["https://javascript"]),
            Scenario("another scheme", .administrator, .patch, path, #"{"callback":"ftp://a.org/"}"#, 400),
            Scenario(
                "an app of another container", .administrator, .patch, path, #"{"callback":"cloudkit-Other://"}"#, 400),
            Scenario(
                "a scheme that begins alike", .administrator, .patch, path, #"{"callback":"cloudkit-Forum.a://"}"#, 400),
            Scenario("a scheme alone", .administrator, .patch, path, #"{"callback":"cloudkit-Forum:"}"#, 400),
            Scenario(
                "a fragment of an app", .administrator, .patch, path, #"{"callback":"cloudkit-Forum://a#x"}"#, 400),
            Scenario("a blank", .administrator, .patch, path, #"{"callback":"cloudkit-Forum://a b"}"#, 400),
            Scenario("an app", .administrator, .patch, path, #"{"callback":"cloudkit-Forum://"}"#, 200),
            Scenario(
                "an app in another case", .administrator, .patch, path, #"{"callback":"CLOUDKIT-forum://in?x=1"}"#, 200),
            Scenario("a fragment", .administrator, .patch, path, #"{"callback":"https://a.org/#x"}"#, 400),
            Scenario("user information", .administrator, .patch, path, #"{"callback":"https://a@b.org/"}"#, 400),
            Scenario("nothing", .administrator, .patch, path, "{}", 400),
            Scenario("a stranger", .stranger, .get, path, 403), Scenario("nobody", .anonymous, .get, path, 401),
            Scenario("an unknown id", .administrator, .get, "/cloudkit/tokens/none", 404),
            Scenario(
                "any origin", .administrator, .patch, path, #"{"origins":["*"]}"#, 200, contains: [#""origins":null"#]),
            Scenario("a name", .administrator, .patch, path, #"{"name":"New","callback":"https://a.org/b?c=1"}"#, 200),
        ])
        let shown = await test.call(.get, path, as: .administrator)
        #expect(
            shown.json?["callback"] == "https://a.org/b?c=1" && shown.json?["notes"] == "for the app", "\(shown.text)")
        #expect(await test.call(.delete, path, as: .administrator).status == 204)
        #expect(await test.call(.delete, path, as: .administrator).status == 404)
        let log = await test.call(.get, "/audit", as: .administrator)
        for action in ["create", "change", "revoke"] {
            #expect(log.text.contains("cloudKitToken.\(action)"), "\(action)")
        }
        #expect(!log.text.contains(text))
    }

    @Test func `the use of a token is recorded`() async throws {
        let client = try await CloudKitClient.make(withUsers: false)
        _ = await client.call(.get, "public/users/caller")
        await client.settle()
        let shown = await client.test.call(.get, "/cloudkit/tokens/\(client.tokenID)", as: .administrator)
        #expect(shown.json?["usedAt"]?.integer != nil, "\(shown.text)")
    }

    @Test func `the sign-in page learns the app and who receives the token`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        let any = try await Self.make(test, "Any")
        let some = try await Self.make(test, "Some", #","origins":["https://a.org","https://b.org","https://*.c.org"]"#)
        let patterns = try await Self.make(test, "Patterns", #","origins":["https://*.c.org","null"]"#)
        let back = try await Self.make(test, "Back", #","origins":["https://a.org"],"callback":"https://a.org/in""#)
        for (token, origin, targets) in [
            (any, nil, ["*"]), (any, "https://x.org", ["https://x.org"]), (any, "null", ["*"]), (any, "*", nil),
            (any, "nonsense", nil), (any, "https://*.x.org", nil), (some, nil, ["https://a.org", "https://b.org"]),
            (some, "https://b.org", ["https://b.org"]), (some, "https://x.c.org", ["https://x.c.org"]),
            (some, "https://evil.org", nil), (some, "null", nil), (patterns, nil, nil), (patterns, "null", nil),
            (patterns, "https://x.c.org", ["https://x.c.org"]),
        ] as [(JSONValue, String?, [String]?)] {
            let query = origin.map { "?origin=" + $0.replacing("*", with: "%2A") } ?? ""
            let response = await test.call(.get, "/cloudkit/sign-in/\(token["id"]?.string ?? "")\(query)")
            #expect(
                response.status == (targets == nil ? 403 : 200), "\(token["name"] ?? "") \(query): \(response.text)")
            #expect(response.json?["targetOrigins"]?.array?.map { $0.string ?? "" } == targets, "\(response.text)")
        }
        let callback = await test.call(.get, "/cloudkit/sign-in/\(back["id"]?.string ?? "")")
        #expect(callback.json == ["name": "Back", "callback": "https://a.org/in"], "\(callback.text)")
        #expect(await test.call(.get, "/cloudkit/sign-in/none").status == 404)
    }

    @Test func `signing in needs the password, and an origin that may have the token`() async throws {
        let client = try await CloudKitClient.make(token: #","origins":["https://a.org"]"#)
        let path = "/cloudkit/sign-in/\(client.tokenID)"
        for (body, status) in [
            (#"{"name":"ann","password":"correct horse","origin":"https://a.org"}"#, 201),
            (#"{"name":"ann","password":"correct horse"}"#, 201),
            (#"{"name":"ann","password":"wrong horse","origin":"https://a.org"}"#, 401),
            (#"{"name":"ann","password":"correct horse","origin":"https://evil.org"}"#, 403),
            (#"{"name":"nobody","password":"correct horse"}"#, 401), (#"{"name":"ann"}"#, 400),
            (#"{"name":"ann","password":"correct horse","staysSignedIn":1}"#, 400),
        ] {
            let response = await client.test.call(.post, path, body: body)
            #expect(response.status == status, "\(body): \(response.text)")
            if status == 201 {
                #expect(response.json?["targetOrigins"] == ["https://a.org"] && response.json?["redirectURL"] == nil)
                #expect(response.field("Cache-Control") == "no-store")
            } else {
                #expect(response.json?["webAuthToken"] == nil)
            }
        }
    }

    @Test func `a callback URL gets the token in its query`() async throws {
        for (callback, start) in [
            ("https://a.org/in", "https://a.org/in?ckWebAuthToken="),
            ("https://a.org/in?x=1", "https://a.org/in?x=1&ckWebAuthToken="),
            ("cloudkit-forum://", "cloudkit-forum://?ckWebAuthToken="),
            ("CloudKit-Forum://in/?x=1&", "CloudKit-Forum://in/?x=1&ckWebAuthToken="),
        ] {
            let client = try await CloudKitClient.make(token: #","callback":"\#(callback)""#)
            let response = await client.test.call(
                .post, "/cloudkit/sign-in/\(client.tokenID)", body: #"{"name":"ann","password":"correct horse"}"#)
            let url = try #require(response.json?["redirectURL"]?.string)
            let token = try #require(response.json?["webAuthToken"]?.string)
            // Clients read one name or the other.
            #expect(url == "\(start)\(token)&ckSession=\(token)" && response.json?["targetOrigins"] == nil)
            // Clients paste the token into URLs without encoding it.
            #expect(token.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" })
            #expect(await client.call(.get, "public/users/caller", user: token).status == 200)
        }
    }

    @Test func `people sign in to a development environment for members`() async throws {
        let client = try await CloudKitClient.make(withUsers: false) { $0.isDevelopmentOpen = false }
        let made = await client.test.call(
            .post, "/users", as: .administrator, body: #"{"name":"ann","password":"correct horse"}"#)
        try #require(made.status == 201, "\(made.text)")
        #expect(await client.test.call(.get, "/cloudkit/sign-in/\(client.tokenID)").status == 200)
        let token = try await client.signIn()
        #expect(await client.call(.get, "public/users/caller", user: token).status == 200)
    }
}
