import HTTP
import RecordModel
import RecordWire
import Testing

/// Requests that the routes of queries reject before any look-up.
@Suite struct QueryParameterTests {
    private func get(_ items: [(String, String)]) -> String { queryTarget("Post", items) }

    @Test func `parameters of GET are known, single but for arg, and well formed`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let many = Array(repeating: ("arg", "1"), count: 101)
        await database.play([
            Scenario("a typo", .anonymous, .get, get([("were", "a == 1")]), 400, contains: ["were", "where", "arg"]),
            Scenario("of a set", .anonymous, .get, get([("dryRun", "true")]), 400, contains: ["dryRun"]),
            Scenario("of a body", .anonymous, .get, get([("args", "[]")]), 400, contains: ["args"]),
            Scenario(
                "two conditions", .anonymous, .get, get([("where", "a == 1"), ("where", "b == 1")]), 400,
                contains: ["twice", "where"]),
            Scenario("two sorts", .anonymous, .get, get([("sort", "a"), ("sort", "b")]), 400, contains: ["twice"]),
            Scenario("two limits", .anonymous, .get, get([("limit", "1"), ("limit", "1")]), 400, contains: ["twice"]),
            Scenario("no limit", .anonymous, .get, get([("limit", "0")]), 400, contains: ["limit"]),
            Scenario("a limit too far", .anonymous, .get, get([("limit", "1001")]), 400, contains: ["1000"]),
            Scenario("a limit in words", .anonymous, .get, get([("limit", "ten")]), 400, contains: ["limit"]),
            Scenario("count in words", .anonymous, .get, get([("count", "yes")]), 400, contains: ["count", "true"]),
            Scenario("explain in numbers", .anonymous, .get, get([("explain", "1")]), 400, contains: ["explain"]),
            Scenario("an empty word", .anonymous, .get, get([("count", "")]), 400, contains: ["count"]),
            Scenario("a sort without a field", .anonymous, .get, get([("sort", "-")]), 400),
            Scenario("a gap in a sort", .anonymous, .get, get([("sort", "a,,b")]), 400),
            Scenario(
                "nine keys", .anonymous, .get, get([("sort", "a,b,c,d,e,f,g,h,i")]), 413, contains: ["TOO_LARGE"]),
            Scenario("a bare word", .anonymous, .get, get([("arg", "sea")]), 400, contains: [#""argument":0"#, "arg"]),
            Scenario(
                "the second argument", .anonymous, .get, get([("arg", "1"), ("arg", "{")]), 400,
                contains: [#""argument":1"#]),
            Scenario("an empty argument", .anonymous, .get, get([("arg", "")]), 400, contains: [#""argument":0"#]),
            Scenario("two in one", .anonymous, .get, get([("arg", "1 2")]), 400, contains: [#""argument":0"#]),
            Scenario("a list in a list", .anonymous, .get, get([("arg", "[[1]]")]), 400),
            Scenario("an unknown type", .anonymous, .get, get([("arg", #"{"value":1,"type":"MONEY"}"#)]), 400),
            Scenario("too many arguments", .anonymous, .get, get(many), 413, contains: ["TOO_LARGE"]),
            Scenario(
                "too many fields", .anonymous, .get, get([("fields", String(repeating: "a,", count: 1_001))]), 413,
                contains: ["TOO_LARGE"]),
            Scenario("a broken escape", .anonymous, .get, "/query/Post?where=%zz", 400),
            Scenario("a type", .anonymous, .get, "/query/a%20b", 400),
            Scenario("a zone", .anonymous, .get, get([("zone", "")]), 400),
            Scenario("no private database", .anonymous, .get, get([("database", "private")]), 401),
            Scenario("a method", .anonymous, .post, "/query/Post", "{}", 405, contains: ["PATCH"]),
            Scenario("another method", .anonymous, .get, "/query", 405, contains: ["POST"]),
            Scenario("only images", .anonymous, .get, "/query/Post", headers: [("Accept", "image/png")], 406),
        ])
    }

    @Test func `the body of POST is an object that names its type, and no more than it knows`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.play([
            Scenario("no body", .anonymous, .post, "/query", 400),
            Scenario("a list", .anonymous, .post, "/query", "[]", 400),
            Scenario("no type", .anonymous, .post, "/query", "{}", 400, contains: ["recordType"]),
            Scenario("a bad type", .anonymous, .post, "/query", #"{"recordType":"a b"}"#, 400),
            Scenario("an unknown key", .anonymous, .post, "/query", #"{"recordType":"Post","were":""}"#, 400),
            Scenario(
                "no limit", .anonymous, .post, "/query", #"{"recordType":"Post","limit":0}"#, 400,
                contains: ["limit", "1000"]),
            Scenario("half a limit", .anonymous, .post, "/query", #"{"recordType":"Post","limit":1.5}"#, 400),
            Scenario("a limit too far", .anonymous, .post, "/query", #"{"recordType":"Post","limit":1001}"#, 400),
            Scenario("count in words", .anonymous, .post, "/query", #"{"recordType":"Post","count":"true"}"#, 400),
            Scenario(
                "two sorts", .anonymous, .post, "/query", #"{"recordType":"Post","sort":"a","sortBy":[]}"#, 400,
                contains: ["sortBy"]),
            Scenario(
                "half a filter", .anonymous, .post, "/query",
                #"{"recordType":"Post","filterBy":{"fieldName":"a"}}"#, 400, contains: ["comparator"]),
            Scenario(
                "a condition in the address", .anonymous, .post, "/query?where=a%3D1", #"{"recordType":"Post"}"#, 400,
                contains: ["where"]),
            Scenario(
                "no JSON", .anonymous, .post, "/query", "where=a", headers: [("Content-Type", "text/xml")], 415,
                contains: ["UNSUPPORTED_MEDIA_TYPE"]),
            Scenario(
                "a long body", .anonymous, .post, "/query",
                #"{"recordType":"Post","where":"\#(String(repeating: " ", count: 1_048_576))"}"#, 413,
                contains: ["TOO_LARGE", "1048576"]),
        ])
    }

    @Test(arguments: [HTTPMethod.delete, .patch]) func `a bulk change needs a condition or all, not both`(
        method: HTTPMethod
    ) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let body = method == .patch ? #"{"fields":{"a":1}}"# : nil
        func row(
            _ name: String, _ items: [(String, String)], headers: [(String, String)] = [], _ status: Int,
            contains: [String] = []
        ) -> Scenario {
            Scenario(
                name, .administrator, method, get(items), body, headers: headers, status, contains: contains)
        }
        await database.play([
            row("nothing", [], 400, contains: ["all=true"]),
            row("an empty condition", [("where", "")], 400, contains: ["all=true"]),
            row("a blank condition", [("where", " \t\n")], 400, contains: ["all=true"]),
            row("all=false", [("all", "false")], 400, contains: ["all=true"]),
            row("all in words", [("all", "yes")], 400, contains: ["'all'"]),
            row("both", [("all", "true"), ("where", "a == 1")], 400, contains: ["'all'"]),
            row("a sort", [("where", "a == 1"), ("sort", "a")], 400, contains: ["sort", "maxAffected"]),
            row("a limit", [("where", "a == 1"), ("limit", "5")], 400, contains: ["limit", "maxAffected"]),
            row("dryRun in words", [("where", "a == 1"), ("dryRun", "1")], 400, contains: ["dryRun"]),
            row("less than none", [("where", "a == 1"), ("maxAffected", "-1")], 400, contains: ["maxAffected"]),
            row("maxAffected in words", [("where", "a == 1"), ("maxAffected", "few")], 400),
            row("a vast number", [("where", "a == 1"), ("maxAffected", "99999999999999999999")], 400),
            row("an argument", [("where", "a == %@"), ("arg", "x")], 400, contains: [#""argument":0"#]),
            row("If-Match", [("where", "a == 1")], headers: [("If-Match", "*")], 400, contains: ["If-Match"]),
            row("If-None-Match", [("where", "a == 1")], headers: [("If-None-Match", "*")], 400),
            row("a bad key", [("where", "a == 1")], headers: [("Idempotency-Key", "a b")], 400),
        ])
    }

    @Test func `the body of a bulk change is validated like that of a record, without a name`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let target = get([("where", "a == 1")])
        await database.play([
            Scenario("no body", .administrator, .patch, target, 400),
            Scenario("no fields", .administrator, .patch, target, "{}", 400, contains: ["fields"]),
            Scenario("empty fields", .administrator, .patch, target, #"{"fields":{}}"#, 400, contains: ["fields"]),
            Scenario(
                "a name", .administrator, .patch, target, #"{"recordName":"x","fields":{"a":1}}"#, 400,
                contains: ["recordName"]),
            Scenario(
                "another type", .administrator, .patch, target, #"{"recordType":"Other","fields":{"a":1}}"#, 400,
                contains: ["recordType"]),
            Scenario(
                "no access list", .administrator, .patch, target, #"{"acl":[],"fields":{"a":1}}"#, 400,
                contains: ["acl"]),
            Scenario("a body with DELETE", .administrator, .delete, target, "{}", 400, contains: ["where"]),
        ])
    }

    @Test func `advice is for administrators`() async throws {
        let database = try await TestDatabase.make()
        await database.play([
            Scenario("anonymous", .anonymous, .get, "/schema/advice", 401),
            Scenario("a user", .member, .get, "/schema/advice", 403),
            Scenario("the administrator", .administrator, .get, "/schema/advice", 200, contains: ["advice"]),
            Scenario("with a parameter", .administrator, .get, "/schema/advice?limit=1", 400),
        ])
    }

    @Test func `the limits route shows the limits of queries`() async throws {
        var limits = DatabaseLimits()
        limits.setRecords = 77
        let database = try await TestDatabase.make(limits: limits, withUsers: false)
        let response = await database.call(.get, "/limits")
        for (key, value) in [
            ("queryTextBytes", 16_384), ("queryConditions", 200), ("queryListMembers", 1_000), ("queryArguments", 100),
            ("sortTerms", 8), ("expandPaths", 10), ("expandedRecords", 2_000), ("expandedBackwardRecords", 100),
            ("setRecords", 77),
        ] {
            #expect(response.json?[key]?.integer == Int64(value), "\(key)")
        }
    }

    @Test func `a parameter of other servers is rejected with its name here`() async throws {
        let database = try await TestDatabase.make()
        try await database.addForum()
        await database.play([
            Scenario("skip", .member, .get, "/query/Post?skip=20", 400, contains: ["'cursor' of the last response"]),
            Scenario("page", .member, .get, "/records/Post?page=2", 400, contains: ["'cursor' of the last response"]),
            Scenario("order", .member, .get, "/query/Post?order_by=title", 400, contains: ["The order is 'sort'"]),
            Scenario("size", .member, .get, "/query/Post?perPage=5", 400, contains: ["is 'limit'"]),
            Scenario("filter", .member, .get, "/query/Post?filter=x", 400, contains: ["The condition is 'where'"]),
            Scenario("at the list", .member, .get, "/records/Post?filter=x", 400, contains: ["go to /query/Post"]),
            Scenario(
                "in a body", .member, .post, "/query", #"{"recordType":"Post","offset":20}"#, 400,
                contains: ["'cursor' of the last response"]),
            Scenario(
                "nothing like it", .member, .get, "/query/Post?colour=x", 400, lacks: ["is 'limit'", "cursor' of"]),
        ])
    }
}
