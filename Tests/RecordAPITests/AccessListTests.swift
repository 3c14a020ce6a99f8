import HTTP
import RecordWire
import TestSupport
import Testing

/// Access lists of single records over the routes: what each caller gets, and what must stay hidden from the others.
@Suite struct AccessListTests {
    private static let mine = #"{"fields":{"title":"plan"},"acl":{"{creator}":["read","write"]}}"#

    @Test func `no record lacks an access list if its type requires one`() async throws {
        let database = try await TestDatabase.make()
        func put(_ type: String) async -> Int {
            await database.call(
                .put, "/schema?rights=replace", as: .administrator,
                body: #"{"types":{"Diary":{"fields":{"title":{"type":"STRING"}},\#(type)}}}"#
            ).status
        }
        #expect(await put(#""grants":{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#) == 200)
        let plain = #"{"fields":{"title":"t"}}"#
        let none = #"{"fields":{"title":"t"},"acl":null}"#
        let own = #"{"fields":{"title":"t"},"acl":{"_creator":["read","write"]}}"#
        #expect(await database.call(.put, "/records/Diary/before", as: .creator, body: plain).status == 201)
        #expect(await put(#""aclRequired":1"#) == 400)
        #expect(await put(#""aclRequired":true"#) == 200)
        await database.play([
            Scenario("shown", .administrator, .get, "/schema", 200, contains: [#""aclRequired":true"#]),
            Scenario(
                "no list", .creator, .put, "/records/Diary/a", plain, 400,
                contains: ["Every record of Diary has an access list", #""path":"acl""#]),
            Scenario("null", .creator, .post, "/records/Diary", none, 400, contains: ["Every record of Diary"]),
            Scenario("a list", .creator, .put, "/records/Diary/a", own, 201),
            Scenario("kept", .creator, .put, "/records/Diary/a", plain, 200, contains: [#""acl""#]),
            Scenario("removed", .creator, .patch, "/records/Diary/a", #"{"acl":null}"#, 400),
            Scenario("still hidden", .stranger, .get, "/records/Diary/a", 404),
            Scenario("from before", .creator, .patch, "/records/Diary/before", plain, 200),
            Scenario(
                "which has none", .creator, .patch, "/records/Diary/before", #"{"acl":null}"#, 200, lacks: [#""acl""#]),
            Scenario("of one's own", .creator, .put, "/records/Diary/p?database=private", plain, 201),
        ])
        #expect(await put(#""acl":{"_creator":["read","write"]}"#) == 200)
        await database.play([
            Scenario("the default", .creator, .put, "/records/Diary/b", plain, 201, contains: [#""acl""#]),
            Scenario("not null", .creator, .put, "/records/Diary/c", none, 400),
            Scenario("hidden", .stranger, .get, "/records/Diary/b", 404),
        ])
        // `rights=keep` keeps all permissions, this option too.
        let open = #"{"types":{"Diary":{"fields":{"title":{"type":"STRING"}},"aclRequired":false}}}"#
        let kept = await database.call(.put, "/schema?rights=keep", as: .administrator, body: open)
        #expect(kept.json?["types"]?["Diary"]?["aclRequired"] == true && kept.json?["changes"]?["rights"] == [])
        let replaced = await database.call(.put, "/schema", as: .administrator, body: open)
        #expect(replaced.json?["types"]?["Diary"]?["aclRequired"] == nil)
        #expect(replaced.json?["changes"]?["rights"] == ["Diary"])
        #expect(await database.call(.put, "/records/Diary/d", as: .creator, body: none).status == 201)
    }

    @Test func `accounts are created even if user records require an access list`() async throws {
        let database = try await TestDatabase.make()
        func put(_ type: String) async -> Response {
            await database.call(
                .put, "/schema?rights=replace", as: .administrator,
                body: #"{"types":{"Users":{"fields":{"motto":{"type":"STRING"}},\#(type)}}}"#)
        }
        func signUp(_ name: String) async throws -> String {
            let response = await database.call(
                .post, "/users", body: #"{"name":"\#(name)","password":"correct horse"}"#)
            #expect(response.status == 201, "\(response.text)")
            return try #require(response.json?["user"]?["userRecordName"]?.string)
        }
        #expect(await put(#""grants":{"_world":["READ"],"_creator":["WRITE"]},"aclRequired":true"#).status == 200)
        let dora = try await signUp("dora")
        let open = await database.call(.get, "/records/Users/\(dora)", as: .stranger)
        #expect(open.status == 200 && !open.text.contains(#""acl""#), "\(open.text)")
        #expect(await put(#""acl":{"_creator":["read","write"]}"#).status == 200)
        let emil = try await signUp("emil")
        #expect(await database.call(.get, "/records/Users/\(emil)", as: .stranger).status == 404)
        await database.play([
            Scenario(
                "of one's own", .creator, .patch, "/records/Users/{creator}",
                #"{"acl":{"_creator":["read","write"]}}"#, 200),
            Scenario("which stays", .creator, .patch, "/records/Users/{creator}", #"{"acl":null}"#, 400),
        ])
    }

    @Test func `a record with an access list is visible only to the principals that it names`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario(
                "a list is given at creation", .creator, .put, "/records/Post/x", Self.mine, 201,
                contains: [#""acl":{"{creator}":["read","write"]}"#]),
            Scenario("whom it names reads it", .creator, .get, "/records/Post/x", 200, contains: ["plan", #""acl""#]),
            Scenario("an administrator reads it", .administrator, .get, "/records/Post/x", 200, contains: ["plan"]),
            Scenario("for a stranger it does not exist", .stranger, .get, "/records/Post/x", 404, lacks: ["plan"]),
            Scenario("nor for anybody else", .anonymous, .get, "/records/Post/x", 404, lacks: ["plan"]),
            Scenario(
                "nor to be changed", .stranger, .patch, "/records/Post/x", #"{"fields":{"good":1}}"#, 404,
                lacks: ["plan"]),
            Scenario("nor to be deleted", .stranger, .delete, "/records/Post/x", 404),
            Scenario("nor in a list", .stranger, .get, "/records/Post", 200, contains: ["p1", "p2"], lacks: ["plan"]),
            Scenario(
                "nor in a query", .anonymous, .get, "/query/Post?count=true", 200, contains: [#""count":2"#],
                lacks: ["plan"]),
            Scenario("nor in the feed", .stranger, .get, "/changes", 200, contains: ["p1"], lacks: ["plan", #""x""#]),
            Scenario("nor its fields", .stranger, .get, "/records/Post/x/title", 404),
            Scenario("its owner finds it in a list", .creator, .get, "/records/Post", 200, contains: ["p1", "plan"]),
            Scenario(
                "and in a query", .creator, .get, "/query/Post?count=true", 200, contains: [#""count":3"#, "plan"]),
            Scenario(
                "a role is named", .creator, .patch, "/records/Post/x",
                #"{"acl":{"role:editors":["read"],"{creator}":["read","write"]}}"#, 200),
            Scenario(
                "its holder reads, and does not see the list", .member, .get, "/records/Post/x", 200,
                contains: ["plan"], lacks: [#""acl""#, "{creator}\":["]),
            Scenario("but may not write", .member, .patch, "/records/Post/x", #"{"fields":{"good":1}}"#, 403),
            Scenario(
                "a list may leave its creator out", .creator, .patch, "/records/Post/x",
                #"{"acl":{"role:editors":["read","write"]}}"#, 200,
                lacks: ["plan"]),
            Scenario("who has no right then", .creator, .get, "/records/Post/x", 404),
            Scenario(
                "what replaces a record keeps the list", .member, .put, "/records/Post/x",
                #"{"fields":{"title":"new"}}"#, 200),
            Scenario("so it is still nobody else's", .stranger, .get, "/records/Post/x", 404),
            Scenario("a list is removed by null", .member, .patch, "/records/Post/x", #"{"acl":null}"#, 200),
            Scenario(
                "and the grants decide again", .anonymous, .get, "/records/Post/x", 200, contains: ["new"],
                lacks: [#""acl""#]),
        ])
    }

    @Test func `access lists permit nothing that the type's grants deny`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario(
                "a list for everybody", .creator, .put, "/records/Secret/x",
                #"{"fields":{"title":"t"},"acl":{"*":["read","write"]}}"#, 201),
            Scenario("opens nothing to whom the grants shut out", .anonymous, .get, "/records/Secret/x", 401),
            Scenario(
                "nor writing to callers that may only read their own", .stranger, .patch, "/records/Secret/x",
                #"{"fields":{"title":"u"}}"#, 403),
            Scenario(
                "callers that may read their own may read what a list gives them", .stranger, .get, "/records/Secret/x",
                200),
        ])
    }

    @Test func `a list is checked before anything is written`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        func rejected(_ name: String, _ acl: String, contains: String) -> Scenario {
            Scenario(
                name, .creator, .put, "/records/Post/n", #"{"fields":{},"acl":\#(acl)}"#, 400, contains: [contains])
        }
        await database.play([
            rejected("a list is an object", "[]", contains: "path"),
            rejected("a text is none", #""*""#, contains: "path"),
            rejected("principals have a form", #"{"ann":["read"]}"#, contains: "UNKNOWN_NAME"),
            rejected("a role that does not exist", #"{"role:nobody":["read"]}"#, contains: "role:nobody"),
            rejected("built-in roles are no principals", #"{"role:_world":["read"]}"#, contains: "UNKNOWN_NAME"),
            rejected(
                "a user who does not exist", #"{"_00000000000000000000000000000000":["read"]}"#,
                contains: "does not exist"),
            rejected("a right that does not exist", #"{"*":["admin"]}"#, contains: "principal"),
            rejected("a right that is none", #"{"*":true}"#, contains: "principal"),
            rejected("a principal twice", #"{"*":["read"],"*":["write"]}"#, contains: "reason"),
            Scenario("nothing was written", .administrator, .get, "/records/Post/n", 404),
            Scenario(
                "a private database has none", .creator, .put, "/records/Post/n?database=private",
                #"{"fields":{},"acl":{"*":["read"]}}"#, 400, contains: ["private database"]),
            Scenario(
                "an anonymous creator is no principal", .anonymous, .post, "/records/Drop",
                #"{"fields":{},"acl":{"_creator":["read"]}}"#,
                400, contains: ["_creator"]),
        ])
        let many = (0..<101).map { "\"role:r\($0)\":[\"read\"]" }.joined(separator: ",")
        await database.play([
            Scenario(
                "too many entries", .creator, .put, "/records/Post/n", #"{"fields":{},"acl":{\#(many)}}"#, 413,
                contains: ["TOO_LARGE"])
        ])
    }

    @Test func `the access list forms of NCMB clients are accepted`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario(
                "rights as flags", .creator, .put, "/records/Post/x",
                #"{"fields":{},"acl":{"*":{"read":true,"write":false},"{creator}":{"read":true,"write":true}}}"#, 201,
                contains: [#""*":["read"]"#, #"["read","write"]"#]),
            Scenario(
                "the creator by its role", .creator, .put, "/records/Post/y",
                #"{"fields":{},"acl":{"_creator":["read","write"]}}"#, 201,
                contains: [#""acl":{"{creator}":["read","write"]}"#]),
        ])
    }

    @Test func `in a batch each item has its list`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let batch = await database.call(
            .post, "/records", as: .creator,
            body: """
                {"operations":[
                {"operationType":"create","record":{"recordName":"a","recordType":"Post","fields":{"title":"mine"},"acl":{"_creator":["read","write"]}}},
                {"operationType":"create","record":{"recordName":"b","recordType":"Post","fields":{"title":"all"}}}]}
                """)
        #expect(batch.records.count == 2)
        #expect(batch.records[0]["acl"] != nil && batch.records[1]["acl"] == nil)
        let seen = await database.call(.get, "/records/Post", as: .stranger)
        #expect(!seen.text.tells("mine") && seen.text.contains("all"))
        // A client sends back the record that it has read.
        let echoed = String(decoding: batch.records[0].bytes, as: UTF8.self)
        let again = await database.call(
            .post, "/records", as: .creator, body: #"{"operations":[{"operationType":"update","record":\#(echoed)}]}"#)
        #expect(again.status == 200 && again.records.first?["acl"] != nil, "\(again.text)")
    }

    @Test func `a caller that loses access to a record gets a tombstone in the feed`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let before = await database.call(.get, "/changes", as: .stranger)
        let token = try #require(before.json?["token"]?.string)
        await database.play([
            Scenario(
                "a list appears", .creator, .patch, "/records/Post/p1", #"{"acl":{"_creator":["read","write"]}}"#, 200)
        ])
        let after = await database.call(.get, "/changes?since=\(token.replacing("+", with: "%2B"))", as: .stranger)
        #expect(after.changes.count == 1, "\(after.text)")
        #expect(after.changes.first?["deleted"] == .bool(true) && after.changes.first?["recordName"]?.string == "p1")
        #expect(!after.text.tells("sea"))
        let whole = await database.call(.get, "/changes", as: .anonymous)
        #expect(
            !whole.text.contains("sea\"")
                || whole.changes.count { $0["recordName"]?.string == "p1" && $0["fields"] != nil } == 0)
    }

    @Test func `a failed precondition shows the record only to callers that may read it`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario(
                "a drop box", .creator, .put, "/records/Post/x",
                #"{"fields":{"title":"plan"},"acl":{"{creator}":["read"],"{stranger}":["write"]}}"#, 201,
                lacks: [#""acl""#])
        ])
        let rejected = await database.call(
            .patch, "/records/Post/x", as: .stranger, body: #"{"fields":{"good":1}}"#,
            headers: [("If-Match", "\"old\"")])
        #expect([412, 403].contains(rejected.status) && !rejected.text.tells("plan"), "\(rejected.text)")
    }

    @Test func `a caller with WRITE but not READ cannot add itself to the access list`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        func changed(_ who: String, _ acl: String, _ path: String = "Drop/d1") -> Scenario {
            Scenario(
                "\(who) sends \(acl)", .member, .patch, "/records/\(path)", #"{"acl":\#(acl)}"#, 403,
                contains: ["access list"], lacks: ["hidden", "plan"])
        }
        await database.play([
            changed("an editor", #"{"{member}":["read","write"]}"#),
            changed("an editor", #"{"*":["read"]}"#),
            changed("an editor", "null"),
            Scenario(
                "nor in a batch", .member, .post, "/records",
                #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"d1","recordType":"Drop","fields":{},"acl":{"{member}":["read","write"]}}}]}"#,
                200, contains: ["ACCESS_DENIED"], lacks: ["hidden"]),
            Scenario("it writes, as before", .member, .patch, "/records/Drop/d1", #"{"fields":{"title":"new"}}"#, 200),
            Scenario("and still does not read", .member, .get, "/records/Drop/d1", 404),
            Scenario(
                "a list that lets it write alone", .creator, .put, "/records/Post/x",
                #"{"fields":{"title":"plan"},"acl":{"{creator}":["read","write"],"{member}":["write"]}}"#, 201),
            changed("who is in it", #"{"{member}":["read","write"]}"#, "Post/x"),
            changed("who is in it", "null", "Post/x"),
            Scenario("who reads it too changes it", .creator, .patch, "/records/Post/x", #"{"acl":null}"#, 200),
        ])
    }

    @Test func `a bulk change skips records that its caller may not write`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario(
                "one for all to read", .creator, .put, "/records/Post/x",
                #"{"fields":{"title":"plan"},"acl":{"*":["read"],"{stranger}":["read","write"]}}"#, 201),
            Scenario("one of hers", .creator, .put, "/records/Post/y", Self.mine, 201),
            Scenario(
                "a stranger deletes all that it may", .stranger, .delete, "/query/Post?all=true", 200,
                contains: [#""matched":3,"deleted":1,"skipped":2"#]),
            Scenario(
                "hers was not touched, nor counted", .creator, .delete, "/query/Post?where=title%20%3D%3D%20'plan'",
                200,
                contains: [#""matched":1,"deleted":1,"skipped":0"#]),
        ])
    }

    @Test func `a type's default access list applies to new records without one`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        func schema(_ acl: String) -> String {
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING"},"good":{"type":"INT64"},"data":{"type":"BYTES"},"owner":{"type":"REFERENCE"}}\#(acl)},"#
                + #""Secret":{"fields":{"title":{"type":"STRING"}}},"Drop":{"fields":{"title":{"type":"STRING"}}}}}"#
        }
        await database.play([
            Scenario(
                "an unknown role", .administrator, .put, "/schema", schema(#","acl":{"role:none":["read"]}"#), 400,
                contains: ["role:none"]),
            Scenario(
                "a malformed one", .administrator, .put, "/schema", schema(#","acl":{"*":1}"#), 400,
                contains: ["types.Post.acl"]),
            Scenario(
                "a calendar's", .administrator, .put, "/schema",
                schema(#","acl":{"_creator":["read","write"],"role:editors":["read"]}"#), 200),
            Scenario(
                "it is shown", .administrator, .get, "/schema/types/Post", 200,
                contains: [#""acl":{"_creator":["read","write"],"role:editors":["read"]}"#]),
            Scenario(
                "a record gets it", .creator, .put, "/records/Post/x", #"{"fields":{"title":"plan"}}"#, 201,
                contains: [#""{creator}":["read","write"]"#]),
            Scenario("for others it is not there", .stranger, .get, "/records/Post/x", 404),
            Scenario("the role reads", .member, .get, "/records/Post/x", 200),
            Scenario(
                "a record's own word goes before", .creator, .put, "/records/Post/y",
                #"{"fields":{"title":"open"},"acl":null}"#, 201),
            Scenario("so that the grants decide", .anonymous, .get, "/records/Post/y", 200),
            Scenario("older records keep what they had", .anonymous, .get, "/records/Post/p1", 200),
            Scenario("what does not speak of it leaves it", .administrator, .put, "/schema", schema(""), 200),
            Scenario("still there", .administrator, .get, "/schema/types/Post", 200, contains: [#""acl""#]),
            Scenario(
                "a private database knows none", .creator, .put, "/records/Post/z?database=private",
                #"{"fields":{"title":"mine"}}"#, 201, lacks: ["acl"]),
            Scenario("a role that is gone lets nobody in", .administrator, .delete, "/roles/editors", 204),
            Scenario("and refuses no record", .creator, .put, "/records/Post/w", #"{"fields":{"title":"plan"}}"#, 201),
            Scenario("the role's holder lost the older one", .member, .get, "/records/Post/x", 404),
            Scenario("null takes it away", .administrator, .put, "/schema", schema(#","acl":null"#), 200),
            Scenario(
                "and new records are open", .creator, .put, "/records/Post/v", #"{"fields":{"title":"plan"}}"#, 201,
                lacks: ["acl"]),
        ])
    }
}
