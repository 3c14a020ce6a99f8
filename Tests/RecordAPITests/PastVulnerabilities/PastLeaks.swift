import Foundation
import HTTP
import RecordAPI
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Hidden fields and records that could leak by another way than the one that was closed.
@Suite struct PastLeaks {
    static let numbers = [5, 6, 7, 8, 9, 10]

    private static let hidden = [":731", "hushed", #""cost""#, #""note""#]

    private static func shop() async throws -> TestDatabase {
        let database = try await TestDatabase.make(.production)
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Good":{"fields":{
                "title":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},
                "cost":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"],"read":["editors"],"write":["editors"]},
                "note":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"],"read":["editors"],"write":["editors"]}},
                "grants":{"_world":["READ"],"_icloud":["CREATE","WRITE"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        let made = await database.call(
            .put, "/records/Good/tea", as: .administrator,
            body: #"{"fields":{"title":"tea","cost":731,"note":"hushed"}}"#)
        try #require(made.status == 201, "\(made.text)")
        return database
    }

    /// Sends a query for a hidden field and for an unknown one: both are rejected alike.
    private static func expectRefusal(_ database: TestDatabase, _ items: [(String, String)]) async {
        func unknown(_ text: String) -> String {
            text.replacingOccurrences(of: "cost", with: "qqqq").replacingOccurrences(of: "note", with: "qqqq")
        }
        let hidden = await database.call(.get, queryTarget("Good", items), as: .stranger)
        let missing = await database.call(
            .get, queryTarget("Good", items.map { ($0.0, unknown($0.1)) }), as: .stranger)
        #expect(hidden.status == 400, "\(items): \(hidden.text)")
        #expect(unknown(hidden.text) == missing.text, "\(items)")
    }

    @Test func `5: a path through a hidden field is rejected in conditions and sorts`() async throws {
        let database = try await Self.shop()
        for path in ["cost.sub", "note.length", "note.recordName", "cost[0]", "cost.cost", "Good.cost"] {
            await Self.expectRefusal(database, [("where", "\(path) == 731")])
            await Self.expectRefusal(database, [("where", "\(path) > 5")])
            await Self.expectRefusal(database, [("sort", path)])
        }
    }

    @Test func `6: a hidden field is hidden inside every operator`() async throws {
        let database = try await Self.shop()
        for condition in [
            "title == 'x' OR cost == 731", "NOT (title == 'x' AND NOT cost == 731)", "NOT NOT cost == 731",
            "(title == 'tea' AND (title == 'x' OR (title == 'y' OR cost > 1)))", "cost IN {1, 731}",
            "cost BETWEEN {1, 1000}", "731 == cost", "cost != 5", "TRUEPREDICATE OR cost == 1", "ANY note == 'hushed'",
        ] {
            await Self.expectRefusal(database, [("where", condition)])
            let set = await database.call(
                .delete, queryTarget("Good", [("where", condition), ("dryRun", "true")]), as: .stranger)
            #expect(set.status == 400, "\(set.text)")
        }
    }

    @Test func `6: a wrong JSON type in a query reveals nothing`() async throws {
        let database = try await Self.shop()
        for member in [
            #""where":["cost == 731"]"#, #""where":{"0":"cost == 731","length":1}"#,
            #""where":null,"sort":{"0":"cost"}"#,
            #""filterBy":{"0":{"fieldName":"cost","comparator":"EQUALS","fieldValue":731},"length":1}"#,
            #""filterBy":{"fieldName":["cost"],"comparator":"EQUALS","fieldValue":731}"#,
            #""filterBy":[{"fieldName":"cost","comparator":"EQUALS","fieldValue":{"value":731}}]"#,
            #""filterBy":[[{"fieldName":"cost","comparator":"EQUALS","fieldValue":731}]]"#,
            #""sortBy":{"fieldName":{"0":"cost"}}"#, #""sortBy":{"fieldName":"cost"}"#, #""sort":["cost"]"#,
            #""where":"title == %@ OR %K == 731","args":["x","cost"]"#, #""fields":{"0":"cost"},"sort":"cost""#,
            #""where":"$a == 731","vars":{"a":"cost"},"sort":"cost""#,
        ] {
            let response = await database.call(
                .post, "/query", as: .stranger, body: #"{"recordType":"Good",\#(member)}"#)
            #expect(response.status == 400, "\(member): \(response.text)")
            #expect(response.records.isEmpty && !response.text.tells("hushed"), "\(member): \(response.text)")
        }
        for member in [#""fields":["cost","note","title"]"#, #""fields":"cost,note,title""#] {
            let response = await database.call(
                .post, "/query", as: .stranger, body: #"{"recordType":"Good",\#(member)}"#)
            for part in Self.hidden { #expect(!response.text.contains(part), "\(member): \(response.text)") }
        }
    }

    @Test func `7: the feed shows no hidden field, even if a role is removed between its pages`() async throws {
        let database = try await Self.shop()
        let first = await database.call(.get, "/changes", as: .member)
        #expect(first.text.contains(":731"))
        let token =
            try #require(first.json?["token"]?.string)
            .addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        await database.play([
            Scenario("a stranger", .stranger, .get, "/changes", 200, contains: ["tea"], lacks: Self.hidden),
            Scenario("by its word", .stranger, .get, "/changes?fields=cost,note", 200, lacks: Self.hidden),
            Scenario("by a member's token", .stranger, .get, "/changes?since=\(token)", 400, lacks: Self.hidden),
            Scenario("the role goes", .administrator, .put, "/roles/editors", #"{"members":[]}"#, 200),
            Scenario(
                "something is new", .administrator, .patch, "/records/Good/tea", #"{"fields":{"cost":7310}}"#, 200),
            Scenario("starts again", .member, .get, "/changes?since=\(token)", 410, lacks: Self.hidden),
            Scenario("and sees less", .member, .get, "/changes", 200, contains: ["tea"], lacks: Self.hidden),
        ])
    }

    @Test func `8: no pattern reveals hidden values`() async throws {
        let database = try await Self.shop()
        for condition in [
            "note BEGINSWITH 'h'", "note ENDSWITH 'd'", "note CONTAINS 'ush'", "note LIKE 'h*'", "note MATCHES 'h.*'",
            "note BEGINSWITH[cd] 'H'", "note == 'hushed'", "note > 'a'", "note == NULL", "note != NULL",
        ] {
            await Self.expectRefusal(database, [("where", condition), ("count", "true"), ("limit", "1")])
        }
    }

    @Test func `9: every way to a record shows the same fields of it`() async throws {
        let database = try await Self.shop()
        for who in [TestDatabase.Who.anonymous, .stranger, .member, .administrator] {
            let read = try #require(await database.call(.get, "/records/Good/tea", as: who).json)
            #expect((read["fields"]?["cost"] == nil) == (who != .member && who != .administrator))
            for (method, target, body) in [
                (HTTPMethod.get, "/records/Good", nil), (.get, "/query/Good?where=title=='tea'", nil),
                (.post, "/query", #"{"recordType":"Good"}"#),
            ] as [(HTTPMethod, String, String?)] {
                let response = await database.call(method, target, as: who, body: body)
                #expect(response.records.first == read, "\(who) \(target): \(response.text)")
            }
            let changes = await database.call(.get, "/changes", as: who).changes
            #expect(changes.first { $0["recordName"] == "tea" }?["fields"] == read["fields"], "\(who)")
        }
        // A user sees its user record and sessions, and nothing else that is stored about the account.
        let me = await database.call(.get, "/users/me", as: .creator)
        let keys = Set(me.json?.object?.keys.map { $0 } ?? [])
        #expect(!keys.isEmpty)
        for word in ["password", "hash", "token", "salt", "kind", "id"] { #expect(!keys.contains(word)) }
    }

    @Test func `10: no response that issues a token contains another secret`() async throws {
        let database = try await TestDatabase.make { $0.allowsAnonymousAccounts = true }
        let credentials = #"{"name":"zoe","password":"correct horse"}"#
        let up = await database.call(.post, "/users", body: credentials)
        let session = await database.call(.post, "/sessions", body: credentials)
        let token = try #require(session.json?["token"]?.string)
        let anonymous = await database.call(.post, "/users/anonymous")
        let listed = await database.call(.get, "/sessions", token: token)
        let me = await database.call(.get, "/users/me", token: token)
        let rotated = await database.call(.post, "/sessions/current/rotate", token: token)
        let next = try #require(rotated.json?["token"]?.string)
        let changed = await database.call(
            .patch, "/users/me", token: next, body: #"{"password":"battery staple","currentPassword":"correct horse"}"#)
        for response in [up, session, anonymous, rotated, changed] {
            #expect(
                Set(response.json?.object?.keys.map { $0 } ?? []) == ["token", "expiresAt", "user"], "\(response.text)")
            #expect(Set(response.json?["user"]?.object?.keys.map { $0 } ?? []) == ["userRecordName", "name"])
            #expect(response.field("Cache-Control") == "no-store" && response.field("Set-Cookie") == nil)
        }
        let tokens = [up, session, anonymous, rotated, changed].compactMap { $0.json?["token"]?.string }
        #expect(Set(tokens).count == 5)
        for response in [listed, me] {
            #expect(response.status == 200)
            for secret in tokens + ["correct horse", "argon2", "scrypt", "salt"] {
                #expect(!response.text.contains(secret), "\(response.text)")
            }
        }
    }
}
