import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// API keys over the routes.
@Suite struct KeyRoutesTests {
    /// Creates a key and returns the response.
    static func make(
        _ database: TestDatabase, _ name: String, _ scope: String, _ more: String = ""
    ) async throws -> (id: String, token: String) {
        let response = await database.call(
            .post, "/keys", as: .administrator, body: #"{"name":"\#(name)","scope":\#(scope)\#(more)}"#)
        try #require(response.status == 201, "\(response.text)")
        #expect(response.field("Cache-Control") == "no-store")
        return (try #require(response.json?["id"]?.string), try #require(response.json?["token"]?.string))
    }

    @Test func `a key does what its scope says and no more, on every kind of route`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let reader = try await Self.make(database, "reader", #"{"types":["Post"],"readOnly":true}"#)
        let writer = try await Self.make(
            database, "writer", #"{"types":["Secret"],"actions":["read","create","write"]}"#)
        for (method, target, body, readerStatus, writerStatus) in [
            (HTTPMethod.get, "/records/Post/p1", nil, 200, 404),
            (.get, "/records/Secret/s1", nil, 404, 200),
            (.get, "/records/Post", nil, 200, 403),
            (.get, "/query/Secret", nil, 403, 200),
            (.post, "/records/Post", "{}", 403, 403),
            (.post, "/records/Secret", #"{"fields":{"title":"by key"}}"#, 403, 201),
            (.patch, "/records/Post/p1", #"{"fields":{"title":"x"}}"#, 403, 404),
            (.patch, "/records/Secret/s1", #"{"fields":{"title":"y"}}"#, 404, 200),
            (.delete, "/records/Post/p1", nil, 403, 404),
            (.post, "/assets", "bytes", 403, 403),
            (.get, "/records/Post/p1?database=private", nil, 403, 403),
            (.get, "/records/Post/p1?database=private&owner={creator}", nil, 403, 403),
            (.get, "/schema", nil, 403, 403), (.put, "/grants/Post", #"{"grants":{}}"#, 403, 403),
            (.get, "/keys", nil, 403, 403), (.post, "/keys", #"{"name":"x","scope":{"readOnly":true}}"#, 403, 403),
            (.get, "/audit", nil, 403, 403), (.get, "/administrators", nil, 403, 403),
            (.get, "/changes", nil, 200, 200),
        ] as [(HTTPMethod, String, String?, Int, Int)] {
            for (key, status) in [(reader, readerStatus), (writer, writerStatus)] {
                let response = await database.call(method, database.filled(target), token: key.token, body: body)
                #expect(response.status == status, "\(method.text) \(target): \(response.text)")
            }
        }
        let feed = await database.call(.get, "/changes", token: reader.token)
        #expect(feed.changes.allSatisfy { $0["recordType"] == "Post" } && feed.changes.count == 2)
        let batch = await database.call(
            .post, "/records", token: reader.token,
            body: #"""
                {"atomic":false,"operations":[{"operationType":"create","record":{"recordType":"Post","fields":{}}},
                {"operationType":"forceUpdate","record":{"recordType":"Post","recordName":"p1","fields":{"title":"z"}}},
                {"operationType":"forceDelete","record":{"recordType":"Post","recordName":"p1"}}]}
                """#)
        #expect(batch.records.count == 3)
        #expect(batch.records.allSatisfy { $0["serverErrorCode"] == "ACCESS_DENIED" }, "\(batch.text)")
        let made = await database.call(.get, "/query/Secret?where=title%3D%3D'by%20key'", token: writer.token)
        let me = await database.call(.get, "/users/me", token: writer.token)
        #expect(made.records.first?["created"]?["userRecordName"] == me.json?["userRecordName"])
        #expect(me.json?["name"] == "writer" && me.json?["isAdministrator"] == false)
    }

    @Test func `a key may do what its rights permit`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let key = try await Self.make(database, "deploy", #"{"rights":["readSchema","changeSchema"]}"#)
        #expect(await database.call(.get, "/schema", token: key.token).status == 200)
        #expect(await database.call(.get, "/records/Post", token: key.token).status == 403)
        #expect(await database.call(.get, "/roles", token: key.token).status == 403)
        let index = await database.call(
            .post, "/schema/types/Post/indexes", token: key.token, body: #"{"fields":["title"]}"#)
        #expect(index.status == 201, "\(index.text)")
        let log = await database.call(.get, "/audit?action=schema.addIndex", as: .administrator)
        #expect(log.json?["entries"]?.array?.first?["actor"] == ["kind": "key", "name": "deploy"], "\(log.text)")
    }

    @Test func `a key that changes the schema changes no rights with it`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let rights = #"["readSchema","changeSchema"]"#
        let deploy = try await Self.make(database, "deploy", #"{"rights":\#(rights)}"#)
        let owner = try await Self.make(database, "owner", #"{"rights":["readSchema","changeSchema","changeRights"]}"#)
        let schema = await database.call(.get, "/schema", token: deploy.token).text
        /// The schema with a change in one type.
        func changed(_ type: String, _ change: (inout JSONObject) throws -> Void) throws -> String {
            var document = try #require(try JSONValue.parse(Array(schema.utf8)).object)
            var types = try #require(document["types"]?.object)
            var one = types[type]?.object ?? JSONObject([("fields", .object(JSONObject()))])
            try change(&one)
            types[type] = .object(one)
            document["types"] = .object(types)
            return String(decoding: JSONValue.object(document).bytes, as: UTF8.self)
        }
        func field(_ more: JSONObject) -> JSONValue {
            var field = JSONObject([("type", "STRING")])
            for member in more.members { field[member.key] = member.value }
            return .object(JSONObject([("more", .object(field))]))
        }
        let wide = try changed("New") { $0["grants"] = ["_world": ["WRITE"]] }
        for body in [
            try changed("Secret") { $0["grants"] = ["_world": ["READ"]] },
            try changed("Secret") { $0["acl"] = ["*": ["read"]] },
            try changed("New") { $0["fields"] = field(JSONObject([("read", ["_creator"])])) }, wide,
        ] {
            let rejected = await database.call(.put, "/schema", token: deploy.token, body: body)
            #expect(rejected.status == 403 && rejected.text.contains("changeRights"), "\(rejected.text)")
            #expect(await database.call(.get, "/schema", token: deploy.token).text == schema)
        }
        // A type that is dropped and put again would have the rights of a new one.
        let empty = try changed("Locked") {
            $0["fields"] = field(JSONObject([("read", [])]))
            $0["grants"] = ["_creator": ["READ"]]
        }
        #expect(await database.call(.put, "/schema", token: owner.token, body: empty).status == 200)
        let dropped = await database.call(.put, "/schema", token: deploy.token, body: schema)
        #expect(dropped.status == 403 && dropped.text.contains("changeRights"), "\(dropped.text)")
        #expect(await database.call(.get, "/schema/types/Locked", token: deploy.token).status == 200)
        #expect(await database.call(.put, "/schema", token: owner.token, body: schema).status == 200)
        let dropping = await database.call(.get, "/audit?action=grants.put&limit=1", as: .administrator)
        #expect(dropping.json?["entries"]?.array?.first?["target"] == "Locked", "\(dropping.text)")
        let plain = await database.call(
            .put, "/schema", token: deploy.token,
            body: try changed("New") { $0["fields"] = field(JSONObject()) })
        #expect(plain.status == 200, "\(plain.text)")
        let granted = await database.call(.put, "/schema", token: owner.token, body: wide)
        #expect(granted.status == 200, "\(granted.text)")
        let log = await database.call(.get, "/audit?action=grants.put", as: .administrator)
        let entry = log.json?["entries"]?.array?.first { $0["target"] == "New" }
        #expect(entry?["detail"]?["after"]?["grants"] == ["_world": ["WRITE"]], "\(log.text)")
    }

    @Test func `a key that writes the schema without reading it learns nothing about it`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let key = try await Self.make(database, "blind", #"{"rights":["changeSchema"]}"#)
        let empty = await database.call(.put, "/schema", token: key.token, body: #"{"types":{}}"#)
        #expect(empty.status == 400 && !empty.text.tells("Post") && !empty.text.tells("Secret"), "\(empty.text)")
        // The key learns only whether the names in its own document are permitted.
        let cut = await database.call(
            .put, "/schema", token: key.token, body: #"{"types":{"Post":{"fields":{}},"Secret":{},"Drop":{}}}"#)
        #expect(cut.status == 400 && !cut.text.tells("title") && !cut.text.tells("good"), "\(cut.text)")
        let whole = await database.call(.get, "/schema", as: .administrator)
        let same = await database.call(.put, "/schema", token: key.token, body: whole.text)
        #expect(same.status == 204 && same.text.isEmpty, "\(same.text)")
        let made = await database.call(
            .put, "/schema", as: .administrator,
            body: whole.text.replacing(#"{"types":{"#, with: #"{"types":{"Idm":{"fields":{},"grants":{}},"#))
        #expect(made.status == 200, "\(made.text)")
        let dropped = await database.call(.put, "/schema", token: key.token, body: whole.text)
        #expect(dropped.status == 403 && !dropped.text.tells("Idm"), "\(dropped.text)")
    }

    @Test func `a key that reads the schema but no records learns no record names`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let index = #"{"fields":["title"],"unique":true}"#
        let made = await database.call(.post, "/schema/types/Post/indexes", as: .administrator, body: index)
        #expect(
            made.status == 409 && made.cause == "UNIQUE_VIOLATION" && made.text.contains("p1"),
            "\(made.text)")
        let schema = await database.call(.get, "/schema/types/Post", as: .administrator)
        #expect(!schema.text.contains("failed"), "\(schema.text)")
        // A query's index that fails stays in the schema.
        let type = try #require(RecordTypeName("Post"))
        let shape = IndexRequest.Shape(kind: .ordered, columns: [.init(.field(1))], isUnique: true)
        _ = try await #require(database.registry.openDatabases.first?.database).indexes.add(
            IndexRequest(indexes: [shape]), to: type)
        let blind = try await Self.make(database, "blind", #"{"rights":["readSchema","changeSchema"]}"#)
        let reader = try await Self.make(database, "reader", #"{"readOnly":true,"rights":["readSchema"]}"#)
        for target in ["/schema", "/schema/types/Post"] {
            let told = await database.call(.get, target, token: blind.token)
            #expect(told.text.contains("failed") && !told.text.tells("p1"), "\(told.text)")
            #expect(await database.call(.get, target, token: reader.token).text.contains("p1"))
        }
        let again = await database.call(
            .post, "/schema/types/Post/indexes", token: blind.token, body: index)
        #expect(again.status == 409 && again.text.contains("do not fit") && !again.text.tells("p1"), "\(again.text)")
    }

    @Test func `an expiring key rotates itself but no key that expires later`() async throws {
        let database = try await TestDatabase.make()
        let scope = #"{"actions":["read"],"rights":["manageKeys"]}"#
        let short = try await Self.make(database, "short", scope, #","expiresIn":3600"#)
        let long = try await Self.make(database, "long", scope)
        let rejected = await database.call(.post, "/keys/\(long.id)/rotate", token: short.token)
        #expect(rejected.status == 403, "\(rejected.text)")
        #expect(await database.call(.get, "/keys", token: long.token).status == 200)
        let own = await database.call(.post, "/keys/\(short.id)/rotate", token: short.token)
        #expect(own.status == 201 || own.status == 200, "\(own.text)")
        #expect(await database.call(.post, "/keys/\(short.id)/rotate", token: long.token).status == own.status)
    }

    @Test func `a key is made, shown, changed, rotated and revoked`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let key = try await Self.make(database, "sync", #"{"readOnly":true}"#, #","expiresIn":3600"#)
        let path = "/keys/\(key.id)"
        let shown = await database.call(.get, path, as: .administrator)
        #expect(shown.json?["scope"] == ["actions": ["read"]] && shown.json?["state"] == "active")
        #expect(shown.json?["expiresAt"]?.integer != nil && shown.json?["token"] == nil)
        await database.play([
            Scenario(
                "a name that is taken", .administrator, .post, "/keys", #"{"name":"sync","scope":{"readOnly":true}}"#,
                409),
            Scenario("no scope", .administrator, .post, "/keys", #"{"name":"x"}"#, 400),
            Scenario(
                "an unknown key", .administrator, .post, "/keys", #"{"name":"x","scope":{"readonly":true}}"#, 400,
                contains: ["scope.readonly"]),
            Scenario(
                "a moment that has passed", .administrator, .post, "/keys",
                #"{"name":"x","scope":{"readOnly":true},"expiresAt":5}"#, 400),
            Scenario(
                "both ends", .administrator, .post, "/keys",
                #"{"name":"x","scope":{"readOnly":true},"expiresAt":5,"expiresIn":5}"#, 400),
            Scenario("strangers", .stranger, .post, "/keys", #"{"name":"x","scope":{"readOnly":true}}"#, 403),
            Scenario("nobody", .anonymous, .get, "/keys", 401),
            Scenario("no such key", .administrator, .get, "/keys/none", 404),
            Scenario("nothing to change", .administrator, .patch, path, "{}", 400),
            Scenario("another name", .administrator, .patch, path, #"{"name":"other"}"#, 200, contains: [#""other""#]),
            Scenario("another scope", .administrator, .patch, path, #"{"scope":{"actions":["create"]}}"#, 200),
            Scenario(
                "no end", .administrator, .patch, path, #"{"expiresAt":null}"#, 200, contains: [#"["create"]"#],
                lacks: ["expiresAt"]),
            Scenario("too long an overlap", .administrator, .post, path + "/rotate", #"{"overlap":2592001}"#, 400),
        ])
        #expect(await database.call(.get, "/records/Post/p1", token: key.token).status == 404)
        let rotated = await database.call(.post, path + "/rotate", as: .administrator, body: #"{"overlap":60}"#)
        let second = try #require(rotated.json?["token"]?.string)
        #expect(second != key.token && rotated.json?["overlapsUntil"]?.integer != nil)
        for token in [key.token, second] {
            #expect(await database.call(.get, "/users/me", token: token).status == 200)
        }
        // Without a body the overlap is a day.
        #expect(await database.call(.post, path + "/rotate", as: .administrator).status == 200)
        #expect(await database.call(.get, "/users/me", token: key.token).status == 401)
        #expect(await database.call(.delete, path, as: .administrator).status == 204)
        let rejected = await database.call(.get, "/users/me", token: second)
        let unknown = await database.call(.get, "/users/me", token: "fbk_" + String(repeating: "x", count: 43))
        #expect(rejected.status == 401 && rejected.text == unknown.text)
        #expect(await database.call(.delete, path, as: .administrator).status == 404)
        #expect(await database.call(.get, path, as: .administrator).json?["state"] == "revoked")
    }

    @Test func `no response, metric or log shows a token or its hash`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let key = try await Self.make(database, "sync", #"{"actions":["read","create"],"rights":["readMetrics"]}"#)
        await database.call(.post, "/records/Post", token: key.token, body: "{}")
        let rotated = await database.call(.post, "/keys/\(key.id)/rotate", as: .administrator)
        let second = try #require(rotated.json?["token"]?.string)
        for target in [
            "/keys", "/keys/\(key.id)", "/audit", "/audit?scope=server", "/metrics", "/records/Post", "/changes",
            "/schema", "/users/me",
        ] {
            let response = await database.call(.get, target, as: .administrator)
            #expect(response.status == 200, "\(target): \(response.text)")
            for secret in [key.token, second] {
                // Lists show the first eight characters.
                #expect(!response.text.contains(secret.dropFirst(4).dropFirst(9)), "\(target)")
            }
            #expect(!response.text.lowercased().tells("hash"), "\(target)")
        }
    }

    @Test func `a token of one environment is unknown in the other`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let key = try await Self.make(database, "sync", #"{"actions":["read","create","write"]}"#)
        #expect(await database.call(.get, "/records/Post?environment=production", token: key.token).status == 401)
        #expect(await database.call(.get, "/records/Post", token: key.token).status == 200)
    }

    @Test func `a key may upload if it may create or change a record with files`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let schema =
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING"}}},"Photo":{"fields":{"file":{"type":"ASSET"}}}}}"#
        #expect(await database.call(.put, "/schema", as: .administrator, body: schema).status == 200)
        for (scope, status) in [
            (#"{"types":["Photo"],"actions":["create"]}"#, 201), (#"{"types":["Photo"],"actions":["write"]}"#, 201),
            (#"{"types":["Photo"],"readOnly":true}"#, 403), (#"{"types":["Post"],"actions":["write"]}"#, 403),
            (#"{"rights":["changeSchema"]}"#, 403),
        ] {
            let key = try await Self.make(database, scope.filter { $0 != "\"" }, scope)
            let response = await database.call(.post, "/assets", token: key.token, body: "bytes")
            #expect(response.status == status, "\(scope): \(response.text)")
        }
    }

    @Test func `uses of a key outside its scope are counted`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let key = try await Self.make(database, "reader", #"{"types":["Post"],"readOnly":true}"#)
        for _ in 0..<3 { await database.call(.delete, "/records/Post/p1", token: key.token) }
        await database.call(.get, "/records/Secret/s1", token: key.token)
        await database.call(.get, "/records/Post/none", token: key.token)
        let log = await database.call(.get, "/audit?action=key.outOfScope", as: .administrator)
        let entries = log.json?["entries"]?.array ?? []
        #expect(entries.allSatisfy { $0["actor"] == ["kind": "key", "name": "reader"] })
        // A minute may have ended in between.
        #expect(entries.compactMap { $0["detail"]?["count"]?.integer }.reduce(0, +) == 4, "\(log.text)")
        #expect(Set(entries.compactMap { $0["target"]?.string }) == ["deleteRecord Post", "readRecord Secret"])
    }
}
