import Foundation
import HTTP
import RecordAPI
import RecordModel
import RecordWire
import Testing

/// Rights that a caller tries to give itself.
@Suite struct PastEscalations {
    static let numbers = [11, 12]

    private static let owned = [
        "created", "modified", "creator", "createdTimestamp", "modifiedTimestamp", "createdUserRecordName",
        "modifiedUserRecordName", "recordChangeTag", "revision", "deleted", "owner", "role", "roles", "zoneID",
        "isAdministrator", "sequence", "expiresAt",
    ]
    private static let values = [
        "null", "0", #""""#, "{}", "[]", #""_administrator""#, #"{"userRecordName":"{stranger}"}"#,
    ]

    @Test func `11: clients cannot write the server's own fields, not even with null`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let before = await database.call(.get, "/records/Post/p1", as: .creator)
        for (key, value) in Self.owned.flatMap({ key in Self.values.map { (key, $0) } }) {
            for (method, target, body) in [
                (HTTPMethod.post, "/records/Post", #"{"fields":{"title":"x"},"\#(key)":\#(value)}"#),
                (.put, "/records/Post/p1", #"{"fields":{"title":"x"},"\#(key)":\#(value)}"#),
                (.put, "/records/Post/new", #"{"fields":{"title":"x"},"\#(key)":\#(value)}"#),
                (.patch, "/records/Post/p1", #"{"fields":{"title":"x"},"\#(key)":\#(value)}"#),
                (.post, "/users", #"{"name":"new","password":"correct horse","\#(key)":\#(value)}"#),
                (.post, "/sessions", #"{"name":"ann","password":"correct horse","\#(key)":\#(value)}"#),
                (.patch, "/users/me", #"{"name":"anna","currentPassword":"correct horse","\#(key)":\#(value)}"#),
            ] {
                let answer = await database.call(method, target, as: .creator, body: body)
                #expect(answer.status == 400, "\(method.text) \(target) \(body): \(answer.text)")
            }
        }
        let after = await database.call(.get, "/records/Post/p1", as: .creator)
        #expect(before.text == after.text)
        #expect(await database.call(.get, "/records/Post/new").status == 404)
        #expect(
            await database.call(.post, "/sessions", body: #"{"name":"new","password":"correct horse"}"#).status == 401)
    }

    @Test func `11: values that a client echoes in a batch are not trusted`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let echo =
            #""created":{"timestamp":5,"userRecordName":"{stranger}"},"modified":{"timestamp":5,"userRecordName":"{stranger}"},"deleted":false"#
        func batch(_ operation: String, _ name: String) -> String {
            #"{"operations":[{"operationType":"\#(operation)","record":{"recordType":"Post","recordName":"\#(name)",\#(echo),"fields":{"title":{"value":"x"}}}}]}"#
        }
        for (operation, name) in [("create", "n1"), ("forceReplace", "p1"), ("forceUpdate", "p2")] {
            let answer = await database.call(.post, "/records", as: .creator, body: batch(operation, name))
            // An import must not lose its dates silently.
            let cause = answer.records.first?["details"]?["cause"]?.string
            #expect(answer.status == 200 && cause == "READ_ONLY_KEY", "\(answer.text)")
            let record = await database.call(.get, "/records/Post/\(name)", as: .creator)
            if operation == "create" {
                #expect(record.status == 404)
                continue
            }
            #expect(record.json?["created"]?["userRecordName"]?.string == database.userNames[.creator])
            #expect(record.json?["modified"]?["userRecordName"]?.string == database.userNames[.creator])
            #expect(record.json?["created"]?["timestamp"] != 5 && record.json?["modified"]?["timestamp"] != 5)
        }
        // The other fields do not contain system fields either.
        for field in ["createdUserRecordName", "___createdBy", "recordName", "creatorUserRecordID", "acl"] {
            let answer = await database.call(
                .patch, "/records/Post/p1", as: .creator, body: #"{"fields":{"\#(field)":{"value":"{stranger}"}}}"#)
            #expect(field == "acl" || answer.status == 400, "\(field): \(answer.text)")
        }
        let record = await database.call(.get, "/records/Post/p1", as: .stranger)
        #expect(record.status == 200 && record.json?["acl"] == nil)
        // Only callers that may write the record may change its access list.
        let open = #"{"acl":{"{stranger}":["read","write"]}}"#
        #expect(await database.call(.patch, "/records/Post/p1", as: .stranger, body: open).status == 403)
        #expect(await database.call(.patch, "/records/Secret/s1", as: .stranger, body: open).status == 404)
    }

    @Test func `a record that looks like a membership grants nothing`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let bob = try #require(database.userNames[.stranger])
        for type in ["Roles", "Role", "editors", "Grants", "Keys", "Administrators", "Sessions", "Members"] {
            for body in [
                #"{"fields":{"name":"editors","members":["{stranger}"],"roles":["editors"]}}"#,
                #"{"fields":{"member":{"recordName":"{stranger}"},"isAdministrator":1}}"#,
            ] {
                let made = await database.call(.put, "/records/\(type)/editors-\(type)", as: .stranger, body: body)
                #expect([200, 201, 400, 403].contains(made.status), "\(type): \(made.text)")
            }
        }
        let mine = await database.call(
            .patch, "/records/Users/\(bob)", as: .stranger,
            body: #"{"fields":{"roles":["editors"],"role":"owner","isAdministrator":1,"kind":2}}"#)
        #expect(mine.status == 200, "\(mine.text)")
        let me = await database.call(.get, "/users/me", as: .stranger)
        #expect(me.json?["roles"]?.array == [] && me.json?["isAdministrator"] == false, "\(me.text)")
        await database.play([
            Scenario("no editor", .stranger, .get, "/records/Secret/s1", 404, lacks: ["hidden"]),
            Scenario("no administrator", .stranger, .get, "/schema", 403),
            Scenario("the role", .administrator, .get, "/roles/editors", 200, lacks: [bob]),
            Scenario(
                "a reserved type", .stranger, .put, "/records/_Role/x", #"{"fields":{"members":["{stranger}"]}}"#, 400),
        ])
    }

    @Test func `12: a read-only key changes nothing, whatever it is used for`() async throws {
        let template = try await MatrixTemplate.shared.value
        let world = try MatrixWorld.fresh(of: template)
        let targets = ["/changes", "/schema", "/grants", "/roles", "/keys", "/invitations", "/administrators"]
        func state() async throws -> [String] {
            var texts: [String] = []
            for target in targets {
                let answer = try await world.call(.get, target, as: .bootstrap)
                // Each response of the feed has another token.
                let token = answer.json?["token"]?.string ?? ""
                texts.append(token.isEmpty ? answer.text : answer.text.replacing(token, with: ""))
            }
            return texts
        }
        let before = try await state()
        for row in MatrixRow.all where ![.get, .head, .options].contains(row.method) {
            // Anyone may sign up and in, with a key or without.
            let open = ["signUp", "signUpAnonymously", "signIn", "signInAdministrator", "signInToWeb"]
            if open.contains(row.route) { continue }
            let answer = try await world.call(
                row.method, row.target, row.body, as: .readOnlyKey, headers: row.headers)
            // A ticket only allows to read what the key may read. A subscription is the key's own, and reports no more.
            let allowed = [
                "modifyRecords", "queryRecordsByBody", "createFeedTicket", "createNotificationTicket",
                "putSubscription",
            ]
            #expect(answer.status >= 400 || allowed.contains(row.route), "\(answer.text)")
            if row.route == "modifyRecords" {
                #expect(answer.records.allSatisfy { $0["serverErrorCode"] != nil }, "\(row.body ?? ""): \(answer.text)")
            }
        }
        for (target, headers) in [
            ("/query/Open?all=true", [("Prefer", "respond-async")]), ("/query/Open?all=true&dryRun=true", []),
        ] {
            #expect(try await world.call(.delete, target, as: .readOnlyKey, headers: headers).status == 403)
        }
        let multipart =
            "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n"
        let parts = try await world.call(
            .post, "/assets", multipart, as: .readOnlyKey,
            headers: [("Content-Type", "multipart/form-data; boundary=b")])
        #expect(parts.status == 403, "\(parts.text)")
        let after = try await state()
        for (index, target) in targets.enumerated() where target != "/keys" {
            #expect(before[index] == after[index], "\(target)")
        }
        await world.drop()
    }
}
