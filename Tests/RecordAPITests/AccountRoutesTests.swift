import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct AccountRoutesTests {
    private static let password = #""password":"correct horse""#

    /// Signs in again and returns the token.
    private static func signIn(
        _ database: TestDatabase, _ name: String = "ann", _ password: String = "correct horse", label: String? = nil
    ) async throws -> String {
        let label = label.map { #","label":"\#($0)""# } ?? ""
        let response = await database.call(
            .post, "/sessions", body: #"{"name":"\#(name)","password":"\#(password)"\#(label)}"#)
        try #require(response.status == 201, "\(response.text)")
        return try #require(response.json?["token"]?.string)
    }

    private static func isGood(_ token: String, _ database: TestDatabase) async -> Bool {
        await database.call(.get, "/users/me", token: token).status == 200
    }

    // MARK: Names

    @Test func `an account is found by any spelling of its name, and logged by its own`() async throws {
        let database = try await TestDatabase.make()
        await database.play([
            Scenario(
                "a look-alike", .anonymous, .post, "/users", #"{"name":"ANN","password":"correct horse"}"#, 409,
                contains: ["looks the same"]),
            Scenario(
                "signing in", .anonymous, .post, "/sessions", #"{"name":"\uff21nn","password":"correct horse"}"#, 201,
                contains: [#""name":"ann""#]),
            Scenario(
                "a wrong password", .anonymous, .post, "/sessions", #"{"name":"AnN","password":"wrong horse"}"#, 401),
            Scenario("looking up", .administrator, .get, "/users?name=ANN", 200, contains: [#""name":"ann""#]),
            Scenario(
                "nothing to see", .anonymous, .post, "/users", #"{"name":"\u200b","password":"correct horse"}"#, 400,
                contains: ["people can see"]),
        ])
        let log = await database.call(.get, "/audit?action=session.failed", as: .administrator)
        let entries = log.json?["entries"]?.array ?? []
        #expect(entries.isEmpty == false && entries.allSatisfy { $0["target"]?.string == "ann" }, "\(log.text)")
    }

    // MARK: Sessions

    @Test func `an owner lists its sessions with their labels and ends them one by one`() async throws {
        let database = try await TestDatabase.make()
        let phone = try await Self.signIn(database, label: "phone")
        #expect(phone.hasPrefix("fbs_") && phone.utf8.count == 47)
        let list = await database.call(.get, "/sessions", token: phone)
        let sessions = try #require(list.json?["sessions"]?.array)
        #expect(sessions.count == 2)
        let own = try #require(sessions.first { $0["current"]?.bool == true })
        #expect(own["label"]?.string == "phone" && own["expiresAt"]?.integer != nil)
        #expect(own["createdTimestamp"] == own["usedTimestamp"])
        let other = try #require(sessions.first { $0["current"]?.bool == false }?["id"]?.string)
        #expect(other.utf8.count == 32 && !list.text.contains("fbs_") && !list.text.tells("hash"))
        // A foreign id and an unknown one are the same.
        let foreign = await database.call(.delete, "/sessions/\(other)", as: .stranger)
        let unknown = await database.call(.delete, "/sessions/0123456789abcdef0123456789abcdef", as: .stranger)
        #expect(foreign.status == 404 && foreign.text == unknown.text)
        #expect(await database.call(.delete, "/sessions/\(other)", token: phone).status == 204)
        #expect(await database.call(.get, "/users/me", as: .creator).status == 401)
        #expect(await database.call(.delete, "/sessions/\(other)", token: phone).status == 404)
        await database.play([
            Scenario("nobody's list", .anonymous, .get, "/sessions", 401),
            Scenario("nobody's end", .anonymous, .delete, "/sessions", 401),
            Scenario("nobody's turn", .anonymous, .post, "/sessions/current/rotate", 401),
            Scenario("the operator", .administrator, .get, "/sessions", 400),
            Scenario(
                "long label", .anonymous, .post, "/sessions",
                #"{"name":"ann","password":"correct horse","label":"\#(String(repeating: "x", count: 101))"}"#, 400),
            Scenario("odd word", .stranger, .delete, "/sessions?others=1", 400),
        ])
    }

    @Test func `one request ends all other sessions, or all`() async throws {
        let database = try await TestDatabase.make()
        let (first, second) = (try await Self.signIn(database), try await Self.signIn(database))
        #expect(await database.call(.delete, "/sessions?others=true", token: first).status == 204)
        #expect(await Self.isGood(first, database))
        #expect(await !Self.isGood(second, database))
        #expect(await database.call(.get, "/users/me", as: .creator).status == 401)
        let third = try await Self.signIn(database)
        #expect(await database.call(.delete, "/sessions", token: third).status == 204)
        #expect(await !Self.isGood(first, database))
        #expect(await !Self.isGood(third, database))
        #expect(await database.call(.get, "/users/me", as: .stranger).status == 200)
    }

    @Test func `a session is rotated, and its old token is dead on every loop`() async throws {
        let database = try await TestDatabase.make()
        let old = try await Self.signIn(database, label: "phone")
        let loop = database.api.makeContext()
        #expect(await database.call(.get, "/users/me", token: old, in: loop).status == 200)
        let response = await database.call(.post, "/sessions/current/rotate", token: old)
        #expect(response.status == 200 && response.field("Cache-Control") == "no-store")
        let new = try #require(response.json?["token"]?.string)
        #expect(new != old)
        #expect(await database.call(.get, "/users/me", token: old, in: loop).status == 401)
        #expect(await !Self.isGood(old, database))
        #expect(await database.call(.post, "/sessions/current/rotate", token: old).status == 401)
        let list = await database.call(.get, "/sessions", token: new)
        let current = list.json?["sessions"]?.array?.first { $0["current"]?.bool == true }
        #expect(current?["label"]?.string == "phone")
        loop.closeReaders()
    }

    // MARK: The account

    @Test func `a new password ends all other sessions and rotates this one`() async throws {
        let database = try await TestDatabase.make()
        let (token, other) = (try await Self.signIn(database), try await Self.signIn(database))
        let wrong = await database.call(
            .patch, "/users/me", token: token, body: #"{"password":"battery staple","currentPassword":"wrong horse"}"#)
        #expect(wrong.status == 403 && wrong.code == "ACCESS_DENIED")
        #expect(
            await database.call(.patch, "/users/me", token: token, body: #"{"password":"battery staple"}"#).status
                == 400)
        #expect(await Self.isGood(other, database))
        let response = await database.call(
            .patch, "/users/me", token: token, body: #"{"password":"battery staple","currentPassword":"correct horse"}"#
        )
        #expect(response.status == 200 && response.field("Cache-Control") == "no-store")
        let new = try #require(response.json?["token"]?.string)
        #expect(await Self.isGood(new, database))
        #expect(await !Self.isGood(token, database))
        #expect(await !Self.isGood(other, database))
        #expect(await database.call(.get, "/users/me", as: .creator).status == 401)
        let old = await database.call(.post, "/sessions", body: #"{"name":"ann","password":"correct horse"}"#)
        #expect(old.status == 401)
        _ = try await Self.signIn(database, "ann", "battery staple")
    }

    @Test func `an account is renamed by its password, to a name that is free`() async throws {
        let database = try await TestDatabase.make()
        let current = #""currentPassword":"correct horse""#
        await database.play([
            Scenario("nobody", .anonymous, .patch, "/users/me", #"{"name":"x",\#(current)}"#, 401),
            Scenario("the operator", .administrator, .patch, "/users/me", #"{"name":"x",\#(current)}"#, 400),
            Scenario("nothing", .creator, .patch, "/users/me", "{\(current)}", 400),
            Scenario("no password", .creator, .patch, "/users/me", #"{"name":"anna"}"#, 400),
            Scenario(
                "wrong", .creator, .patch, "/users/me", #"{"name":"anna","currentPassword":"wrong horse"}"#, 403),
            Scenario("taken", .creator, .patch, "/users/me", #"{"name":"bob",\#(current)}"#, 409, contains: ["EXISTS"]),
            Scenario("the server's", .creator, .patch, "/users/me", #"{"name":"_anna",\#(current)}"#, 400),
            Scenario("no text", .creator, .patch, "/users/me", #"{"name":7,\#(current)}"#, 400),
            Scenario("more", .creator, .patch, "/users/me", #"{"name":"x","kind":2,\#(current)}"#, 400),
            Scenario(
                "renamed", .creator, .patch, "/users/me", #"{"name":"anna",\#(current)}"#, 200,
                contains: [#""name":"anna""#], lacks: ["token", "password"]),
            Scenario("still in", .creator, .get, "/users/me", 200, contains: [#""name":"anna""#]),
            Scenario("the old name", .anonymous, .post, "/sessions", #"{"name":"ann",\#(Self.password)}"#, 401),
            Scenario("the new one", .anonymous, .post, "/sessions", #"{"name":"anna",\#(Self.password)}"#, 201),
            Scenario("free again", .anonymous, .post, "/users", #"{"name":"ann",\#(Self.password)}"#, 201),
        ])
    }

    @Test func `names with a leading underscore are reserved`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for name in ["_0123456789abcdef0123456789abcdef", "_anonymous", "_"] {
            let response = await database.call(.post, "/users", body: #"{"name":"\#(name)",\#(Self.password)}"#)
            #expect(response.status == 400, "\(name)")
        }
    }

    /// `as`, `POST /explain/access` and the console take these words for other callers.
    @Test(arguments: [
        "anonymous", "Anonymous", "\u{FF41}nonymous", "anony\u{200B}mous", "administrator", "ADMINISTRATOR",
        "administrator:owner", "key:backend", "KEY:x", "user:ann", "key\u{FF1A}x",
    ])
    func `names of other callers are reserved, however they are spelled`(_ name: String) async throws {
        let database = try await TestDatabase.make()
        let sign = await database.call(.post, "/users", body: #"{"name":"\#(name)",\#(Self.password)}"#)
        #expect(sign.status == 400 && sign.text.contains("name other callers"), "\(sign.text)")
        let rename = await database.call(
            .patch, "/users/me", as: .creator, body: #"{"name":"\#(name)","currentPassword":"correct horse"}"#)
        #expect(rename.status == 400, "\(rename.text)")
        let invitation = await database.call(
            .post, "/invitations", as: .administrator, body: #"{"name":"\#(name)"}"#)
        #expect(invitation.status == 400, "\(invitation.text)")
        let free = await database.call(
            .post, "/users", body: #"{"name":"\#(name.prefix(3))-other",\#(Self.password)}"#)
        #expect(free.status == 201, "\(free.text)")
    }

    @Test func `an account is removed with its password, and its records stay`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let name = try #require(database.userNames[.creator])
        let other = try await Self.signIn(database)
        #expect(
            await database.call(
                .put, "/records/Post/mine?database=private", as: .creator, body: #"{"fields":{"title":"x"}}"#
            ).status == 201)
        await database.play([
            Scenario("nobody", .anonymous, .delete, "/users/me", 401),
            Scenario("no password", .creator, .delete, "/users/me", 400),
            Scenario("wrong", .creator, .delete, "/users/me", #"{"password":"wrong horse"}"#, 403),
            Scenario("the operator", .administrator, .delete, "/users/me", #"{"password":"wrong horse"}"#, 400),
            Scenario("right", .creator, .delete, "/users/me", "{\(Self.password)}", 204),
            Scenario("again", .creator, .delete, "/users/me", "{\(Self.password)}", 401),
            Scenario("reads", .creator, .get, "/records/Post/mine?database=private", 401),
            Scenario("signs in", .anonymous, .post, "/sessions", #"{"name":"ann",\#(Self.password)}"#, 401),
            Scenario(
                "the operator's look", .administrator, .get, "/records/Post/mine?database=private&owner=\(name)", 404),
            Scenario(
                "what it made", .anonymous, .get, "/records/Post/p1", 200, contains: ["_deleted"], lacks: [name]),
            Scenario("its user record", .administrator, .get, "/records/Users/\(name)", 404),
            Scenario("the name is free", .anonymous, .post, "/users", #"{"name":"ann",\#(Self.password)}"#, 201),
        ])
        #expect(await !Self.isGood(other, database))
    }

    @Test func `an anonymous account gets a name later`() async throws {
        let closed = try await TestDatabase.make(withUsers: false)
        #expect(await closed.call(.post, "/users/anonymous").status == 403)
        let database = try await TestDatabase.make { $0.allowsAnonymousAccounts = true }
        try await database.addForum()
        let response = await database.call(.post, "/users/anonymous", body: #"{"label":"phone"}"#)
        #expect(response.status == 201)
        let token = try #require(response.json?["token"]?.string)
        let name = try #require(response.json?["user"]?["userRecordName"]?.string)
        #expect(response.json?["user"]?["name"]?.string == name)
        #expect(
            await database.call(.put, "/records/Post/a", token: token, body: #"{"fields":{"title":"x"}}"#).status == 201
        )
        #expect(
            await database.call(.put, "/records/Post/own?database=private", token: token, body: "{}").status == 201)
        // No sign-in to it is possible, and its name cannot be taken.
        for password in ["", "correct horse", name] {
            let signIn = await database.call(
                .post, "/sessions", body: #"{"name":"\#(name)","password":"\#(password)"}"#)
            #expect(signIn.status == (password.isEmpty ? 400 : 401))
        }
        #expect(await database.call(.post, "/users", body: #"{"name":"\#(name)",\#(Self.password)}"#).status == 400)
        for body in [
            #"{"name":"zoe"}"#, #"{"password":"battery staple"}"#,
            #"{"name":"zoe","password":"battery staple","currentPassword":"x"}"#,
        ] {
            #expect(await database.call(.patch, "/users/me", token: token, body: body).status == 400, "\(body)")
        }
        let taken = await database.call(
            .patch, "/users/me", token: token, body: #"{"name":"ann","password":"battery staple"}"#)
        #expect(taken.status == 409)
        let upgraded = await database.call(
            .patch, "/users/me", token: token, body: #"{"name":"zoe","password":"battery staple"}"#)
        #expect(upgraded.status == 200)
        #expect(upgraded.json?["user"]?["userRecordName"]?.string == name)
        let new = try #require(upgraded.json?["token"]?.string)
        #expect(await !Self.isGood(token, database))
        #expect(await database.call(.get, "/records/Post/own?database=private", token: new).status == 200)
        let me = await database.call(.get, "/users/me", token: new)
        #expect(me.json?["isAnonymous"]?.bool == false && me.json?["name"]?.string == "zoe")
        let again = try await Self.signIn(database, "zoe", "battery staple")
        #expect(
            await database.call(.patch, "/records/Post/a", token: again, body: #"{"fields":{"good":1}}"#).status == 200)
        // An account without a password is removed without one.
        let second = try #require(await database.call(.post, "/users/anonymous").json?["token"]?.string)
        #expect(await database.call(.delete, "/users/me", token: second).status == 204)
        #expect(await !Self.isGood(second, database))
    }

    // MARK: Invitations

    @Test func `sign-up by invitation needs a valid invitation`() async throws {
        let database = try await TestDatabase.make(withUsers: false) {
            $0.signUp = .invitation
            $0.allowsAnonymousAccounts = true
        }
        await database.call(.put, "/roles/editors", as: .administrator, body: #"{"members":[]}"#)
        let made = await database.call(.post, "/invitations", as: .administrator, body: #"{"roles":["editors"]}"#)
        #expect(made.status == 201 && made.field("Cache-Control") == "no-store")
        let token = try #require(made.json?["invitation"]?.string)
        let id = try #require(made.json?["id"]?.string)
        #expect(token.hasPrefix("fbi_") && made.json?["uses"]?.integer == 1)
        func body(_ name: String, _ invitation: String?) -> String {
            #"{"name":"\#(name)",\#(Self.password)\#(invitation.map { #","invitation":"\#($0)""# } ?? "")}"#
        }
        await database.play([
            Scenario("nobody invites", .anonymous, .post, "/invitations", "{}", 401),
            Scenario("nobody looks", .anonymous, .get, "/invitations", 401),
            Scenario("nobody takes back", .anonymous, .delete, "/invitations/\(id)", 401),
            Scenario("no such role", .administrator, .post, "/invitations", #"{"roles":["x"]}"#, 400),
            Scenario("a built-in role", .administrator, .post, "/invitations", #"{"roles":["_icloud"]}"#, 400),
            Scenario("too many", .administrator, .post, "/invitations", #"{"uses":1001}"#, 400),
            Scenario("none", .administrator, .post, "/invitations", #"{"uses":0}"#, 400),
            Scenario("for ever", .administrator, .post, "/invitations", #"{"expiresIn":99999999}"#, 400),
            Scenario(
                "listed without the token", .administrator, .get, "/invitations", 200, contains: [id], lacks: ["fbi_"]),
            Scenario("without", .anonymous, .post, "/users", body("zoe", nil), 403),
            Scenario("with a wrong one", .anonymous, .post, "/users", body("zoe", "fbi_x"), 403),
            Scenario("the operator", .administrator, .post, "/users", body("operated", nil), 201),
            Scenario("a taken name", .anonymous, .post, "/users", body("operated", token), 409),
            Scenario("with it", .anonymous, .post, "/users", body("zoe", token), 201),
            Scenario("used up", .anonymous, .post, "/users", body("yan", token), 403),
            Scenario("told", .administrator, .get, "/invitations", 200, contains: [#""used":1"#]),
            Scenario("taken back", .administrator, .delete, "/invitations/\(id)", 204),
            Scenario("gone", .administrator, .delete, "/invitations/\(id)", 404),
        ])
        let session = try await Self.signIn(database, "zoe")
        let me = await database.call(.get, "/users/me", token: session)
        #expect(me.json?["roles"]?.array == ["editors"])
        // An invitation with a name is valid for that name only; an anonymous account needs an invitation to take a
        // name.
        let named = await database.call(.post, "/invitations", as: .administrator, body: #"{"name":"yan"}"#)
        let yans = try #require(named.json?["invitation"]?.string)
        #expect(await database.call(.post, "/users", body: body("xia", yans)).status == 403)
        let anonymous = try #require(await database.call(.post, "/users/anonymous").json?["token"]?.string)
        #expect(
            await database.call(.patch, "/users/me", token: anonymous, body: body("yan", nil)).status == 403)
        #expect(await database.call(.patch, "/users/me", token: anonymous, body: body("yan", yans)).status == 200)
        #expect(await database.call(.post, "/users", body: body("yan", yans)).status == 403)
    }

    // MARK: User records

    @Test func `a schema without the type of user records keeps it while accounts exist`() async throws {
        let database = try await TestDatabase.make(.production)
        func put(_ types: String) async -> Response {
            await database.call(.put, "/schema", as: .administrator, body: #"{"types":{\#(types)}}"#)
        }
        let grants = #""grants":{"_world":["READ"],"_creator":["WRITE"]}"#
        let made = await put(#""Users":{"fields":{"nick":{"type":"STRING"}},\#(grants)},"Post":{"fields":{}}"#)
        #expect(made.status == 200, "\(made.text)")
        let left = await put("")
        let users = left.json?["types"]?["Users"]
        #expect(left.status == 200 && left.json?["types"]?.object?.keys.count == 1, "\(left.text)")
        #expect(users?["fields"]?["nick"]?["type"] == "STRING" && users?["grants"]?["_world"] == ["READ"])
        let named = await database.call(
            .patch, "/records/Users/\(database.userNames[.creator] ?? "")", as: .creator,
            body: #"{"fields":{"nick":"x"}}"#)
        #expect(named.status == 200, "\(named.text)")
        let lost = await put(#""Users":{"fields":{}}"#)
        #expect(lost.status == 400 && lost.text.contains("nick"), "\(lost.text)")
        let nobody = try await TestDatabase.make(.production, withUsers: false)
        for types in [#""Users":{"fields":{}}"#, ""] {
            let response = await nobody.call(.put, "/schema", as: .administrator, body: #"{"types":{\#(types)}}"#)
            #expect(
                response.status == 200 && (response.json?["types"]?["Users"] == nil) == types.isEmpty,
                "\(response.text)")
        }
    }

    @Test(arguments: [RecordEnvironment.development, .production])
    func `each account has a user record that only it may write`(_ environment: RecordEnvironment) async throws {
        let database = try await TestDatabase.make(environment)
        let ann = try #require(database.userNames[.creator])
        if environment == .production {
            let schema = await database.call(
                .put, "/schema", as: .administrator,
                body:
                    #"{"types":{"Users":{"fields":{"nick":{"type":"STRING"},"top":{"type":"REFERENCE"}}},"Post":{"fields":{}}}}"#
            )
            #expect(schema.status == 200)
        } else {
            #expect(await database.call(.put, "/records/Post/p", as: .creator, body: "{}").status == 201)
        }
        let new = #"{"fields":{"nick":"x"}}"#
        let other = "_0123456789abcdef0123456789abcdef"
        let batch =
            #"{"operations":[{"operationType":"OP","record":{"recordType":"Users","recordName":"NAME"}}],"atomic":false}"#
        func item(_ operation: String, _ name: String) -> String {
            batch.replacing("OP", with: operation).replacing("NAME", with: name)
        }
        await database.play([
            Scenario(
                "there", .creator, .get, "/records/Users/\(ann)", 200, contains: [#""userRecordName":"\#(ann)""#],
                lacks: ["password", "argon", "scrypt"]),
            Scenario("not a stranger's", .stranger, .get, "/records/Users/\(ann)", 404),
            Scenario("nobody's", .anonymous, .get, "/records/Users/\(ann)", 401),
            Scenario("its own list", .creator, .get, "/records/Users", 200, contains: [ann]),
            Scenario("filled", .creator, .patch, "/records/Users/\(ann)", new, 200, contains: ["nick"]),
            Scenario("replaced", .creator, .put, "/records/Users/\(ann)", new, 200),
            Scenario("by a stranger", .stranger, .patch, "/records/Users/\(ann)", new, 404),
            Scenario(
                "opened", .administrator, .put, "/grants/Users",
                #"{"grants":{"_world":["READ","CREATE"],"_icloud":["CREATE"],"_creator":["WRITE"]}}"#, 200),
            Scenario("read", .anonymous, .get, "/records/Users/\(ann)", 200),
            Scenario("made", .stranger, .post, "/records/Users", new, 403, contains: ["Sign up instead"]),
            Scenario("made by name", .stranger, .put, "/records/Users/\(other)", new, 403),
            Scenario("by the operator", .administrator, .put, "/records/Users/\(other)", new, 403),
            Scenario("over another", .stranger, .put, "/records/Users/\(ann)", new, 403),
            Scenario("in private", .stranger, .put, "/records/Users/mine?database=private", new, 403),
            Scenario(
                "in a batch", .stranger, .post, "/records", item("create", other), 200, contains: ["ACCESS_DENIED"]),
            Scenario(
                "by force", .stranger, .post, "/records", item("forceReplace", other), 200,
                contains: ["ACCESS_DENIED"]),
            Scenario("its name", .stranger, .put, "/records/Post/\(other)", "{}", 400, contains: ["user records"]),
            Scenario("deleted", .creator, .delete, "/records/Users/\(ann)", 403, contains: ["DELETE /users/me"]),
            Scenario("by the operator", .administrator, .delete, "/records/Users/\(ann)", 403),
            Scenario(
                "deleted in a batch", .creator, .post, "/records", item("forceDelete", ann), 200,
                contains: ["ACCESS_DENIED"]),
            Scenario("as a set", .administrator, .delete, "/query/Users?all=true", 403),
            Scenario("by a schema", .administrator, .put, "/schema", #"{"types":{"Post":{"fields":{}}}}"#, 200),
            Scenario("still there", .creator, .get, "/records/Users/\(ann)", 200, contains: ["nick"]),
            Scenario(
                "with a cord", .creator, .patch, "/records/Users/\(ann)",
                #"{"fields":{"top":{"value":{"recordName":"p","action":"DELETE_SELF"},"type":"REFERENCE"}}}"#, 400),
        ])
    }
}
