import Foundation
import HTTP
import RecordModel
import RecordWire
import Testing

/// Fields with fewer readers or writers than their record: no route reveals their values to other callers.
@Suite struct FieldGrantTests {
    /// `cost` is read and written by editors, `note` by the record's creator, `grade` is read by all and written by
    /// editors, `box` is written by all and read by editors, `scan` is a file that editors read.
    private static func shop(_ environment: RecordEnvironment = .development) async throws -> TestDatabase {
        let database = try await TestDatabase.make(environment)
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Good":{"fields":{
                "title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},
                "cost":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"],"read":["editors"],"write":["editors"]},
                "note":{"type":"STRING","indexes":["QUERYABLE"],"read":["_creator"],"write":["_creator"]},
                "grade":{"type":"INT64","indexes":["QUERYABLE"],"write":["editors"]},
                "box":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"],"read":["editors"]},
                "raw":{"type":"BYTES","read":["editors"]},
                "spot":{"type":"LOCATION","indexes":["QUERYABLE"],"read":["editors"]}},
                "indexes":[{"fields":["cost","title"]}],
                "grants":{"_world":["READ"],"_icloud":["CREATE","WRITE"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        let made = await database.call(
            .put, "/records/Good/tea", as: .administrator,
            body: #"{"fields":{"title":"tea","cost":731,"note":"hushed","grade":2,"box":"inside","raw":"aGlkZGVu"}}"#)
        try #require(made.status == 201, "\(made.text)")
        return database
    }

    private static let hidden = [":731", "hushed", "inside", "aGlkZGVu", #""cost""#, #""note""#, #""box""#, #""raw""#]

    @Test func `sizes do not reveal fields that the caller may not read`() async throws {
        let database = try await Self.shop()
        let made = await database.call(.put, "/records/Good/mug", as: .creator, body: #"{"fields":{"title":"mug"}}"#)
        try #require(made.status == 201, "\(made.text)")
        func used() async throws -> Int64 {
            let me = await database.call(.get, "/users/me", as: .creator)
            return try #require(me.json?["usage"]?["bytes"]?.integer)
        }
        func usedByAll() async throws -> Int64 {
            let me = await database.call(.get, "/users/me", as: .administrator)
            return try #require(me.json?["usage"]?["bytes"]?.integer)
        }
        let before = try await (used(), usedByAll())
        #expect(before.0 % 1_024 == 0 && before.0 > 0)
        let hidden = await database.call(
            .patch, "/records/Good/mug", as: .member, body: #"{"fields":{"box":"a hundred bytes, or so"}}"#)
        try #require(hidden.status == 200, "\(hidden.text)")
        #expect(try await used() == before.0)
        // Administrators see each byte.
        #expect(try await usedByAll() > before.1)
        let long = #"{"fields":{"title":"\#(String(repeating: "x", count: 1_048_570))"}}"#
        for (who, path) in [(TestDatabase.Who.creator, "mug"), (.stranger, "tea")] {
            let rejected = await database.call(.patch, "/records/Good/\(path)", as: who, body: long)
            #expect(rejected.status == 413 && rejected.code == "QUOTA_EXCEEDED", "\(rejected.text)")
            #expect(rejected.json?["details"]?["size"] == nil, "\(rejected.text)")
            #expect(rejected.json?["details"]?["limit"]?.integer == 1_048_576)
        }
        let told = await database.call(.patch, "/records/Good/mug", as: .administrator, body: long)
        #expect(told.json?["details"]?["size"]?.integer != nil)
    }

    @Test func `no route shows a field that the caller may not read`() async throws {
        let database = try await Self.shop()
        await database.play([
            Scenario("by its name", .stranger, .get, "/records/Good/tea", 200, contains: ["tea"], lacks: Self.hidden),
            Scenario(
                "asked for", .anonymous, .get, "/records/Good/tea?fields=title,cost,box", 200, contains: ["tea"],
                lacks: Self.hidden),
            Scenario("in a list", .stranger, .get, "/records/Good", 200, contains: ["tea"], lacks: Self.hidden),
            Scenario(
                "in a query", .anonymous, .get, "/query/Good?where=title=='tea'&explain=true", 200, contains: ["tea"],
                lacks: Self.hidden),
            Scenario("in the feed", .stranger, .get, "/changes", 200, contains: ["tea"], lacks: Self.hidden),
            Scenario("as content", .stranger, .get, "/records/Good/tea/raw", 404, lacks: ["hidden"]),
            Scenario("as content of one that is no content", .stranger, .get, "/records/Good/tea/cost", 404),
            Scenario(
                "in the answer to a write", .stranger, .patch, "/records/Good/tea", #"{"fields":{"title":"teas"}}"#,
                200, contains: ["teas"], lacks: Self.hidden),
            Scenario(
                "in the answer to a field that it may write", .stranger, .patch, "/records/Good/tea",
                #"{"fields":{"box":"more"}}"#, 200, lacks: Self.hidden + ["more"]),
            Scenario(
                "in a conflict", .stranger, .patch, "/records/Good/tea", #"{"fields":{"title":"x"}}"#,
                headers: [("If-Match", #""none""#)], 412, contains: ["serverRecord", "teas"], lacks: Self.hidden),
            Scenario(
                "in a conflict of a batch", .stranger, .post, "/records",
                #"{"operations":[{"operationType":"update","record":{"recordName":"tea","recordType":"Good","recordChangeTag":"zz","fields":{"title":{"value":"x"}}}}]}"#,
                200, contains: ["CONFLICT", "teas"], lacks: Self.hidden),
            Scenario(
                "to whom it is granted it comes", .member, .get, "/records/Good/tea", 200, contains: [":731", "more"]),
            Scenario("and its content", .member, .get, "/records/Good/tea/raw", 200, contains: ["hidden"]),
        ])
    }

    @Test(arguments: [
        "where=cost > 5", "where=NOT cost == 5", "where=title == 'a' OR cost == 731",
        "where=NOT (title == 'a' AND cost > 1)",
        "where=cost IN {731}", "where=cost BETWEEN {1, 2}", "where=box BEGINSWITH 'in'", "where=note == 'hushed'",
        "where=distance(spot,loc(1,2)) < 5", "where=NOT spot IN circle(loc(1,2),3)", "sort=distance(spot,1,2)",
        "sort=cost", "sort=-cost", "sort=title,cost", "aggregate=sum(cost)", "aggregate=count,max(box)",
        "groupBy=cost", "groupBy=title,note", "distinct=box", "aggregate=count(cost)",
    ]) func `a condition or sort by an unreadable field is rejected like one by an unknown field`(_ asked: String)
        async throws
    {
        let database = try await Self.shop(.production)
        let target = "/query/Good?" + asked.replacingOccurrences(of: " ", with: "%20")
        let known = await database.call(.get, target, as: .stranger)
        let unknown = await database.call(
            .get,
            ["cost", "box", "note", "spot"].reduce(target) {
                $0.replacingOccurrences(of: $1, with: String(repeating: "q", count: $1.count))
            },
            as: .stranger)
        #expect(known.status == 400, "\(known.text)")
        var text = known.text
        for name in ["cost", "box", "note", "spot"] {
            text = text.replacingOccurrences(of: name, with: String(repeating: "q", count: name.count))
        }
        #expect(text == unknown.text)
        #expect(!known.text.contains(":731"))
        if asked.hasPrefix("where=") {
            let set = await database.call(.delete, target + "&dryRun=true", as: .stranger)
            #expect(set.status == 400, "\(set.text)")
            #expect(await database.call(.get, target, as: .member).status == (asked.contains("note") ? 400 : 200))
        }
    }

    @Test func `a caller cannot write a field without permission`() async throws {
        let database = try await Self.shop()
        await database.play([
            Scenario(
                "by PATCH", .stranger, .patch, "/records/Good/tea", #"{"fields":{"title":"x","grade":9}}"#, 403,
                contains: ["grade"], lacks: Self.hidden),
            Scenario(
                "by an operation", .stranger, .patch, "/records/Good/tea", #"{"fields":{"grade":{"increment":1}}}"#, 403
            ),
            Scenario("by null", .stranger, .patch, "/records/Good/tea", #"{"fields":{"grade":null}}"#, 403),
            Scenario("at creation", .stranger, .post, "/records/Good", #"{"fields":{"grade":9}}"#, 403),
            Scenario(
                "in a batch", .stranger, .post, "/records",
                #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"tea","recordType":"Good","fields":{"grade":{"value":9}}}}]}"#,
                200, contains: ["ACCESS_DENIED"]),
            Scenario(
                "in a set", .stranger, .patch, "/query/Good?where=title=='tea'", #"{"fields":{"grade":9}}"#, 403),
            Scenario(
                "nothing of it was written", .member, .get, "/records/Good/tea", 200,
                contains: [#""grade":{"value":2"#, "tea"]),
            Scenario(
                "a replacement leaves it as it is", .stranger, .put, "/records/Good/tea",
                #"{"fields":{"title":"chai"}}"#,
                200, lacks: Self.hidden),
            Scenario(
                "also what the caller does not see", .member, .get, "/records/Good/tea", 200,
                contains: ["chai", ":731", #""grade":{"value":2"#], lacks: ["inside"]),
            Scenario(
                "the editors write it", .member, .patch, "/records/Good/tea", #"{"fields":{"grade":3,"cost":5}}"#, 200),
        ])
    }

    @Test func `in production a field without any permission is reported as unknown`() async throws {
        let database = try await Self.shop(.production)
        await database.play([
            Scenario(
                "it is unknown", .stranger, .patch, "/records/Good/tea", #"{"fields":{"cost":"not even a number"}}"#,
                400,
                contains: ["Field cost not found in Good"], lacks: ["INT64"]),
            Scenario(
                "as another is", .stranger, .patch, "/records/Good/tea", #"{"fields":{"quux":"not even a number"}}"#,
                400,
                contains: ["Field quux not found in Good"]),
            Scenario(
                "its removal does nothing", .stranger, .patch, "/records/Good/tea", #"{"fields":{"cost":null}}"#, 200),
            Scenario("as that of another", .stranger, .patch, "/records/Good/tea", #"{"fields":{"quux":null}}"#, 200),
            Scenario("so it is there", .member, .get, "/records/Good/tea", 200, contains: [":731"]),
        ])
    }

    @Test func `a field for creators is readable and queryable only in their own records`() async throws {
        let database = try await Self.shop()
        await database.play([
            Scenario(
                "who creates writes it", .creator, .put, "/records/Good/jam",
                #"{"fields":{"title":"jam","note":"mine"}}"#,
                201, contains: ["mine"]),
            Scenario("and reads it", .creator, .get, "/records/Good/jam", 200, contains: ["mine"]),
            Scenario(
                "beside what others made", .creator, .get, "/records/Good", 200, contains: ["mine"], lacks: ["hushed"]),
            Scenario("nobody else reads it", .member, .get, "/records/Good/jam", 200, lacks: ["mine"]),
            Scenario(
                "nor is it asked for among others' records", .creator, .get, "/query/Good?where=note=='mine'", 400),
            Scenario(
                "where only what one has made is read", .administrator, .put, "/grants/Good",
                #"{"grants":{"_icloud":["CREATE"]}}"#, 200),
            Scenario("it may be asked for", .creator, .get, "/query/Good?where=note=='mine'", 200, contains: ["jam"]),
            Scenario(
                "somebody opens a record to everybody", .stranger, .put, "/records/Good/trap",
                #"{"fields":{"title":"trap","note":"mine"},"acl":{"*":["read"]}}"#, 201),
            Scenario(
                "she opens one of hers to him", .creator, .put, "/records/Good/gift",
                #"{"fields":{"title":"gift","note":"mine"},"acl":{"{creator}":["read","write"],"{stranger}":["read"]}}"#,
                201),
            Scenario(
                "it may still be asked for", .creator, .get, "/query/Good?where=note=='mine'&count=true", 200,
                contains: [#""count":2"#, "jam", "gift"], lacks: ["trap"]),
            Scenario(
                "and sorted by", .creator, .get, "/query/Good?sort=note", 200, contains: ["jam", "gift"],
                lacks: ["trap"]),
            Scenario(
                "by each of his own", .stranger, .get, "/query/Good?where=note=='mine'&count=true", 200,
                contains: [#""count":1"#, "trap"], lacks: ["gift", "jam"]),
            Scenario(
                "what all read finds the others too", .stranger, .get, "/query/Good?where=title!='x'&count=true", 200,
                contains: [#""count":2"#, "trap", "gift"], lacks: ["jam"]),
            Scenario(
                "a set is of the same", .creator, .delete, "/query/Good?where=note=='mine'", 200,
                contains: [#""matched":2,"deleted":0,"skipped":2"#]),
        ])
    }

    @Test func `the end of a page depends on visible fields, not on hidden ones`() async throws {
        var limits = DatabaseLimits()
        limits.pageBytes = 2_000
        let database = try await TestDatabase.make(limits: limits)
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Good":{"fields":{"n":{"type":"INT64","indexes":["QUERYABLE"]},"text":{"type":"STRING"},
                "big":{"type":"STRING","read":["editors"]}}},"Other":{"fields":{"big":{"type":"STRING"}},"grants":{}}}}
                """)
        #expect(schema.status == 200, "\(schema.text)")
        let long = String(repeating: "x", count: 9_000)
        for number in 0..<4 {
            await database.call(
                .put, "/records/Good/g\(number)", as: .creator, body: #"{"fields":{"n":1,"big":"\#(long)"}}"#)
            await database.call(
                .put, "/records/Other/o\(number)", as: .administrator, body: #"{"fields":{"big":"\#(long)"}}"#)
        }
        for target in ["/records/Good?fields=n", "/query/Good?where=n==1&fields=n", "/changes?fields=n"] {
            let page = await database.call(.get, target, as: .stranger)
            let records = page.records.isEmpty ? page.changes : page.records
            #expect(records.count { $0["recordType"] == "Good" } == 4, "\(page.text)")
            #expect(page.json?["cursor"] == nil && page.json?["moreComing"] != .bool(true), "\(page.text)")
            // For a reader of the field its bytes count, whether or not the field is requested.
            let short = await database.call(.get, target, as: .member)
            #expect(short.json?["cursor"] != nil || short.json?["moreComing"] == .bool(true), "\(short.text)")
        }
    }

    @Test func `a unique index reveals nothing about a field that its writers may not read`() async throws {
        let database = try await TestDatabase.make(.production)
        func schema(slug: String = "", diagnosis: String = #","read":[],"write":[]"#, indexes: String) -> String {
            """
            {"types":{"Pat":{"fields":{"slug":{"type":"STRING"\(slug)},"diagnosis":{"type":"STRING"\(diagnosis)}},
            "grants":{"_icloud":["CREATE"],"_creator":["READ","WRITE"]},"indexes":[\(indexes)]}}}
            """
        }
        let both = #"{"fields":["slug","diagnosis"],"unique":true}"#
        let rule = ["one field of a unique index"]
        await database.play([
            Scenario(
                "with other readers", .administrator, .put, "/schema", schema(indexes: both), 400, contains: rule),
            Scenario("without", .administrator, .put, "/schema", schema(indexes: ""), 200),
            Scenario(
                "added to it", .administrator, .post, "/schema/types/Pat/indexes", both, 400, contains: rule),
            Scenario(
                "of the same readers", .administrator, .put, "/schema",
                schema(slug: #","read":[]"#, indexes: both), 200),
            Scenario(
                "made others by the grants", .administrator, .put, "/schema",
                schema(slug: #","read":["_creator"]"#, indexes: both), 400, contains: rule),
            Scenario(
                "neither is there a field that two do not read", .creator, .post, "/records/Pat",
                #"{"fields":{"slug":"a"}}"#, 201),
        ])
        for name in ["p1", "p2"] {
            await database.call(.put, "/records/Pat/\(name)", as: .creator, body: #"{"fields":{"slug":"\#(name)"}}"#)
            await database.call(
                .patch, "/records/Pat/\(name)", as: .administrator, body: #"{"fields":{"diagnosis":"flu"}}"#)
        }
        await database.play([
            Scenario(
                "names of fields that it does not read", .creator, .patch, "/records/Pat/p1",
                #"{"fields":{"slug":"p2"}}"#, 409, contains: ["UNIQUE_VIOLATION", #""fields":[]"#],
                lacks: ["diagnosis", "slug"]),
            Scenario(
                "are shown to their readers", .administrator, .patch, "/records/Pat/p1",
                #"{"fields":{"slug":"p2"}}"#, 409, contains: ["'slug', 'diagnosis'"]),
        ])
    }

    @Test func `field grants are part of the schema and change with it`() async throws {
        let database = try await Self.shop()
        let token = try #require(await database.call(.get, "/changes", as: .stranger).json?["token"]?.string)
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        func put(_ cost: String) -> String {
            """
            {"types":{"Good":{"fields":{"title":{"type":"STRING"},"cost":{"type":"INT64"\(cost)},"note":{"type":"STRING"},
            "grade":{"type":"INT64"},"box":{"type":"STRING"},"raw":{"type":"BYTES"},"spot":{"type":"LOCATION"}}}}}
            """
        }
        await database.play([
            Scenario(
                "they are shown", .administrator, .get, "/schema/types/Good", 200,
                contains: [#""read":["editors"],"write":["editors"]"#, #""read":["_creator"]"#]),
            Scenario("what a document does not say stays", .administrator, .put, "/schema", put(""), 200),
            Scenario("as before", .stranger, .get, "/records/Good/tea", 200, lacks: Self.hidden),
            Scenario(
                "a role must exist", .administrator, .put, "/schema", put(#","read":["nobodys"]"#), 400,
                contains: ["nobodys"]),
            Scenario(
                "words are checked", .administrator, .put, "/schema", put(#","read":"editors""#), 400,
                contains: ["path"]),
            Scenario("and names", .administrator, .put, "/schema", put(#","write":["a b"]"#), 400, contains: ["path"]),
            Scenario("an empty list shuts users out", .administrator, .put, "/schema", put(#","read":[]"#), 200),
            Scenario("all of them", .member, .get, "/records/Good/tea", 200, lacks: [":731"]),
            Scenario("and no administrator", .administrator, .get, "/records/Good/tea", 200, contains: [":731"]),
            Scenario("a change starts the feed again", .stranger, .get, "/changes?since=\(token ?? "")", 410),
            Scenario("null gives it back to the grants", .administrator, .put, "/schema", put(#","read":null"#), 200),
            Scenario("of the type", .anonymous, .get, "/records/Good/tea", 200, contains: [":731"]),
            Scenario("one role alone", .administrator, .put, "/schema", put(#","read":["editors"]"#), 200),
            Scenario("that goes", .administrator, .delete, "/roles/editors", 204),
            Scenario("leaves a field that no user reads", .member, .get, "/records/Good/tea", 200, lacks: [":731"]),
            Scenario(
                "a new one of that name", .administrator, .put, "/roles/editors", #"{"members":["{member}"]}"#, 201),
            Scenario("does not inherit it", .member, .get, "/records/Good/tea", 200, lacks: [":731"]),
        ])
    }

    @Test func `in a private database the owner reads and writes every field`() async throws {
        let database = try await Self.shop()
        await database.play([
            Scenario(
                "it writes", .stranger, .put, "/records/Good/own?database=private", #"{"fields":{"cost":4,"box":"b"}}"#,
                201,
                contains: [#""cost""#, #""box""#]),
            Scenario("it asks", .stranger, .get, "/query/Good?database=private&where=cost==4", 200, contains: ["own"]),
        ])
    }
}
