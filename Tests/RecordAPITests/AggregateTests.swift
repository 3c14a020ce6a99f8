import HTTP
import RecordModel
import RecordWire
import Testing

/// Aggregates over HTTP, by GET and by POST.
@Suite struct AggregateTests {
    private func forum() async throws -> TestDatabase {
        let database = try await TestDatabase.make()
        try await database.make(
            [
                ("a1", #"{"thread":"Anchors","good":5,"cost":0.5,"at":{"value":1767225600000,"type":"TIMESTAMP"}}"#),
                ("a2", #"{"thread":"Anchors","good":9,"cost":1.25,"at":{"value":1767398400000,"type":"TIMESTAMP"}}"#),
                ("a3", #"{"thread":"Anchors","at":{"value":1769904000000,"type":"TIMESTAMP"}}"#),
                ("b1", #"{"thread":"Buoys","good":5,"at":{"value":1767484800000,"type":"TIMESTAMP"}}"#),
                ("n1", #"{"good":-1,"tags":["x"]}"#),
            ], "Post")
        return database
    }

    /// Sends the same aggregate by GET and by POST.
    private func expect(
        _ parameters: [(String, String)], _ body: String, _ groups: String, in database: TestDatabase
    ) async throws {
        let get = await database.call(.get, queryTarget("Post", parameters), as: .administrator)
        #expect(get.status == 200 && get.text == groups, "GET \(parameters): \(get.text)")
        let post = await database.call(
            .post, "/query", as: .administrator, body: #"{"recordType":"Post","aggregate":\#(body)}"#)
        #expect(post.status == 200 && post.text == groups, "POST \(body): \(post.text)")
    }

    @Test func `each function has the null semantics of SQL`() async throws {
        let database = try await forum()
        try await expect(
            [("aggregate", "count,count(good),countDistinct(good),sum(good),avg(good),min(good),max(good),sum(cost)")],
            #"{"values":["count","count(good)","countDistinct(good)","sum(good)","avg(good)","min(good)","max(good)","sum(cost)"]}"#,
            #"{"groups":[{"key":{},"values":{"count":5,"count(good)":4,"countDistinct(good)":3,"sum(good)":18,"avg(good)":4.5,"min(good)":-1,"max(good)":9,"sum(cost)":1.75}}]}"#,
            in: database)
        let none = await database.call(
            .get,
            queryTarget("Post", [("where", "good > 99"), ("aggregate", "count,sum(good),avg(cost),min(thread)")]),
            as: .administrator)
        #expect(
            none.text.hasPrefix(
                #"{"groups":[{"key":{},"values":{"count":0,"sum(good)":null,"avg(cost)":null,"min(thread)":null}}]"#),
            "\(none.text)")
        let noGroup = await database.call(
            .get, queryTarget("Post", [("where", "good > 99"), ("groupBy", "thread")]), as: .administrator)
        #expect(noGroup.text.hasPrefix(#"{"groups":[]"#), "\(noGroup.text)")
    }

    @Test func `groups are by key, with having, sort, limit and names`() async throws {
        let database = try await forum()
        try await expect(
            [("groupBy", "thread"), ("aggregate", "count,best:max(good)")],
            #"{"groupBy":["thread"],"values":["count","best:max(good)"]}"#,
            #"{"groups":[{"key":{"thread":null},"values":{"count":1,"best":-1}},{"key":{"thread":"Anchors"},"values":{"count":3,"best":9}},{"key":{"thread":"Buoys"},"values":{"count":1,"best":5}}]}"#,
            in: database)
        try await expect(
            [
                ("groupBy", "thread"), ("aggregate", "count,sum(good)"), ("having", "count > 1 OR sum(good) < 0"),
                ("sort", "-sum(good)"), ("limit", "1"),
            ],
            #"{"groupBy":"thread","values":"count,sum(good)","having":"count > 1 OR sum(good) < 0","sort":"-sum(good)","limit":1}"#,
            #"{"groups":[{"key":{"thread":"Anchors"},"values":{"count":3,"sum(good)":14}}],"moreGroups":true}"#,
            in: database)
        try await expect(
            [("groupBy", "thread"), ("having", "thread == 'Buoys'")],
            #"{"groupBy":["thread"],"having":"thread == 'Buoys'"}"#,
            #"{"groups":[{"key":{"thread":"Buoys"},"values":{}}]}"#, in: database)
        try await expect(
            [("distinct", "thread,good"), ("sort", "-thread,-good"), ("limit", "2")],
            #"{"distinct":["thread","good"],"sort":["-thread","-good"],"limit":2}"#,
            #"{"groups":[{"key":{"thread":"Buoys","good":5},"values":{}},{"key":{"thread":"Anchors","good":9},"values":{}}],"moreGroups":true}"#,
            in: database)
    }

    @Test func `periods start in the time zone`() async throws {
        let database = try await forum()
        try await expect(
            [("groupBy", "month(at)"), ("aggregate", "count"), ("timeZone", "Europe/Berlin")],
            #"{"groupBy":["month(at)"],"values":["count"],"timeZone":"Europe/Berlin"}"#,
            #"{"groups":[{"key":{"month(at)":null},"values":{"count":1}},{"key":{"month(at)":1767222000000},"values":{"count":3}},{"key":{"month(at)":1769900400000},"values":{"count":1}}]}"#,
            in: database)
        try await expect(
            [
                ("groupBy", "day:day(at)"), ("where", ""), ("aggregate", "count"),
                ("having", "day >= date('2026-01-04')"),
            ],
            #"{"groupBy":["day:day(at)"],"values":["count"],"having":"day >= date('2026-01-04')"}"#,
            #"{"groups":[{"key":{"day":1767484800000},"values":{"count":1}},{"key":{"day":1769904000000},"values":{"count":1}}]}"#,
            in: database)
    }

    @Test(arguments: [
        (#"{"values":["sum(thread)"]}"#, "TYPE_MISMATCH", "an INT64 or a DOUBLE"),
        (#"{"values":["sum"]}"#, "", "needs a field"),
        (#"{"values":["median(good)"]}"#, "", "countDistinct"),
        (#"{"values":["sum(nope)"]}"#, "UNKNOWN_NAME", "nope"),
        (#"{"values":["sum(good"]}"#, "", "not a term"),
        (#"{"values":["min(createdUserRecordName)"]}"#, "TYPE_MISMATCH", "needs"),
        (#"{"groupBy":["tags"]}"#, "TYPE_MISMATCH", "STRING_LIST"),
        (#"{"groupBy":["day(good)"]}"#, "TYPE_MISMATCH", "a TIMESTAMP"),
        (#"{"groupBy":["decade(at)"]}"#, "", "hour, day, week, month, year"),
        (#"{"groupBy":["thread","thread"]}"#, "", "Two terms"),
        (#"{"groupBy":["thread"],"timeZone":"Europe/Berlin"}"#, "", "no such group"),
        (#"{"groupBy":["day(at)"],"timeZone":"Europe/Atlantis"}"#, "UNKNOWN_NAME", "IANA"),
        (#"{"groupBy":["thread"],"having":"good > 3"}"#, "UNKNOWN_NAME", "good"),
        (#"{"groupBy":["thread"],"having":"recordName == 'x'"}"#, "UNKNOWN_NAME", "recordName"),
        (#"{"groupBy":["thread"],"having":"thread > "}"#, "", "well formed"),
        (#"{"groupBy":["thread"],"sort":"count"}"#, "UNKNOWN_NAME", "count"),
        (#"{"groupBy":["thread"],"limit":0}"#, "", "from 1 to 10000"),
        (#"{"groupBy":["thread"],"distinct":["good"]}"#, "", "distinct"),
        (#"{"groupBy":["thread"],"extra":1}"#, "", "timeZone"),
        (#"{}"#, "", "needs 'values'"),
        (
            #"{"values":["count","a:count","b:count","c:count","d:count","e:count","f:count","g:count","h:count","i:count","j:count","k:count","l:count","m:count","n:count","o:count","p:count"]}"#,
            "TOO_LARGE", "too many terms"
        ),
    ]) func `what makes no sense is rejected with a sentence`(_ body: String, cause: String, part: String) async throws
    {
        let database = try await forum()
        let response = await database.call(
            .post, "/query", as: .administrator, body: #"{"recordType":"Post","aggregate":\#(body)}"#)
        #expect((400...413).contains(response.status), "\(response.text)")
        #expect(response.text.contains(part), "\(response.text)")
        #expect((response.json?["details"]?["cause"]?.string ?? "") == cause, "\(response.text)")
    }

    @Test(arguments: [
        #""cursor":"x""#, #""fields":["good"]"#, #""count":true"#, #""sort":"good""#, #""limit":3"#,
    ]) func `options of records do not go with an aggregate`(_ option: String) async throws {
        let database = try await forum()
        let response = await database.call(
            .post, "/query", as: .administrator,
            body: #"{"recordType":"Post","aggregate":{"values":["count"]},\#(option)}"#)
        #expect(response.status == 400 && response.text.contains("aggregate"), "\(response.text)")
    }

    @Test func `parts of an aggregate in a URL need the aggregate`() async throws {
        let database = try await forum()
        for target in ["/query/Post?having=count>3", "/query/Post?timeZone=UTC"] {
            #expect(await database.call(.get, target, as: .administrator).status == 400)
        }
        let cursor = await database.call(.get, "/query/Post?aggregate=count&cursor=x", as: .administrator)
        #expect(cursor.status == 400 && cursor.text.contains("'cursor'"))
    }

    @Test func `a sum outside the range of INT64 is rejected, and its mean is not`() async throws {
        let database = try await TestDatabase.make()
        try await database.make(
            [("a", #"{"n":9223372036854775807}"#), ("b", #"{"n":9223372036854775807}"#), ("c", #"{"n":1}"#)], "Big")
        let sum = await database.call(.get, "/query/Big?aggregate=sum(n)", as: .administrator)
        #expect(sum.status == 413 && sum.text.contains("INT64"), "\(sum.text)")
        let mean = await database.call(.get, "/query/Big?aggregate=avg(n)", as: .administrator)
        #expect(mean.text.contains("6.148914691236517e+18"), "\(mean.text)")
    }

    @Test func `accounts are keys by their record names`() async throws {
        let database = try await forum()
        let made = await database.call(.put, "/records/Post/mine", as: .administrator, body: #"{"fields":{"good":1}}"#)
        try #require(made.status == 201, "\(made.text)")
        let groups = await database.call(
            .get, "/query/Post?groupBy=createdUserRecordName&aggregate=count", as: .administrator)
        let names = groups.json?["groups"]?.array?.compactMap { $0["key"]?["createdUserRecordName"]?.string } ?? []
        #expect(names.count == 2 && names.contains("_administrator"), "\(groups.text)")
        let name = try #require(names.first { $0 != "_administrator" })
        let mine = await database.call(
            .get,
            queryTarget(
                "Post",
                [
                    ("groupBy", "createdUserRecordName"), ("aggregate", "count"),
                    ("having", "createdUserRecordName == '\(name)'"),
                ]), as: .administrator)
        #expect(mine.json?["groups"]?.array?.count == 1, "\(mine.text)")
    }

    @Test func `records that the caller may not read do not count, and each record counts once`() async throws {
        let database = try await TestDatabase.make()
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body: """
                {"types":{"Note":{"fields":{"kind":{"type":"STRING","indexes":["QUERYABLE","SORTABLE"]},
                "secret":{"type":"INT64","read":["_creator"]}},
                "grants":{"_icloud":["CREATE"],"_creator":["READ","WRITE"]}}}}
                """)
        try #require(schema.status == 200, "\(schema.text)")
        for (number, who) in [TestDatabase.Who.creator, .creator, .stranger].enumerated() {
            let made = await database.call(
                .put, "/records/Note/n\(number)", as: who, body: #"{"fields":{"kind":"k","secret":\#(number + 1)}}"#)
            try #require(made.status == 201, "\(made.text)")
        }
        // The stranger's record is open to two audiences of the member.
        let shared = await database.call(
            .patch, "/records/Note/n2", as: .stranger,
            body: #"{"acl":{"{stranger}":["read","write"],"{member}":["read"],"role:editors":["read"]}}"#)
        try #require(shared.status == 200, "\(shared.text)")
        for (who, count) in [(TestDatabase.Who.creator, 2), (.administrator, 3), (.stranger, 1), (.member, 1)] {
            for query in ["aggregate=count", "groupBy=kind&aggregate=count"] {
                let response = await database.call(.get, "/query/Note?\(query)", as: who)
                let groups = response.json?["groups"]?.array ?? []
                #expect(
                    groups.count == 1 && groups.first?["values"]?["count"]?.integer == Int64(count),
                    "\(who) \(query): \(response.text)")
            }
        }
        // A field that only creators may read: only records that the caller created count.
        let sum = await database.call(.get, "/query/Note?aggregate=sum(secret),count", as: .creator)
        #expect(sum.text == #"{"groups":[{"key":{},"values":{"sum(secret)":3,"count":2}}]}"#, "\(sum.text)")
    }

    @Test func `explain shows the index that the groups came from`() async throws {
        let database = try await TestDatabase.make()
        let schema = await database.call(
            .put, "/schema", as: .administrator,
            body:
                #"{"types":{"Post":{"fields":{"thread":{"type":"STRING","indexes":["QUERYABLE"]},"good":{"type":"INT64"}}}}}"#
        )
        try #require(schema.status == 200, "\(schema.text)")
        try await database.make([("a", #"{"thread":"x","good":1}"#), ("b", #"{"thread":"x"}"#)], "Post")
        let byIndex = await database.call(
            .get, "/query/Post?groupBy=thread&aggregate=count&explain=true", as: .administrator)
        #expect(byIndex.json?["plan"]?["access"]?.array?.first?["index"]?.string == "index (thread)", "\(byIndex.text)")
        #expect(byIndex.json?["plan"]?["examinedRows"]?.integer == 2)
        #expect(byIndex.json?["plan"]?["returnedRows"]?.integer == 1)
        let byRecords = await database.call(
            .get, "/query/Post?groupBy=thread&aggregate=sum(good)&explain=true", as: .administrator)
        #expect(
            byRecords.json?["plan"]?["access"]?.array?.first?["index"]?.string == "records of Post",
            "\(byRecords.text)")
        // A caller that may not read all records gets no scans.
        let other = await database.call(.get, "/query/Post?groupBy=thread&explain=true", as: .creator)
        #expect(other.status == 200 && other.json?["plan"] != nil, "\(other.text)")
    }
}
