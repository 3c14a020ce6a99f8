import HTTP
import RecordModel
import RecordWire
import Testing

/// A rejection names its subject and a remedy, and reveals nothing that the caller may not know.
@Suite struct RejectionSentenceTests {
    /// A forum, and the administrator's document of its types.
    private static func forum(_ environment: RecordEnvironment = .development) async throws -> TestDatabase {
        let database = try await TestDatabase.make(environment)
        try await database.addForum()
        return database
    }

    private static func post(_ fields: String) -> String { #"{"fields":\#(fields)}"# }

    @Test func `a denial names the missing permission, the type and the route that explains it`() async throws {
        let database = try await Self.forum()
        let why = "POST /explain/access tells an administrator why"
        await database.play([
            Scenario(
                "another's record", .stranger, .patch, "/records/Post/p1", Self.post(#"{"title":"x"}"#), 403,
                contains: ["You may not write this Post. \(why)", "ACCESS_DENIED"]),
            Scenario(
                "a stranger's write", .anonymous, .patch, "/records/Post/p1", Self.post(#"{"title":"x"}"#), 401,
                contains: ["Sign in first: anonymous callers may not write this Post"]),
            Scenario(
                "of what is not there", .anonymous, .patch, "/records/Post/none", Self.post(#"{"title":"x"}"#), 401,
                contains: ["Sign in first: anonymous callers may not write this Post"]),
            Scenario(
                "a stranger's record", .anonymous, .post, "/records/Post", "{}", 401,
                contains: ["Sign in first: anonymous callers may not create records of type Post"]),
            Scenario(
                "a stranger's list", .anonymous, .get, "/records/Secret", 401,
                contains: ["Sign in first: anonymous callers may not read records of type Secret"]),
            Scenario(
                "a stranger's query", .anonymous, .get, "/query/Secret", 401,
                contains: ["Sign in first: anonymous callers may not read records of type Secret"]),
            Scenario(
                "a stranger's change", .anonymous, .delete, "/query/Post?all=true", 401,
                contains: ["Sign in first: anonymous callers may not write records of type Post"]),
        ])
        await database.call(
            .put, "/grants/Post", as: .administrator, body: #"{"grants":{"_world":["READ"],"editors":["CREATE"]}}"#)
        await database.play([
            Scenario(
                "no right to create", .stranger, .post, "/records/Post", "{}", 403,
                contains: ["You may not create records of type Post. \(why)"])
        ])
    }

    @Test func `a denial names the scope of a key and the role of an administrator`() async throws {
        let database = try await Self.forum()
        let key = try await KeyRoutesTests.make(database, "reader", #"{"types":["Post"],"readOnly":true}"#)
        let write = await database.call(.post, "/records/Post", token: key.token, body: "{}")
        #expect(write.json?["reason"] == "The scope of this key does not cover creating records of type Post")
        let change = await database.call(
            .patch, "/records/Post/p1", token: key.token, body: Self.post(#"{"title":"x"}"#))
        #expect(change.json?["reason"] == "The scope of this key does not cover writing this Post")
        let list = await database.call(.get, "/records/Secret", token: key.token)
        #expect(list.json?["reason"] == "The scope of this key does not cover reading records of type Secret")
        let upload = await database.call(.post, "/assets", token: key.token, body: "bytes")
        #expect(upload.json?["reason"] == "The scope of this key does not cover uploading files")

        await database.call(
            .post, "/administrators", token: TestDatabase.operatorToken,
            body: #"{"name":"vera","password":"a long sentence","role":"viewer"}"#)
        let session = await database.call(
            .post, "/administrators/sessions", body: #"{"name":"vera","password":"a long sentence"}"#)
        let vera = try #require(session.json?["token"]?.string, "\(session.text)")
        let viewed = await database.call(.post, "/records/Post", token: vera, body: "{}")
        #expect(viewed.json?["reason"] == "The role viewer does not cover creating records of type Post")
    }

    @Test func `the rejection of a mistyped value names the field, its type and the type received`() async throws {
        let database = try await Self.forum()
        func row(_ fields: String, _ reason: String) -> Scenario {
            Scenario(fields, .creator, .post, "/records/Post", Self.post(fields), 400, contains: [reason])
        }
        let objects =
            #"An object is {\"value\":…} or one operation: increment, append, appendUnique, remove, "#
            + "setIfAbsent, serverTime"
        await database.play([
            row(#"{"title":5}"#, "Field 'title' takes a STRING, and this is an integer\""),
            row(#"{"good":"five"}"#, "Field 'good' takes an INT64, and this is a string\""),
            row(#"{"title":["a"]}"#, "Field 'title' takes a STRING, and this is a list\""),
            row(#"{"title":{"incremnt":1}}"#, "Field 'title' takes a STRING, and this is an object. \(objects)"),
            row(#"{"title":{"append":["a"]}}"#, "Field 'title' takes a STRING, and 'append' is an operation on lists"),
            row(
                #"{"title":{"increment":1}}"#,
                "Field 'title' takes a STRING, and 'increment' is an operation on INT64 and DOUBLE"),
            row(
                #"{"title":{"serverTime":true}}"#,
                "Field 'title' takes a STRING, and 'serverTime' is an operation on TIMESTAMP"),
            row(
                #"{"meta":{"a":1}}"#,
                "Field 'meta' is new, and no type holds such an object: send text, or a field for each member. "
                    + objects),
            row(
                #"{"title":{"value":"x","type":"string"}}"#,
                "Field 'title' has an unknown type 'string'. The types are STRING, INT64, DOUBLE,"),
            row(#"{"meta":[]}"#, "Field 'meta' is new and is an empty list; give its value a type"),
        ])
    }

    @Test func `the rejection of a condition quotes its text`() async throws {
        let database = try await Self.forum()
        await database.play([
            Scenario(
                "a bare word", .anonymous, .get, queryTarget("Post", [("where", "title = %@"), ("arg", "Anchors")]),
                400,
                contains: [#"Argument 0 is no JSON value; texts stand in quotes: arg=\"Anchors\""#, "MALFORMED_JSON"]),
            Scenario(
                "half an object", .anonymous, .get,
                queryTarget("Post", [("where", "title = %@ AND good = %@"), ("arg", "\"a\""), ("arg", "{")]), 400,
                contains: ["Argument 1 is no JSON value; texts stand in quotes\""]),
            Scenario(
                "a text without quotes", .anonymous, .get, queryTarget("Post", [("where", "title = a")]), 400,
                contains: ["Field a not found in Post; put a text in quotes: 'a'"]),
            Scenario(
                "a field that is not there", .anonymous, .get, queryTarget("Post", [("where", "titel = 'a'")]), 400,
                contains: ["Field titel not found in Post\""]),
            Scenario(
                "a condition on a list", .anonymous, .get, "/records/Post?where=a", 400,
                contains: ["'where'", "conditions and sorts go to /query/Post"]),
            Scenario(
                "a sort on a list", .anonymous, .get, "/records/Post?sort=a", 400,
                contains: ["conditions and sorts go to /query/Post"]),
            Scenario(
                "a typo on a list", .anonymous, .get, "/records/Post?limt=1", 400, lacks: ["conditions and sorts"]),
        ])
    }

    @Test func `a taken name is reported alike, with its type only to readers of the record`() async throws {
        let database = try await Self.forum()
        let hidden =
            "record to insert already exists: names are unique over all types. Leave recordName out to get a new one, "
            + "or replace a record of this type with PUT"
        let readable =
            "record to insert already exists: a record of type Post has this name, and names are unique over all types. "
            + "Leave recordName out to get a new one, or replace the record with PUT /records/Post/…"
        for (name, sentence) in [("p1", readable), ("s1", hidden)] {
            let response = await database.call(
                .post, "/records/Post", as: .stranger, body: #"{"recordName":"\#(name)","fields":{}}"#)
            #expect(response.status == 409 && response.json?["reason"] == .string(sentence), "\(response.text)")
        }
    }

    @Test func `the rejection of a schema document lists what it may contain`() async throws {
        let database = try await Self.forum()
        let types =
            "STRING, INT64, DOUBLE, TIMESTAMP, BYTES, REFERENCE, ASSET, LOCATION, and lists of them such as STRING_LIST"
        func row(_ field: String, _ reason: String) -> Scenario {
            Scenario(
                field, .administrator, .put, "/schema", #"{"types":{"Post":{"fields":{"a":\#(field)}}}}"#, 400,
                contains: [reason, #""path":"types.Post.fields.a"#])
        }
        await database.play([
            row(#"{"type":"string"}"#, "'string' is no type of a field. The types are \(types)"),
            row(#"{"type":"JSON"}"#, "'JSON' is no type of a field. The types are \(types)"),
            row("{}", "A field needs a 'type'. The types are \(types)"),
            row(
                #"{"type":"STRING","required":true}"#,
                "Unknown key 'required'. There may be type, indexes, read, write"),
            row(#""STRING""#, #"A JSON object was expected, such as {\"type\":\"STRING\"}"#),
            Scenario(
                "a key of a type", .administrator, .put, "/schema", #"{"types":{"Post":{"field":{}}}}"#, 400,
                contains: ["Unknown key 'field'. There may be fields, indexes, grants, acl"]),
        ])
    }

    @Test func `an unknown type is named`() async throws {
        let database = try await Self.forum(.production)
        await database.play([
            Scenario(
                "grants", .administrator, .put, "/grants/Thraed", #"{"grants":{}}"#, 404,
                contains: ["Unknown record type Thraed. Put it into the schema first"]),
            Scenario(
                "grants read", .administrator, .get, "/grants/Thraed", 404, contains: ["Unknown record type Thraed"]),
            Scenario("a list", .anonymous, .get, "/records/Thraed", 404, contains: ["Unknown record type Thraed"]),
            Scenario("a query", .anonymous, .get, "/query/Thraed", 404, contains: ["Unknown record type Thraed"]),
            Scenario(
                "explained", .administrator, .post, "/explain/access",
                #"{"caller":"anonymous","action":"read","recordType":"Thraed"}"#, 404,
                contains: ["Unknown record type Thraed in the production environment of container Forum"]),
        ])
    }

    @Test func `the rejection of an oversized value names the limit and its setting`() async throws {
        let database = try await Self.forum()
        let long = String(repeating: "a", count: 1_100_000)
        let record = await database.call(
            .post, "/records/Post", as: .creator, body: Self.post(#"{"title":"\#(long)"}"#))
        #expect(record.status == 413)
        #expect(
            record.json?["reason"]
                == "The record is larger than 1048576 bytes (limits.record_bytes). Put what is large into an ASSET",
            "\(record.text)")
        let body = await database.call(
            .post, "/records/Post", as: .creator, bytes: [UInt8](repeating: 32, count: 18 << 20))
        #expect(body.status == 413)
        #expect(
            body.json?["reason"]
                == "The body is larger than 8388608 bytes (limits.body_bytes). Files go to POST /assets",
            "\(body.text)"
        )
        let small = await database.call(
            .post, "/explain/access", as: .administrator, bytes: [UInt8](repeating: 32, count: 20_000))
        #expect(small.json?["reason"] == "The body is larger than the 16384 bytes that this route takes")
    }

    @Test func `words of administrators' routes are explained`() async throws {
        let database = try await Self.forum()
        await database.play([
            Scenario(
                "an action", .administrator, .post, "/explain/access",
                #"{"caller":"anonymous","action":"edit","recordType":"Post"}"#, 400,
                contains: [
                    "'action' is one of create, read, write, query, enter, upload; changing and deleting are write"
                ])
        ])
        let key = try await KeyRoutesTests.make(database, "k", #"{"readOnly":true}"#)
        for (overlap, status) in [
            (#""1h""#, 200), (#""30m""#, 200), (#""0""#, 200), ("0", 200), (#""1 week""#, 400), (#""1w""#, 400),
            (#""-1h""#, 400), ("1.5", 400), (#""h""#, 400), (#""9999999999999999999d""#, 400),
        ] {
            let response = await database.call(
                .post, "/keys/\(key.id)/rotate", as: .administrator, body: #"{"overlap":\#(overlap)}"#)
            #expect(response.status == status, "\(overlap): \(response.text)")
            if status == 400 {
                #expect(
                    response.json?["reason"]
                        == "'overlap' is a number of seconds, or a time such as \"90d\", \"12h\" or \"30m\"")
            }
        }
        let made = await database.call(
            .post, "/keys", as: .administrator, body: #"{"name":"e","scope":{"readOnly":true},"expiresIn":"90d"}"#)
        #expect(made.status == 201, "\(made.text)")
    }

    @Test func `every invalid token is rejected with the same sentence`() async throws {
        let database = try await Self.forum()
        let reason =
            "The token is wrong or expired, or belongs to another container or environment. Sign in again, or send no token to continue as a guest"
        for prefix in ["fbs_", "fbk_", "fogadm_", "fba_", "fbo_", "x"] {
            let response = await database.call(.get, "/users/me", token: prefix + String(repeating: "a", count: 43))
            #expect(
                response.status == 401 && response.json?["reason"] == .string(reason), "\(prefix): \(response.text)")
        }
    }
}
