import HTTP
import RecordAPI
import RecordModel
import RecordWire
import Testing

@Suite struct ErrorShapeTests {
    @Test func `an invalid token is distinguished from a missing one and from a wrong password`() async throws {
        let test = try await TestDatabase.make()
        await test.call(.put, "/records/Post/a", as: .creator, body: "{}")
        let dead = await test.call(.get, "/records/Post/a", token: "fbs_ended")
        #expect(dead.status == 401 && dead.field("WWW-Authenticate") == #"Bearer error="invalid_token""#)
        #expect(dead.json?["reason"]?.string?.contains("send no token") == true, "\(dead.text)")
        #expect(await test.call(.get, "/records/Post/a").status == 200)
        let none = await test.call(.get, "/users/me")
        #expect(none.status == 401 && none.field("WWW-Authenticate") == "Bearer")
        let wrong = await test.call(.post, "/sessions", body: #"{"name":"ann","password":"wrong horse"}"#)
        #expect(wrong.status == 401 && wrong.field("WWW-Authenticate") == "Bearer")
    }

    @Test func `paths, methods, parameters and media types are rejected with a sentence`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/records/Post/a", as: .administrator, body: "{}")
        let json = "{}"
        await database.play([
            Scenario("no route", .anonymous, .get, "/nothing", 404, contains: ["UNKNOWN_ROUTE"]),
            Scenario("the root", .anonymous, .get, "/", 404, contains: ["UNKNOWN_ROUTE"]),
            Scenario("nobody uploads", .anonymous, .post, "/assets", 401, contains: ["AUTHENTICATION_REQUIRED"]),
            Scenario("a trailing slash", .anonymous, .post, "/records/Post/", 404, contains: ["UNKNOWN_ROUTE"]),
            Scenario("a method", .anonymous, .delete, "/records", 405, contains: ["METHOD_NOT_ALLOWED", "POST"]),
            Scenario("a strange method", .anonymous, .other("BREW"), "/records/Post/a", 405),
            Scenario("an escape", .anonymous, .get, "/records/Post/%zz", 400),
            Scenario("a type", .anonymous, .get, "/records/a%20b/c", 400),
            Scenario("a name", .anonymous, .get, "/records/Post/%01", 400),
            Scenario(
                "a typo", .anonymous, .get, "/records/Post?limt=5", 400, contains: ["limt", "limit", "cursor"]),
            Scenario("not on this route", .anonymous, .get, "/records/Post/a?limit=5", 400),
            Scenario("twice", .anonymous, .get, "/records/Post?limit=5&limit=6", 400, contains: ["twice"]),
            Scenario("a bad query", .anonymous, .get, "/records/Post?limit=%zz", 400),
            Scenario("a container", .anonymous, .get, "/records/Post?container=Other", 404, contains: ["UNKNOWN_NAME"]),
            Scenario("no container", .anonymous, .get, "/records/Post?container=../x", 400),
            Scenario("an environment", .anonymous, .get, "/records/Post?environment=test", 400),
            Scenario("shared", .anonymous, .get, "/records/Post?database=shared", 400, contains: ["name a zone"]),
            Scenario("another database", .anonymous, .get, "/records/Post?database=x", 400),
            Scenario("a zone", .anonymous, .get, "/records/Post/a?zone=other", 404, contains: ["ZONE_NOT_FOUND"]),
            Scenario("the default zone", .anonymous, .get, "/records/Post/a?zone=_defaultZone", 200),
            Scenario(
                "the default scope", .anonymous, .get,
                "/records/Post/a?container=Forum&environment=development&database=public", 200),
            Scenario("an owner of nothing", .anonymous, .get, "/records/Post/a?owner=x", 400),
            Scenario(
                "no JSON", .administrator, .post, "/records/Post", json, headers: [("Content-Type", "text/xml")], 415,
                contains: ["UNSUPPORTED_MEDIA_TYPE"]),
            Scenario(
                "another charset", .administrator, .post, "/records/Post", json,
                headers: [("Content-Type", "application/json; charset=latin1")], 415),
            Scenario(
                "plain text", .administrator, .post, "/records/Post", json, headers: [("Content-Type", "text/plain")],
                201),
            Scenario(
                "with parameters", .administrator, .post, "/records/Post", json,
                headers: [("Content-Type", "Application/JSON; charset=UTF-8")], 201),
            Scenario("only images", .anonymous, .get, "/records/Post/a", headers: [("Accept", "image/png")], 406),
            Scenario("only no JSON", .anonymous, .get, "/records/Post/a", headers: [("Accept", "*/*;q=0")], 406),
            Scenario(
                "a browser", .anonymous, .get, "/records/Post/a",
                headers: [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")], 200),
            Scenario(
                "any application", .anonymous, .get, "/records/Post/a", headers: [("Accept", "application/*")], 200),
            Scenario(
                "no token", .anonymous, .get, "/records/Post/a", headers: [("Authorization", "Bearer nonsense")], 401,
                contains: ["AUTHENTICATION_FAILED"]),
            Scenario(
                "no bearer", .anonymous, .get, "/records/Post/a", headers: [("Authorization", "Basic YTpi")], 401,
                contains: ["AUTHENTICATION_FAILED"]),
            Scenario(
                "two tokens", .administrator, .get, "/records/Post/a", headers: [("Authorization", "Bearer x")], 401),
            Scenario(
                "any case of the scheme", .anonymous, .get, "/schema",
                headers: [("Authorization", "bEARER the-operators-secret")], 200),
            Scenario(
                "a value", .administrator, .post, "/records/Post", #"{"fields":{"a":{"value":1,"type":"STRING"}}}"#,
                400,
                contains: ["TYPE_MISMATCH"]),
            Scenario("a list", .administrator, .post, "/records/Post", "[]", 400),
            Scenario("a twin", .administrator, .post, "/records/Post", #"{"fields":{},"fields":{}}"#, 400),
        ])
    }

    @Test func `rejections by the HTTP engine have the same shape`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for (status, code) in [
            (HTTPStatus.badRequest, "BAD_REQUEST"), (.uriTooLong, "BAD_REQUEST"), (.requestTimeout, "BAD_REQUEST"),
            (.requestHeaderFieldsTooLarge, "BAD_REQUEST"), (.serviceUnavailable, "TRY_AGAIN_LATER"),
            (.tooManyRequests, "THROTTLED"), (.notImplemented, "BAD_REQUEST"),
        ] {
            let response = await database.reject(HTTPRejection(status, "Because."), .get, "/records/Post")
            // As the header.
            #expect(response.json?["uuid"] == "request-1")
            #expect(response.status == Int(status.code) && response.code == code)
            #expect(response.json?["reason"]?.string == "Because.")
            database.checkErrorShape(response, code)
        }
    }

    @Test func `a truncated body is rejected with the cause`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for (error, status) in [
            (HTTPBodyError.timeout, 408), (.unsupportedEncoding, 415), (.bomb, 413), (.overloaded, 503),
            (.malformed("a chunk has no size"), 400), (.tooLarge(limit: 5), 413), (.disconnected, 400),
        ] {
            var fields = HTTPFields()
            fields.append(.authorization, "Bearer the-operators-secret")
            let request = HTTPRequest(
                method: .post, target: try #require(RequestTarget("/records/Post")), fields: fields,
                body: .stream(BrokenBody(error: error)), id: "request-1")
            let response = Response(await database.api.respond(to: request, in: database.context))
            #expect(response.status == status, "\(error)")
            database.checkErrorShape(response, "\(error)")
            #expect((status == 503) == (response.field("Retry-After") != nil))
            #expect(response.field("Accept-Encoding") == (status == 415 ? "gzip, identity" : nil))
        }
    }

    @Test func `a stranger's body is never read`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer nonsense")
        let request = HTTPRequest(
            method: .post, target: try #require(RequestTarget("/records/Post")), fields: fields,
            body: .stream(BrokenBody(error: .timeout)), id: "request-1")
        let response = Response(await database.api.respond(to: request, in: database.context))
        #expect(response.status == 401)
    }

