import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Named administrators and the audit log over the routes.
@Suite struct AdministratorRoutesTests {
    static func add(_ database: TestDatabase, _ name: String, _ role: String) async throws -> String {
        let made = await database.call(
            .post, "/administrators", as: .administrator,
            body: #"{"name":"\#(name)","password":"correct horse \#(name)","role":"\#(role)"}"#)
        try #require(made.status == 201, "\(made.text)")
        return try await signIn(database, name)
    }

    private static func signIn(_ database: TestDatabase, _ name: String) async throws -> String {
        let session = await database.call(
            .post, "/administrators/sessions", body: #"{"name":"\#(name)","password":"correct horse \#(name)"}"#)
        try #require(session.status == 201, "\(session.text)")
        #expect(session.field("Cache-Control") == "no-store")
        return try #require(session.json?["token"]?.string)
    }

    @Test func `an administrator is found by any spelling of the name, and logged by its own`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        _ = try await Self.add(database, "ada", "owner")
        for (password, status) in [("correct horse ada", 201), ("wrong horse", 401)] {
            let response = await database.call(
                .post, "/administrators/sessions", body: #"{"name":"\uff21da\u200b","password":"\#(password)"}"#)
            #expect(response.status == status, "\(response.text)")
        }
        let renamed = await database.call(
            .patch, "/administrators/ADA", as: .administrator, body: #"{"role":"viewer"}"#)
        #expect(renamed.status == 200 && renamed.json?["name"]?.string == "ada")
        #expect(await database.call(.delete, "/administrators/Ada", as: .administrator).status == 204)
        let log = await database.call(.get, "/audit?scope=server", as: .administrator)
        let targets = (log.json?["entries"]?.array ?? []).compactMap { $0["target"]?.string }
        #expect(targets.count { $0 == "ada" } == targets.count && targets.count >= 5, "\(log.text)")
    }

    @Test func `each role has its rights in every database of the server`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        for (role, statuses) in [
            ("owner", [200, 200, 200, 200, 200, 200, 200]), ("developer", [200, 200, 200, 200, 403, 403, 403]),
            ("editor", [200, 200, 200, 403, 403, 403, 403]), ("viewer", [200, 403, 200, 403, 403, 403, 403]),
        ] {
            let token = try await Self.add(database, role, role)
            for (target, status) in zip(
                [
                    ("GET", "/records/Secret/s1", ""), ("PATCH", "/records/Secret/s1", #"{"fields":{"title":"t"}}"#),
                    ("GET", "/schema", ""), ("PUT", "/grants/Drop", #"{"grants":{}}"#),
                    ("GET", "/administrators", ""), ("GET", "/audit", ""),
                    ("GET", "/changes?database=private&owner={creator}", ""),
                ], statuses)
            {
                let method: HTTPMethod = target.0 == "GET" ? .get : target.0 == "PUT" ? .put : .patch
                let response = await database.call(
                    method, database.filled(target.1), token: token, body: target.2.isEmpty ? nil : target.2)
                #expect(response.status == status, "\(role) \(target.1): \(response.text)")
            }
            let me = await database.call(.get, "/users/me?environment=production", token: token)
            #expect(me.json?["name"]?.string == role && me.json?["role"]?.string == role)
            #expect(me.json?["isAdministrator"] == true)
        }
    }

    @Test func `owners manage administrators, and a change applies from the next request`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let owner = try await Self.add(database, "ada", "owner")
        let token = try await Self.add(database, "bea", "developer")
        await database.play([
            Scenario(
                "a name that is taken", .administrator, .post, "/administrators",
                #"{"name":"ada","password":"correct horse","role":"viewer"}"#, 409),
            Scenario(
                "a role that is none", .administrator, .post, "/administrators",
                #"{"name":"x","password":"correct horse","role":"king"}"#, 400, contains: ["owner", "viewer"]),
            Scenario(
                "a short password", .administrator, .post, "/administrators",
                #"{"name":"x","password":"short","role":"viewer"}"#, 400),
            Scenario(
                "a name that is a route", .administrator, .post, "/administrators",
                #"{"name":"me","password":"correct horse","role":"viewer"}"#, 400),
            Scenario(
                "list", .administrator, .get, "/administrators", 200, contains: [#""ada""#, #""bea""#],
                lacks: ["horse", "argon", "scrypt"]),
            Scenario("one", .administrator, .get, "/administrators/bea", 200, contains: [#""developer""#]),
            Scenario("none", .administrator, .get, "/administrators/eve", 404),
            Scenario("nobody", .anonymous, .get, "/administrators", 401),
            Scenario("the server's own token has no session", .administrator, .get, "/administrators/sessions", 400),
            Scenario(
                "nor a password", .administrator, .patch, "/administrators/me",
                #"{"password":"correct horse","currentPassword":"x"}"#, 400),
        ])
        for (method, target, body) in [
            (HTTPMethod.get, "/administrators", nil), (.get, "/administrators/ada", nil),
            (.post, "/administrators", #"{"name":"x","password":"correct horse","role":"viewer"}"#),
            (.patch, "/administrators/bea", #"{"role":"owner"}"#), (.delete, "/administrators/ada", nil),
        ] as [(HTTPMethod, String, String?)] {
            let response = await database.call(method, target, token: token, body: body)
            #expect(response.status == 403, "\(target): \(response.text)")
        }
        let changed = await database.call(.patch, "/administrators/bea", token: owner, body: #"{"role":"viewer"}"#)
        #expect(changed.json?["role"] == "viewer")
        #expect(await database.call(.get, "/users/me", token: token).status == 401)
        let again = try await Self.signIn(database, "bea")
        let disabled = await database.call(.patch, "/administrators/bea", token: owner, body: #"{"disabled":true}"#)
        #expect(disabled.status == 200)
        #expect(await database.call(.get, "/users/me", token: again).status == 401)
        let rejected = await database.call(
            .post, "/administrators/sessions", body: #"{"name":"bea","password":"correct horse bea"}"#)
        let unknown = await database.call(
            .post, "/administrators/sessions", body: #"{"name":"eve","password":"correct horse bea"}"#)
        #expect(rejected.status == 401 && rejected.text == unknown.text)
        // The last owner may go.
        #expect(await database.call(.delete, "/administrators/ada", token: owner).status == 204)
        #expect(await database.call(.get, "/users/me", token: owner).status == 401)
        #expect(await database.call(.get, "/administrators", as: .administrator).status == 200)
    }

    @Test func `an administrator sees and ends its own sessions, and changes its password`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let first = try await Self.add(database, "ada", "viewer")
        let (second, other) = (try await Self.signIn(database, "ada"), try await Self.add(database, "bea", "owner"))
        let sessions = await database.call(.get, "/administrators/sessions", token: first).json?["sessions"]?.array
        #expect(sessions?.count == 2)
        let id = try #require(sessions?.first { $0["isCurrent"] == false }?["id"]?.string)
        #expect(await database.call(.delete, "/administrators/sessions/\(id)", token: other).status == 404)
        #expect(await database.call(.delete, "/administrators/sessions/\(id)", token: first).status == 204)
        #expect(await database.call(.get, "/users/me", token: second).status == 401)
        let third = try await Self.signIn(database, "ada")
        let wrong = await database.call(
            .patch, "/administrators/me", token: first,
            body: #"{"password":"another horse","currentPassword":"wrong"}"#)
        #expect(wrong.status == 403 && wrong.json?["details"]?["cause"] == "WRONG_PASSWORD", "\(wrong.text)")
        let right = await database.call(
            .patch, "/administrators/me", token: first,
            body: #"{"password":"another horse","currentPassword":"correct horse ada"}"#)
        #expect(right.status == 204, "\(right.text)")
        #expect(await database.call(.get, "/users/me", token: first).status == 200)
        #expect(await database.call(.get, "/users/me", token: third).status == 401)
        #expect(await database.call(.delete, "/administrators/sessions/current", token: first).status == 204)
        #expect(await database.call(.get, "/users/me", token: first).status == 401)
    }

    @Test func `the operator's token is the server's own`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let me = await database.call(.get, "/users/me", token: TestDatabase.operatorToken)
        #expect(me.json?["role"] == "owner")
        #expect(await database.call(.get, "/users/me", token: TestDatabase.operatorToken + "x").status == 401)
    }

    @Test func `requests that name a private database's owner are logged once an hour`() async throws {
        let database = try await TestDatabase.make()
        let token = try await Self.add(database, "ada", "owner")
        for _ in 0..<3 {
            let target = database.filled("/changes?database=private&owner={creator}")
            #expect(await database.call(.get, target, token: token).status == 200)
        }
        await database.call(.get, "/changes?database=private", as: .creator)
        // The entry is written separately, before the entry of a later write.
        await database.call(.put, "/roles/later", as: .administrator, body: #"{"members":[]}"#)
        let log = await database.call(.get, "/audit?action=user.privateDatabase", as: .administrator)
        let entries = log.json?["entries"]?.array ?? []
        #expect(entries.count == 1, "\(log.text)")
        #expect(entries.first?["actor"] == ["kind": "administrator", "name": "ada"])
        #expect(entries.first?["target"]?.string == database.userNames[.creator])
    }

    @Test func `failed sign-ins of users are counted in the database's log`() async throws {
        let database = try await TestDatabase.make()
        for name in ["ann", "ann", "nobody-has-this"] {
            await database.call(.post, "/sessions", body: #"{"name":"\#(name)","password":"wrong horse"}"#)
        }
        let log = await database.call(.get, "/audit?action=session.failed", as: .administrator)
        let entries = log.json?["entries"]?.array ?? []
        #expect(Set(entries.compactMap { $0["target"]?.string }) == ["ann", "(unknown name)"])
        #expect(entries.compactMap { $0["detail"]?["count"]?.integer }.reduce(0, +) == 3)
        #expect(!log.text.contains("nobody-has-this") && !log.text.tells("horse"))
    }

    @Test func `the log is filtered by its columns, and invalid filters are rejected`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        _ = try await Self.add(database, "ada", "owner")
        await database.play([
            Scenario(
                "the server's", .administrator, .get, "/audit?scope=server", 200,
                contains: ["administrator.create", "administrator.signIn", "192.0.2.1", "request-1"]),
            Scenario("the database's", .administrator, .get, "/audit", 200, contains: [#"{"entries":[]}"#]),
            Scenario(
                "an actor's", .administrator, .get, "/audit?scope=server&actor=ada", 200,
                contains: ["administrator.signIn"], lacks: ["administrator.create"]),
            Scenario("an unknown action", .administrator, .get, "/audit?action=eat", 400),
            Scenario("an unknown log", .administrator, .get, "/audit?scope=world", 400),
            Scenario("no moment", .administrator, .get, "/audit?since=yesterday", 400),
            Scenario("no cursor", .administrator, .get, "/audit?cursor=1", 400),
            Scenario("too much", .administrator, .get, "/audit?limit=100000", 400),
            Scenario("nobody", .anonymous, .get, "/audit", 401),
        ])
        let page = await database.call(.get, "/audit?scope=server&limit=1", as: .administrator)
        let cursor = try #require(page.json?["cursor"]?.string)
        let next = await database.call(.get, "/audit?scope=server&limit=1&cursor=\(cursor)", as: .administrator)
        #expect(next.json?["entries"]?.array?.first?["action"] == "administrator.create")
        #expect(next.json?["cursor"] == nil)
    }
}
