import HTTP
import RecordWire
import Testing

/// The notices of successful writes.
@Suite struct WriteNoticeTests {
    private static func notices(_ response: Response) -> [String] {
        (response.json?["notices"]?.array ?? []).map { notice in
            ["code", "recordType", "recordName", "field"].map { notice[$0]?.string ?? "" }.joined(separator: " ")
        }
    }

    @Test(
        arguments: [
            ("9007199254740993", true), ("9007199254740992", false), ("1152921504606847000", false),
            ("1152921504606846976", true), ("18446744073709552000", false), ("0.1", false),
            ("0.10000000000000001", true),
            ("0.1000000000000000000000", false), ("-9007199254740993", true), ("1e300", false),
            ("12345678901234567890e-5", true),
            ("100000000000000000000000", false), ("9.9999999999999999e22", true), ("0.0000000000000000001", false),
            ("0.0000000000000000", false), ("-0.000000000000000000e5", false),
            ("0.\(String(repeating: "0", count: 400))1", true),
        ] as [(String, Bool)])
    func `a notice reports a number that DOUBLE cannot represent`(number: String, isTold: Bool) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(
            .put, "/schema", as: .administrator,
            body: #"{"types":{"Good":{"fields":{"price":{"type":"DOUBLE"},"all":{"type":"DOUBLE_LIST"}}}}}"#)
        let response = await database.call(
            .put, "/records/Good/a", as: .administrator, body: #"{"fields":{"price":\#(number)}}"#)
        #expect(response.status == 201, "\(response.text)")
        #expect(Self.notices(response) == (isTold ? ["NUMBER_ROUNDED Good a price"] : []), "\(response.text)")
        #expect(response.json?["recordName"]?.string == "a")
        let list = await database.call(
            .patch, "/records/Good/a", as: .administrator, body: #"{"fields":{"all":[1,\#(number)]}}"#)
        #expect(Self.notices(list) == (isTold ? ["NUMBER_ROUNDED Good a all"] : []), "\(list.text)")
    }

    @Test(
        arguments: [
            ("1767225600", true), ("1000000000", true), ("1767225600000", false), ("999999999", false), ("0", false),
            ("4200000000", false), (#""2026-01-01T00:00:00Z""#, false), ("-1767225600", false),
        ] as [(String, Bool)])
    func `a notice reports a time that is probably in seconds`(time: String, isTold: Bool) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let response = await database.call(
            .put, "/records/Event/a", as: .administrator,
            body: #"{"fields":{"due":{"value":\#(time),"type":"TIMESTAMP"}}}"#)
        #expect(response.status == 201, "\(response.text)")
        #expect(Self.notices(response) == (isTold ? ["TIME_IN_SECONDS Event a due"] : []), "\(response.text)")
        let list = await database.call(
            .patch, "/records/Event/a", as: .administrator,
            body: #"{"fields":{"all":{"value":[1767225600000,\#(time)],"type":"TIMESTAMP_LIST"}}}"#)
        #expect(Self.notices(list) == (isTold ? ["TIME_IN_SECONDS Event a all"] : []), "\(list.text)")
    }

    @Test func `a bare time in a new field stays a STRING, and a notice names TIMESTAMP`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let response = await database.call(
            .put, "/records/Event/a", as: .administrator,
            body: #"""
                {"fields":{"due":"2026-03-01T12:00:00Z","note":"2026-03-01","end":{"value":"2026-03-01 12:00:00+09","type":"TIMESTAMP"},
                "text":{"value":"2026-03-01T12:00:00Z","type":"STRING"},"ratio":3.0}}
                """#)
        #expect(response.status == 201, "\(response.text)")
        #expect(Self.notices(response) == ["STORED_AS_STRING Event a due"], "\(response.text)")
        let fields = response.json?["fields"]
        let types = ["due", "note", "end", "text", "ratio"].map { fields?[$0]?["type"]?.string ?? "" }
        #expect(types == ["STRING", "STRING", "TIMESTAMP", "STRING", "DOUBLE"])
        // One is enough.
        let again = await database.call(
            .patch, "/records/Event/a", as: .administrator, body: #"{"fields":{"due":"2026-03-02T12:00:00Z"}}"#)
        #expect(Self.notices(again) == [])
        let typed = await database.call(
            .patch, "/records/Event/a", as: .administrator,
            body: #"{"fields":{"due":{"value":"2026-03-02T12:00:00Z","type":"TIMESTAMP"}}}"#)
        #expect(typed.status == 400)
        let reason = typed.json?["reason"]?.string ?? ""
        #expect(reason.contains("'due'") && reason.contains("STRING") && reason.contains("/schema"), "\(reason)")
    }

    @Test func `the notices of a batch cover only executed items`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(
            .put, "/schema", as: .administrator, body: #"{"types":{"Good":{"fields":{"price":{"type":"DOUBLE"}}}}}"#)
        let item = { (name: String, price: String) in
            #"{"operationType":"create","record":{"recordType":"Good","recordName":"\#(name)","fields":{"price":\#(price)}}}"#
        }
        let items = [
            item("a", "9007199254740993"), item("a", "9007199254740993"), item("b", "1"), item("c", "9007199254740993"),
        ].joined(separator: ",")
        let failed = await database.call(
            .post, "/records", as: .administrator, body: #"{"operations":[\#(items)]}"#)
        #expect(Self.notices(failed) == [])
        let headers = [("Idempotency-Key", "once")]
        let body = #"{"operations":[\#(items)],"atomic":false}"#
        let response = await database.call(.post, "/records", as: .administrator, body: body, headers: headers)
        #expect(
            Self.notices(response) == ["NUMBER_ROUNDED Good a price", "NUMBER_ROUNDED Good c price"], "\(response.text)"
        )
        let replay = await database.call(.post, "/records", as: .administrator, body: body, headers: headers)
        #expect(replay.text == response.text)
    }

    @Test func `a bulk update has one notice for each field and code`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(
            .put, "/schema", as: .administrator,
            body: #"""
                {"types":{"Good":{"fields":{"price":{"type":"DOUBLE"},"due":{"type":"TIMESTAMP"},
                "all":{"type":"DOUBLE_LIST"}}}}}
                """#)
        for name in ["a", "b", "c"] {
            await database.call(.put, "/records/Good/\(name)", as: .administrator, body: #"{"fields":{"price":1}}"#)
        }
        let doubtful =
            #"{"fields":{"price":9007199254740993,"due":1767225600,"all":[9007199254740993],"new":"2026-03-01T12:00:00Z"}}"#
        let expected = ["TIME_IN_SECONDS Good  due", "NUMBER_ROUNDED Good  price", "NUMBER_ROUNDED Good  all"]
        let headers = [("Idempotency-Key", "once")]
        let bulk = await database.call(
            .patch, "/query/Good?all=true", as: .administrator, body: doubtful, headers: headers)
        #expect(bulk.json?["updated"] == 3, "\(bulk.text)")
        #expect(Set(Self.notices(bulk)) == Set(expected + ["STORED_AS_STRING Good  new"]), "\(bulk.text)")
        #expect(Self.notices(bulk).count == 4, "\(bulk.text)")
        #expect(bulk.json?["notices"]?.array?.allSatisfy { $0["recordName"] == nil } == true)
        let replay = await database.call(
            .patch, "/query/Good?all=true", as: .administrator, body: doubtful, headers: headers)
        #expect(replay.text == bulk.text)
        // The value of no record is doubtful.
        for (query, body) in [
            ("where=price%20%3E%201e300", doubtful), ("all=true", #"{"fields":{"price":1,"due":1767225600000}}"#),
        ] {
            let none = await database.call(.patch, "/query/Good?\(query)", as: .administrator, body: body)
            #expect(none.status == 200 && none.json?["notices"] == nil, "\(none.text)")
        }
    }

    @Test func `a replayed response is complete except for its notices`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let headers = [("Idempotency-Key", "once")]
        let body = #"{"fields":{"due":"2026-03-01T12:00:00Z"}}"#
        let response = await database.call(.put, "/records/Event/a", as: .administrator, body: body, headers: headers)
        let replay = await database.call(.put, "/records/Event/a", as: .administrator, body: body, headers: headers)
        #expect(Self.notices(response).count == 1 && Self.notices(replay).isEmpty)
        #expect(replay.json?["fields"]?["due"]?["value"] == response.json?["fields"]?["due"]?["value"])
    }
}
