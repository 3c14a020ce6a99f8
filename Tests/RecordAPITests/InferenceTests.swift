import HTTP
import RecordModel
import RecordWire
import TestSupport
import Testing

/// The outcome of a caller's own writes does not reveal data that it may not read.
@Suite struct InferenceTests {
    /// Every signed-in user writes `cost` and `tags`, which editors read. Every signed-in user writes `Blind`, which
    /// only creators read.
    private static func shop() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Good":{"fields":{
                "title":{"type":"STRING"},
                "cost":{"type":"INT64","read":["editors"],"write":["_icloud"]},
                "tags":{"type":"STRING_LIST","read":["editors"],"write":["_icloud"]},
                "seen":{"type":"TIMESTAMP","read":["editors"],"write":["_icloud"]},
                "home":{"type":"REFERENCE","read":["editors"]}},
                "grants":{"_world":["READ"],"_icloud":["CREATE","WRITE"]}},
                "Blind":{"fields":{"cost":{"type":"INT64"}},"grants":{"_icloud":["CREATE","WRITE"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        let fields = #"{"fields":{"title":"tea","cost":731,"tags":["vip"]}}"#
        let tea = await database.call(.put, "/records/Good/tea", as: .administrator, body: fields)
        try #require(tea.status == 201, "\(tea.text)")
        let blind = await database.call(
            .put, "/records/Blind/cup", as: .administrator, body: #"{"fields":{"cost":731}}"#)
        try #require(blind.status == 201, "\(blind.text)")
        return database
    }

    @Test(arguments: [
        #"{"cost":{"increment":1}}"#, #"{"cost":{"increment":9223372036854775807}}"#, #"{"cost":{"setIfAbsent":1}}"#,
        #"{"tags":{"append":["vip"]}}"#, #"{"tags":{"appendUnique":["vip"]}}"#, #"{"tags":{"remove":["vip"]}}"#,
        #"{"title":"x","cost":{"increment":1}}"#,
    ]) func `a field operation needs permission to read the field`(_ fields: String) async throws {
        let database = try await Self.shop()
        let body = #"{"fields":\#(fields)}"#
        let batch = #"""
            {"operations":[{"operationType":"forceUpdate","record":
            {"recordType":"Good","recordName":"tea","fields":\#(fields)}}]}
            """#
        await database.play([
            Scenario("of a field", .stranger, .patch, "/records/Good/tea", body, 403, contains: ["you may not read"]),
            Scenario("in a batch", .stranger, .post, "/records", batch, 200, contains: ["ACCESS_DENIED"]),
            Scenario(
                "but by whom reads it", .member, .patch, "/records/Good/tea", #"{"fields":{"cost":{"increment":1}}}"#,
                200),
        ])
        let record = await database.call(.get, "/records/Good/tea", as: .administrator)
        #expect(record.text.contains(#""cost":{"value":732"#) && record.text.contains(#"["vip"]"#), "\(record.text)")
    }

    /// A 200 for the reference that the field already has would reveal it.
    @Test func `a reference is not confirmed to a caller that may not read its field`() async throws {
        let database = try await Self.shop()
        let home = #"{"fields":{"home":{"recordName":"cup","action":"VALIDATE"}}}"#
        let holder = await database.call(.put, "/records/Good/holder", as: .administrator, body: home)
        try #require(holder.status == 201, "\(holder.text)")
        await database.play([
            Scenario("where it stands", .stranger, .patch, "/records/Good/holder", home, 412, contains: ["home"]),
            Scenario("where it does not", .stranger, .patch, "/records/Good/tea", home, 412, contains: ["home"]),
            Scenario("in a set", .stranger, .patch, "/query/Good?all=true", home, 412, contains: ["home"]),
            Scenario(
                "another field", .stranger, .patch, "/records/Good/holder", #"{"fields":{"title":"x"}}"#, 200),
            Scenario("who reads it", .administrator, .patch, "/records/Good/holder", home, 200),
        ])
    }

    @Test func `a field operation needs permission to read the record`() async throws {
        let database = try await Self.shop()
        await database.play([
            Scenario(
                "by its type", .stranger, .patch, "/records/Blind/cup", #"{"fields":{"cost":{"increment":1}}}"#, 403),
            Scenario("a value is set", .stranger, .patch, "/records/Blind/cup", #"{"fields":{"cost":5}}"#, 200),
            Scenario(
                "a time is set", .stranger, .patch, "/records/Good/tea", #"{"fields":{"seen":{"serverTime":true}}}"#,
                200),
            Scenario(
                "its own record is new", .stranger, .post, "/records/Good", #"{"fields":{"cost":{"increment":4}}}"#, 201
            ),
        ])
        let list = #"{"fields":{"title":"cake","cost":7},"acl":{"{stranger}":["write"]}}"#
        let made = await database.call(.put, "/records/Good/cake", as: .administrator, body: database.filled(list))
        #expect(made.status == 201, "\(made.text)")
        await database.play([
            Scenario(
                "by its list", .stranger, .patch, "/records/Good/cake", #"{"fields":{"title":{"setIfAbsent":"x"}}}"#,
                403
            )
        ])
    }

    @Test func `a rejected deletion does not reveal a field that the caller may not read`() async throws {
        let database = try await Self.shop()
        for (name, field) in [("target", "{}"), ("holder", #"{"home":{"recordName":"target","action":"VALIDATE"}}"#)] {
            let made = await database.call(
                .put, "/records/Good/\(name)", as: .administrator, body: #"{"fields":\#(field)}"#)
            #expect(made.status == 201, "\(made.text)")
        }
        await database.play([
            Scenario("to a stranger", .stranger, .delete, "/records/Good/target", 412, lacks: ["home", "holder"]),
            Scenario("to an editor", .member, .delete, "/records/Good/target", 412, contains: ["home", "holder"]),
        ])
    }

    @Test func `an ETag of one caller confirms nothing to another`() async throws {
        let database = try await Self.shop()
        func tag(_ who: TestDatabase.Who, _ path: String) async throws -> String {
            try #require(await database.call(.get, path, as: who).field("ETag"))
        }
        let whole = try await tag(.member, "/records/Good/tea")
        let part = try await tag(.stranger, "/records/Good/tea")
        #expect(whole != part)
        #expect(try await tag(.anonymous, "/records/Good/tea") == part)
        let tea = try #require(await database.call(.get, "/records/Good/tea", as: .member).json)
        #expect(tea["recordChangeTag"]?.string.map { "\"\($0)\"" } == whole)
        let matches = { (tag: String) in [("If-None-Match", tag)] }
        await database.play([
            Scenario("hers", .member, .get, "/records/Good/tea", headers: matches(whole), 304),
            Scenario("not his", .stranger, .get, "/records/Good/tea", headers: matches(whole), 200, lacks: [":731"]),
            Scenario("his", .stranger, .head, "/records/Good/tea", headers: matches(part), 304),
            Scenario(
                "the change tag, for every reader", .stranger, .get, "/records/Good/tea",
                headers: [("If-Match", whole)],
                200
            ),
            Scenario(
                "a write by the tag of a part", .stranger, .patch, "/records/Good/tea", #"{"fields":{"title":"oo"}}"#,
                headers: [("If-Match", part)], 200),
            Scenario(
                "and by one of before", .stranger, .patch, "/records/Good/tea", #"{"fields":{"title":"o"}}"#,
                headers: [("If-Match", part)], 412),
        ])
        // Her role ends: the copy that she has kept no longer counts as current.
        let now = try await tag(.member, "/records/Good/tea")
        let taken = await database.call(
            .put, "/roles/editors", as: .administrator, body: #"{"members":[]}"#)
        #expect(taken.status == 200, "\(taken.text)")
        await database.play([
            Scenario("after it", .member, .get, "/records/Good/tea", headers: matches(now), 200, lacks: [":731"])
        ])
    }

    @Test func `callers that see the access list get another ETag than callers that do not`() async throws {
        let database = try await Self.shop()
        let list = #"{"fields":{"title":"cake"},"acl":{"*":["read"],"{creator}":["read","write"]}}"#
        let made = await database.call(.put, "/records/Good/cake", as: .creator, body: database.filled(list))
        #expect(made.status == 201, "\(made.text)")
        let shown = await database.call(.get, "/records/Good/cake", as: .creator)
        let hidden = await database.call(.get, "/records/Good/cake", as: .anonymous)
        #expect(shown.json?["acl"] != nil && hidden.json?["acl"] == nil)
        #expect(shown.field("ETag") != hidden.field("ETag"))
    }

    @Test func `sync tokens do not reveal the writes of others`() async throws {
        let database = try await Self.shop()
        let first = await database.call(.get, "/changes", as: .anonymous)
        let second = await database.call(.get, "/changes", as: .anonymous)
        let tokens = [first, second].compactMap { $0.json?["token"]?.string }
        #expect(tokens.count == 2 && tokens[0] != tokens[1])
        let edited = await database.call(
            .patch, "/records/Good/tea", as: .administrator, body: #"{"fields":{"title":"later"}}"#)
        #expect(edited.status == 200)
        for token in tokens {
            let escaped = token.utf8.map { byte in
                byte == UInt8(ascii: "+") ? "%2B" : String(decoding: [byte], as: UTF8.self)
            }
            let rest = await database.call(.get, "/changes?since=\(escaped.joined())", as: .anonymous)
            #expect(rest.changes.map { $0["recordName"] } == ["tea"], "\(rest.text)")
        }
    }

    @Test func `a failed UNIQUE index names no record of a private database`() async throws {
        let database = try await Self.shop()
        for (name, scope) in [("diary-1", "?database=private"), ("diary-2", "?database=private")] {
            let made = await database.call(
                .put, "/records/Good/\(name)\(scope)", as: .creator, body: #"{"fields":{"title":"bob"}}"#)
            #expect(made.status == 201, "\(made.text)")
        }
        let index = #"{"fields":["title"],"unique":true}"#
        let rejected = await database.call(.post, "/schema/types/Good/indexes", as: .administrator, body: index)
        let type = await database.call(.get, "/schema/types/Good", as: .administrator)
        #expect(
            (rejected.text + type.text).contains("Two records of a private database"), "\(rejected.text) \(type.text)")
        #expect(!(rejected.text + type.text).tells("diary"))
    }
}
