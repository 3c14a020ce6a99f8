import HTTP
import RecordWire
import TestSupport
import Testing

@Suite struct RightsTests {
    @Test func `reading follows the grants of the type, and an unreadable record is reported as missing`() async throws
    {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario("anyone reads a post", .anonymous, .get, "/records/Post/p1", 200, contains: [#""sea""#]),
            Scenario("a stranger reads a post", .stranger, .get, "/records/Post/p1", 200, contains: [#""sea""#]),
            Scenario("its creator reads a post", .creator, .get, "/records/Post/p1", 200),
            Scenario("HEAD is GET", .anonymous, .head, "/records/Post/p1", 200),
            Scenario(
                "anonymous callers must sign in", .anonymous, .get, "/records/Secret/s1", 401,
                contains: ["AUTHENTICATION_REQUIRED"], lacks: ["hidden"]),
            Scenario(
                "the same for a secret that is not there", .anonymous, .get, "/records/Secret/none", 401,
                contains: ["AUTHENTICATION_REQUIRED"]),
            Scenario(
                "a secret does not exist for a stranger", .stranger, .get, "/records/Secret/s1", 404,
                contains: ["NOT_FOUND"], lacks: ["hidden", "recordChangeTag"]),
            Scenario("nor does a missing one", .stranger, .get, "/records/Secret/none", 404, contains: ["NOT_FOUND"]),
            Scenario("its creator reads a secret", .creator, .get, "/records/Secret/s1", 200, contains: ["hidden"]),
            Scenario("an editor reads a secret", .member, .get, "/records/Secret/s1", 200, contains: ["hidden"]),
            Scenario("an administrator reads a secret", .administrator, .get, "/records/Secret/s1", 200),
            Scenario(
                "an editor writes drops but reads none", .member, .get, "/records/Drop/d1", 404, lacks: ["hidden"]),
            Scenario("a name of another type is not found", .creator, .get, "/records/Post/s1", 404, lacks: ["hidden"]),
            Scenario("an unknown type is not found", .anonymous, .get, "/records/Nothing/x", 404),
            Scenario("a field of a secret does not exist", .stranger, .get, "/records/Secret/s1/title", 404),
            Scenario("a field of a secret needs signing in", .anonymous, .get, "/records/Secret/s1/title", 401),
        ])
    }

    @Test func `no status, tag or body tells an unreadable record from a missing one`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let tag = try await database.tag("/records/Secret/s1")
        let body = #"{"fields":{"title":"x"}}"#
        for who in [TestDatabase.Who.anonymous, .stranger] {
            for method in [HTTPMethod.get, .head, .patch, .put, .delete] {
                for headers in [
                    [], [("If-Match", "\"\(tag)\"")], [("If-Match", "\"other\"")], [("If-None-Match", "*")],
                ] {
                    // A PUT without If-Match creates the name, which reveals whether it was free.
                    if method == .put, headers.first?.0 != "If-Match" { continue }
                    let sent = method == .patch || method == .put ? body : nil
                    let secret = await database.call(
                        method, "/records/Secret/s1", as: who, body: sent, headers: headers)
                    let missing = await database.call(
                        method, "/records/Secret/s2", as: who, body: sent, headers: headers)
                    #expect(secret.status >= 400 && missing.status >= 400)
                    #expect(!secret.text.contains(tag) && !secret.text.tells("hidden"))
                    #expect(secret.field("ETag") == nil && missing.field("ETag") == nil)
                    #expect(
                        secret.status == missing.status && secret.code == missing.code,
                        "\(who) \(method) \(headers): \(secret.text) \(missing.text)")
                }
            }
        }
    }

