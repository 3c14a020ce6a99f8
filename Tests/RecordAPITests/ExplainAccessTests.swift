import HTTP
import RecordModel
import RecordWire
import Testing

/// `/explain/access` predicts the result of the caller's own request.
@Suite struct ExplainAccessTests {
    private static func ask(
        _ caller: String, _ action: String, _ type: String, _ record: String? = nil, field: String? = nil
    ) -> String {
        let name = record.map { #","recordName":"\#($0)""# } ?? ""
        let member = field.map { #","field":"\#($0)""# } ?? ""
        return #"{"caller":"\#(caller)","action":"\#(action)","recordType":"\#(type)"\#(name)\#(member)}"#
    }

    @Test func `the response names the deciding rule`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.call(
            .put, "/records/Post/x", as: .creator, body: #"{"fields":{"title":"t"},"acl":{"role:editors":["read"]}}"#)
        func row(_ name: String, _ body: String, _ decision: String, _ rule: String, contains: [String] = [])
            -> Scenario
        {
            Scenario(
                name, .administrator, .post, "/explain/access", body, 200,
                contains: [#""decision":"\#(decision)""#, #""rule":"\#(rule)""#] + contains)
        }
        await database.play([
            row("a grant", Self.ask("anonymous", "read", "Post", "p1"), "ALLOWED", "GRANT", contains: ["_world"]),
            row("none", Self.ask("anonymous", "write", "Post", "p1"), "AUTHENTICATION_REQUIRED", "NO_GRANT"),
            row("a creator", Self.ask("{creator}", "write", "Post", "p1"), "ALLOWED", "GRANT", contains: ["_creator"]),
            row("a stranger", Self.ask("{stranger}", "write", "Post", "p1"), "ACCESS_DENIED", "NOT_CREATOR"),
            row(
                "a stranger to all", Self.ask("{stranger}", "write", "Post"), "ALLOWED", "GRANT",
                contains: ["its own records only"]),
            row("a role", Self.ask("{member}", "read", "Secret", "s1"), "ALLOWED", "GRANT", contains: ["editors"]),
            row("what one made oneself", Self.ask("{creator}", "read", "Secret", "s1"), "ALLOWED", "CREATOR"),
            row(
                "a list that names a role", Self.ask("{member}", "read", "Post", "x"), "ALLOWED", "ACCESS_LIST",
                contains: ["role:editors"]),
            row(
                "and leaves the creator out", Self.ask("{creator}", "read", "Post", "x"), "ACCESS_DENIED", "ACCESS_LIST"
            ),
            row("an administrator", Self.ask("administrator", "write", "Post", "x"), "ALLOWED", "ADMINISTRATOR"),
            row(
                "a viewer", Self.ask("administrator:viewer", "write", "Post", "x"), "ACCESS_DENIED",
                "ADMINISTRATOR"),
        ])
    }

    @Test func `uploads and private databases are explained without a type`() async throws {
        let database = try await TestDatabase.make(.production)
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"Post":{"fields":{"title":{"type":"STRING"}}}}}"#)
        try #require(schema.status == 200, "\(schema.text)")
        func row(
            _ name: String, _ caller: String, _ action: String, _ decision: String, _ rule: String,
            in place: String = ""
        ) -> Scenario {
            Scenario(
                name, .administrator, .post, "/explain/access" + place,
                #"{"caller":"\#(caller)","action":"\#(action)"}"#, 200,
                contains: [#""decision":"\#(decision)""#, #""rule":"\#(rule)""#])
        }
        let creators = "?database=private&owner={creator}"
        let about = #"{"caller":"anonymous","action":"upload","recordType":"Post"}"#
        await database.play([
            row("nobody", "anonymous", "upload", "AUTHENTICATION_REQUIRED", "TYPE_WITH_ASSETS"),
            row("a user", "{stranger}", "upload", "ALLOWED", "SIGNED_IN"),
            row("an editor", "administrator:editor", "upload", "ALLOWED", "ADMINISTRATOR"),
            row("a viewer", "administrator:viewer", "upload", "ACCESS_DENIED", "ADMINISTRATOR"),
            row("its owner", "{creator}", "upload", "ALLOWED", "PRIVATE_DATABASE", in: creators),
            row("another", "{stranger}", "upload", "ACCESS_DENIED", "PRIVATE_DATABASE", in: creators),
            row("its owner enters", "{creator}", "enter", "ALLOWED", "PRIVATE_DATABASE", in: creators),
            row("another does not", "{stranger}", "enter", "ACCESS_DENIED", "PRIVATE_DATABASE", in: creators),
            row("nor does nobody", "anonymous", "enter", "AUTHENTICATION_REQUIRED", "PRIVATE_DATABASE", in: creators),
            row("an owner does", "administrator", "enter", "ALLOWED", "PRIVATE_DATABASE", in: creators),
            row(
                "a developer does not", "administrator:developer", "enter", "ACCESS_DENIED", "PRIVATE_DATABASE",
                in: creators),
            Scenario(
                "no database is meant", .administrator, .post, "/explain/access",
                #"{"caller":"anonymous","action":"enter"}"#, 400),
            Scenario("a type has no say", .administrator, .post, "/explain/access", about, 400),
            Scenario(
                "records have types", .administrator, .post, "/explain/access",
                #"{"caller":"anonymous","action":"read"}"#, 400, contains: ["recordType"]),
        ])
        let asset = await database.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"File":{"fields":{"file":{"type":"ASSET"}},"grants":{"_world":["CREATE"]}}}}"#)
        try #require(asset.status == 200, "\(asset.text)")
        await database.play([row("a type for files", "anonymous", "upload", "ALLOWED", "TYPE_WITH_ASSETS")])
    }

    @Test func `only administrators ask, and bad questions are rejected`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let good = Self.ask("anonymous", "read", "Post", "p1")
        await database.play([
            Scenario("nobody", .anonymous, .post, "/explain/access", good, 401, lacks: ["GRANT"]),
            Scenario("a user", .member, .post, "/explain/access", good, 403, lacks: ["GRANT"]),
            Scenario("no body", .administrator, .post, "/explain/access", "{}", 400),
            Scenario("an unknown key", .administrator, .post, "/explain/access", #"{"who":1}"#, 400),
            Scenario(
                "a caller of no name", .administrator, .post, "/explain/access", Self.ask("_ann", "read", "Post"), 404),
            Scenario(
                "a caller who is not there", .administrator, .post, "/explain/access",
                Self.ask("_" + String(repeating: "0", count: 32), "read", "Post"), 404),
            Scenario("no action", .administrator, .post, "/explain/access", Self.ask("anonymous", "fly", "Post"), 400),
            Scenario(
                "no type", .administrator, .post, "/explain/access", Self.ask("anonymous", "read", "Nothing"), 404),
            Scenario(
                "no record", .administrator, .post, "/explain/access", Self.ask("anonymous", "read", "Post", "no"), 404),
            Scenario(
                "no field", .administrator, .post, "/explain/access",
                Self.ask("anonymous", "read", "Post", "p1", field: "no"), 404),
        ])
    }

    @Test func `callers are given by the names that people use`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Post":{"fields":{"title":{"type":"STRING","read":["editors"]},"good":{"type":"INT64"},
                "data":{"type":"BYTES"},"owner":{"type":"REFERENCE"}}},
                "Secret":{"fields":{"title":{"type":"STRING"}}},"Drop":{"fields":{"title":{"type":"STRING"}}}}}
                """)
        for name in ["shop", "old"] {
            let key = await database.call(
                .post, "/keys", as: .administrator,
                body: #"{"name":"\#(name)","scope":{"types":["Post"],"actions":["read"]}}"#)
            let id = try #require(key.json?["id"]?.string)
            if name == "old" { await database.call(.delete, "/keys/\(id)", as: .administrator) }
        }
        func row(
            _ name: String, _ body: String, _ decision: String, _ rule: String, contains: [String] = []
        ) -> Scenario {
            Scenario(
                name, .administrator, .post, "/explain/access", body, 200,
                contains: [#""decision":"\#(decision)""#, #""rule":"\#(rule)""#] + contains)
        }
        await database.play([
            row("a user", Self.ask("ann", "write", "Post", "p1"), "ALLOWED", "GRANT"),
            row("for sure a user", Self.ask("user:ann", "write", "Post", "p1"), "ALLOWED", "GRANT"),
            Scenario(
                "an account, and not the guest", .administrator, .post, "/explain/access",
                Self.ask("user:anonymous", "read", "Post"), 404, contains: ["no user with the name anonymous"]),
            row("a key", Self.ask("key:shop", "read", "Post", "p1"), "ALLOWED", "KEY_SCOPE"),
            row(
                "a key and a field", Self.ask("key:shop", "read", "Post", "p1", field: "title"), "ALLOWED",
                "FIELD_GRANT", contains: ["Keys are not bound by fields' grants"]),
            row(
                "a field of no roles", Self.ask("key:shop", "read", "Post", "p1", field: "good"), "ALLOWED",
                "FIELD_GRANT", contains: ["has no roles of its own to read it"]),
            row("a key that has ended", Self.ask("key:old", "read", "Post", "p1"), "ACCESS_DENIED", "KEY_ENDED"),
            Scenario(
                "no key", .administrator, .post, "/explain/access", Self.ask("key:none", "read", "Post"), 404,
                contains: ["There is no key with this name"]),
            Scenario(
                "no user", .administrator, .post, "/explain/access", Self.ask("nobody", "read", "Post"), 404,
                contains: ["There is no user with the name nobody"]),
            Scenario(
                "no role", .administrator, .post, "/explain/access", Self.ask("administrator:vera", "read", "Post"),
                400, contains: ["owner, developer, editor, viewer"], lacks: ["is an administrator"]),
        ])
        await database.call(.patch, "/users/{stranger}", as: .administrator, body: #"{"disabled":true}"#)
        await database.play([
            row("disabled", Self.ask("bob", "read", "Post", "p1"), "ACCESS_DENIED", "ACCOUNT_DISABLED"),
            row("by record name", Self.ask("{stranger}", "read", "Post"), "ACCESS_DENIED", "ACCOUNT_DISABLED"),
        ])
        // A caller that may not list users or keys learns nothing about their names.
        let key = await database.call(
            .post, "/keys", as: .administrator, body: #"{"name":"asker","scope":{"rights":["readRights"]}}"#)
        let token = try #require(key.json?["token"]?.string)
        for caller in ["ann", "nobody", "key:shop", "key:none", "user:ann"] {
            let response = await database.call(
                .post, "/explain/access", token: token, body: Self.ask(caller, "read", "Post"))
            #expect(
                response.status == 400 && response.text.contains("looked up by name"), "\(caller): \(response.text)")
        }
    }

    @Test func `it does not reveal whether an unreadable record exists`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        func key(_ scope: String) async throws -> String {
            let made = await database.call(
                .post, "/keys", as: .administrator, body: #"{"name":"k\#(scope.utf8.count)","scope":\#(scope)}"#)
            return try #require(made.json?["token"]?.string, "\(made.text)")
        }
        let blind = try await key(#"{"rights":["readRights"]}"#)
        let reader = try await key(#"{"types":["Secret"],"actions":["read"],"rights":["readRights"]}"#)
        func ask(_ token: String, _ name: String) async -> Response {
            await database.call(
                .post, "/explain/access", token: token, body: Self.ask("anonymous", "read", "Secret", name))
        }
        let (known, unknown) = (await ask(blind, "s1"), await ask(blind, "s2"))
        #expect(known.status == 404 && known.text == unknown.text, "\(known.text)")
        #expect(await ask(reader, "s1").status == 200)
        #expect(await ask(reader, "s2").status == 404)
    }

    @Test func `it agrees with the responses to real requests`() async throws {
        let database = try await TestDatabase.make(.production)
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Good":{"fields":{"open":{"type":"INT64","indexes":["QUERYABLE"]},
                "cost":{"type":"INT64","indexes":["QUERYABLE"],"read":["editors"],"write":["_creator"]},
                "own":{"type":"INT64","indexes":["QUERYABLE"],"read":["_creator"],"write":["_icloud"]}},
                "grants":{"_world":["READ"],"_icloud":["CREATE","WRITE"]}},
                "Note":{"fields":{"open":{"type":"INT64","indexes":["QUERYABLE"]},
                "own":{"type":"INT64","indexes":["QUERYABLE"],"read":["_creator"]}},
                "grants":{"_icloud":["CREATE"],"_creator":["WRITE"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        for (type, who) in [("Good", TestDatabase.Who.creator), ("Good", .administrator), ("Note", .creator)] {
            let made = await database.call(
                .put, "/records/\(type)/\(type)-\(who)", as: who, body: #"{"fields":{"open":1,"own":2}}"#)
            try #require(made.status == 201, "\(made.text)")
        }
        let callers: [(TestDatabase.Who, String)] = [
            (.anonymous, "anonymous"), (.stranger, "{stranger}"), (.creator, "{creator}"), (.member, "{member}"),
            (.administrator, "administrator"),
        ]
        var asked = 0
        for (who, name) in callers {
            for (type, record) in [("Good", "Good-creator"), ("Good", "Good-administrator"), ("Note", "Note-creator")] {
                func isAllowed(_ action: String, field: String? = nil, record: String?) async -> Bool {
                    asked += 1
                    let response = await database.call(
                        .post, "/explain/access", as: .administrator,
                        body: Self.ask(name, action, type, record, field: field))
                    return response.json?["decision"]?.string == "ALLOWED"
                }
                let read = await database.call(.get, "/records/\(type)/\(record)", as: who)
                #expect(await isAllowed("read", record: record) == (read.status == 200), "\(who) \(record)")
                for field in type == "Good" ? ["open", "cost", "own"] : ["open", "own"] {
                    let about = "\(who) \(record) \(field)"
                    if field != "cost" {
                        let isShown = read.text.contains("\"\(field)\":")
                        #expect(await isAllowed("read", field: field, record: record) == isShown, "\(about)")
                    }
                    let write = await database.call(
                        .patch, "/records/\(type)/\(record)", as: who, body: #"{"fields":{"\#(field)":2}}"#)
                    #expect(
                        await isAllowed("write", field: field, record: record) == (write.status == 200),
                        "\(about): \(write.text)")
                    let query = await database.call(.get, "/query/\(type)?where=\(field)==2", as: who)
                    #expect(
                        await isAllowed("query", field: field, record: nil) == (query.status == 200),
                        "\(about): \(query.text)")
                }
            }
        }
        #expect(asked > 60)
    }
}
