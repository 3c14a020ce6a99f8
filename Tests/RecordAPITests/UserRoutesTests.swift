import HTTP
import RecordEngine
import RecordModel
import RecordWire
import Testing

@testable import RecordAPI

/// Routes for the accounts of others.
@Suite struct UserRoutesTests {
    /// The token of a named administrator.
    private static func administrator(_ role: String, in test: TestDatabase) async throws -> String {
        let made = await test.call(
            .post, "/administrators", as: .administrator,
            body: #"{"name":"\#(role)","password":"correct horse","role":"\#(role)"}"#)
        try #require(made.status == 201, "\(made.text)")
        let session = await test.call(
            .post, "/administrators/sessions", body: #"{"name":"\#(role)","password":"correct horse"}"#)
        return try #require(session.json?["token"]?.string)
    }

    private static func key(_ rights: String, in test: TestDatabase) async throws -> String {
        let made = await test.call(
            .post, "/keys", as: .administrator, body: #"{"name":"k","scope":{"rights":["\#(rights)"]}}"#)
        return try #require(made.json?["token"]?.string, "\(made.text)")
    }

    private static func actions(_ test: TestDatabase) async -> [String] {
        await entries(test).compactMap { $0["action"]?.string }
    }

    /// The audit entries except the sign-ups of the test accounts.
    private static func entries(_ test: TestDatabase) async -> [JSONValue] {
        let log = await test.call(.get, "/audit", as: .administrator)
        return (log.json?["entries"]?.array ?? []).filter { $0["action"] != "user.signUp" }
    }

    @Test func `accounts are found by the beginnings of their names, page by page`() async throws {
        let test = try await TestDatabase.make()
        for name in ["Anna", "ANN-2", "ana", "zoe", "Ämma"] {
            await test.call(.post, "/users", body: #"{"name":"\#(name)","password":"correct horse"}"#)
        }
        await test.call(.post, "/users/anonymous", body: "{}")
        _ = try await Self.key("manageUsers", in: test)
        func names(_ query: String) async -> [String] {
            var (names, cursor): ([String], String) = ([], "")
            repeat {
                let page = await test.call(.get, "/users?\(query)\(cursor)", as: .administrator)
                names += (page.json?["users"]?.array ?? []).compactMap { $0["name"]?.string }
                cursor = page.json?["cursor"]?.string.map { "&cursor=" + $0 } ?? ""
            } while !cursor.isEmpty && names.count < 20
            return names
        }
        #expect(await names("search=an") == ["ana", "ann", "ANN-2", "Anna"])
        #expect(await names("search=AN&limit=1") == ["ana", "ann", "ANN-2", "Anna"])
        #expect(await names("search=%C3%A4") == ["Ämma"])
        #expect(await names("search=x") == [])
        for bad in ["search=", "search=a&cursor=x", "search=a&cursor=%2F.1", "search=a&cursor=YQ.x"] {
            #expect(await test.call(.get, "/users?\(bad)", as: .administrator).status == 400, "\(bad)")
        }
    }

    @Test func `an account is shown with its roles and usage`() async throws {
        let test = try await TestDatabase.make()
        await test.call(.put, "/records/Note/n?database=private", as: .member, body: #"{"fields":{"n":1}}"#)
        let shown = await test.call(.get, "/users/{member}", as: .administrator)
        #expect(shown.status == 200 && shown.json?["name"] == "eve" && shown.json?["roles"] == ["editors"])
        // With the record of the user itself.
        #expect(shown.json?["usage"]?["records"] == .integer(2), "\(shown.text)")
        #expect(await test.call(.get, "/users/_00000000000000000000000000000000", as: .administrator).status == 404)
        #expect(await test.call(.get, "/users/eve", as: .administrator).status == 400)
    }

    @Test func `accounts are listed in pages, without those of keys`() async throws {
        let test = try await TestDatabase.make()
        _ = try await Self.key("manageUsers", in: test)
        let all = await test.call(.get, "/users", as: .administrator)
        let users = all.json?["users"]?.array ?? []
        #expect(users.map { $0["name"] } == ["ann", "bob", "eve"] && all.json?["cursor"] == nil)
        #expect(users.map { $0["roles"] } == [[], [], ["editors"]])
        #expect(users.allSatisfy { $0["isAnonymous"] == false && $0["createdTimestamp"]?.integer != nil })
        var names: [String] = []
        var target = "/users?limit=1"
        while names.count < 5 {
            let page = await test.call(.get, target, as: .administrator)
            names += (page.json?["users"]?.array ?? []).compactMap { $0["name"]?.string }
            guard let cursor = page.json?["cursor"]?.string else { break }
            // Paging continues at the same position after a deletion.
            if names == ["ann"] {
                #expect(await test.call(.delete, "/users/{creator}", as: .administrator).status == 204)
            }
            target = "/users?limit=1&cursor=\(cursor)"
        }
        #expect(names == ["ann", "bob", "eve"])
        #expect(await test.call(.get, "/users?cursor=x", as: .administrator).status == 400)
        #expect(await test.call(.get, "/users?limit=0", as: .administrator).status == 400)
        let one = await test.call(.get, "/users?name=eve", as: .administrator)
        #expect(one.json?["users"]?.array?.map { $0["name"] } == ["eve"])
        #expect(await test.call(.get, "/users?name=ann", as: .administrator).json?["users"] == [])
    }

    @Test func `a new password ends all sessions of the account`() async throws {
        let test = try await TestDatabase.make()
        let changed = await test.call(
            .patch, "/users/{creator}", as: .administrator, body: #"{"password":"battery staple"}"#)
        #expect(changed.status == 200 && changed.json?["name"] == "ann", "\(changed.text)")
        #expect(await test.call(.get, "/users/me", as: .creator).status == 401)
        #expect(
            await test.call(.post, "/sessions", body: #"{"name":"ann","password":"battery staple"}"#).status == 201)
        #expect(
            await test.call(.post, "/sessions", body: #"{"name":"ann","password":"correct horse"}"#).status == 401)
        for body in [
            #"{}"#, #"{"password":"short"}"#, #"{"password":7}"#, #"{"name":"x","password":"battery staple"}"#,
            #"{"disabled":1}"#, #"{"disabled":null}"#,
        ] {
            #expect(
                await test.call(.patch, "/users/{creator}", as: .administrator, body: body).status == 400, "\(body)")
        }
        #expect(await Self.actions(test) == ["session.failed", "user.password", "role.put"])
    }

    @Test func `a disabled account has no session and gets none, and its records stay`() async throws {
        let test = try await TestDatabase.make()
        try await test.addForum()
        let developer = try await Self.administrator("developer", in: test)
        let other = await test.call(.post, "/sessions", body: #"{"name":"ann","password":"correct horse"}"#)
        let token = try #require(other.json?["token"]?.string)
        // Both are known to the loop by now.
        #expect(await test.call(.get, "/users/me", token: token).status == 200)
        #expect(await test.call(.get, "/users/me", as: .creator).status == 200)
        let done = await test.call(.patch, "/users/{creator}", token: developer, body: #"{"disabled":true}"#)
        #expect(done.status == 200 && done.json?["disabled"] == true, "\(done.text)")
        #expect(done.json?["disabledTimestamp"]?.integer != nil)
        #expect(await test.call(.get, "/users/me", token: token).status == 401)
        #expect(await test.call(.get, "/users/me", as: .creator).status == 401)
        let right = await test.call(.post, "/sessions", body: #"{"name":"ann","password":"correct horse"}"#)
        #expect(right.status == 403 && right.json?["serverErrorCode"] == "ACCESS_DENIED", "\(right.text)")
        #expect(right.json?["details"]?["cause"] == "ACCOUNT_DISABLED")
        let wrong = await test.call(.post, "/sessions", body: #"{"name":"ann","password":"wrong horse"}"#)
        let nobody = await test.call(.post, "/sessions", body: #"{"name":"nix","password":"wrong horse"}"#)
        #expect(wrong.status == 401 && wrong.json?["reason"] == nobody.json?["reason"], "\(wrong.text)")
        #expect(await test.call(.get, "/records/Post/p1").status == 200)
        #expect(
            await test.call(.post, "/users", body: #"{"name":"ann","password":"correct horse"}"#).status == 409)
        let list = await test.call(.get, "/users?name=ann", as: .administrator)
        #expect(list.json?["users"]?.array?.first?["disabled"] == true, "\(list.text)")
        let why = await test.call(
            .post, "/explain/access", as: .administrator,
            body: #"{"caller":"{creator}","action":"read","recordType":"Post"}"#)
        #expect(why.status == 200 && why.json?["rule"] == "ACCOUNT_DISABLED", "\(why.text)")
        // A repetition has the same result, and a new password does not enable it.
        for body in [#"{"disabled":true}"#, #"{"password":"battery staple"}"#] {
            let again = await test.call(.patch, "/users/{creator}", as: .administrator, body: body)
            #expect(again.status == 200 && again.json?["disabled"] == true, "\(again.text)")
        }
        let enabled = await test.call(.patch, "/users/{creator}", token: developer, body: #"{"disabled":false}"#)
        #expect(enabled.status == 200 && enabled.json?["disabled"] == nil, "\(enabled.text)")
        #expect(await test.call(.get, "/users/me", token: token).status == 401)
        #expect(
            await test.call(.post, "/sessions", body: #"{"name":"ann","password":"battery staple"}"#).status == 201)
        let log = await test.call(.get, "/audit", as: .administrator)
        let entries = (log.json?["entries"]?.array ?? []).filter {
            ["user.disable", "user.enable", "user.password"].contains($0["action"]?.string)
        }
        #expect(entries.map { $0["action"] } == ["user.enable", "user.password", "user.disable"])
        #expect(entries.allSatisfy { $0["target"] == "ann" } && entries[0]["actor"]?["name"] == "developer")
        // A sign-in to a disabled account with the right password is not counted as a guess, but is logged.
        let failed = await test.call(.get, "/audit?action=session.failed", as: .administrator)
        #expect(failed.json?["entries"]?.array?.contains { $0["target"] == "ann" } == true, "\(failed.text)")
    }

    @Test func `a caller without permission to manage users cannot disable accounts`() async throws {
        let test = try await TestDatabase.make()
        let editor = try await Self.administrator("editor", in: test)
        let key = try await Self.key("manageUsers", in: test)
        let body = #"{"disabled":true}"#
        #expect(await test.call(.patch, "/users/{creator}", token: editor, body: body).status == 403)
        #expect(await test.call(.patch, "/users/{creator}", as: .creator, body: body).status == 403)
        #expect(await test.call(.patch, "/users/{creator}", body: body).status == 401)
        #expect(await test.call(.get, "/users/me", as: .creator).status == 200)
        // The right to disable accounts does not include passwords, and a request for both changes nothing.
        let both = #"{"disabled":true,"password":"battery staple"}"#
        #expect(await test.call(.patch, "/users/{creator}", token: key, body: both).status == 403)
        #expect(await test.call(.get, "/users/me", as: .creator).status == 200)
        #expect(await test.call(.patch, "/users/{creator}", token: key, body: body).status == 200)
        #expect(await test.call(.get, "/users/me", as: .creator).status == 401)
    }

    @Test func `only owners set passwords, since a password opens the private database`() async throws {
        let test = try await TestDatabase.make()
        let developer = try await Self.administrator("developer", in: test)
        let key = try await Self.key("manageUsers", in: test)
        let editor = try await Self.administrator("editor", in: test)
        let body = #"{"password":"battery staple"}"#
        for token in [developer, key] {
            #expect(await test.call(.get, "/users", token: token).status == 200)
            let rejected = await test.call(.patch, "/users/{creator}", token: token, body: body)
            #expect(rejected.status == 403 && rejected.text.contains("private database"), "\(rejected.text)")
        }
        #expect(await test.call(.get, "/users", token: editor).status == 403)
        #expect(await test.call(.delete, "/users/{creator}", token: editor).status == 403)
        #expect(await test.call(.patch, "/users/{creator}", token: editor, body: body).status == 403)
        #expect(await test.call(.delete, "/users/{creator}", token: key).status == 204)
        #expect(await test.call(.delete, "/users/{member}", token: developer).status == 204)
        #expect(await test.call(.get, "/users/me", as: .member).status == 401)
        for who in [TestDatabase.Who.anonymous, .stranger] {
            let status = who == .anonymous ? 401 : 403
            #expect(await test.call(.get, "/users", as: who).status == status)
            #expect(await test.call(.patch, "/users/{stranger}", as: who, body: body).status == status)
            #expect(await test.call(.delete, "/users/{stranger}", as: who).status == status)
        }
    }

    @Test func `a caller without permission to change rights cannot invite with roles`() async throws {
        let test = try await TestDatabase.make()
        let key = try await Self.key("manageUsers", in: test)
        #expect(await test.call(.post, "/invitations", token: key, body: "{}").status == 201)
        let rejected = await test.call(.post, "/invitations", token: key, body: #"{"roles":["editors"]}"#)
        #expect(rejected.status == 403 && rejected.json?["details"]?["right"] == "changeRights", "\(rejected.text)")
        let developer = try await Self.administrator("developer", in: test)
        let made = await test.call(.post, "/invitations", token: developer, body: #"{"roles":["editors"]}"#)
        #expect(made.status == 201, "\(made.text)")
    }

    @Test func `only users are found, not the account of a key`() async throws {
        let test = try await TestDatabase.make()
        let made = await test.call(
            .post, "/keys", as: .administrator, body: #"{"name":"k","scope":{"readOnly":true}}"#)
        let account = try #require(made.json?["userRecordName"]?.string)
        for name in [account, "_" + String(repeating: "0", count: 32)] {
            #expect(await test.call(.delete, "/users/\(name)", as: .administrator).status == 404)
            let body = #"{"password":"battery staple"}"#
            #expect(await test.call(.patch, "/users/\(name)", as: .administrator, body: body).status == 404)
        }
        #expect(await test.call(.delete, "/users/ann", as: .administrator).status == 400)
    }

    @Test func `the log names the shell as actor of its own token, and administrators as creators`() async throws {
        let test = try await TestDatabase.make(withUsers: false)
        let made = await test.call(
            .post, "/users", token: TestDatabase.operatorToken, body: #"{"name":"ann","password":"correct horse"}"#)
        let name = try #require(made.json?["user"]?["userRecordName"]?.string)
        #expect(await test.call(.delete, "/users/\(name)", token: TestDatabase.operatorToken).status == 204)
        await test.call(.post, "/users", as: .administrator, body: #"{"name":"bob","password":"correct horse"}"#)
        await test.call(.post, "/users", body: #"{"name":"eve","password":"correct horse"}"#)
        let entries = await Self.entries(test)
        #expect(entries.compactMap { $0["action"]?.string } == ["user.create", "user.delete", "user.create"])
        #expect(
            entries.compactMap { $0["actor"]?["name"]?.string } == ["_administrator", "_shell", "_shell"])
        #expect(entries.map { $0["target"] } == ["bob", "ann", "ann"])
        #expect(entries.last?["detail"]?["userRecordName"]?.string == name)
    }

    @Test func `a key is explained with its scope until it is revoked`() async throws {
        let test = try await TestDatabase.make()
        try await test.addForum()
        let made = await test.call(
            .post, "/keys", as: .administrator,
            body: #"{"name":"k","scope":{"types":["Secret"],"actions":["read"]}}"#)
        let account = try #require(made.json?["userRecordName"]?.string)
        let id = try #require(made.json?["id"]?.string)
        func ask(_ action: String, _ type: String) async -> Response {
            await test.call(
                .post, "/explain/access", as: .administrator,
                body: #"{"caller":"\#(account)","action":"\#(action)","recordType":"\#(type)"}"#)
        }
        for (action, type, decision) in [
            ("read", "Secret", "ALLOWED"), ("write", "Secret", "ACCESS_DENIED"), ("read", "Post", "ACCESS_DENIED"),
        ] {
            let response = await ask(action, type)
            #expect(response.json?["decision"]?.string == decision, "\(response.text)")
            #expect(response.json?["rule"] == "KEY_SCOPE" && response.json?["roles"] == [])
        }
        #expect(await test.call(.delete, "/keys/\(id)", as: .administrator).status == 204)
        let gone = await ask("read", "Secret")
        #expect(gone.json?["decision"] == "ACCESS_DENIED" && gone.json?["rule"] == "KEY_ENDED", "\(gone.text)")
    }
}