    @Test func `a request writes nothing if its token is revoked while its body arrives`() async throws {
        let database = try await TestDatabase.make()
        let token = try #require(database.tokens[.creator])
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(token)")
        let body = LateBody(api: database.api, context: database.context, token: token)
        let request = HTTPRequest(
            method: .put, target: try #require(RequestTarget("/records/Post/late")), fields: fields,
            body: .stream(body), id: "request-1")
        let response = Response(await database.api.respond(to: request, in: database.context))
        #expect(response.status == 401 && response.code == "AUTHENTICATION_FAILED")
        #expect(await database.call(.get, "/records/Post/late", as: .administrator).status == 404)
    }

    @Test func `OPTIONS lists the methods of a path`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let response = await database.call(.options, "/records/Post/a")
        #expect(response.status == 204 && response.field("Allow") == "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
        #expect(await database.call(.options, "*").status == 204)
        #expect(await database.call(.options, "/nothing").status == 404)
    }
}

/// A body during which its sender signs out.
private struct LateBody: HTTPBodyReader {
    let api: RecordAPI
    let context: RecordAPIContext
    let token: String

    var expectedLength: Int? { nil }
    func next() async throws(HTTPBodyError) -> [UInt8]? { nil }

    func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8] {
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(token)")
        guard let target = RequestTarget("/sessions/current") else { throw .disconnected }
        let response = await api.respond(
            to: HTTPRequest(method: .delete, target: target, fields: fields), in: context)
        guard response.status == .noContent else { throw .disconnected }
        return Array("{}".utf8)
    }
}

/// A body that never comes.
private struct BrokenBody: HTTPBodyReader {
    let error: HTTPBodyError

    var expectedLength: Int? { nil }
    func next() async throws(HTTPBodyError) -> [UInt8]? { throw error }
    func collect(upTo limit: Int) async throws(HTTPBodyError) -> [UInt8] { throw error }
}
