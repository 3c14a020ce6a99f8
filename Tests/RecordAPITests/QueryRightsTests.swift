import HTTP
import RecordModel
import RecordWire
import Testing

/// Queries and sets under the rights of their callers.
@Suite struct QueryRightsTests {
    @Test func `a query finds and counts what its caller may read`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        // A caller with write permission has added the index before.
        let secrets = queryTarget("Secret", [("where", "title == 'hidden'"), ("count", "true")])
        _ = await database.call(.get, secrets, as: .administrator)
        let none = [#""records":[]"#, #""count":0"#]
        let leaks = ["hidden", "s1", "recordChangeTag"]
        await database.play([
            Scenario(
                "anonymous callers must sign in", .anonymous, .get, secrets, 401,
                contains: ["AUTHENTICATION_REQUIRED"], lacks: leaks),
            Scenario(
                "also without a condition", .anonymous, .get, "/query/Secret?count=true", 401, lacks: leaks + ["count"]),
            Scenario("a stranger finds nothing", .stranger, .get, secrets, 200, contains: none, lacks: leaks),
            Scenario(
                "nor in the whole", .stranger, .get, "/query/Secret?count=true", 200, contains: none, lacks: leaks),
            Scenario(
                "nor by name", .stranger, .get,
                queryTarget("Secret", [("where", "recordName == 's1'"), ("count", "true")]), 200, contains: none,
                lacks: leaks),
            Scenario(
                "nor by its creator", .stranger, .get,
                queryTarget("Secret", [("where", "createdUserRecordName == '{creator}'"), ("count", "true")]), 200,
                contains: none, lacks: leaks),
            Scenario(
                "nor in a plan", .stranger, .get, secrets + "&explain=true", 200, contains: none,
                lacks: ["examinedRows", "estimatedRows", "s1"]),
            Scenario(
                "its creator finds it", .creator, .get, secrets, 200, contains: ["hidden", #""count":1"#]),
            Scenario("an editor finds it", .member, .get, secrets, 200, contains: ["hidden", #""count":1"#]),
            Scenario("an administrator finds it", .administrator, .get, secrets, 200, contains: [#""count":1"#]),
            Scenario(
                "a caller with WRITE but not READ finds nothing", .member, .get, "/query/Drop?count=true", 200,
                contains: none, lacks: ["hidden", "d1"]),
            Scenario("anyone finds posts", .anonymous, .get, "/query/Post?count=true", 200, contains: [#""count":2"#]),
            Scenario(
                "a private database is its owner's", .stranger, .get, "/query/Post?database=private&owner={creator}",
                403),
            Scenario(
                "and empty at first", .stranger, .get, "/query/Post?database=private&count=true", 200, contains: none),
            Scenario("an unknown type is empty", .anonymous, .get, "/query/None", 200, contains: [#""records":[]"#]),
        ])
    }

    @Test func `the same holds for POST`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let body =
            #"{"recordType":"Secret","filterBy":{"fieldName":"title","comparator":"EQUALS","fieldValue":"hidden"},"count":true}"#
        _ = await database.call(.post, "/query", as: .administrator, body: body)
        await database.play([
            Scenario("anonymous", .anonymous, .post, "/query", body, 401, lacks: ["count", "s1"]),
            Scenario("a stranger", .stranger, .post, "/query", body, 200, contains: [#""count":0"#], lacks: ["s1"]),
            Scenario("its creator", .creator, .post, "/query", body, 200, contains: [#""count":1"#, "s1"]),
            Scenario("an editor", .member, .post, "/query", body, 200, contains: ["s1"]),
        ])
    }

    @Test func `a bulk change skips records without WRITE and ignores records without READ`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let posts = queryTarget("Post", [("where", "title == 'sea'")])
        let secrets = queryTarget("Secret", [("where", "title == 'hidden'")])
        for target in [posts, secrets] { _ = await database.call(.get, target, as: .administrator) }
        let body = #"{"fields":{"good":7}}"#
        await database.play([
            Scenario(
                "a stranger deletes no posts", .stranger, .delete, posts, 200,
                contains: [
                    #""matched":2"#, #""deleted":0"#, #""skipped":2"#,
                    #""skipReasons":[{"serverErrorCode":"ACCESS_DENIED","reason":"You may not write this Post."#,
                    #""count":2,"recordNames":["p1","p2"]}]"#,
                ]),
            Scenario(
                "nor changes them", .stranger, .patch, posts, body, 200,
                contains: [#""matched":2"#, #""updated":0"#, #""skipped":2"#]),
            Scenario(
                "a stranger matches no secrets", .stranger, .delete, secrets, 200,
                contains: [#""matched":0"#, #""deleted":0"#, #""skipped":0"#]),
            Scenario("anonymous callers sign in", .anonymous, .delete, secrets, 401, lacks: ["matched"]),
            Scenario(
                "all secrets, even", .stranger, .delete, "/query/Secret?all=true", 200, contains: [#""matched":0"#]),
            Scenario("the secret is there", .member, .get, "/records/Secret/s1", 200, contains: ["hidden"]),
            Scenario("the posts are there", .anonymous, .get, "/query/Post?count=true", 200, contains: [#""count":2"#]),
            Scenario(
                "their creator changes them", .creator, .patch, posts, body, 200,
                contains: [#""matched":2"#, #""updated":2"#, #""skipped":0"#]),
            Scenario("as asked", .anonymous, .get, "/records/Post/p2", 200, contains: [#""good":{"value":7"#]),
            Scenario(
                "an editor deletes secrets", .member, .delete, secrets, 200,
                contains: [#""matched":1"#, #""deleted":1"#]),
            Scenario("it is gone", .creator, .get, "/records/Secret/s1", 404),
        ])
        let anonymous = await database.call(.delete, posts)
        #expect([200, 401].contains(anonymous.status) && !anonymous.text.contains(#""deleted":1"#))
        #expect(await database.call(.get, "/query/Post?count=true").count == 2)
    }
}
