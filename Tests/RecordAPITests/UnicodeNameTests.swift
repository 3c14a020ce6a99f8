import HTTP
import RecordAPI
import RecordModel
import RecordWire
import Testing

/// Types and fields with names in other scripts than Latin.
@Suite struct UnicodeNameTests {
    /// `予定` with the field `ガ`, percent-encoded in paths.
    private static let path = "/records/%E4%BA%88%E5%AE%9A"

    @Test func `a type and its fields may be called in any script, on every route`() async throws {
        let database = try await TestDatabase.make()
        await database.play([
            Scenario(
                "create", .creator, .post, Self.path, #"{"recordName":"a","fields":{"開始日":"x","ガ":1}}"#, 201,
                contains: [#""recordType":"予定""#, #""開始日":{"value":"x""#, #""ガ":{"value":1"#]),
            Scenario("read", .anonymous, .get, Self.path + "/a?fields=%E9%96%8B%E5%A7%8B%E6%97%A5", 200, lacks: ["ガ"]),
            Scenario(
                "the other form of a name is the same field", .creator, .patch, Self.path + "/a",
                #"{"fields":{"カ\u3099":2}}"#, 200, contains: [#""ガ":{"value":2"#], lacks: ["カ"]),
            Scenario(
                "query", .creator, .get,
                queryTarget("%E4%BA%88%E5%AE%9A", [("where", "ガ >= 2 AND 開始日 BEGINSWITH 'x'"), ("sort", "-開始日")]), 200,
                contains: [#""recordName":"a""#]),
            Scenario("schema", .administrator, .get, "/schema", 200, contains: ["予定", "開始日", "ガ"]),
            Scenario(
                "twice in one body", .creator, .patch, Self.path + "/a", #"{"fields":{"ガ":1,"カ\u3099":2}}"#, 400,
                contains: ["named twice"]),
            Scenario(
                "twice in the other order", .creator, .patch, Self.path + "/a", #"{"fields":{"カ\u3099":2,"ガ":1}}"#,
                400, contains: ["named twice"]),
            Scenario(
                "twice in a schema", .administrator, .put, "/schema",
                #"{"types":{"T":{"fields":{"ガ":{"type":"STRING"},"カ\u3099":{"type":"STRING"}}}}}"#, 400,
                contains: ["named twice"]),
            Scenario(
                "invisible", .creator, .post, Self.path, #"{"fields":{"a\u200d":1}}"#, 400,
                contains: ["a letter of any script"]),
            Scenario(
                "an emoji", .creator, .post, "/records/%F0%9F%98%80", #"{"fields":{}}"#, 400,
                contains: ["a letter of any script"]),
        ])
    }

    @Test func `the address of a new record is percent-encoded`() async throws {
        let database = try await TestDatabase.make()
        let made = await database.call(.post, Self.path, as: .creator, body: #"{"recordName":"b","fields":{}}"#)
        #expect(made.status == 201 && made.fields[.location] == Self.path + "/b")
    }

    @Test func `both forms of a role are one role, which is not named twice`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let (one, other) = ("\u{D6}l", "O\u{308}l")
        let grants = #"{"\#(one)":["READ"],"\#(other)":["CREATE"]}"#
        let list = #"{"role:\#(one)":["read"],"role:\#(other)":["write"]}"#
        await database.play([
            Scenario(
                "grants", .administrator, .put, "/grants/Post", #"{"grants":\#(grants)}"#, 400, contains: ["twice"]),
            Scenario(
                "a schema's grants", .administrator, .put, "/schema?dryRun=true",
                #"{"types":{"N":{"grants":\#(grants)}}}"#, 400, contains: ["twice"]),
            Scenario(
                "a type's list", .administrator, .put, "/schema?dryRun=true", #"{"types":{"N":{"acl":\#(list)}}}"#, 400,
                contains: ["once"]),
            Scenario(
                "a record's list", .creator, .post, "/records/Post", #"{"fields":{},"acl":\#(list)}"#, 400,
                contains: ["once"]),
        ])
    }
}
