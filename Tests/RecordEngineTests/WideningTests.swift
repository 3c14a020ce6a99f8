import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// INT64 fields that become DOUBLE.
@Suite struct WideningTests {
    private static func schema(_ number: String, _ list: String, u: String? = nil) -> String {
        #"""
        {"types":{"Post":{"fields":{"n":{"type":"\#(number)","indexes":["QUERYABLE","SORTABLE"]},
        "l":{"type":"\#(list)","indexes":["QUERYABLE"]},"s":{"type":"STRING"},"u":{"type":"\#(u ?? number)"}},
        "indexes":[{"fields":["s","-n"]},{"fields":["u"],"unique":true}]}}}
        """#
    }

    private static let before = schema("INT64", "INT64_LIST")
    private static let after = schema("DOUBLE", "DOUBLE_LIST")

    private static func fields(_ n: Int) -> String {
        #""n":\#(n),"l":[\#(n),\#(n % 5)],"s":"s\#(n % 3)","u":\#(n)"#
    }

    private func type(_ test: TestDatabase, _ field: String = "n") throws -> FieldType? {
        test.database.schema[try #require(RecordTypeName("Post"))]?[field]?.type
    }

    private func field(_ test: TestDatabase, _ name: String, of record: String) throws -> String {
        let value = try test.read(record).fields[name]
        return value.map { "\($0)" } ?? ""
    }

    @Test func `a small type is widened at once, and stored records stay unchanged`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.before)
        try await test.fill(60, Self.fields)
        let tag = try test.read("Post7").recordChangeTag
        let token = try test.changes().token
        try await test.putSchema(Self.after)
        #expect(try type(test) == .double && type(test, "l") == .doubleList)
        #expect(test.schemaText.contains("widening") == false)
        // No record has changed: neither its tag nor the feed shows a change.
        #expect(try test.read("Post7").recordChangeTag == tag)
        #expect(try test.changes(since: token).changes.isEmpty)
        // The tables of the old indexes are deleted in slices.
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()

        try await test.create("half", #""n":7.5,"l":[7.5],"s":"s1","u":7.5"#)
        #expect(try await test.query("n == 7").names == ["Post7"])
        #expect(try await test.query("n > 6.5 AND n < 8", sort: "-n").names == ["Post7", "half"].reversed())
        #expect(try await test.query("n IN {7, 7.5} AND s == 's1'", sort: "n").names == ["Post7", "half"])
        #expect(try await test.query("ANY l > 6.5 AND n < 9 AND n > 6", sort: "n").names == ["Post7", "half", "Post8"])
        #expect(
            try await test.pages(sort: "n", limit: 7) == (0...7).map { "Post\($0)" } + ["half"]
                + (8..<60).map { "Post\($0)" })
        #expect(await rejection { try await test.create("twin", #""u":7.0"#) }?.cause == .uniqueViolation)

        // Operations see stored numbers as numbers of the field's type.
        try await test.change("Post7", #""n":{"increment":0.25},"l":{"append":[2.5]}"#)
        try await test.change("Post8", #""l":{"appendUnique":[8.0,3]}"#)
        #expect(try await test.query("n == 7.25").names == ["Post7"])
        #expect(try await test.query("l CONTAINS 2.5").names == ["Post7"])
        #expect(try field(test, "l", of: "Post8").contains("8.0") == true)
        // An INT64 from an older response is accepted.
        try await test.change("Post9", #""n":{"value":9,"type":"INT64"}"#)
        #expect(try await test.query("n == 9").names == ["Post9"])
        try IndexOracle(test).check()
    }

    @Test func `a large type is widened in slices beside writers`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 5))
        try await test.putSchema(Self.before)
        await test.database.indexes.waitUntilBuilt()
        try await test.fill(300, Self.fields)
        try await test.putSchema(Self.after)
        // Until the check is complete the field keeps its type.
        if try type(test) == .int64 {
            #expect(test.schemaText.contains(#""widening":{"to":"DOUBLE","state":"building""#), "\(test.schemaText)")
            #expect(try await test.query("n == 7").names == ["Post7"])
        }
        for round in 0..<30 {
            try await test.change("Post\(round * 7)", #""n":\#(round - 1000)"#)
            try await test.delete("Post\(round * 7 + 1)")
            try await test.create("new\(round)", #""n":\#(round),"l":[\#(round)],"u":\#(round + 5000)"#)
            if let error = await rejection({ try await test.create("half\(round)", #""n":0.5"#) }) {
                #expect(error.reason.contains("is becoming a DOUBLE"), "\(error.reason)")
            }
            #expect(await rejection { try await test.create("twin", #""u":299"#) }?.cause == .uniqueViolation)
        }
        await test.database.indexes.waitUntilBuilt()
        #expect(try type(test) == .double && type(test, "l") == .doubleList && type(test, "u") == .double)
        try IndexOracle(test).check()
        try await test.create("quarter", #""n":7.25"#)
        #expect(try await test.query("n > 7 AND n < 8").names == ["quarter"])
        #expect(await rejection { try await test.create("twin", #""u":299.0"#) }?.cause == .uniqueViolation)
    }

    @Test func `the check sees concurrent writes, also of types without an index`() async throws {
        let test = try TestDatabase(indexBuilding: .slices(of: 5))
        func schema(_ type: String) -> String { #"{"types":{"Post":{"fields":{"n":{"type":"\#(type)"}}}}}"# }
        try await test.putSchema(schema("INT64"))
        try await test.fill(300) { #""n":\#($0)"# }
        try await test.putSchema(schema("DOUBLE"))
        var written: [String] = []
        for round in 0..<40 where try type(test) == .int64 {
            let error = await rejection { try await test.create("odd\(round)", #""n":9007199254740993"#) }
            if error == nil { written.append("odd\(round)") }
            #expect(error == nil || error?.reason.contains("no DOUBLE equals") == true, "\(error?.reason ?? "")")
        }
        await test.database.indexes.waitUntilBuilt()
        #expect(try type(test) == .double)
        // A value written after the check is a DOUBLE.
        for name in written { #expect(try test.read(name).fields["n"] != .int64(9_007_199_254_740_993)) }
        await test.close()
    }

    @Test func `a number that no DOUBLE equals rejects the change, by name`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.before)
        try await test.fill(20, Self.fields)
        try await test.create("odd", #""l":[1,9007199254740993]"#)
        let before = test.schemaText
        let error = await rejection { try await test.putSchema(Self.after) }
        #expect(error?.reason.contains("The record 'odd' has a number in 'l' that no DOUBLE equals") == true)
        #expect(test.schemaText == before)
        try IndexOracle(test).check()
        try await test.change("odd", #""l":[9007199254740992]"#)
        try await test.putSchema(Self.after)
        #expect(try type(test, "l") == .doubleList)
    }

    @Test
    func `in slices such a number leaves the field unchanged, and the reason is shown until the change is reverted`()
        async throws
    {
        let test = try TestDatabase(indexBuilding: .slices(of: 5))
        try await test.putSchema(Self.before)
        await test.database.indexes.waitUntilBuilt()
        try await test.fill(60, Self.fields)
        try await test.create("odd", #""n":9007199254740993"#)
        try await test.putSchema(Self.after)
        if try type(test) == .int64, test.schemaText.contains("building") {
            let error = await rejection { try await test.create("odder", #""n":9007199254740995"#) }
            #expect(error == nil || error?.reason.contains("no DOUBLE equals") == true)
        }
        await test.database.indexes.waitUntilBuilt()
        #expect(try type(test) == .int64)
        #expect(
            test.schemaText.contains(#""widening":{"to":"DOUBLE","state":"failed","reason":"The record 'odd'"#),
            "\(test.schemaText)")
        #expect(try await test.query("n == 9007199254740993").names == ["odd"])
        try await test.create("even", #""n":9007199254740995"#)
        try IndexOracle(test).check()
        // Sending back the document of GET retries the change; the old type reverts it.
        try await test.putSchema(test.schemaText)
        await test.database.indexes.waitUntilBuilt()
        #expect(test.schemaText.contains("failed"))
        // The other fields have the requested types.
        #expect(try type(test, "l") == .doubleList && type(test, "u") == .double)
        try await test.putSchema(Self.schema("INT64", "DOUBLE_LIST", u: "DOUBLE"))
        await test.database.indexes.waitUntilBuilt()
        #expect(test.schemaText.contains("widening") == false)
        try IndexOracle(test).check()
        for name in ["odd", "even"] { try await test.delete(name) }
        try await test.putSchema(Self.after)
        await test.database.indexes.waitUntilBuilt()
        #expect(try type(test) == .double)
        try IndexOracle(test).check()
    }

    @Test func `a start resumes a running change`() async throws {
        let test = try TestDatabase(keepsDirectory: true, indexBuilding: .slices(of: 2))
        try await test.putSchema(Self.before)
        await test.database.indexes.waitUntilBuilt()
        try await test.fill(200, Self.fields)
        try await test.putSchema(Self.after)
        await test.close()
        #expect(try type(test) == .int64)
        let again = try TestDatabase(directory: test.directory, indexBuilding: .slices(of: 50))
        await again.database.indexes.waitUntilBuilt()
        #expect(try type(again) == .double && type(again, "l") == .doubleList)
        try IndexOracle(again).check()
        #expect(try await again.query("n > 6.5 AND n < 7.5").names == ["Post7"])
    }

    @Test func `the doctor finds widened records and their indexes sound, and those on the way`() async throws {
        for building in [IndexBuildOptions(), .slices(of: 2)] {
            let patient = try await DoctorPatient { directory in
                let test = try TestDatabase(directory: directory, keepsDirectory: true, indexBuilding: building)
                try await test.putSchema(Self.before)
                await test.database.indexes.waitUntilBuilt()
                try await test.fill(200, Self.fields)
                try await test.putSchema(Self.after)
                if building == IndexBuildOptions() { await test.database.indexes.waitUntilBuilt() }
                try await test.change("Post3", #""n":3,"s":"x""#)
                await test.close()
            }
            #expect(patient.problems == [])
        }
    }

    /// Half of the records keep their old INT64: every condition must see one kind of number.
    @Test(arguments: [true, false])
    func `conditions, sorts and pages see old and new values as one kind of number`(isIndexed: Bool) async throws {
        let test = try TestDatabase()
        let options = isIndexed ? #","indexes":["QUERYABLE","SORTABLE"]"# : ""
        let schema = { (number: String) in
            #"{"types":{"Post":{"fields":{"n":{"type":"\#(number)"\#(options)},"k":{"type":"\#(number)"}}}}}"#
        }
        try await test.putSchema(schema("INT64"))
        var random = SeededGenerator(seed: 11)
        var values: [(name: String, n: Double)] = []
        for number in 0..<60 {
            let n = Int.random(in: -9...9, using: &random)
            try await test.create("old\(number)", #""n":\#(n),"k":\#(number % 2)"#)
            values.append(("old\(number)", Double(n)))
        }
        try await test.putSchema(schema("DOUBLE"))
        for number in 0..<60 {
            let n = Double(Int.random(in: -36...36, using: &random)) / 4
            try await test.create("new\(number)", #""n":\#(n),"k":\#(number % 2).0"#)
            values.append(("new\(number)", n))
        }
        for _ in 0..<40 {
            let low = Double(Int.random(in: -40...40, using: &random)) / 4
            let high = low + Double(Int.random(in: 0...12, using: &random)) / 4
            let list = [low, high, low.rounded(.down), 3]
            let conditions: [(String, (Double) -> Bool)] = [
                ("n >= \(low) AND n < \(high)", { $0 >= low && $0 < high }), ("n == \(low)", { $0 == low }),
                ("n != \(Int(low))", { $0 != Double(Int(low)) }), ("n > \(Int(high))", { $0 > Double(Int(high)) }),
                ("n IN {\(list.map { "\($0)" }.joined(separator: ", "))}", { list.contains($0) }),
                ("n <= \(low) OR NOT (n < \(high))", { $0 <= low || !($0 < high) }),
            ]
            for (condition, holds) in conditions {
                let found = values.enumerated().filter { holds($0.element.n) }
                let ascending = found.sorted { ($0.element.n, $0.offset) < ($1.element.n, $1.offset) }
                #expect(
                    try await test.pages("(\(condition)) AND k >= 0", sort: "n", limit: 17)
                        == ascending.map(\.element.name), "\(condition)")
            }
        }
        await test.database.indexes.waitUntilBuilt()
        try IndexOracle(test).check()
    }

    @Test func `a dry run of the change changes nothing`() async throws {
        let test = try TestDatabase(.production)
        try await test.putSchema(Self.before)
        try await test.fill(20, Self.fields)
        var options = SchemaOptions()
        options.isDryRun = true
        let before = test.schemaText
        let document = try SchemaDocument.read(Array(Self.after.utf8))
        let outcome = try await test.database.schemas.put(document, options)
        let changed = outcome.changes.json["fields"]?["changed"]?.array ?? []
        #expect(changed.compactMap(\.string) == ["Post.l", "Post.n", "Post.u"])
        #expect(test.schemaText == before)
        try await test.putSchema(Self.after)
        #expect(try type(test) == .double)
    }

    @Test func `a cursor from before the change is rejected`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.before)
        try await test.fill(20, Self.fields)
        let page = try await test.query(sort: "n", limit: 5)
        try await test.putSchema(Self.after)
        #expect(
            await rejection { _ = try await test.query(sort: "n", limit: 5, cursor: page.cursor) }?.cause
                == .tokenInvalid
        )
    }

    @Test func `a field of a type without records takes any type`() async throws {
        let test = try TestDatabase()
        try await test.putSchema(Self.before)
        let texts = Self.before.replacing(#""s":{"type":"STRING"}"#, with: #""s":{"type":"TIMESTAMP"}"#)
        try await test.create("a", #""s":"x""#)
        #expect(await rejection { try await test.putSchema(texts) }?.reason.contains("while there are records") == true)
        try await test.delete("a")
        try await test.putSchema(texts)
        #expect(try type(test, "s") == .timestamp)
        try await test.create("a", #""s":"2026-03-01 12:00:00Z""#)
        #expect(try await test.query("s >= '2026-03-01' AND s < '2026-03-02'").names == ["a"])
    }
}
