import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Indexes on forms and parts of texts, as plans use them.
@Suite struct TextIndexTests {
    private static let fields = #""name":{"type":"STRING"},"tags":{"type":"STRING_LIST"},"n":{"type":"INT64"}"#

    @Test func `a form of a text serves equality, starts, ends and sorts`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: Self.fields,
            indexes: #"[{"fields":["name[cd]","n"]},{"fields":["name[c,reversed]"]},{"fields":["tags[c]"]}]"#)
        try await test.createAll(
            (0..<200).map {
                (
                    "p\($0)",
                    #""name":"\#($0 % 2 == 0 ? "Caf\u{E9}" : "THE")\#($0 / 2)","n":\#($0),"tags":["T\#($0 % 5)"]"#
                )
            })
        let equal = try await test.query("name ==[cd] 'cafe7'")
        #expect(equal.plan == #"scan index (name[cd], n): name ==[cd] "cafe7""# + "\nsort: id")
        #expect(equal.names == ["p14"])
        let sorted = try await test.query("name BEGINSWITH[cd] 'the9'", sort: "name[cd],n", limit: 3)
        #expect(sorted.plan == #"scan index (name[cd], n): name BEGINSWITH[cd] "the9""#)
        #expect(sorted.names == ["p19", "p181", "p183"])
        let ends = try await test.query("name ENDSWITH[c] '\u{C9}55'")
        #expect(ends.plan == #"scan index (name[c,reversed]): name ENDSWITH[c] "\#u{E9}55""# + "\nsort: id")
        #expect(ends.names == ["p110"])
        let member = try await test.query("tags CONTAINS[c] 't3'", limit: 2)
        #expect(member.plan == #"scan index (tags[c]) of members: ANY tags ==[c] "t3""#)
        #expect(member.names == ["p3", "p8"])
        // An index without the modifier does not know the texts without case.
        let other = try await test.query("name ==[c] 'the3'")
        #expect(other.plan.contains(#"filter: name ==[c] "the3""#), "\(other.plan)")
        #expect(other.names == ["p7"])
    }

    @Test func `nulls last uses an index where no match lacks the field`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields, indexes: #"[{"fields":["n"]}]"#)
        try await test.createAll((0..<20).map { ("p\($0)", $0 < 3 ? #""name":"x""# : #""n":\#(20 - $0)"#) })
        let all = try await test.query(sort: "n nulls last")
        #expect(all.names == (3..<20).reversed().map { "p\($0)" } + ["p0", "p1", "p2"])
        #expect(all.json["plan"]?["sort"]?.string == "sorted")
        let present = try await test.query("n > 0", sort: "n nulls last")
        #expect(present.json["plan"]?["sort"]?.string == "index")
        #expect(present.names == (3..<20).reversed().map { "p\($0)" })
    }

    @Test func `parts of texts are found by their index, in long texts too`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(
            fields: Self.fields, indexes: #"[{"fields":["name[cd,contains]"]},{"fields":["tags[contains]"]}]"#)
        try await test.createAll(
            (0..<300).map {
                ("p\($0)", #""name":"Item n\#u{FA}mber \#($0) \#u{732B}\#u{3068}\#u{72AC}","tags":["tag\#($0 % 7)x"]"#)
            })
        // More parts than an index takes of one record.
        let long = (0..<3_000).map { String($0, radix: 36) }.joined(separator: "-")
        try await test.createAll([("long", #""name":"\#(long)-needle-\#u{72D0}""#)])
        let exact = try await test.query("name CONTAINS[cd] 'NU'", limit: 2)
        #expect(exact.names == ["p0", "p1"])
        let part = try await test.query("name CONTAINS[cd] ' 29'")
        #expect(
            part.plan == """
                merge of 2
                scan index (name[cd,contains]): name CONTAINS[cd] " 29"
                scan index (name[cd,contains]): long texts, which are tested
                """)
        #expect(part.names == ["p29"] + (290..<300).map { "p\($0)" })
        let longer = try await test.query("name CONTAINS[cd] 'Number 17 '")
        #expect(longer.plan == #"scan postings of index (name[cd,contains]): name CONTAINS[cd] "number 17 ""#)
        #expect(longer.names == ["p17"])
        #expect(longer.json["plan"]?["examinedRows"]?.integer ?? .max < 500)
        #expect(try await test.query("name CONTAINS[cd] 'needle'").names == ["long"])
        #expect(try await test.query("name CONTAINS[cd] '\u{72D0}'").names == ["long"])
        #expect(
            try await test.query("name CONTAINS[cd] '\u{3068}\u{72AC}'", sort: "-createdTimestamp", limit: 2).names == [
                "p299", "p298",
            ])
        #expect(try await test.query("ANY tags CONTAINS 'g3x' AND name CONTAINS[cd] '1'", limit: 1).names == ["p10"])
        try await test.createAll([("long", #""name":"short now""#)], kind: "forceUpdate")
        #expect(try await test.query("name CONTAINS[cd] 'needle'").names == [])
        #expect(try await test.query("name CONTAINS[cd] 't no'").names == ["long"])
    }

    @Test func `development adds the index that a test of texts needs`() async throws {
        let test = try TestDatabase(.development)
        try await test.createAll((0..<30).map { ("p\($0)", #""name":"Name\#($0)""#) })
        for (condition, index) in [
            ("name CONTAINS[cd] 'me2'", "name[cd,contains]"), ("name ENDSWITH '29'", "name[reversed]"),
            ("name ==[c] 'NAME3'", "name[c]"),
        ] {
            let page = try await test.query(condition)
            #expect(page.json["notices"]?.array?.first?["index"]?.string == index, "\(condition)")
            #expect(try await test.query(condition).json["notices"] == nil, "\(condition)")
        }
    }

    @Test func `a unique index without case takes two spellings for one`() async throws {
        let test = try TestDatabase(.production)
        try await test.putType(fields: Self.fields, indexes: #"[{"fields":["name[c]"],"unique":true}]"#)
        try await test.createAll([("a", #""name":"Ann""#)])
        try await test.createAll([("b", #""name":"ANN""#)])
        try await test.createAll([("c", #""name":"\#u{C0}nn""#)])
        #expect(try await test.query("recordName != 'x'").names == ["a", "c"], "one was not created")
    }

    @Test(arguments: [
        (#"{"fields":["n[c]"]}"#, "STRING"), (#"{"fields":["name[x]"]}"#, "words in brackets"),
        (#"{"fields":["name[contains]","n"]}"#, "index of its own"), (#"{"fields":["n[contains]"]}"#, "STRING"),
        (#"{"fields":["name[reversed,contains]"]}"#, "not reversed"),
        (#"{"fields":["name[contains]"],"unique":true}"#, "cannot be unique"),
        (#"{"fields":["name[c]","name[c]"]}"#, "twice"),
    ])
    func `an index that makes no sense is rejected`(index: String, reason: String) async throws {
        let test = try TestDatabase(.production)
        do {
            try await test.putType(fields: Self.fields, indexes: "[\(index)]")
            Issue.record("\(index) was taken")
        } catch let error as RecordError {
            #expect(error.reason.contains(reason), "\(error.reason)")
        }
    }
}
