import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

/// `GET` and `PUT /schema` in the schema language.
@Suite struct SchemaTextRouteTests {
    private static let accept = [("Accept", "text/x-ckdb")]
    private static let send = [("Content-Type", "text/x-ckdb; charset=UTF-8")]

    private static let schema = #"""
        {"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"],"write":["editors"]},
        "n":{"type":"INT64"}},"indexes":[{"fields":["n","-title"],"unique":true},{"fields":["createdTimestamp"]}],
        "grants":{"_world":["READ"],"editors":["READ","WRITE"]},"acl":{"role:editors":["read"]},"aclRequired":true},
        "Empty":{"fields":{}}}}
        """#

    @Test func `an export is imported elsewhere, and exported again as the same bytes`() async throws {
        let one = try await TestDatabase.make()
        let other = try await TestDatabase.make(withUsers: false)
        let made = await one.call(.put, "/schema", as: .administrator, body: Self.schema)
        try #require(made.status == 200, "\(made.text)")
        let exported = await one.call(.get, "/schema", as: .administrator, headers: Self.accept)
        #expect(exported.status == 200)
        #expect(exported.field("Content-Type") == "text/x-ckdb; charset=utf-8")
        #expect(exported.field("Vary") == "Accept")
        #expect(exported.text.hasPrefix("-- fogbase: {\"version\":1}\nDEFINE SCHEMA\n\n    CREATE ROLE editors;\n"))

        let imported = await other.call(
            .put, "/schema", as: .administrator, body: exported.text, headers: Self.send)
        #expect(imported.status == 200, "\(imported.text)")
        #expect(imported.json?["changes"]?["roles"] == ["editors"])
        let again = await other.call(.get, "/schema", as: .administrator, headers: Self.accept)
        // The first server also has the type of its accounts' records, which the text brings along.
        #expect(again.text == exported.text)
        // What the text carries is what JSON carries.
        let (left, right) = (
            await one.call(.get, "/schema", as: .administrator), await other.call(.get, "/schema", as: .administrator)
        )
        let documents = try [left, right].map { try SchemaDocument.read(Array($0.text.utf8)).complete }
        #expect(documents[0] == documents[1])
        let roles = await other.call(.get, "/roles", as: .administrator)
        #expect(roles.json?["roles"]?.array?.compactMap { $0["name"]?.string } == ["editors"])
        let log = await other.call(.get, "/audit?action=role.put", as: .administrator)
        #expect(log.text.contains("\"target\":\"editors\""))
    }

    @Test func `JSON is the answer unless Accept prefers the language`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for (accept, type) in [
            ("application/json", "application/json"), ("*/*", "application/json"),
            ("text/x-ckdb;q=0.5, application/json", "application/json"),
            ("text/x-ckdb;q=0, */*", "application/json"),
            ("application/json, text/x-ckdb", "text/x-ckdb; charset=utf-8"),
            ("TEXT/X-CKDB, */*;q=0.1", "text/x-ckdb; charset=utf-8"),
        ] {
            let response = await database.call(
                .get, "/schema", as: .administrator, headers: [("Accept", accept)])
            #expect(response.status == 200)
            #expect(response.field("Content-Type") == type, "\(accept)")
        }
        let plain = await database.call(.get, "/schema", as: .administrator, headers: [("Accept", "text/plain")])
        #expect(plain.status == 406)
        // As before, text/plain is JSON.
        let put = await database.call(
            .put, "/schema", as: .administrator, body: #"{"types":{}}"#, headers: [("Content-Type", "text/plain")])
        #expect(put.status == 200)
    }

    @Test func `the tag of a text is a precondition for both forms`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let text = "DEFINE SCHEMA RECORD TYPE Post (title STRING, GRANT READ TO \"_world\");"
        let made = await database.call(.put, "/schema", as: .administrator, body: text, headers: Self.send)
        try #require(made.status == 200, "\(made.text)")
        let exported = await database.call(.get, "/schema", as: .administrator, headers: Self.accept)
        let tag = try #require(exported.field("ETag"))
        #expect(tag != made.field("ETag"))
        let unchanged = await database.call(
            .get, "/schema", as: .administrator, headers: Self.accept + [("If-None-Match", tag)])
        #expect(unchanged.status == 304)
        // A new role changes the text, and not the JSON.
        await database.call(.put, "/roles/staff", as: .administrator, body: #"{"members":[]}"#)
        let other = await database.call(
            .get, "/schema", as: .administrator, headers: Self.accept + [("If-None-Match", tag)])
        #expect(other.status == 200 && other.text.contains("CREATE ROLE staff;"))
        let changed = await database.call(
            .put, "/schema", as: .administrator, body: exported.text.replacing("STRING", with: "STRING QUERYABLE"),
            headers: Self.send + [("If-Match", tag)])
        #expect(changed.status == 200, "\(changed.text)")
        let late = await database.call(
            .put, "/schema", as: .administrator, body: exported.text, headers: Self.send + [("If-Match", tag)])
        #expect(late.status == 412)
    }

    @Test func `a text without fogbase comments keeps what the language has no words for`() async throws {
        let database = try await TestDatabase.make()
        let made = await database.call(.put, "/schema", as: .administrator, body: Self.schema)
        try #require(made.status == 200, "\(made.text)")
        let text = """
            DEFINE SCHEMA
            RECORD TYPE Post ("___modTime" TIMESTAMP SORTABLE, title STRING SORTABLE, n INT64, GRANT READ TO "_world");
            RECORD TYPE Empty ();
            """
        let put = await database.call(.put, "/schema", as: .administrator, body: text, headers: Self.send)
        try #require(put.status == 200, "\(put.text)")
        let post = try #require(put.json?["types"]?["Post"])
        #expect(post["fields"]?["title"] == ["type": "STRING", "indexes": ["SORTABLE"], "write": ["editors"]])
        #expect(post["grants"] == ["_world": ["READ"]])
        #expect(post["acl"] == ["role:editors": ["read"]])
        #expect(post["aclRequired"] == true)
        // The options of system fields are those of the text; the other indexes stay.
        #expect(
            Set(post["indexes"]?.array ?? []) == [
                ["fields": ["modifiedTimestamp"]], ["fields": ["n", "-title"], "unique": true],
            ])
    }

    @Test func `errors name the line and the column`() async throws {
        let database = try await TestDatabase.make()
        await database.play([
            Scenario(
                "a wrong type", .administrator, .put, "/schema", "DEFINE SCHEMA\n RECORD TYPE Post (title STRNG);",
                headers: Self.send, 400, contains: ["Line 2, column 26: 'STRNG'", "\"line\":2", "\"column\":26"]),
            Scenario(
                "text that is sent as JSON", .administrator, .put, "/schema", "DEFINE SCHEMA", 400,
                contains: ["MALFORMED_JSON"]),
            Scenario(
                "another charset", .administrator, .put, "/schema", "DEFINE SCHEMA",
                headers: [("Content-Type", "text/x-ckdb; charset=utf-16")], 415),
            Scenario(
                "another media type", .administrator, .put, "/schema", "DEFINE SCHEMA",
                headers: [("Content-Type", "text/x-other")], 415),
            Scenario(
                "a text of a user", .creator, .put, "/schema", "DEFINE SCHEMA", headers: Self.send, 403),
            Scenario("a text of nobody", .anonymous, .put, "/schema", "DEFINE SCHEMA", headers: Self.send, 401),
            Scenario(
                "JSON is what other routes read", .administrator, .put, "/roles/staff", "DEFINE SCHEMA",
                headers: Self.send, 415),
        ])
    }

    @Test func `a dry run answers the plan, and changes nothing`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let before = await database.call(.get, "/schema", as: .administrator)
        let exported = await database.call(.get, "/schema", as: .administrator, headers: Self.accept)
        let text = exported.text.replacing(" INT64,", with: " INT64 SORTABLE,\n        extra STRING,")
            .replacing("CREATE ROLE editors;", with: "CREATE ROLE editors;\n    CREATE ROLE fresh;")
            .replacing("GRANT READ TO \"_world\"", with: "GRANT READ, WRITE TO fresh")
        try #require(text.contains("extra") && text.contains("WRITE TO fresh"), "\(text)")
        let plan = await database.call(
            .put, "/schema?dryRun=true", as: .administrator, body: text, headers: Self.send)
        try #require(plan.status == 200, "\(plan.text)")
        let changes = try #require(plan.json?["changes"])
        #expect(plan.json?["dryRun"] == true)
        #expect(changes["fields"]?["added"] == ["Post.extra"])
        #expect(changes["fields"]?["changed"] == ["Post.good"])
        #expect(changes["indexes"] == ["added": [["recordType": "Post", "fields": ["good"]]], "removed": []])
        #expect(changes["rights"] == ["Post"])
        #expect(changes["roles"] == ["fresh"])
        #expect(changes["records"] == ["Post": 2])
        #expect(await database.call(.get, "/schema", as: .administrator).text == before.text)
        #expect(await database.call(.get, "/roles/fresh", as: .administrator).status == 404)
    }

    @Test func `a refused document names all that it would lose`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        // A field that no record has can go, or get another type.
        let full = #"{"fields":{"title":"x","good":1,"data":{"value":"eA==","type":"BYTES"}}}"#
        #expect(await database.call(.put, "/records/Post/full", as: .creator, body: full).status == 201)
        for query in ["", "?dryRun=true"] {
            let refused = await database.call(
                .put, "/schema\(query)", as: .administrator,
                body: "DEFINE SCHEMA RECORD TYPE Post (good STRING, owner REFERENCE);", headers: Self.send)
            #expect(refused.status == 400)
            let sentences = refused.json?["details"]?["refused"]?.array?.compactMap(\.string) ?? []
            #expect(sentences.count == 5, "\(refused.text)")
            #expect(sentences.first == refused.json?["reason"]?.string)
            for part in ["field title", "field data", "good of type Post is INT64", "type Secret", "type Drop"] {
                #expect(sentences.contains { $0.contains(part) }, "\(part)")
            }
        }
    }

    @Test func `a key without changeRights creates no role`() async throws {
        let database = try await TestDatabase.make()
        let made = await database.call(
            .post, "/keys", as: .administrator,
            body: #"{"name":"ci","scope":{"rights":["readSchema","changeSchema"]},"expiresIn":3600}"#)
        let token = try #require(made.json?["token"]?.string, "\(made.text)")
        let key = [("Authorization", "Bearer \(token)")]
        func put(_ text: String) async -> Response {
            await database.call(.put, "/schema", body: text, headers: Self.send + key)
        }
        let users = "RECORD TYPE Users (GRANT READ, WRITE TO \"_creator\");"
        let denied = await put("DEFINE SCHEMA CREATE ROLE fresh; \(users)")
        #expect(denied.status == 403 && denied.text.contains("creates the role fresh"), "\(denied.text)")
        let known = await put("DEFINE SCHEMA CREATE ROLE editors; \(users)")
        #expect(known.status == 200, "\(known.text)")
        // Without the right readRights, an export has the roles that the schema names.
        let exported = await database.call(.get, "/schema", headers: Self.accept + key)
        #expect(exported.status == 200 && !exported.text.contains("editors"), "\(exported.text)")
    }
}
