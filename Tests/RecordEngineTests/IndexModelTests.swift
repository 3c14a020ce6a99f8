import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct IndexModelTests {
    private static let schema = """
        {"types":{"Post":{"fields":{
        "n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},"s":{"type":"STRING","indexes":["QUERYABLE"]},
        "d":{"type":"DOUBLE","indexes":["SORTABLE"]},"t":{"type":"TIMESTAMP"},"r":{"type":"REFERENCE","indexes":["QUERYABLE"]},
        "l":{"type":"STRING_LIST","indexes":["QUERYABLE"]},"i":{"type":"INT64_LIST","indexes":["QUERYABLE"]},
        "u":{"type":"STRING"},"free":{"type":"STRING"}},
        "indexes":[{"fields":["s","-n","t"]},{"fields":["s[cd,contains]"]},{"fields":["l[contains]"]},
        {"fields":["s[words]"]},{"fields":["l[words]"]},{"fields":["n","s[c,reversed]"]},{"fields":["u","r"],"unique":true},{"fields":["-modifiedTimestamp"]},
        {"fields":["createdUserRecordName","-createdTimestamp"]}]},
        "Other":{"fields":{"s":{"type":"STRING","indexes":["QUERYABLE"]},
        "r":{"type":"REFERENCE","indexes":["QUERYABLE"]}}}}}
        """

    /// Random operations, alone and in batches that may fail, and with cascading deletions: in the end each table
    /// agrees with the records.
    @Test(arguments: seeds(7)) func `indexes agree with the records`(_ seed: Int) async throws {
        // An odd seed builds the indexes at the start, an even one during the writes: a few of them while a stretch is
        // short, or all otherwise.
        let beside = IndexBuildOptions.slices(of: seed % 4 + 1, perStretch: [2, 5, .max][seed % 3])
        let test = try TestDatabase(indexBuilding: seed % 2 == 0 ? beside : IndexBuildOptions())
        var random = SeededGenerator(seed: UInt64(seed))
        if seed % 2 != 0 {
            try await test.putSchema(Self.schema)
        } else {
            try await test.putSchema(Self.withoutIndexes)
        }
        let oracle = try IndexOracle(test)
        for step in 0..<120 {
            if step == 40, seed % 2 == 0 { try await test.putSchema(Self.schema) }
            switch random.next() % 4 {
            case 0:
                let items = (0..<Int.random(in: 2...6, using: &random)).map { _ in Self.item(&random) }
                let isAtomic = random.next() % 2 == 0
                _ = try await test.batch(
                    #"{"atomic":\#(isAtomic),"operations":[\#(items.joined(separator: ","))]}"#)
            default: _ = try await test.batch(#"{"operations":[\#(Self.item(&random))]}"#)
            }
            if step % 30 == 29, seed % 2 != 0 { try oracle.check("step \(step)") }
        }
        await test.database.indexes.waitUntilBuilt()
        try oracle.check()
        let left = try test.list().names.count
        #expect(left > 0)
        #expect(try test.indexes().count == 15)
    }

    private static var withoutIndexes: String {
        """
        {"types":{"Post":{"fields":{"n":{"type":"INT64"},"s":{"type":"STRING"},"d":{"type":"DOUBLE"},
        "t":{"type":"TIMESTAMP"},"r":{"type":"REFERENCE"},"l":{"type":"STRING_LIST"},"i":{"type":"INT64_LIST"},
        "u":{"type":"STRING"},"free":{"type":"STRING"}}},
        "Other":{"fields":{"s":{"type":"STRING"},"r":{"type":"REFERENCE"}}}}}
        """
    }

    private static func item(_ random: inout SeededGenerator) -> String {
        let name = "n\(random.next() % 12)"
        let type = random.next() % 4 == 0 ? "Other" : "Post"
        let verb = ["create", "forceUpdate", "forceUpdate", "forceReplace", "forceDelete"][Int(random.next() % 5)]
        if verb == "forceDelete" {
            return #"{"operationType":"forceDelete","record":{"recordName":"\#(name)"}}"#
        }
        var fields: [String] = []
        if random.next() % 2 == 0 { fields.append(#""s":\#(text(&random))"#) }
        if random.next() % 3 == 0 {
            let action = ["NONE", "DELETE_SELF", "VALIDATE"][Int(random.next() % 3)]
            fields.append(#""r":{"recordName":"n\#(random.next() % 12)","action":"\#(action)"}"#)
        }
        if type == "Post" {
            if random.next() % 2 == 0 { fields.append(#""n":\#(number(&random))"#) }
            if random.next() % 3 == 0 { fields.append(#""n":{"increment":1}"#.replacing("\"n\"", with: "\"n\"")) }
            if random.next() % 3 == 0 {
                fields.append(#""d":\#(["-0.0", "0", "1.5", "-1e300", "null"][Int(random.next() % 5)])"#)
            }
            if random.next() % 3 == 0 { fields.append(#""t":\#(Int(random.next() % 5))"#) }
            if random.next() % 3 == 0 { fields.append(#""u":"u\#(random.next() % 3)""#) }
            if random.next() % 3 == 0 { fields.append(#""free":"x""#) }
            if random.next() % 3 == 0 {
                let members = (0..<random.next() % 4).map { _ in text(&random) }
                fields.append(#""l":[\#(members.joined(separator: ","))]"#)
            }
            if random.next() % 3 == 0 { fields.append(#""i":[1,\#(random.next() % 3),\#(number(&random))]"#) }
        }
        // A duplicate key rejects the whole request, which fails like others.
        var seen: Set<Substring> = []
        fields = fields.filter { seen.insert($0.prefix(4)).inserted }
        return
            #"{"operationType":"\#(verb)","record":{"recordType":"\#(type)","recordName":"\#(name)","fields":{\#(fields.joined(separator: ","))}}}"#
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let long = String(repeating: "ab", count: 600)
        let choices = [
            "\"\"", "\"a\"", "\"b\"", "\"ä\"", "\"a\\u0000b\"", "\"q\\\"\\n\"", "\"\(long)x\"", "\"\(long)y\"",
            "\"\(String(long.dropLast(200)))\\u0001\(long)\"",
        ]
        return choices[Int(random.next() % UInt64(choices.count))]
    }

    private static func number(_ random: inout SeededGenerator) -> String {
        let choices = ["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "1000"]
        return choices[Int(random.next() % UInt64(choices.count))]
    }
}
