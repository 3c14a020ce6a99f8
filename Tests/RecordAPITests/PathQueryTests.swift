import HTTP
import RecordModel
import RecordWire
import Testing

/// Predicates with paths to other records, and strict queries, over the interface.
@Suite struct PathQueryTests {
    private static let schema = """
        {"types":{
        "Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"]},
        "author":{"type":"REFERENCE","indexes":["QUERYABLE"]},
        "links":{"type":"REFERENCE_LIST"}}},
        "Author":{"fields":{"name":{"type":"STRING","indexes":["QUERYABLE"]},
        "phone":{"type":"STRING","read":["editors"],"indexes":["QUERYABLE"]}}},
        "Staff":{"fields":{"name":{"type":"STRING","indexes":["QUERYABLE"]},
        "salary":{"type":"INT64","indexes":["QUERYABLE"]}},"grants":{"editors":["READ"]}},
        "Diary":{"fields":{"name":{"type":"STRING","indexes":["QUERYABLE"]},
        "mood":{"type":"STRING","read":["_creator"],"indexes":["QUERYABLE"]}},
        "grants":{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}}}}
        """

    private static func forum() async throws -> TestDatabase {
        let database = try await TestDatabase.make(.production)
        let schema = await database.call(.put, "/schema", as: .administrator, body: schema)
        try #require(schema.status == 200, "\(schema.text)")
        for (path, fields, who) in [
            ("Author/a1", #""name":"ada","phone":"555""#, TestDatabase.Who.administrator),
            ("Author/a2", #""name":"bea","phone":"666""#, .administrator),
            ("Staff/s1", #""name":"ada","salary":9"#, .administrator),
            ("Diary/d1", #""name":"ada","mood":"sad""#, .creator),
            ("Post/p1", #""title":"x","author":{"recordName":"a1"}"#, .administrator),
            ("Post/p2", #""title":"y","author":{"recordName":"a2"}"#, .administrator),
            ("Post/p3", #""title":"x","author":{"recordName":"s1"}"#, .administrator),
            ("Post/p4", #""title":"x","author":{"recordName":"d1"}"#, .administrator),
            ("Post/p5", #""title":"x","author":{"recordName":"gone"}"#, .administrator),
            ("Post/p6", #""title":"x""#, .administrator),
        ] {
            let made = await database.call(.put, "/records/\(path)", as: who, body: "{\"fields\":{\(fields)}}")
            try #require(made.status == 201, "\(made.text)")
        }
        return database
    }

    @Test(
        arguments: [
            ("author.name == 'ada'", [["p1"], ["p1"], ["p1", "p4"], ["p1", "p3"], ["p1", "p3", "p4"]]),
            (
                "author.name != 'ada'",
                [
                    ["p2", "p3", "p4", "p5", "p6"], ["p2", "p3", "p4", "p5", "p6"], ["p2", "p3", "p5", "p6"],
                    ["p2", "p4", "p5", "p6"], ["p2", "p5", "p6"],
                ]
            ),
            ("author.name BEGINSWITH[c] 'BE' AND title == 'y'", Array(repeating: ["p2"], count: 5)),
            ("author.phone == '555'", [nil, nil, nil, ["p1"], ["p1"]]),
            (
                "author.phone != '555'",
                [nil, nil, nil, ["p2", "p3", "p4", "p5", "p6"], ["p2", "p3", "p4", "p5", "p6"]]
            ),
            ("author.salary > 3", [nil, [], [], ["p3"], ["p3"]]),
            ("author.mood == 'sad'", [nil, [], ["p4"], [], ["p4"]]),
            ("author.mood != 'sad' AND author.name == 'ada'", [nil, ["p1"], ["p1"], ["p1", "p3"], ["p1", "p3"]]),
        ] as [(String, [[String]?])])
    func `a caller finds by a path what it could find in the other type`(
        condition: String, expected: [[String]?]
    ) async throws {
        let database = try await Self.forum()
        let callers: [TestDatabase.Who] = [.anonymous, .stranger, .creator, .member, .administrator]
        for (who, names) in zip(callers, expected) {
            let row = queryTarget("Post", [("where", condition), ("count", "true"), ("explain", "true")])
            let response = await database.call(.get, row, as: who)
            guard let names else {
                #expect(response.status == 400 && response.cause == "UNKNOWN_NAME", "\(who): \(response.text)")
                continue
            }
            #expect(response.status == 200 && response.names == names, "\(who): \(response.text)")
            #expect(response.count == Int64(names.count))
        }
    }

    @Test func `a hidden field is rejected like one that does not exist`() async throws {
        let database = try await Self.forum()
        for who in [TestDatabase.Who.anonymous, .stranger] {
            let hidden = await database.call(.get, queryTarget("Post", [("where", "author.phone == 'x'")]), as: who)
            let none = await database.call(.get, queryTarget("Post", [("where", "author.phonx == 'x'")]), as: who)
            #expect(hidden.status == 400 && none.status == 400)
            let reason = try #require(hidden.json?["reason"]?.string)
            #expect(reason.replacing("phone", with: "phonx") == none.json?["reason"]?.string, "\(reason)")
        }
    }

    @Test func `a key finds by a path only in the types of its scope`() async throws {
        let database = try await Self.forum()
        for (types, status, names) in [
            (#""Post""#, 400, []), (#""Post","Author""#, 200, ["p1"]), (#""Post","Staff""#, 200, ["p3"]),
        ] as [(String, Int, [String])] {
            let key = await database.call(
                .post, "/keys", as: .administrator,
                body: #"{"name":"k\#(types.utf8.count)","scope":{"types":[\#(types)],"actions":["read"]}}"#)
            let token = try #require(key.json?["token"]?.string, "\(key.text)")
            let response = await database.call(
                .get, queryTarget("Post", [("where", "author.name == 'ada'")]), token: token)
            #expect(response.status == status && response.names == names, "\(types): \(response.text)")
        }
    }

    @Test func `POST, bulk changes and aggregates take paths, and feeds do not`() async throws {
        let database = try await Self.forum()
        let posted = await database.call(
            .post, "/query",
            body: #"{"recordType":"Post","where":"%K == $n","args":["author.name"],"vars":{"n":"ada"}}"#)
        #expect(posted.names == ["p1"], "\(posted.text)")
        let groups = await database.call(
            .get, queryTarget("Post", [("where", "author.name == 'ada'"), ("aggregate", "count")]), as: .administrator)
        #expect(groups.text.contains(#""count":3"#), "\(groups.text)")
        let changed = await database.call(
            .patch, queryTarget("Post", [("where", "author.name == 'bea'")]), as: .administrator,
            body: #"{"fields":{"title":"z"}}"#)
        #expect(changed.text == #"{"matched":1,"updated":1,"skipped":0}"#)
        let deleted = await database.call(
            .delete, queryTarget("Post", [("where", "author.name == 'ada'")]), as: .administrator)
        #expect(deleted.text == #"{"matched":3,"deleted":3,"skipped":0}"#)
        let job = await database.call(
            .delete, queryTarget("Post", [("where", "author.name != 'ada'")]), as: .administrator,
            headers: [("Prefer", "respond-async")])
        let path = try #require(job.field("Location"), "\(job.text)")
        var state: JSONValue?
        repeat {
            await Task.yield()
            state = await database.call(.get, path, as: .administrator).json
        } while ["queued", "running"].contains(state?["state"]?.string ?? "")
        #expect(state?["state"] == "succeeded" && state?["done"]?.integer == 3, "\(String(describing: state))")
        let feed = "/changes" + queryTarget("x", [("type", "Post"), ("where", "author.name == 'ada'")]).dropFirst(8)
        let stream = await database.call(.get, feed, headers: [("Accept", "text/event-stream")])
        #expect(stream.status == 400 && stream.text.contains("would not be noticed"), "\(stream.text)")
        let webhook = await database.call(
            .post, "/webhooks", as: .administrator,
            body: #"{"url":"https://example.com/a","types":["Post"],"where":"author.name == 'ada'"}"#)
        #expect(webhook.status == 400 && webhook.text.contains("would not be noticed"), "\(webhook.text)")
    }

    @Test func `a strict query takes what CloudKit takes`() async throws {
        let database = try await Self.forum()
        func get(_ items: [(String, String)]) async -> Response {
            await database.call(.get, queryTarget("Post", items + [("strict", "true")]), as: .administrator)
        }
        // The cache of bound queries must not hide the check.
        let text = "title == 'x' OR title == 'y'"
        for _ in 0..<2 {
            #expect(await database.call(.get, queryTarget("Post", [("where", text)])).status == 200)
            let response = await get([("where", text)])
            #expect(response.status == 400 && response.text.contains(#""offset":13"#), "\(response.text)")
            #expect(response.json?["details"]?["found"]?.string == "OR")
        }
        #expect(await get([("where", "title IN {'x', 'y'}"), ("sort", "-createdTimestamp")]).names.count == 6)
        for items in [
            [("where", "author.name == 'ada'")], [("where", "title CONTAINS 'x'")], [("expand", "author")],
            [("aggregate", "count")], [("groupBy", "title")], [("sort", "title[c]")], [("sort", "title nulls last")],
            [("highlight", "title")],
        ] {
            let response = await get(items)
            #expect(response.status == 400 && response.text.contains("CloudKit"), "\(response.text)")
        }
        let body = #"{"recordType":"Post","strict":true,"where":"author == NULL"}"#
        let response = await database.call(.post, "/query", as: .administrator, body: body)
        #expect(response.status == 400 && response.json?["details"]?["found"]?.string == "NULL", "\(response.text)")
        #expect(await database.call(.get, "/query/Users?strict=true", as: .administrator).text.contains("CloudKit"))
        #expect(await database.call(.get, "/query/Post?strict=yes").status == 400)
    }
}
