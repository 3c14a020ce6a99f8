import HTTP
import RecordModel
import RecordWire
import Testing

/// `expand` over the interface: shapes, permissions, limits and errors.
@Suite struct ExpandTests {
    private static let schema = """
        {"types":{
        "Post":{"fields":{"title":{"type":"STRING"},"author":{"type":"REFERENCE"},"links":{"type":"REFERENCE_LIST"},
        "secret":{"type":"REFERENCE","read":["editors"]}}},
        "Author":{"fields":{"name":{"type":"STRING"},"phone":{"type":"STRING","read":["editors"]},
        "team":{"type":"REFERENCE"},"boss":{"type":"REFERENCE","read":["editors"]}}},
        "Team":{"fields":{"name":{"type":"STRING"}},"grants":{"editors":["READ"]}},
        "Comment":{"fields":{"post":{"type":"REFERENCE"},"good":{"type":"INT64"}}},
        "Memo":{"fields":{"post":{"type":"REFERENCE","indexes":["QUERYABLE"]}},"grants":{"editors":["READ"]}}}}
        """

    private static func forum(
        _ environment: RecordEnvironment = .development, limits: DatabaseLimits = DatabaseLimits()
    ) async throws -> TestDatabase {
        let database = try await TestDatabase.make(environment, limits: limits)
        let schema = await database.call(.put, "/schema", as: .administrator, body: schema)
        try #require(schema.status == 200, "\(schema.text)")
        for (path, fields) in [
            ("Team/t1", #""name":"reds""#),
            ("Author/a1", #""name":"Ann","phone":"555","team":{"recordName":"t1"},"boss":{"recordName":"a1"}"#),
            ("Post/p1", #""title":"sea","author":{"recordName":"a1"},"secret":{"recordName":"t1"}"#),
            ("Post/p2", #""title":"sky","author":{"recordName":"gone"}"#),
            ("Comment/c1", #""post":{"recordName":"p1"},"good":1"#),
            ("Comment/c2", #""post":{"recordName":"p1"},"good":2"#),
            ("Comment/c3", #""post":{"recordName":"p1"},"good":3"#), ("Memo/m1", #""post":{"recordName":"p1"}"#),
        ] {
            let made = await database.call(
                .put, "/records/\(path)", as: .administrator, body: "{\"fields\":{\(fields)}}")
            try #require(made.status == 201, "\(made.text)")
        }
        return database
    }

    private static func names(_ response: Response) -> [String] {
        (response.json?["expanded"]?["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
    }

    @Test func `queries, lists and reads follow references with the rights of the caller`() async throws {
        let database = try await Self.forum()
        let body = #"{"recordType":"Post","expand":["author.team"]}"#
        for who in [TestDatabase.Who.anonymous, .administrator] {
            let seen = who == .administrator ? ["a1", "t1"] : ["a1"]
            for target in [
                "/query/Post?expand=author.team", "/records/Post?expand=author,author.team",
                "/records/Post/p1?expand=author.team",
            ] {
                let response = await database.call(.get, target, as: who)
                #expect(response.status == 200 && Self.names(response) == seen, "\(target): \(response.text)")
                #expect(response.text.contains("555") == (who == .administrator))
            }
            #expect(Self.names(await database.call(.post, "/query", as: who, body: body)) == seen)
        }
        let read = await database.call(.get, "/records/Post/p2?expand=author&fields=title")
        #expect(read.json?["recordName"]?.string == "p2" && Self.names(read).isEmpty, "\(read.text)")
        #expect(read.json?["expanded"]?.bytes == Array(#"{"records":[]}"#.utf8))
        #expect(read.field("ETag") == nil)
        #expect(await database.call(.get, "/records/Post/p3?expand=author").status == 404)
        let user = await database.call(.get, "/records/Post/p1?expand=createdUserRecordName")
        #expect(user.status == 200 && Self.names(user).isEmpty, "\(user.text)")
    }

    @Test func `records that refer to a page's come by its names`() async throws {
        let database = try await Self.forum()
        let target = "/query/Post?expand=Comment.post(limit=2,sort=-good)"
        let early = await database.call(.get, target)
        #expect(early.status == 400 && early.text.contains("NOT_INDEXED"), "\(early.text)")
        let made = await database.call(.get, target, as: .administrator)
        #expect(made.status == 200 && made.text.contains("INDEX_ADDED"), "\(made.text)")
        let response = await database.call(.get, target)
        #expect(Self.names(response) == ["c3", "c2"], "\(response.text)")
        #expect(
            response.text.contains(
                #""backward":{"Comment.post":{"p1":{"recordNames":["c3","c2"],"moreComing":true}}}"#))
        let one = await database.call(.get, "/records/Post/p1?expand=Comment.post(limit=3).createdUserRecordName")
        #expect(one.text.contains(#"{"p1":{"recordNames":["c1","c2","c3"],"moreComing":false}}"#), "\(one.text)")
    }

    @Test func `records that refer to a page's may have to match a condition`() async throws {
        let database = try await Self.forum()
        func names(_ options: String, as who: TestDatabase.Who = .administrator) async -> Response {
            let path = "Comment.post(\(options))"
            let text = path.utf8.map {
                ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 ? "\(UnicodeScalar($0))" : "%" + String($0, radix: 16)
            }
            return await database.call(.get, "/query/Post?expand=\(text.joined())", as: who)
        }
        let all = await names("sort=-good")
        #expect(Self.names(all) == ["c3", "c2", "c1"], "\(all.text)")
        for (options, expected) in [
            ("where=good > 1,sort=-good", ["c3", "c2"]), ("sort=good,where=good IN {1, 3}", ["c1", "c3"]),
            ("where=(good == 1 OR (good == 2)),limit=1", ["c1"]), ("where=good == 9", []),
            ("where=recordName IN {'a,b', 'c)\\'', \"c2\"}", ["c2"]),
        ] {
            let response = await names(options)
            #expect(response.status == 200 && Self.names(response) == expected, "\(options): \(response.text)")
        }
        for options in [
            "where=", "where=good", "where=good == %d", "where=none == 1", "where=good == 1,where=good == 2",
            "where='open", "where=(good == 1", "where=post.title == 'x'",
        ] {
            let response = await names(options)
            #expect(response.status == 400, "\(options): \(response.text)")
        }
    }

    @Test func `production needs the index of a query by the field`() async throws {
        let database = try await Self.forum(.production)
        let response = await database.call(.get, "/query/Post?expand=Comment.post()", as: .administrator)
        #expect(response.status == 400 && response.text.contains("NOT_INDEXED"), "\(response.text)")
        #expect(response.json?["details"]?["recordType"]?.string == "Comment")
    }

    @Test(arguments: [
        ("none", "UNKNOWN_NAME"), ("title", "TYPE_MISMATCH"), ("author.none", "UNKNOWN_NAME"),
        ("author.name", "UNKNOWN_NAME"), ("secret", "UNKNOWN_NAME"), ("author.boss", "UNKNOWN_NAME"),
        ("Comment.none()", "UNKNOWN_NAME"), ("Comment.good()", "TYPE_MISMATCH"), ("Comment", "UNKNOWN_NAME"),
        ("Comment.post(sort=none)", "UNKNOWN_NAME"),
    ])
    func `fields that the caller may not read are rejected like missing ones`(path: String, cause: String) async throws
    {
        let database = try await Self.forum()
        for target in ["/query/Post", "/records/Post", "/records/Post/p1"] {
            let response = await database.call(.get, "\(target)?expand=\(path)")
            #expect(response.status == 400 && response.text.contains(cause), "\(target): \(response.text)")
        }
        if ["secret", "author.boss"].contains(path) {
            #expect(await database.call(.get, "/query/Post?expand=\(path)", as: .administrator).status == 200)
            let twin = await database.call(.get, "/query/Post?expand=\(path)x")
            let hidden = await database.call(.get, "/query/Post?expand=\(path)")
            #expect(
                hidden.json?["reason"]?.string == twin.json?["reason"]?.string?.replacing("x not", with: " not"))
        }
    }

    @Test func `a type that the caller may not read is rejected like in a query`() async throws {
        let database = try await Self.forum()
        for (who, status) in [(TestDatabase.Who.anonymous, 401), (.stranger, 200), (.administrator, 200)] {
            let expanded = await database.call(.get, "/query/Post?expand=Memo.post()", as: who)
            let asked = await database.call(.get, "/query/Memo", as: who)
            #expect(expanded.status == status && asked.status == status, "\(expanded.text)")
            #expect(Self.names(expanded) == (who == .administrator ? ["m1"] : []))
        }
    }

    @Test func `hostile paths meet limits`() async throws {
        var limits = DatabaseLimits()
        limits.pageBytes = 20_000
        let database = try await Self.forum(limits: limits)
        let many = (0...Limits.expandedRecords).map { #"{"recordName":"x\#($0)"}"# }.joined(separator: ",")
        let long = String(repeating: "x", count: 15_000)
        for (name, links) in [("p8", many), ("p9", #"{"recordName":"a8"},{"recordName":"a9"}"#)] {
            let body = #"{"fields":{"links":{"value":[\#(links)],"type":"REFERENCE_LIST"}}}"#
            #expect(await database.call(.put, "/records/Post/\(name)", as: .administrator, body: body).status == 201)
        }
        for name in ["a8", "a9"] {
            let body = #"{"fields":{"name":"\#(long)"}}"#
            #expect(await database.call(.put, "/records/Author/\(name)", as: .administrator, body: body).status == 201)
        }
        let fields = (0...Limits.expandPaths).map { "f\($0)" }.joined(separator: ",")
        for (name, path, detail) in [
            ("p8", "links", "2000"), ("p9", "links", "20000"), ("p1", fields, "10"),
            ("p1", "Comment.post(limit=101)", "100"),
        ] {
            let response = await database.call(.get, "/records/Post/\(name)?expand=\(path)")
            #expect(response.status == 400 || response.status == 413, "\(response.text)")
            #expect(response.text.contains(detail), "\(response.text)")
        }
    }

    @Test func `a listing goes on with the cursors of one without expand`() async throws {
        let database = try await Self.forum()
        for (first, second) in [("", "&expand=author"), ("&expand=author", ""), ("&expand=author", "&expand=author")] {
            let page = await database.call(.get, "/records/Post?limit=1\(first)")
            let cursor = try #require(page.json?["cursor"]?.string).replacing("+", with: "%2B")
            let next = await database.call(.get, "/records/Post?limit=1&cursor=\(cursor)\(second)")
            #expect(next.json?["records"]?.array?.first?["recordName"]?.string == "p2", "\(next.text)")
            #expect(next.json?["cursor"] == nil)
        }
    }
}
