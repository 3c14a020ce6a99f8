import HTTP
import RecordModel
import RecordWire
import Testing

/// Deleting and changing by condition.
@Suite struct SetTests {
    /// Log lines of three days, and notes that go with two of them.
    private func logs(_ limits: DatabaseLimits = DatabaseLimits()) async throws -> TestDatabase {
        let database = try await TestDatabase.make(limits: limits)
        try await database.make(
            (1...6).map { number in
                let day = Int64((number + 1) / 2) * 86_400_000
                return ("l\(number)", #"{"number":\#(number),"timestamp":{"value":\#(day),"type":"TIMESTAMP"}}"#)
            }, "Log")
        try await database.make(
            [
                ("n1", #"{"line":{"recordName":"l1","action":"DELETE_SELF"}}"#),
                ("n6", #"{"line":{"recordName":"l6","action":"DELETE_SELF"}}"#),
            ],
            "Note")
        return database
    }

    private let old = queryTarget("Log", [("where", "timestamp < %@"), ("arg", #""1970-01-03T00:00:00Z""#)])

    @Test func `old records are counted and deleted with their dependents, and the feed reports it`() async throws {
        let database = try await logs()
        let since = try #require(await database.call(.get, "/changes", as: .creator).json?["token"]?.string)
        let dry = await database.call(.delete, old + "&dryRun=true", as: .creator)
        #expect(dry.status == 200 && dry.json?["matched"]?.integer == 2, "\(dry.text)")
        #expect(dry.json?["dryRun"]?.bool == true)
        #expect(await database.call(.get, "/query/Log?count=true").count == 6)
        let done = await database.call(.delete, old, as: .creator)
        #expect(done.text == #"{"matched":2,"deleted":2,"skipped":0}"#)
        #expect(await database.call(.get, "/query/Log").names == ["l3", "l4", "l5", "l6"])
        #expect(await database.call(.get, "/query/Note").names == ["n6"])
        let target = "/changes" + queryTarget("x", [("since", since)]).dropFirst("/query/x".count)
        let changes = await database.call(.get, target, as: .creator).changes
        #expect(Set(changes.compactMap { $0["recordName"]?.string }) == ["l1", "l2", "n1"])
        #expect(changes.allSatisfy { $0["deleted"]?.bool == true })
        #expect(await database.call(.delete, old, as: .creator).json?["matched"]?.integer == 0)
    }

    @Test func `a timed-out query is counted and appears in the advice that its rejection names`()
        async throws
    {
        var limits = DatabaseLimits()
        limits.queryMilliseconds = 0
        let database = try await TestDatabase.make(limits: limits)
        // The clock is checked once per so many records.
        try await database.make((1...40).map { ("l\($0)", #"{"number":\#($0)}"#) }, "Log")
        let target = queryTarget("Log", [("where", "number > 7"), ("dryRun", "true")])
        let response = await database.call(.delete, target, as: .creator)
        #expect(response.status == 400 && response.cause == "QUERY_TOO_EXPENSIVE", "\(response.text)")
        let advice = await database.call(.get, "/schema/advice", as: .administrator).json?["advice"]?.array ?? []
        #expect(advice.count == 1 && advice.first?["refused"]?.integer == 1, "\(advice)")
        #expect(advice.first?["where"]?.string == "number > ?")
        let metrics = await database.call(.get, "/metrics", as: .administrator).text
        #expect(metrics.contains(#"fogbase_queries_stopped_total{container="Forum",environment="development"} 1"#))
    }

    @Test func `fields are changed as by PATCH, with operations and NULL`() async throws {
        let database = try await logs()
        let target = queryTarget("Log", [("where", "number >= 5")])
        let done = await database.call(
            .patch, target, as: .creator,
            body: #"{"fields":{"number":{"increment":100},"seen":true,"timestamp":null}}"#)
        #expect(done.text == #"{"matched":2,"updated":2,"skipped":0}"#)
        let response = await database.call(.get, queryTarget("Log", [("where", "number > 100")]), as: .creator)
        #expect(response.names == ["l5", "l6"])
        for record in response.records {
            #expect(record["fields"]?["seen"]?["value"]?.integer == 1)
            #expect(record["fields"]?["timestamp"] == nil)
        }
        let wrong = await database.call(.patch, target, as: .creator, body: #"{"fields":{"number":"many"}}"#)
        #expect(wrong.status == 400 && wrong.cause == "TYPE_MISMATCH", "\(wrong.text)")
    }

    @Test func `all selects every record`() async throws {
        let database = try await logs()
        let done = await database.call(.patch, "/query/Log?all=true", as: .creator, body: #"{"fields":{"seen":1}}"#)
        #expect(done.json?["updated"]?.integer == 6, "\(done.text)")
        #expect(await database.call(.delete, "/query/Log?all=true", as: .creator).json?["deleted"]?.integer == 6)
        #expect(await database.call(.get, "/query/Log?count=true").count == 0)
        #expect(await database.call(.delete, "/query/None?all=true", as: .creator).json?["matched"]?.integer == 0)
    }

    @Test func `a bulk change above maxAffected or above the limit changes nothing`() async throws {
        var limits = DatabaseLimits()
        limits.setRecords = 3
        let database = try await logs(limits)
        await database.play([
            Scenario(
                "one too many", .creator, .delete, old + "&maxAffected=1", 409, contains: ["TOO_MANY_AFFECTED", "2"]),
            Scenario("none at all", .creator, .delete, old + "&maxAffected=0", 409, contains: ["TOO_MANY_AFFECTED"]),
            Scenario("nothing is gone", .creator, .get, "/query/Log?count=true", 200, contains: [#""count":6"#]),
            Scenario(
                "counting is free", .creator, .delete, "/query/Log?all=true&dryRun=true", 200,
                contains: [#""matched":6"#]),
            Scenario(
                "just enough", .creator, .delete, old + "&maxAffected=2", 200, contains: [#""deleted":2"#]),
            Scenario(
                "more than one request may change", .creator, .delete, "/query/Log?all=true", 202,
                contains: [#""kind":"deleteRecords""#]),
        ])
    }

    @Test func `a repeated key gets the first response again`() async throws {
        let database = try await logs()
        let headers = [("Idempotency-Key", "once")]
        let target = queryTarget("Log", [("where", "number == 6")])
        let body = #"{"fields":{"count":{"increment":1}}}"#
        let first = await database.call(.patch, target, as: .creator, body: body, headers: headers)
        let second = await database.call(.patch, target, as: .creator, body: body, headers: headers)
        #expect(first.status == 200 && first.text == second.text, "\(first.text) \(second.text)")
        #expect(first.field("Idempotency-Replayed") == nil && second.field("Idempotency-Replayed") == "true")
        let record = await database.call(.get, "/records/Log/l6")
        #expect(record.json?["fields"]?["count"]?["value"]?.integer == 1)
        let other = await database.call(
            .patch, target, as: .creator, body: #"{"fields":{"count":9}}"#, headers: headers)
        #expect(other.status == 422, "\(other.text)")
    }
}
