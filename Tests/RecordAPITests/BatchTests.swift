import HTTP
import RecordModel
import RecordWire
import Testing

@Suite struct BatchTests {
    private static func body(_ operations: [String], atomic: Bool? = nil) -> String {
        let suffix = atomic.map { #","atomic":\#($0)"# } ?? ""
        return #"{"operations":[\#(operations.joined(separator: ","))]\#(suffix)}"#
    }

    private static func operation(_ kind: String, _ name: String, tag: String? = nil, _ fields: String = "") -> String {
        let tag = tag.map { #","recordChangeTag":"\#($0)""# } ?? ""
        return
            #"{"operationType":"\#(kind)","record":{"recordName":"\#(name)","recordType":"Post"\#(tag),"fields":{\#(fields)}}}"#
    }

    @Test(arguments: [true, false]) func `all seven operation types behave as in CloudKit`(atomic: Bool) async throws {
        let database = try await TestDatabase.make(withUsers: false)
        for name in ["a", "b", "c", "d", "e"] {
            await database.call(
                .put, "/records/Post/\(name)", as: .administrator, body: #"{"fields":{"one":1,"two":2}}"#)
        }
        let response = await database.call(
            .post, "/records", as: .administrator,
            body: Self.body(
                [
                    Self.operation("create", "new", #""one":9"#),
                    Self.operation("update", "a", tag: try await database.tag("/records/Post/a"), #""one":9"#),
                    Self.operation("forceUpdate", "b", #""one":9"#),
                    Self.operation("replace", "c", tag: try await database.tag("/records/Post/c"), #""one":9"#),
                    Self.operation("forceReplace", "d", #""one":9"#),
                    Self.operation("delete", "e"), Self.operation("forceDelete", "missing"),
                ], atomic: atomic))
        #expect(response.status == 200)
        #expect(
            response.records.map { $0["recordName"]?.string } == ["new", "a", "b", "c", "d", "e", "missing"])
        #expect(response.records.allSatisfy { $0["serverErrorCode"] == nil }, "\(response.text)")
        let keys = response.records.map { $0["fields"]?.object?.keys ?? [] }
        #expect(keys == [["one"], ["one", "two"], ["one", "two"], ["one"], ["one"], [], []])
        #expect(response.records.map { $0["deleted"]?.bool } == [false, false, false, false, false, true, true])
    }

    @Test func `an atomic batch does all or nothing, and names the guilty item`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/records/Post/a", as: .administrator, body: #"{"fields":{"one":1}}"#)
        let response = await database.call(
            .post, "/records", as: .administrator,
            body: Self.body([
                Self.operation("forceUpdate", "a", #""one":9"#), Self.operation("update", "a", tag: "old"),
                Self.operation("create", "b"),
            ]))
        #expect(response.status == 200)
        #expect(
            response.records.map { $0["serverErrorCode"]?.string } == ["ATOMIC_ERROR", "CONFLICT", "ATOMIC_ERROR"])
        #expect(response.records[1]["serverRecord"]?["recordName"]?.string == "a")
        let record = await database.call(.get, "/records/Post/a")
        #expect(record.json?["fields"]?["one"]?["value"]?.integer == 1)
        #expect(await database.call(.get, "/records/Post/b").status == 404)
    }

    /// Two records of an atomic batch may swap their unique values.
    @Test func `values are unique at the end of an atomic batch`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(
            .put, "/schema", as: .administrator,
            body: #"""
                {"types":{"Post":{"fields":{"slug":{"type":"STRING"},"n":{"type":"INT64"}},
                "indexes":[{"fields":["slug"],"unique":true}]}}}
                """#)
        for name in ["a", "b"] {
            await database.call(
                .put, "/records/Post/\(name)", as: .administrator, body: #"{"fields":{"slug":"\#(name)"}}"#)
        }
        let swap = [
            Self.operation("forceUpdate", "a", #""slug":"b""#), Self.operation("forceUpdate", "b", #""slug":"a""#),
        ]
        let codes = { (response: Response) in response.records.map { $0["serverErrorCode"]?.string ?? "" } }
        let singly = await database.call(.post, "/records", as: .administrator, body: Self.body(swap, atomic: false))
        #expect(codes(singly) == ["EXISTS", "EXISTS"], "\(singly.text)")
        let swapped = await database.call(.post, "/records", as: .administrator, body: Self.body(swap))
        #expect(codes(swapped) == ["", ""], "\(swapped.text)")
        let found = await database.call(.get, "/query/Post?where=slug%20%3D%3D%20%27a%27", as: .administrator)
        #expect(found.records.map { $0["recordName"]?.string } == ["b"])

        // Created before and after the deletion of the record that has the value.
        let create = Self.operation("create", "c", #""slug":"b""#)
        let createAgain = Self.operation("create", "d", #""slug":"b""#)
        let before = await database.call(
            .post, "/records", as: .administrator, body: Self.body([create, Self.operation("delete", "a")]))
        #expect(codes(before) == ["", ""], "\(before.text)")
        let behind = await database.call(
            .post, "/records", as: .administrator, body: Self.body([Self.operation("delete", "c"), createAgain]))
        #expect(codes(behind) == ["", ""], "\(behind.text)")

        // The item that still violates the index has the error, whichever items were repaired meanwhile.
        let guilty = await database.call(
            .post, "/records", as: .administrator,
            body: Self.body([
                Self.operation("create", "e", #""slug":"b""#), Self.operation("forceUpdate", "e", #""slug":"e""#),
                Self.operation("create", "f", #""slug":"a""#), Self.operation("create", "g", #""slug":"g""#),
            ]))
        #expect(codes(guilty) == ["ATOMIC_ERROR", "ATOMIC_ERROR", "EXISTS", "ATOMIC_ERROR"], "\(guilty.text)")
        #expect(guilty.records[2]["reason"]?.string?.contains("'slug'") == true)
        let two = await database.call(
            .post, "/records", as: .administrator,
            body: Self.body([
                Self.operation("create", "h", #""slug":"x""#), Self.operation("create", "i", #""slug":"x""#),
            ]))
        #expect(codes(two) == ["ATOMIC_ERROR", "EXISTS"], "\(two.text)")
        #expect(await database.call(.get, "/records/Post/h").status == 404)
    }

    @Test func `an item without its tag or name is rejected alone`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        await database.call(.put, "/records/Post/a", as: .administrator, body: "{}")
        let items = [
            Self.operation("update", "a"), Self.operation("replace", "a"), #"{"operationType":"delete","record":{}}"#,
            #"{"operationType":"create","record":{"recordType":"Post","acl":{"_world":[]}}}"#,
            #"{"operationType":"create","record":{"fields":{}}}"#, Self.operation("create", "b"),
        ]
        let singly = await database.call(
            .post, "/records", as: .administrator, body: Self.body(items, atomic: false))
        #expect(singly.status == 200)
        #expect(
            singly.records.map { $0["serverErrorCode"]?.string ?? "saved" }
                == ["BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST", "BAD_REQUEST", "saved"],
            "\(singly.text)")
        let together = await database.call(
            .post, "/records", as: .administrator, body: Self.body([Self.operation("create", "c")] + items))
        #expect(
            together.records.prefix(3).map { $0["serverErrorCode"]?.string } == [
                "ATOMIC_ERROR", "BAD_REQUEST", "ATOMIC_ERROR",
            ])
        #expect(await database.call(.get, "/records/Post/c").status == 404)
    }

    @Test func `malformed and oversized batches are rejected as a whole`() async throws {
        var limits = DatabaseLimits()
        limits.batchOperations = 2
        limits.bodyBytes = 2_000
        let database = try await TestDatabase.make(limits: limits, withUsers: false)
        let three = (1...3).map { Self.operation("create", "n\($0)") }
        await database.play([
            Scenario("too many", .administrator, .post, "/records", Self.body(three), 413, contains: ["TOO_LARGE"]),
            Scenario("no operations", .administrator, .post, "/records", "{}", 400),
            Scenario(
                "an unknown type", .administrator, .post, "/records", Self.body([Self.operation("destroy", "a")]), 400,
                contains: ["forceDelete"]),
            Scenario("no JSON", .administrator, .post, "/records", "{", 400, contains: ["MALFORMED_JSON"]),
            Scenario("nothing", .administrator, .post, "/records", 400, contains: ["MALFORMED_JSON"]),
            Scenario(
                "too large a body", .administrator, .post, "/records",
                Self.body([Self.operation("create", String(repeating: "x", count: 2_000))]), 413,
                contains: ["TOO_LARGE", "2000"]),
        ])
        #expect(await database.call(.get, "/records/Post").records.isEmpty)
    }

    @Test func `a record over its limit is 413, alone and in a batch`() async throws {
        var limits = DatabaseLimits()
        limits.recordBytes = 100
        let database = try await TestDatabase.make(limits: limits, withUsers: false)
        let fields = #""title":"\#(String(repeating: "x", count: 200))""#
        let single = await database.call(
            .post, "/records/Post", as: .administrator, body: #"{"fields":{\#(fields)}}"#)
        #expect(single.status == 413 && single.cause == "TOO_LARGE", "\(single.text)")
        let batch = await database.call(
            .post, "/records", as: .administrator, body: Self.body([Self.operation("create", "a", fields)]))
        #expect(batch.status == 200 && batch.text.contains("TOO_LARGE"))
    }

    @Test func `a violated VALIDATE reference is 412`() async throws {
        let database = try await TestDatabase.make(withUsers: false)
        let response = await database.call(
            .post, "/records/Post", as: .administrator,
            body: #"{"fields":{"owner":{"value":{"recordName":"none","action":"VALIDATE"},"type":"REFERENCE"}}}"#)
        #expect(response.status == 412 && response.code == "VALIDATING_REFERENCE_ERROR", "\(response.text)")
    }
}
