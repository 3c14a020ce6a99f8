import HTTP
import RecordAPI
import RecordModel
import RecordWire
import TestSupport
import Testing

/// The queries of typical apps, over HTTP, by GET and by POST.
@Suite struct QueryScenarioTests {
    /// Posts of a forum: three in one thread, one of them without votes, and one elsewhere.
    private func forum() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        try await database.make(
            [
                (
                    "a1",
                    #"{"threadname":"Anchors","good":5,"timestamp":{"value":1767225600000,"type":"TIMESTAMP"},"tags":["sea","iron"]}"#
                ),
                ("a2", #"{"threadname":"Anchors","good":9,"timestamp":{"value":1767398400000,"type":"TIMESTAMP"}}"#),
                (
                    "a3",
                    #"{"threadname":"Anchors","timestamp":{"value":1767312000000,"type":"TIMESTAMP"},"tags":["fog"]}"#
                ),
                (
                    "b1",
                    #"{"threadname":"Buoys","good":5,"timestamp":{"value":1767484800000,"type":"TIMESTAMP"},"parent_":{"recordName":"a1"}}"#
                ),
            ], "Post")
        return database
    }

    @Test func `a posting app shows its threads`() async throws {
        let database = try await forum()
        await database.expect(
            [
                QueryRow("threadname == %@ ", [#""Anchors""#], sort: "-timestamp", ["a2", "a3", "a1"]),
                QueryRow("threadname == %@ ", [#""Anchors""#], sort: "-good", ["a2", "a1", "a3"]),
                QueryRow("threadname = 'Anchors'", sort: "good,-timestamp", ["a3", "a1", "a2"]),
                QueryRow("threadname = \"Anchors\"", ["a1", "a2", "a3"]),
                QueryRow("%K == %@", [#""threadname""#, #""Buoys""#], ["b1"]),
                QueryRow("threadname == 'anchors'", []),
                QueryRow("threadname BEGINSWITH 'An'", ["a1", "a2", "a3"]),
                QueryRow("threadname IN {'Buoys', 'Cranes'}", ["b1"]),
                QueryRow("threadname IN %@", [#"["Buoys","Anchors"]"#], ["a1", "a2", "a3", "b1"]),
                QueryRow("threadname != 'Anchors'", ["b1"]),
                QueryRow("parent_ == %@", [#""a1""#], ["b1"]),
                QueryRow("parent_ == %@", [#"{"recordName":"a1"}"#], ["b1"]),
                QueryRow("parent_ == ref('a1')", ["b1"]),
                QueryRow("", ["a1", "a2", "a3", "b1"]),
                QueryRow("", sort: "-createdTimestamp", ["b1", "a3", "a2", "a1"]),
                QueryRow("TRUEPREDICATE", sort: "-threadname,timestamp", ["b1", "a1", "a3", "a2"]),
                QueryRow("FALSEPREDICATE", []),
            ], of: "Post")
    }

    @Test func `absent fields match only NULL conditions and negated ones`() async throws {
        let database = try await forum()
        await database.expect(
            [
                QueryRow("good > 4", ["a1", "a2", "b1"]),
                QueryRow("NOT (good > 4)", ["a3"]),
                QueryRow("good <= 4", []),
                QueryRow("good != 5", ["a2", "a3"]),
                QueryRow("good != 5 AND good != NULL", ["a2"]),
                QueryRow("good == NULL", ["a3"]),
                QueryRow("good != NIL", ["a1", "a2", "b1"]),
                QueryRow("good == 5 OR good == NULL", ["a1", "a3", "b1"]),
                QueryRow("good >= 4.5 && good < 9.0", ["a1", "b1"]),
                QueryRow("good == 4.5", []),
                QueryRow("good BETWEEN {5, 8}", ["a1", "b1"]),
                QueryRow("tags CONTAINS 'sea'", ["a1"]),
                QueryRow("'fog' IN tags", ["a3"]),
                QueryRow("ANY tags IN {'fog', 'iron'}", ["a1", "a3"]),
                QueryRow("NONE tags IN {'sea'}", ["a2", "a3", "b1"]),
                QueryRow("tags == NULL", ["a2", "b1"]),
                QueryRow("ANY tags BEGINSWITH 'i'", ["a1"]),
            ], of: "Post")
    }

    @Test func `times and users are given as texts, numbers or with their type`() async throws {
        let database = try await forum()
        let creator = try #require(database.userNames[.creator])
        let stranger = try #require(database.userNames[.stranger])
        await database.expect(
            [
                QueryRow("timestamp < %@", [#""2026-01-02T00:00:00Z""#], ["a1"]),
                QueryRow("timestamp < %@", ["1767312000000"], ["a1"]),
                QueryRow("timestamp < %@", [#"{"value":1767312000000,"type":"TIMESTAMP"}"#], ["a1"]),
                QueryRow("timestamp <= date('2026-01-02T01:00:00+01:00')", ["a1", "a3"]),
                QueryRow("createdTimestamp <= now()", ["a1", "a2", "a3", "b1"]),
                QueryRow("creationDate > now()", []),
                QueryRow("createdUserRecordName == %@", [#""\#(creator)""#], ["a1", "a2", "a3", "b1"]),
                QueryRow("___createdBy == %@", [#""\#(stranger)""#], []),
                QueryRow("creatorUserRecordID != %@", [#""\#(creator)""#], []),
                QueryRow("createdUserRecordName == '_nobody'", []),
                QueryRow("recordName == 'a2'", ["a2"]),
                QueryRow("recordID IN {'b1', 'a3', 'none'}", ["a3", "b1"]),
                QueryRow("recordName BEGINSWITH 'a'", sort: "-recordName", ["a3", "a2", "a1"]),
            ], of: "Post")
    }

    @Test func `goods are found in a range of prices`() async throws {
        let database = try await TestDatabase.make()
        try await database.make(
            [
                ("low", #"{"salesPrice":99,"costRate":0.2}"#), ("first", #"{"salesPrice":100,"costRate":0.5}"#),
                ("second", #"{"salesPrice":200,"costRate":0.7}"#), ("third", #"{"salesPrice":200,"costRate":0.1}"#),
                ("high", #"{"salesPrice":201,"costRate":0.2}"#), ("free", #"{"costRate":0.2}"#),
            ], "Item")
        await database.expect(
            [
                QueryRow(
                    "salesPrice >= %d and salesPrice <= %d", ["100", "200"], sort: "-salesPrice,costRate",
                    ["third", "second", "first"]),
                QueryRow(
                    "salesPrice BETWEEN %@", ["[100,200]"], sort: "salesPrice,-costRate", ["first", "second", "third"]),
                QueryRow("costRate == 0.2", ["low", "high", "free"]),
                QueryRow("costRate < 1", sort: "salesPrice", ["free", "low", "first", "second", "third", "high"]),
            ], of: "Item")
        let filtered = await database.call(
            .post, "/query", as: .creator,
            body: """
                {"recordType":"Item","where":"costRate > %@","args":[0.15],"filterBy":[{"fieldName":"salesPrice",
                "comparator":"GREATER_THAN_OR_EQUALS","fieldValue":{"value":200,"type":"INT64"}},
                {"fieldName":"salesPrice","comparator":"NOT_IN","fieldValue":{"value":[201],"type":"INT64_LIST"}}],
                "sortBy":[{"fieldName":"salesPrice","ascending":false}],"fields":["costRate"],"count":true}
                """)
        #expect(filtered.names == ["second"] && filtered.count == 1, "\(filtered.text)")
        #expect(!filtered.text.contains("salesPrice\":{"), "Only the fields that were asked for")
    }

    @Test func `a calendar shows a week`() async throws {
        let database = try await TestDatabase.make()
        func event(_ start: Int64, _ end: Int64?) -> String {
            let day: Int64 = 86_400_000
            let start = #""startDate":{"value":\#(start * day),"type":"TIMESTAMP"}"#
            return "{\(start)\(end.map { #","endDate":{"value":\#($0 * day),"type":"TIMESTAMP"}"# } ?? "")}"
        }
        try await database.make(
            [
                ("past", event(1, 2)), ("into", event(8, 11)), ("within", event(12, 13)), ("beyond", event(16, 30)),
                ("around", event(2, 40)), ("open", event(11, nil)), ("later", event(18, 19)),
            ], "Event")
        let from = #"{"value":864000000,"type":"TIMESTAMP"}"#
        let to = #"{"value":1468800000,"type":"TIMESTAMP"}"#
        await database.expect(
            [
                QueryRow(
                    "startDate < %@ AND (endDate == NULL OR endDate >= %@)", [to, from], sort: "startDate",
                    ["around", "into", "open", "within", "beyond"]),
                QueryRow("startDate >= %@ AND endDate < %@", [from, to], ["within"]),
            ], of: "Event")
        let named = await database.call(
            .post, "/query", as: .creator,
            body: """
                {"recordType":"Event","where":"startDate >= $from AND startDate < $to","vars":{"from":\(from),"to":\(to)},
                "sort":["-startDate"]}
                """)
        #expect(named.names == ["beyond", "within", "open"], "\(named.text)")
    }

    @Test(arguments: ["", "-timestamp", "good", "-good,timestamp", "recordName", "-createdTimestamp"])
    func `pages of one record join to the whole result over either route`(sort: String) async throws {
        let database = try await forum()
        let sorting = sort.isEmpty ? [] : [("sort", sort)]
        let whole = await database.call(.get, queryTarget("Post", sorting), as: .creator)
        #expect(whole.names.count == 4 && whole.cursor == nil, "\(whole.text)")
        var names: [String] = []
        var cursor: String?
        for page in 0..<4 {
            let response: Response
            if page.isMultiple(of: 2) {
                let place = cursor.map { [("cursor", $0)] } ?? []
                response = await database.call(
                    .get, queryTarget("Post", sorting + place + [("limit", "1"), ("count", "true")]), as: .creator)
            } else {
                var body = JSONObject()
                body["recordType"] = "Post"
                if !sort.isEmpty { body["sort"] = .string(sort) }
                body["cursor"] = cursor.map { .string($0) }
                body["limit"] = 1
                body["count"] = true
                response = await database.call(
                    .post, "/query", as: .creator, body: String(decoding: JSONValue.object(body).bytes, as: UTF8.self))
            }
            #expect(response.count == 4, "\(response.text)")
            names += response.names
            cursor = response.cursor
            if cursor == nil { break }
        }
        #expect(names == whole.names && cursor == nil)
    }

    @Test func `a cursor belongs to its query and caller`() async throws {
        let database = try await forum()
        func page(_ items: [(String, String)], _ who: TestDatabase.Who) async -> Response {
            await database.call(.get, queryTarget("Post", items), as: who)
        }
        let first = await page([("where", "good > 1"), ("limit", "1")], .creator)
        let cursor = try #require(first.cursor)
        for (items, who, status) in [
            ([("where", "good > 1"), ("limit", "2")], TestDatabase.Who.creator, 200),
            ([("where", "good > 1"), ("fields", "good")], .creator, 200),
            ([("where", "good > 2")], .creator, 400), ([("where", "good > 1"), ("sort", "good")], .creator, 400),
            ([], .creator, 400), ([("where", "good > 1")], .stranger, 400), ([("where", "good > 1")], .anonymous, 400),
        ] {
            let response = await page(items + [("cursor", cursor)], who)
            #expect(response.status == status, "\(items) \(who): \(response.text)")
            #expect(response.cause == (status == 400 ? "TOKEN_INVALID" : nil), "\(items) \(who)")
        }
        #expect(await page([("where", "good > 1"), ("cursor", "nonsense")], .creator).cause == "TOKEN_INVALID")
    }

    @Test func `an index is added in development for callers with write permission, once`() async throws {
        let database = try await forum()
        let target = queryTarget("Post", [("where", "threadname == 'Anchors'"), ("sort", "-timestamp")])
        let rejected = await database.call(.get, target)
        #expect(rejected.status == 400 && rejected.cause == "NOT_INDEXED", "\(rejected.text)")
        #expect(rejected.text.contains("threadname") && !rejected.text.tells("notices"))
        let first = await database.call(.get, target, as: .stranger)
        #expect(first.json?["notices"]?.array?.first?["code"]?.string == "INDEX_ADDED", "\(first.text)")
        let second = await database.call(.get, target, as: .stranger)
        #expect(second.status == 200 && second.json?["notices"] == nil)
        #expect(await database.call(.get, target).status == 200)
        let schema = await database.call(.get, "/schema/types/Post", as: .administrator)
        #expect(schema.text.contains(#""fields":["threadname","-timestamp"]"#), "\(schema.text)")
    }

    @Test func `in production only the schema adds indexes`() async throws {
        let database = try await TestDatabase.make(.production)
        func schema(_ marks: String, _ indexes: String) -> String {
            #"{"types":{"Post":{"fields":{"threadname":{"type":"STRING"\#(marks)},"good":{"type":"INT64"}}\#(indexes)}}}"#
        }
        let target = queryTarget("Post", [("where", "threadname == 'Anchors'")])
        let sorted = queryTarget("Post", [("where", "threadname == 'Anchors'"), ("sort", "-good")])
        await database.play([
            Scenario("put", .administrator, .put, "/schema", schema("", ""), 200),
            Scenario(
                "a record", .creator, .put, "/records/Post/a", #"{"fields":{"threadname":"Anchors","good":1}}"#, 201),
            Scenario(
                "not queryable", .creator, .get, target, 400,
                contains: ["NOT_INDEXED", "threadname", "not marked queryable"], lacks: ["INDEX_ADDED"]),
            Scenario("nor for administrators", .administrator, .get, target, 400, contains: ["NOT_INDEXED"]),
            Scenario("the whole needs none", .anonymous, .get, "/query/Post", 200, contains: [#""a""#]),
            Scenario("an unknown type", .creator, .get, "/query/None", 404, contains: ["NOT_FOUND"]),
            Scenario("mark", .administrator, .put, "/schema", schema(#","indexes":["QUERYABLE"]"#, ""), 200),
            Scenario("queryable", .anonymous, .get, target, 200, contains: [#""a""#], lacks: ["notices"]),
            Scenario(
                "not sortable", .creator, .get, sorted, 400, contains: ["NOT_INDEXED", "good", "not marked sortable"]),
            Scenario(
                "add", .administrator, .post, "/schema/types/Post/indexes", #"{"fields":["threadname","-good"]}"#, 201,
                contains: [#"{"fields":["threadname","-good"]}"#]),
            Scenario(
                "again", .administrator, .post, "/schema/types/Post/indexes", #"{"fields":["threadname","-good"]}"#, 200
            ),
            Scenario("sorted", .anonymous, .get, sorted, 200, contains: [#""a""#]),
            Scenario(
                "the schema's tag is not that of a part", .administrator, .post, "/schema/types/Post/indexes",
                #"{"fields":["good"]}"#, headers: [("If-Match", "\"x\"")], 400, contains: ["PUT /schema"]),
            Scenario(
                "nor of a field", .administrator, .patch, "/schema/types/Post/fields/good", #"{"type":"DOUBLE"}"#,
                headers: [("If-Match", "\"x\"")], 400, contains: ["PUT /schema"]),
            Scenario(
                "a user adds none", .creator, .post, "/schema/types/Post/indexes", #"{"fields":["good"]}"#, 403),
            Scenario(
                "of nothing", .administrator, .post, "/schema/types/Post/indexes", #"{"fields":["none"]}"#, 400,
                contains: ["types.Post.indexes[0]"]),
            Scenario(
                "of no type", .administrator, .post, "/schema/types/None/indexes", #"{"fields":["none"]}"#, 404),
        ])
    }

    /// All requests checked before any change was made: only the writer knows the first one.
    @Test func `of several requests that add one index at once, one response reports its creation`() async throws {
        let database = try await forum()
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer the-operators-secret")
        let request = HTTPRequest(
            method: .post, target: try #require(RequestTarget("/schema/types/Post/indexes")), fields: fields,
            body: .bytes(Array(#"{"fields":["threadname","-good"]}"#.utf8)), id: "request-1")
        let api = database.api
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let loop = api.makeContext()
                    defer { loop.closeReaders() }
                    return Response(await api.respond(to: request, in: loop)).status
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 200, 200, 200, 200, 200, 200, 201])
    }

    @Test func `a query that does not fit the type is rejected with the location`() async throws {
        let database = try await forum()
        func get(_ condition: String, _ more: [(String, String)] = []) -> String {
            queryTarget("Post", [("where", condition)] + more)
        }
        func post(_ body: String) -> String { #"{"recordType":"Post",\#(body)}"# }
        await database.play([
            Scenario("a gap", .creator, .get, get("good > "), 400, contains: [#""offset":7"#, "expected", "found"]),
            Scenario(
                "in bytes", .creator, .get, get("threadname == 'é' foo"), 400, contains: [#""offset":19"#, "foo"]),
            Scenario("a field", .creator, .get, get("god > 1"), 400, contains: ["UNKNOWN_NAME", "god", "Post"]),
            Scenario("a type", .creator, .get, get("good == 'x'"), 400, contains: ["TYPE_MISMATCH", "good", "INT64"]),
            Scenario("too few", .creator, .get, get("good > %d"), 400, contains: ["argument"]),
            Scenario("too many", .creator, .get, get("good > 1", [("arg", "2")]), 400, contains: ["argument"]),
            Scenario(
                "in quotes", .creator, .get, get("threadname == '%@'", [("arg", "1")]), 400, contains: ["argument"]),
            Scenario("a modifier", .creator, .get, get("threadname BEGINSWITH[l] 'a'"), 400, contains: ["[cd]"]),
            Scenario("LIKE", .creator, .get, get("good LIKE 'a*'"), 400, contains: ["TYPE_MISMATCH", "LIKE"]),
            Scenario(
                "a pattern", .creator, .get, get("threadname MATCHES '(a'"), 400, contains: ["closing parenthesis"]),
            Scenario(
                "a substring", .creator, .get, get("good CONTAINS '1'"), 400, contains: ["TYPE_MISMATCH", "good"]),
            Scenario("an empty part", .creator, .get, get("threadname CONTAINS ''"), 400, contains: ["not empty"]),
            Scenario("a list", .creator, .get, get("tags == 'sea'"), 400, contains: ["TYPE_MISMATCH", "tags"]),
            Scenario("an order of references", .creator, .get, get("parent_ < 'a'"), 400, contains: ["parent_"]),
            Scenario("a change tag", .creator, .get, get("recordChangeTag == 'a'"), 400, contains: ["recordChangeTag"]),
            Scenario(
                "a sort", .creator, .get, get("good > 1", [("sort", "god")]), 400, contains: ["UNKNOWN_NAME", "god"]),
            Scenario("a sort of lists", .creator, .get, get("good > 1", [("sort", "tags")]), 400, contains: ["tags"]),
            Scenario(
                "a long text", .creator, .post, "/query",
                post(#""where":"good > 1\#(String(repeating: " ", count: 16_384))""#), 413, contains: ["TOO_LARGE"]),
            Scenario(
                "many tests", .creator, .post, "/query",
                post(#""where":"\#(Array(repeating: "good > 1", count: 201).joined(separator: " OR "))""#), 413,
                contains: ["TOO_LARGE", "200"]),
            Scenario(
                "a long list", .creator, .post, "/query",
                post(
                    #""where":"good IN %@","args":[[\#(Array(repeating: "1", count: 1_001).joined(separator: ","))]]"#),
                413, contains: ["TOO_LARGE", "1000"]),
            Scenario(
                "an unknown comparator", .creator, .post, "/query",
                post(#""filterBy":{"fieldName":"good","comparator":"LIKE","fieldValue":1}"#), 400, contains: ["LIKE"]),
            Scenario(
                "no distances", .creator, .post, "/query",
                post(#""filterBy":{"fieldName":"good","comparator":"NEAR","fieldValue":1}"#), 400,
                contains: ["NEAR", "distance"]),
            Scenario(
                "a variable", .creator, .post, "/query", post(#""where":"good > $least","vars":{"last":1}"#), 400,
                contains: ["least"]),
        ])
    }

    @Test func `a plan shows its scans, and figures only to administrators`() async throws {
        let database = try await forum()
        let target = queryTarget("Post", [("where", "good > 1"), ("explain", "true")])
        _ = await database.call(.get, target, as: .creator)
        let open = await database.call(.get, target)
        let plan = try #require(open.json?["plan"], "\(open.text)")
        #expect(plan["text"]?.string?.contains("good") == true)
        #expect(plan["access"]?.array?.isEmpty == false)
        for figure in ["examinedRows", "estimatedRows", "milliseconds"] {
            #expect(plan[figure] == nil, "\(figure)")
        }
        let all = await database.call(.get, target, as: .administrator)
        for figure in ["examinedRows", "estimatedRows", "returnedRows"] {
            #expect(all.json?["plan"]?[figure]?.integer != nil, "\(all.text)")
        }
        #expect(await database.call(.get, queryTarget("Post", [("explain", "false")])).json?["plan"] == nil)
        #expect(await database.call(.head, target).status == 200)
    }
}
