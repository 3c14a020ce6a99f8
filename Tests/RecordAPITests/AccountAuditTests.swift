import HTTP
import RecordWire
import TestSupport
import Testing

@testable import RecordAPI

/// The audit log has the changes that users make to their own accounts, and uses of keys beyond their scope.
@Suite struct AccountAuditTests {
    private static func log(_ test: TestDatabase, _ action: String) async -> [JSONValue] {
        let log = await test.call(.get, "/audit?action=\(action)", as: .administrator)
        return log.json?["entries"]?.array ?? []
    }

    private static func count(_ entries: [JSONValue]) -> Int64 {
        entries.compactMap { $0["detail"]?["count"]?.integer }.reduce(0, +)
    }

    @Test func `sign-ups are counted, and sign-ups by invitation name it`() async throws {
        let test = try await TestDatabase.make(withUsers: false) { $0.allowsAnonymousAccounts = true }
        let made = await test.call(.post, "/users", body: #"{"name":"ann","password":"correct horse"}"#)
        let ann = try #require(made.json?["user"]?["userRecordName"]?.string)
        for _ in 0..<3 { #expect(await test.call(.post, "/users/anonymous").status == 201) }
        let invitation = await test.call(.post, "/invitations", as: .administrator, body: #"{"uses":2}"#)
        let token = try #require(invitation.json?["invitation"]?.string)
        #expect(
            await test.call(
                .post, "/users", body: #"{"name":"bob","password":"correct horse","invitation":"\#(token)"}"#
            ).status == 201)
        let entries = await Self.log(test, "user.signUp")
        let own = entries.filter { $0["target"] == "ann" }
        #expect(own.count == 1 && own.first?["actor"] == ["kind": "user", "name": .string(ann)])
        #expect(own.first?["outcome"] == "done" && Self.count(own) == 1)
        // A minute may end in between.
        let anonymous = entries.filter { $0["target"] == "(anonymous account)" }
        #expect((1...2).contains(anonymous.count) && Self.count(anonymous) == 3)
        let invited = try #require(entries.first { $0["target"] == "bob" })
        #expect(invited["detail"]?["invitation"] == invitation.json?["id"] && invited["actor"]?["kind"] == "user")
        #expect(!entries.contains { String(decoding: $0.bytes, as: UTF8.self).contains(token) })
    }

    @Test func `names, passwords, upgrades, sign-outs everywhere and removals are logged`() async throws {
        let test = try await TestDatabase.make(withUsers: false) { $0.allowsAnonymousAccounts = true }
        let guest = await test.call(.post, "/users/anonymous")
        var token = try #require(guest.json?["token"]?.string)
        let name = try #require(guest.json?["user"]?["userRecordName"]?.string)
        func change(_ body: String) async -> Int {
            let response = await test.call(.patch, "/users/me", token: token, body: body)
            if let new = response.json?["token"]?.string { token = new }
            return response.status
        }
        #expect(await change(#"{"name":"ann","password":"correct horse"}"#) == 200)
        #expect(await change(#"{"name":"anna","currentPassword":"wrong horse"}"#) == 403)
        #expect(await change(#"{"name":"anna","currentPassword":"correct horse"}"#) == 200)
        #expect(await change(#"{"password":"battery staple","currentPassword":"correct horse"}"#) == 200)
        let credentials = #"{"name":"anna","password":"battery staple"}"#
        #expect(await test.call(.post, "/sessions", body: credentials).status == 201)
        #expect(await test.call(.delete, "/sessions?others=true", token: token).status == 204)
        // There is none any more.
        #expect(await test.call(.delete, "/sessions?others=true", token: token).status == 204)
        #expect(
            await test.call(.delete, "/users/me", token: token, body: #"{"password":"battery staple"}"#).status == 204)
        let log = await test.call(.get, "/audit", as: .administrator)
        let entries = (log.json?["entries"]?.array ?? []).filter { $0["action"] != "user.signUp" }
        let actions = entries.filter { $0["action"] != "session.failed" }
        #expect(
            actions.compactMap { $0["action"]?.string } == [
                "user.delete", "session.endAll", "user.password", "user.rename", "user.upgrade",
            ])
        #expect(actions.map { $0["target"] } == ["anna", "anna", "anna", "ann", "ann"])
        #expect(actions.allSatisfy { $0["actor"] == ["kind": "user", "name": .string(name)] })
        #expect(actions.allSatisfy { $0["detail"]?["userRecordName"]?.string == name })
        #expect(actions[1]["detail"]?["sessions"] == 1 && actions[3]["detail"]?["name"] == "anna")
        // A wrong password of a signed-in user counts as a failed sign-in.
        #expect(entries.filter { $0["action"] == "session.failed" }.map { $0["target"] } == ["ann"])
        #expect(!log.text.tells("horse") && !log.text.tells("staple"))
    }

    @Test(arguments: [true, false])
    func `a key that is denied in a batch is logged like one that is denied alone`(isAtomic: Bool) async throws {
        let test = try await TestDatabase.make()
        try await test.addForum()
        let made = await test.call(
            .post, "/keys", as: .administrator,
            body: #"{"name":"k","scope":{"types":["Post"],"actions":["read","create"]}}"#)
        let key = try #require(made.json?["token"]?.string, "\(made.text)")
        func item(_ verb: String, _ type: String, _ name: String) -> String {
            #"{"operationType":"\#(verb)","record":{"recordType":"\#(type)","recordName":"\#(name)","fields":{}}}"#
        }
        func send(_ items: [String]) async -> Response {
            await test.call(
                .post, "/records", token: key,
                body: #"{"atomic":\#(isAtomic),"operations":[\#(items.joined(separator: ","))]}"#)
        }
        let allowed = await send([item("create", "Post", "k1")])
        #expect(allowed.status == 200 && !allowed.text.contains("serverErrorCode"), "\(allowed.text)")
        #expect(await Self.log(test, "key.outOfScope").isEmpty)
        // One that is not there is no news.
        #expect(await send([item("update", "Post", "nothing")]).status == 200)
        #expect(await Self.log(test, "key.outOfScope").isEmpty)
        let rejected = await send([item("create", "Post", "k2"), item("create", "Secret", "k3")])
        #expect(rejected.status == 200 && rejected.text.contains("ACCESS_DENIED"), "\(rejected.text)")
        let entries = await Self.log(test, "key.outOfScope")
        #expect(entries.count == 1 && entries.first?["target"] == "modifyRecords Secret", "\(entries)")
        #expect(entries.first?["actor"] == ["kind": "key", "name": "k"] && Self.count(entries) == 1)
        // The same alone.
        #expect(await test.call(.post, "/records/Secret", token: key, body: #"{"fields":{}}"#).status == 403)
        #expect(
            await Self.log(test, "key.outOfScope").contains { $0["target"] == "createRecord Secret" })
    }
}
