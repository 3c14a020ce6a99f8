import RecordModel
import RecordWire
import TestSupport
import Testing
import UnicodeText

/// Keys straight from canonical text, against keys of decoded values.
@Suite struct IndexedRecordTests {
    private static let type = Result { try Sample.type() }

    private static func index(_ kind: IndexDefinition.Kind = .ordered, _ columns: IndexDefinition.Column...)
        -> IndexDefinition
    {
        IndexDefinition(id: 1, kind: kind, columns: columns, state: .ready)
    }

    private static let long = String(repeating: "ab", count: 600)

    @Test(arguments: [
        (
            FieldType.int64,
            ["0", "-1", "7", "9223372036854775807", "-9223372036854775808", "-9223372036854775807", "true"]
        ),
        (.timestamp, ["0", "1700000000000", "-1", "\"2024-01-01T00:00:00Z\""]),
        (.double, ["0", "-0.0", "1.5", "-1e300", "5e-324", "3"]),
        (
            .string,
            [
                "\"\"", "\"a\"", "\"ä\"", "\"a\\u0000b\"", "\"\\\"\\n\"", "\"\(long)\"", "\"\(long)\\n\"",
                "\"\(long.prefix(1_023))ä\"", "\"\\t\(long)\"", "\"\(long.prefix(1_024))\"",
                "\"\(long.prefix(1_025))\"",
            ]
        ),
        (
            .reference,
            [
                "{\"recordName\":\"a\"}", "{\"recordName\":\"q\\\"\",\"action\":\"VALIDATE\"}",
                "{\"recordName\":\"ä\",\"action\":\"DELETE_SELF\"}",
            ]
        ),
    ])
    func `a key of a field is that of its decoded value`(type: FieldType, values: [String]) throws {
        let definition = try #require(try Self.type.get()[Sample.fieldName(type)])
        for value in values {
            for isAscending in [true, false] {
                let column = IndexDefinition.Column(.field(definition.id), isAscending: isAscending)
                try Sample.withRecord("{\"\(Sample.fieldName(type))\":\(value)}") { record in
                    var expected: [UInt8] = []
                    IndexKey.append(
                        try record.value(of: .field(definition.id)), isAscending: isAscending, to: &expected)
                    #expect(try record.keys(of: Self.index(.ordered, column)) == [expected], "\(value)")
                }
            }
        }
    }

    @Test(arguments: ["\u{FDFA}", "\u{E9}", "\u{6F22}", "a\u{301}", "Ab"], [false, true])
    func `a key of a long folded text is made of a part of the text`(unit: String, isReversed: Bool) throws {
        let string = try #require(try Self.type.get()["string"]).id
        let form = TextForm(folding: [.caseInsensitive, .diacriticInsensitive], isReversed: isReversed)
        let text = "x" + String(repeating: unit, count: 100_000 / unit.utf8.count) + "y"
        let key = Self.index(.ordered, .init(.field(string), form: form))
        let parts = Self.index(.parts, .init(.field(string), form: form))
        try Sample.withRecord(#"{"string":"\#(text)"}"#) { record in
            var expected: [UInt8] = []
            let whole = form.of(.text(utf8(text)))
            IndexKey.append(whole, isAscending: true, to: &expected)
            #expect(try record.keys(of: key) == [expected])
            var traits: [UInt8] = []
            #expect(try record.appendKey(of: key, to: &traits).truncatedColumn == 0)
            var fallback: [UInt8] = []
            IndexKey.append(.text([]), isAscending: true, to: &fallback)
            // U+FDFA becomes 18 characters of 33 bytes.
            let isLong = whole.textBytes > TextParts.maxBytesPerRecord
            #expect(isLong == (unit == "\u{FDFA}"))
            let found = try record.keys(of: parts)
            #expect((found == [fallback]) == isLong)
        }
    }

    @Test func `a compound key joins its columns and flags absent and truncated values`() throws {
        let type = try Self.type.get()
        let string = try #require(type["string"]).id
        let number = try #require(type["int64"]).id
        let index = Self.index(
            .ordered, .init(.system(.createdTimestamp), isAscending: false), .init(.field(number)),
            .init(.system(.createdUserRecordName)), .init(.field(string)))
        let values: [(String, QueryValue?, QueryValue?, Bool, Int?)] = [
            (#"{"string":"a"}"#, nil, .text([0x61]), false, nil),
            (#"{"string":"a","int64":3}"#, .integer(3), .text([0x61]), true, nil),
            (#"{"string":"\#(Self.long)","int64":3}"#, .integer(3), .text(utf8(Self.long)), true, 3),
            ("{}", nil, nil, false, nil),
        ]
        for (fields, first, second, isComplete, truncatedColumn) in values {
            try Sample.withRecord(fields) { record in
                var expected: [UInt8] = []
                IndexKey.append(.integer(1_000), isAscending: false, to: &expected)
                IndexKey.append(first, isAscending: true, to: &expected)
                IndexKey.append(.integer(16), isAscending: true, to: &expected)
                IndexKey.append(second, isAscending: true, to: &expected)
                var key: [UInt8] = []
                let traits = try record.appendKey(of: index, to: &key)
                #expect(key == expected)
                #expect(traits.isComplete == isComplete)
                #expect(traits.truncatedColumn == truncatedColumn)
            }
        }
    }

    @Test func `a list has one key per distinct member`() throws {
        let type = try Self.type.get()
        let strings = try #require(type["stringlist"]).id
        let doubles = try #require(type["doublelist"]).id
        let text = Self.index(.members, .init(.field(strings)))
        let number = Self.index(.members, .init(.field(doubles)))
        try Sample.withRecord(
            #"{"stringlist":["b","a","b","\#(Self.long)x","\#(Self.long)y"],"doublelist":[0,-0.0,-1]}"#
        ) {
            record in
            let keys = try record.keys(of: text)
            #expect(keys.count == 3)
            #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
            #expect(try record.keys(of: number).count == 2)
        }
        let none = try Sample.withRecord(#"{"stringlist":[]}"#) { try $0.keys(of: text) + $0.keys(of: number) }
        #expect(none.isEmpty)
    }

    @Test func `the order of keys is the order of values`() throws {
        var random = SeededGenerator(seed: 3)
        let type = try Self.type.get()
        let string = try #require(type["string"]).id
        let number = try #require(type["int64"]).id
        let index = Self.index(.ordered, .init(.field(string)), .init(.field(number), isAscending: false))
        var rows: [(text: String, number: Int64, key: [UInt8])] = []
        for _ in 0..<300 {
            let text = String(
                (0..<random.next() % 4).map { _ in ["a", "b", "\u{0}", "é"][Int(random.next() % 4)] }.joined())
            let value = Int64(truncatingIfNeeded: random.next() % 5) - 2
            var json: [UInt8] = []
            JSONValue.string(text).write(to: &json)
            try Sample.withRecord(#"{"string":\#(String(decoding: json, as: UTF8.self)),"int64":\#(value)}"#) {
                record in
                rows.append((text, value, try #require(try record.keys(of: index).first)))
            }
        }
        rows.sort { $0.key.lexicographicallyPrecedes($1.key) }
        for (left, right) in zip(rows, rows.dropFirst()) {
            let isOrdered =
                left.text == right.text
                ? left.number >= right.number : left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
            #expect(isOrdered)
        }
    }
}
