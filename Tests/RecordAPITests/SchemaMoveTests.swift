import HTTP
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Promotion to production, rollback to an earlier schema, and reset of development.
@Suite struct SchemaMoveTests {
    private static let production = "environment=production"

    private static func post(_ fields: String, _ rest: String = "") -> String {
        #"{"types":{"Post":{"fields":{\#(fields)}\#(rest)}}}"#
    }

    private static let first = post(
        #""title":{"type":"STRING","indexes":["QUERYABLE"]},"n":{"type":"INT64"}"#,
        #","grants":{"_world":["READ"],"staff":["WRITE"]}"#)

    /// A container without accounts, whose development has a schema.
    private func start(_ schema: String = first) async throws -> TestDatabase {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/roles/staff", as: .administrator, body: #"{"members":[]}"#)
        try await put(schema, database)
        return database
    }

    private func put(_ schema: String, _ database: TestDatabase, _ query: String = "") async throws {
        let made = await database.call(.put, "/schema\(query)", as: .administrator, body: schema)
        try #require(made.status == 200, "\(made.text)")
    }

    private func text(_ database: TestDatabase, _ query: String = "") async -> String {
        await database.call(.get, "/schema\(query)", as: .administrator, headers: [("Accept", "text/x-ckdb")]).text
    }

    @discardableResult
    private func promote(
        _ database: TestDatabase, _ query: String = "", expecting status: Int = 200
    ) async throws -> Response {
        let response = await database.call(
            .post, "/schema/promotion?\(Self.production)\(query)", as: .administrator)
        try #require(response.status == status, "\(response.text)")
        return response
    }

    @Test func `a promotion makes production what development is`() async throws {
        let database = try await start()
        let before = await text(database, "?\(Self.production)")
        let plan = try await promote(database, "&dryRun=true")
        #expect(plan.json?["dryRun"] == true)
        #expect(plan.json?["changes"]?["types"]?["added"] == ["Post"])
        #expect(plan.json?["changes"]?["roles"] == ["staff"])
        #expect(await text(database, "?\(Self.production)") == before)
        let done = try await promote(database)
        #expect(await text(database, "?\(Self.production)") == text(database))
        #expect(done.json?["changes"]?["snapshot"] == 1)
        let snapshots = await database.call(.get, "/schema/snapshots?\(Self.production)", as: .administrator)
        #expect(snapshots.json?["snapshots"]?.array?.map { $0["before"] } == ["promotion"])
        let snapshot = await database.call(
            .get, "/schema/snapshots/1?\(Self.production)", as: .administrator, headers: [("Accept", "text/x-ckdb")])
        #expect(snapshot.text == before)
        let log = await database.call(.get, "/audit?\(Self.production)", as: .administrator)
        for action in ["schema.promote", "grants.put", "role.put"] {
            #expect(log.text.contains("\"action\":\"\(action)\""), "\(action)")
        }
    }

    @Test func `a promotion removes and retypes nothing, whether there are records or not`() async throws {
        let database = try await start()
        try await promote(database)
        try await put(
            #"{"types":{"Post":{"fields":{"title":{"type":"BYTES"},"gone":{"type":"STRING"}}},"Old":{"fields":{}}}}"#,
            database,
            "?\(Self.production)")
        let before = await text(database, "?\(Self.production)")
        for query in ["", "&dryRun=true"] {
            let refused = try await promote(database, query, expecting: 400)
            let sentences = refused.json?["details"]?["refused"]?.array?.compactMap(\.string) ?? []
            #expect(sentences.count == 3, "\(refused.text)")
            for part in ["field gone of type Post", "title of type Post is BYTES", "has the type Old"] {
                #expect(sentences.contains { $0.contains(part) && $0.contains("promotion") }, "\(part)")
            }
        }
        #expect(await text(database, "?\(Self.production)") == before)
        let snapshots = await database.call(.get, "/schema/snapshots?\(Self.production)", as: .administrator)
        #expect(snapshots.json?["snapshots"]?.array?.count == 1)
    }

    @Test func `integers may become doubles, and indexes and grants may change`() async throws {
        let database = try await start()
        try await promote(database)
        let record = await database.call(
            .put, "/records/Post/a?\(Self.production)", as: .administrator,
            body: #"{"fields":{"title":"sea","n":3}}"#)
        try #require(record.status == 201, "\(record.text)")
        try await put(
            Self.post(
                #""title":{"type":"STRING"},"n":{"type":"DOUBLE","indexes":["SORTABLE"]}"#,
                #","grants":{"_world":["READ"]}"#), database)
        let plan = try await promote(database, "&dryRun=true")
        #expect(plan.json?["changes"]?["records"] == ["Post": 1])
        #expect(plan.json?["changes"]?["rights"] == ["Post"])
        try await promote(database)
        #expect(await text(database, "?\(Self.production)").contains("n             DOUBLE SORTABLE"))
        let kept = try await promote(database, "&rights=keep")
        #expect(kept.json?["changes"]?["rights"] == [])
    }

    @Test func `a default list names only users of its own environment`() async throws {
        let database = try await TestDatabase.make()
        let schema = Self.post(#""title":{"type":"STRING"}"#, #","acl":{"{creator}":["read"]}"#)
        let users = await database.call(.get, "/schema/types/Users", as: .administrator)
        let all = schema.dropLast(2) + #","Users":\#(users.text)}}"#
        try await put(String(all), database)
        let refused = try await promote(database, expecting: 400)
        #expect(refused.text.contains("UNKNOWN_NAME"), "\(refused.text)")
    }

    @Test func `a rollback brings the earlier schema back, and says what it leaves`() async throws {
        let database = try await start()
        try await promote(database)
        let earlier = await text(database, "?\(Self.production)")
        try await put(
            #"""
            {"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},
            "n":{"type":"INT64"},"new":{"type":"STRING"}},"grants":{}},
            "Full":{"fields":{"a":{"type":"STRING"}}},"Empty":{"fields":{}}}}
            """#, database)
        try await promote(database)
        let record = await database.call(
            .put, "/records/Full/a?\(Self.production)", as: .administrator, body: #"{"fields":{"a":"x"}}"#)
        try #require(record.status == 201, "\(record.text)")
        let target = "/schema/rollback?\(Self.production)"
        let plan = await database.call(
            .post, target + "&dryRun=true", as: .administrator, body: #"{"snapshot":2}"#)
        #expect(plan.status == 200, "\(plan.text)")
        #expect(plan.json?["changes"]?["types"]?["removed"] == ["Empty"])
        #expect(plan.json?["changes"]?["kept"]?.array?.count == 1)
        let done = await database.call(.post, target, as: .administrator, body: #"{"snapshot":2}"#)
        #expect(done.status == 200, "\(done.text)")
        #expect(done.json?["changes"]?["fields"]?["removed"] == ["Post.new"])
        let kept = try #require(done.json?["changes"]?["kept"]?.array?.first?.string)
        #expect(kept.contains("The type Full has records"))
        #expect(done.json?["changes"]?["snapshot"] == 3)
        // Without the record, nothing stays.
        await database.call(.delete, "/records/Full/a?\(Self.production)", as: .administrator)
        let again = await database.call(.post, target, as: .administrator, body: #"{"snapshot":2}"#)
        #expect(again.json?["changes"]?["kept"] == nil)
        #expect(await text(database, "?\(Self.production)") == earlier)
        // A rollback can be rolled back.
        let back = await database.call(.post, target, as: .administrator, body: #"{"snapshot":3}"#)
        #expect(back.json?["changes"]?["types"]?["added"] == ["Empty", "Full"], "\(back.text)")
        let log = await database.call(.get, "/audit?\(Self.production)&action=schema.rollback", as: .administrator)
        #expect(log.json?["entries"]?.array?.count == 3)
    }

    @Test func `a promotion, a rollback or a reset to an equal schema stores no snapshot`() async throws {
        let database = try await start()
        try await promote(database)
        let equal = try await promote(database)
        #expect(equal.json?["changes"]?["snapshot"] == nil, "\(equal.text)")
        try await put(Self.post(#""title":{"type":"STRING"},"n":{"type":"INT64"},"new":{"type":"STRING"}"#), database)
        #expect(try await promote(database).json?["changes"]?["snapshot"] == 2)
        for (snapshot, stored) in [(2, 3), (2, nil), (3, 4)] as [(Int, Int64?)] {
            let back = await database.call(
                .post, "/schema/rollback?\(Self.production)", as: .administrator, body: #"{"snapshot":\#(snapshot)}"#)
            #expect(back.json?["changes"]?["snapshot"] == stored.map(JSONValue.integer), "\(back.text)")
        }
        for stored in [1, nil] as [Int64?] {
            let reset = await database.call(
                .post, "/schema/reset", as: .administrator, body: #"{"deleteRecords":true}"#)
            #expect(reset.status == 200, "\(reset.text)")
            if stored == nil { #expect(reset.json?["changes"]?["snapshot"] == nil, "\(reset.text)") }
        }
        let all = await database.call(.get, "/schema/snapshots?\(Self.production)", as: .administrator)
        #expect(all.json?["snapshots"]?.array?.count == 4)
    }

    @Test func `a rollback keeps fields with values`() async throws {
        let database = try await start()
        try await promote(database)
        let fields = #""title":{"type":"STRING"},"n":{"type":"DOUBLE"},"new":{"type":"STRING","read":[]}"#
        try await put(Self.post(fields), database)
        try await promote(database)
        await database.call(
            .put, "/records/Post/a?\(Self.production)", as: .administrator, body: #"{"fields":{"n":1.5,"new":"x"}}"#)
        let done = await database.call(
            .post, "/schema/rollback?\(Self.production)", as: .administrator, body: #"{"snapshot":2}"#)
        try #require(done.status == 200, "\(done.text)")
        let kept = done.json?["changes"]?["kept"]?.array?.compactMap(\.string) ?? []
        #expect(kept.count == 2)
        #expect(kept.contains { $0.contains("field new") } && kept.contains { $0.contains("n of type Post is DOUBLE") })
        let post = done.json?["types"]?["Post"]
        #expect(post?["fields"]?["new"] == ["type": "STRING", "read": []])
        #expect(post?["fields"]?["title"]?["indexes"] == ["QUERYABLE"])
    }

    @Test func `a reset needs a word before it deletes records`() async throws {
        let database = try await start()
        try await promote(database)
        try await put(
            #"""
            {"types":{"Post":{"fields":{"title":{"type":"STRING"},"n":{"type":"INT64"},"extra":{"type":"STRING"}}},
            "Draft":{"fields":{}},"Empty":{"fields":{}}}}
            """#, database)
        for (type, name, fields) in [
            ("Post", "p", #""title":"sea""#), ("Draft", "d", ""), ("Draft", "e", ""),
        ] {
            let made = await database.call(
                .put, "/records/\(type)/\(name)", as: .administrator, body: #"{"fields":{\#(fields)}}"#)
            try #require(made.status == 201, "\(made.text)")
        }
        let refused = await database.call(.post, "/schema/reset", as: .administrator)
        #expect(refused.status == 400)
        #expect(refused.json?["details"]?["recordTypes"] == ["Draft", "Post"], "\(refused.text)")
        #expect(refused.text.contains("deleteRecords"))
        #expect(await text(database).contains("extra"))
        let plan = await database.call(
            .post, "/schema/reset?dryRun=true", as: .administrator, body: #"{"deleteRecords":true}"#)
        #expect(plan.json?["changes"]?["deletedRecords"] == 3, "\(plan.text)")
        #expect(await database.call(.get, "/records/Draft/d", as: .administrator).status == 200)
        let done = await database.call(.post, "/schema/reset", as: .administrator, body: #"{"deleteRecords":true}"#)
        #expect(done.json?["changes"]?["deletedRecords"] == 3, "\(done.text)")
        #expect(await text(database) == text(database, "?\(Self.production)"))
        let records = await database.call(.get, "/records/Post", as: .administrator)
        #expect(records.json?["records"] == [])
        let log = await database.call(.get, "/audit?action=schema.reset", as: .administrator)
        #expect(log.json?["entries"]?.array?.count == 1)
    }

    @Test func `what refers to a record that a reset deletes with DELETE_SELF follows`() async throws {
        let fields = #""ref":{"type":"REFERENCE"}"#
        let database = try await start(Self.post(fields))
        try await promote(database)
        try await put(#"{"types":{"Post":{"fields":{\#(fields)}},"Draft":{"fields":{}}}}"#, database)
        await database.call(.put, "/records/Draft/d", as: .administrator, body: #"{"fields":{}}"#)
        for (name, action) in [("p", "DELETE_SELF"), ("q", "NONE")] {
            let made = await database.call(
                .put, "/records/Post/\(name)", as: .administrator,
                body: #"{"fields":{"ref":{"value":{"recordName":"d","action":"\#(action)"}}}}"#)
            try #require(made.status == 201, "\(made.text)")
        }
        let done = await database.call(.post, "/schema/reset", as: .administrator, body: #"{"deleteRecords":true}"#)
        #expect(done.json?["changes"]?["deletedRecords"] == 1, "\(done.text)")
        for (_, database) in database.registry.openDatabases { await database.accounts.removalsAreDone() }
        #expect(await database.call(.get, "/records/Post/p", as: .administrator).status == 404)
        #expect(await database.call(.get, "/records/Post/q", as: .administrator).status == 200)
    }

    @Test func `a reset deletes records of private databases, and no user record`() async throws {
        let database = try await TestDatabase.make()
        try await promote(database)
        for query in ["", "?database=private"] {
            let made = await database.call(
                .put, "/records/Draft/d\(query)", as: .creator, body: #"{"fields":{"title":"x"}}"#)
            try #require(made.status == 201, "\(made.text)")
        }
        // Just in time, user records got a field that production lacks.
        let profile = await database.call(
            .patch, "/records/Users/{creator}", as: .creator, body: #"{"fields":{"nick":"Ann"}}"#)
        try #require(profile.status == 200, "\(profile.text)")
        let refused = await database.call(.post, "/schema/reset", as: .administrator, body: #"{"deleteRecords":true}"#)
        #expect(refused.status == 400 && refused.text.contains("its field nick cannot be left out"), "\(refused.text)")
        #expect(await database.call(.get, "/records/Draft/d?database=private", as: .creator).status == 200)
        try await promote(database)
        let types = await database.call(.get, "/schema?\(Self.production)", as: .administrator)
        var document = try SchemaDocument.read(Array(types.text.utf8))
        document.types.removeAll { $0.name.text == "Draft" }
        try await put(String(decoding: document.json.bytes, as: UTF8.self), database, "?\(Self.production)")
        let done = await database.call(.post, "/schema/reset", as: .administrator, body: #"{"deleteRecords":true}"#)
        #expect(done.json?["changes"]?["deletedRecords"] == 2, "\(done.text)")
        for query in ["", "?database=private"] {
            #expect(await database.call(.get, "/records/Draft/d\(query)", as: .creator).status == 404)
        }
        #expect(await database.call(.get, "/records/Users/{creator}", as: .creator).status == 200)
    }

    @Test func `a reset without losses needs no word, and keeps records that fit`() async throws {
        let database = try await start()
        try await promote(database)
        let made = await database.call(
            .put, "/records/Post/p", as: .administrator, body: #"{"fields":{"title":"sea","n":1}}"#)
        try #require(made.status == 201)
        try await put(
            #"{"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["SORTABLE"]},"n":{"type":"INT64"}}},"New":{"fields":{}}}}"#,
            database)
        let done = await database.call(.post, "/schema/reset", as: .administrator)
        #expect(done.status == 200, "\(done.text)")
        #expect(done.json?["changes"]?["deletedRecords"] == nil)
        #expect(await text(database) == text(database, "?\(Self.production)"))
        #expect(await database.call(.get, "/records/Post/p", as: .administrator).status == 200)
    }

    @Test func `each request belongs to one environment, and to administrators`() async throws {
        let database = try await start()
        let key = await database.call(
            .post, "/keys?\(Self.production)", as: .administrator,
            body: #"{"name":"ci","scope":{"rights":["readSchema","changeSchema"]},"expiresIn":3600}"#)
        let token = try #require(key.json?["token"]?.string, "\(key.text)")
        let denied = await database.call(.post, "/schema/promotion?\(Self.production)", token: token)
        #expect(denied.status == 403 && denied.text.contains("another environment"), "\(denied.text)")
        await database.play([
            Scenario(
                "a promotion to development", .administrator, .post, "/schema/promotion", 400,
                contains: ["environment=production"]),
            Scenario(
                "a reset of production", .administrator, .post, "/schema/reset?\(Self.production)", 400,
                contains: ["environment=development"]),
            Scenario(
                "a reset with a wrong word", .administrator, .post, "/schema/reset", #"{"deleteRecords":"yes"}"#, 400,
                contains: ["deleteRecords"]),
            Scenario(
                "a rollback to nothing", .administrator, .post, "/schema/rollback", #"{"snapshot":7}"#, 404,
                contains: ["GET /schema/snapshots"]),
            Scenario(
                "a rollback without a number", .administrator, .post, "/schema/rollback", #"{"snapshot":"7"}"#, 400),
            Scenario(
                "a promotion of another schema", .administrator, .post, "/schema/promotion?\(Self.production)",
                headers: [("If-Match", "\"x\"")], 412),
            Scenario("a snapshot that is none", .administrator, .get, "/schema/snapshots/x", 404),
        ])
    }
}
