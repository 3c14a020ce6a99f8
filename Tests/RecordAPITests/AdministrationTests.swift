import HTTP
import RecordAPI
import RecordModel
import RecordWire
import Testing

@Suite struct AdministrationTests {
    @Test func `the schema is read and put as one document`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let document =
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING"}},"indexes":[],"grants":{"_world":["READ"]}}}}"#
        await database.play([
            Scenario(
                "put", .administrator, .put, "/schema", document, 200,
                contains: [String(document.dropLast()) + #","changes":{"types":{"added":["Post"]"#]),
            Scenario("read", .administrator, .get, "/schema", 200, contains: [document]),
            Scenario(
                "one type", .administrator, .get, "/schema/types/Post", 200,
                contains: [#"{"fields":{"title":{"type":"STRING"}},"indexes":[],"grants":{"_world":["READ"]}}"#]),
            Scenario("an unknown type", .administrator, .get, "/schema/types/None", 404),
            Scenario("no name of a type", .administrator, .get, "/schema/types/1", 400),
            Scenario(
                "an unknown key", .administrator, .put, "/schema", #"{"types":{"Post":{"felds":{}}}}"#, 400,
                contains: ["types.Post.felds"]),
            Scenario("a record", .administrator, .put, "/records/Post/a", #"{"fields":{"title":"x"}}"#, 201),
            Scenario("it would be lost", .administrator, .put, "/schema", #"{"types":{}}"#, 400),
        ])
    }

    @Test func `a closed development environment is for members only`() async throws {
        let database = try await TestDatabase.make(withUsers: false) { $0.isDevelopmentOpen = false }
        let account = #"{"name":"ann","password":"correct horse"}"#
        await database.play([
            Scenario("a stranger reads", .anonymous, .get, "/records/Post", 401, contains: ["for its members"]),
            Scenario("and writes", .anonymous, .post, "/records/Post", #"{"fields":{"a":1}}"#, 401),
            Scenario("and signs up", .anonymous, .post, "/users", account, 401),
            Scenario(
                "an administrator makes a type", .administrator, .post, "/records/Post", #"{"fields":{"a":1}}"#, 201),
            Scenario("and an account", .administrator, .post, "/users", account, 201),
        ])
        let session = await database.call(.post, "/sessions", body: account)
        let token = try #require(session.json?["token"]?.string, "\(session.text)")
        #expect(await database.call(.get, "/records/Post", token: token).records.count == 1)
        let production = await database.call(.get, "/records/Post?environment=production")
        #expect(production.status == 404)
    }

    @Test func `production takes no unknown type or field`() async throws {
        let database = try await TestDatabase.make(.production, withUsers: false)
        await database.play([
            Scenario("unknown", .administrator, .post, "/records/Post", "{}", 400, contains: ["production"]),
            Scenario("put", .administrator, .put, "/schema", #"{"types":{"Post":{"fields":{}}}}"#, 200),
            Scenario("known", .administrator, .post, "/records/Post", "{}", 201),
            Scenario("unknown field", .administrator, .post, "/records/Post", #"{"fields":{"a":1}}"#, 400),
            Scenario("unknown list", .anonymous, .get, "/records/None", 404),
            Scenario(
                "development is another database", .administrator, .post, "/records/Any?environment=development", "{}",
                201),
        ])
    }

    @Test func `replaced grants apply from the next request`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let open = #"{"grants":{"_world":["CREATE","READ","WRITE"]}}"#
        await database.play([
            Scenario("before", .anonymous, .get, "/records/Secret/s1", 401),
            Scenario("put", .administrator, .put, "/grants/Secret", open, 200, contains: [open]),
            Scenario("read", .administrator, .get, "/grants/Secret", 200, contains: [open]),
            Scenario("all", .administrator, .get, "/grants", 200, contains: [#""Secret":{"_world""#, #""Post":{"#]),
            Scenario("after", .anonymous, .get, "/records/Secret/s1", 200, contains: ["hidden"]),
            Scenario("close", .administrator, .put, "/grants/Secret", #"{"grants":{}}"#, 200),
            Scenario("closed", .anonymous, .get, "/records/Secret/s1", 401),
            Scenario("unknown role", .administrator, .put, "/grants/Secret", #"{"grants":{"gods":["READ"]}}"#, 400),
            Scenario("unknown right", .administrator, .put, "/grants/Secret", #"{"grants":{"_world":["EAT"]}}"#, 400),
            Scenario("nothing", .administrator, .put, "/grants/Secret", "{}", 400),
            Scenario("unknown key", .administrator, .put, "/grants/Secret", #"{"grant":{}}"#, 400),
            Scenario("unknown type", .administrator, .put, "/grants/None", open, 404),
        ])
    }

    @Test func `roles are created, filled and deleted`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario("a stranger cannot", .stranger, .get, "/records/Secret/s1", 404),
            Scenario(
                "a role in a role", .administrator, .put, "/roles/interns", #"{"members":["{stranger}"]}"#, 201,
                contains: [#"{"name":"interns","members":["_"#]),
            Scenario(
                "fills", .administrator, .put, "/roles/editors", #"{"members":["{member}","role:interns"]}"#, 200),
            Scenario("a stranger can", .stranger, .get, "/records/Secret/s1", 200),
            Scenario("reads", .administrator, .get, "/roles/editors", 200, contains: ["role:interns"]),
            Scenario("lists", .administrator, .get, "/roles", 200, contains: ["interns", "editors"]),
            Scenario("deletes", .administrator, .delete, "/roles/interns", 204),
            Scenario("again", .administrator, .delete, "/roles/interns", 404),
            Scenario("gone", .administrator, .get, "/roles/interns", 404),
            Scenario("a stranger cannot any more", .stranger, .get, "/records/Secret/s1", 404),
            Scenario("built in", .administrator, .put, "/roles/_world", #"{"members":[]}"#, 400),
            Scenario("no such member", .administrator, .put, "/roles/x", #"{"members":["nobody"]}"#, 400),
            Scenario("no list", .administrator, .put, "/roles/x", #"{"members":[1]}"#, 400),
            Scenario("no name", .administrator, .put, "/roles/1x", #"{"members":[]}"#, 400),
        ])
    }

    @Test func `accounts sign up, in and out`() async throws {
        let database = try await TestDatabase.make()
        let credentials = #"{"name":"ann","password":"correct horse"}"#
        await database.play([
            Scenario("taken", .anonymous, .post, "/users", credentials, 409, contains: ["EXISTS", "NAME_TAKEN"]),
            Scenario("short", .anonymous, .post, "/users", #"{"name":"x","password":"short"}"#, 400),
            Scenario("nothing", .anonymous, .post, "/users", "{}", 400),
            Scenario("more", .anonymous, .post, "/users", #"{"name":"x","password":"long enough","admin":true}"#, 400),
            Scenario(
                "wrong", .anonymous, .post, "/sessions", #"{"name":"ann","password":"wrong horse"}"#, 401,
                contains: ["AUTHENTICATION_FAILED"]),
            Scenario(
                "unknown", .anonymous, .post, "/sessions", #"{"name":"zoe","password":"wrong horse"}"#, 401,
                contains: ["AUTHENTICATION_FAILED"]),
            Scenario("nobody", .anonymous, .get, "/users/me", 401),
            Scenario("nobody signs out", .anonymous, .delete, "/sessions/current", 401),
            Scenario("the operator", .administrator, .get, "/users/me", 200, contains: ["_administrator"]),
            Scenario("the operator stays", .administrator, .delete, "/sessions/current", 400),
            Scenario(
                "a member", .member, .get, "/users/me", 200, contains: [#""roles":["editors"]"#, #""name":"eve""#]),
        ])
        let session = await database.call(.post, "/sessions", body: credentials)
        #expect(session.status == 201 && session.field("Cache-Control") == "no-store")
        #expect(session.json?["expiresAt"]?.integer != nil)
        #expect(session.json?["user"]?["userRecordName"]?.string == database.userNames[.creator])
        let token = try #require(session.json?["token"]?.string)
        #expect(await database.call(.get, "/users/me", token: token).status == 200)
        #expect(await database.call(.delete, "/sessions/current", token: token).status == 204)
        let after = await database.call(.get, "/users/me", token: token)
        #expect(after.status == 401 && after.code == "AUTHENTICATION_FAILED")
        #expect(after.field("WWW-Authenticate") == #"Bearer error="invalid_token""#)
        #expect(await database.call(.get, "/users/me", as: .creator).status == 200)
    }

    @Test func `on a server with closed sign-up only administrators create accounts`() async throws {
        let database = try await TestDatabase.make(withUsers: false) { $0.signUp = .closed }
        let body = #"{"name":"zoe","password":"long enough"}"#
        await database.play([
            Scenario("anyone", .anonymous, .post, "/users", body, 403),
            Scenario("the operator", .administrator, .post, "/users", body, 201),
        ])
    }
}