    @Test func `writing follows the grants`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let body = #"{"fields":{"title":"new"}}"#
        await database.play([
            Scenario("anonymous creates no post", .anonymous, .post, "/records/Post", body, 401),
            Scenario("a stranger creates a post", .stranger, .post, "/records/Post", body, 201, contains: [#""new""#]),
            Scenario("anonymous changes no post", .anonymous, .patch, "/records/Post/p1", body, 401),
            Scenario(
                "a stranger changes no post", .stranger, .patch, "/records/Post/p1", body, 403, lacks: [#""new""#]),
            Scenario("a stranger replaces no post", .stranger, .put, "/records/Post/p1", body, 403),
            Scenario("a stranger deletes no post", .stranger, .delete, "/records/Post/p1", 403),
            Scenario("anonymous deletes no post", .anonymous, .delete, "/records/Post/p1", 401),
            Scenario(
                "its creator changes a post", .creator, .patch, "/records/Post/p1", body, 200, contains: [#""new""#]),
            Scenario("an administrator changes a post", .administrator, .patch, "/records/Post/p1", body, 200),
            Scenario("its creator deletes a post", .creator, .delete, "/records/Post/p2", 204),
            Scenario(
                "a stranger changes no secret", .stranger, .patch, "/records/Secret/s1", body, 404, lacks: ["hidden"]),
            Scenario(
                "a stranger finds a secret's name taken", .stranger, .put, "/records/Secret/s1", body, 409,
                contains: ["EXISTS"], lacks: ["hidden"]),
            Scenario(
                "a taken name is reported without detail", .stranger, .post, "/records/Post",
                #"{"recordName":"s1","fields":{}}"#, 409, contains: ["EXISTS"], lacks: ["hidden", "Secret"]),
            Scenario("a secret's creator has no WRITE", .creator, .patch, "/records/Secret/s1", body, 403),
            Scenario(
                "an editor changes a secret", .member, .patch, "/records/Secret/s1", body, 200, contains: [#""new""#]),
            Scenario(
                "anyone drops, and sees only name and tag", .anonymous, .post, "/records/Drop", body, 201,
                contains: ["recordChangeTag"], lacks: [#""new""#]),
            Scenario(
                "who writes but may not read gets a stub", .member, .patch, "/records/Drop/d1", body, 200,
                contains: ["recordChangeTag"], lacks: [#""new""#, "hidden", #""created""#]),
            Scenario(
                "a failed precondition shows no record without READ", .member, .patch, "/records/Drop/d1", body,
                headers: [("If-Match", "\"no\"")], 412, contains: ["CONFLICT"],
                lacks: ["serverRecord", "hidden", #""new""#]),
            Scenario("rights come before values", .anonymous, .post, "/records/Post", #"{"fields":{"good":"x"}}"#, 401),
        ])
    }

    @Test func `lists and the feed leave out unreadable records`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario("anyone lists posts", .anonymous, .get, "/records/Post", 200, contains: [#""p1""#, #""p2""#]),
            Scenario("anonymous lists no secrets", .anonymous, .get, "/records/Secret", 401, lacks: ["hidden"]),
            Scenario(
                "a stranger's list of secrets is empty", .stranger, .get, "/records/Secret", 200,
                contains: [#"{"records":[]}"#]),
            Scenario("a creator lists its own", .creator, .get, "/records/Secret", 200, contains: ["hidden"]),
            Scenario("an editor lists all", .member, .get, "/records/Secret", 200, contains: ["hidden"]),
            Scenario("an unknown type is empty", .anonymous, .get, "/records/Nothing", 200, contains: ["[]"]),
            Scenario(
                "the feed of anyone", .anonymous, .get, "/changes", 200, contains: [#""p1""#],
                lacks: ["hidden", #""s1""#, #""d1""#]),
            Scenario(
                "the feed of a stranger", .stranger, .get, "/changes", 200, lacks: ["hidden", #""s1""#, #""d1""#]),
            Scenario(
                "the feed of a creator", .creator, .get, "/changes", 200, contains: [#""s1""#, #""d1""#, "hidden"]),
            Scenario("the feed of an editor", .member, .get, "/changes", 200, contains: [#""s1""#], lacks: [#""d1""#]),
            Scenario("an editor deletes a secret", .member, .delete, "/records/Secret/s1", 204),
            Scenario("tombstones of secrets stay secret", .stranger, .get, "/changes", 200, lacks: [#""s1""#]),
            Scenario(
                "its creator learns of the deletion", .creator, .get, "/changes", 200,
                contains: [#"{"recordName":"s1","recordType":"Secret","deleted":true}"#],
                lacks: [#""s1","recordType":"Secret","fields""#]),
        ])
    }

    @Test func `a batch checks the permissions of each operation`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let response = await database.call(
            .post, "/records", as: .stranger,
            body: #"""
                {"atomic":false,"operations":[
                {"operationType":"create","record":{"recordType":"Post","fields":{"title":"mine"}}},
                {"operationType":"forceUpdate","record":{"recordName":"p1","recordType":"Post","fields":{"title":"x"}}},
                {"operationType":"forceUpdate","record":{"recordName":"s1","recordType":"Secret","fields":{"title":"x"}}},
                {"operationType":"delete","record":{"recordName":"s1"}},
                {"operationType":"delete","record":{"recordName":"none"}},
                {"operationType":"forceDelete","record":{"recordName":"s1"}}]}
                """#)
        #expect(response.status == 200)
        let codes = response.records.map { $0["serverErrorCode"]?.string ?? "saved" }
        #expect(codes == ["saved", "ACCESS_DENIED", "EXISTS", "NOT_FOUND", "NOT_FOUND", "saved"])
        #expect(!response.text.tells("hidden"))
        let secret = await database.call(.get, "/records/Secret/s1", as: .creator)
        #expect(secret.status == 200)
    }

    @Test func `only owners access their private databases`() async throws {
        let database = try await TestDatabase.make()
        let body = #"{"fields":{"title":"diary"}}"#
        await database.play([
            Scenario("anonymous has none", .anonymous, .get, "/records/Note?database=private", 401),
            Scenario("its owner writes", .creator, .put, "/records/Note/n1?database=private", body, 201),
            Scenario(
                "its owner reads", .creator, .get, "/records/Note/n1?database=private", 200, contains: [#""diary""#]),
            Scenario(
                "its owner may name itself", .creator, .get, "/records/Note/n1?database=private&owner={creator}", 200),
            Scenario(
                "another has another", .stranger, .get, "/records/Note/n1?database=private", 404, lacks: [#""diary""#]),
            Scenario(
                "another may not name it", .stranger, .get, "/records/Note/n1?database=private&owner={creator}", 403,
                lacks: [#""diary""#]),
            Scenario(
                "nor one that does not exist", .stranger, .get,
                "/records/Note/n1?database=private&owner=_00000000000000000000000000000000", 403),
            Scenario("it is not in the public database", .creator, .get, "/records/Note/n1", 404),
            Scenario("an administrator names an owner", .administrator, .get, "/records/Note/n1?database=private", 400),
            Scenario(
                "and reads then", .administrator, .get, "/records/Note/n1?database=private&owner={creator}", 200,
                contains: [#""diary""#]),
            Scenario(
                "an unknown owner is not found", .administrator, .get,
                "/records/Note/n1?database=private&owner=_00000000000000000000000000000000", 404),
            Scenario(
                "the feed is private too", .stranger, .get, "/changes?database=private", 200, lacks: [#""diary""#]),
            Scenario("and its owner's", .creator, .get, "/changes?database=private", 200, contains: [#""diary""#]),
        ])
        let made = await database.call(
            .post, "/records/Note?database=private&fields=", as: .creator, body: #"{"recordName":"a b/ü"}"#)
        #expect(made.field("Location") == "/records/Note/a%20b%2F%C3%BC?database=private")
        let found = await database.call(.get, made.field("Location") ?? "", as: .creator)
        #expect(found.status == 200)
    }

    @Test func `only administrators use the administration routes`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        let calls: [(HTTPMethod, String, String?)] = [
            (.get, "/schema", nil), (.put, "/schema", #"{"types":{}}"#), (.get, "/schema/types/Post", nil),
            (.get, "/grants", nil), (.get, "/grants/Post", nil),
            (.put, "/grants/Post", #"{"grants":{"_world":["READ","WRITE"]}}"#),
            (.get, "/roles", nil), (.get, "/roles/editors", nil),
            (.put, "/roles/editors", #"{"members":["{stranger}"]}"#), (.delete, "/roles/editors", nil),
            (.get, "/metrics", nil),
        ]
        for (method, target, body) in calls {
            await database.play([
                Scenario("\(method) \(target)", .anonymous, method, target, body, 401, lacks: ["editors", "Secret"]),
                Scenario("\(method) \(target)", .stranger, method, target, body, 403, lacks: ["editors", "Secret"]),
                Scenario("\(method) \(target)", .member, method, target, body, 403, lacks: ["Secret"]),
            ])
        }
        let grants = await database.call(.get, "/grants/Post", as: .administrator)
        #expect(grants.text == #"{"grants":{"_creator":["WRITE"],"_icloud":["CREATE"],"_world":["READ"]}}"#)
    }
}
