import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import TextTables

@Suite struct GuessTests {
    private static func guess(_ text: String, known: RecordTypeDefinition? = nil) throws -> (
        format: String, columns: String, doubts: [String]
    ) {
        let preview = try TablePreview(
            Array(text.utf8), isWhole: true, recordType: try #require(RecordTypeName("A")), knownType: known,
            timeZones: SampleTests.timeZone)
        let columns = preview.mapping.json["columns"]?.array?.map { String(decoding: $0.bytes, as: UTF8.self) } ?? []
        let format = preview.format
        return (
            "\(String(UnicodeScalar(format.separator)))\(format.escape == .backslash ? "\\" : "")\(format.hasHeader ? " header" : "")",
            columns.joined(separator: "\n"), preview.problems.map(\.reason)
        )
    }

    @Test(arguments: [
        ("a,b\n1,2\n", ", header"), ("a;b\n1,5;2\n3,7;1\n", "; header"), ("a\tb\n1,2,3\t2\n", "\t header"),
        ("a|b\n1|2\n", "| header"), ("1,2\n3,4\n", ","), ("a,a\nb,c\n", ","), ("a,\n1,2\n", ","),
        ("name\nTea\nCoffee\n", ", header"), ("\"a;b\",\"c;d\"\n\"1;2\",3\n", ", header"), ("sep=;\na;b\n", "; header"),
        ("1\t\\N\n2\tx\n", "\t\\"), ("id\tname\n1\t\\N\n2\tx\n", "\t\\ header"),
        ("C:\\new\tx\nD:\\temp\ty\n", "\t header"),
        ("2026-11-29;x\n2026-11-30;y\n", ";"), ("", ", header"),
        ("a,b\n\"x\ny;z;w\",1\n\"p;q;r\",2\n", ", header"),
    ])
    func `formats are guessed`(_ text: String, _ expected: String) throws {
        #expect(try Self.guess(text).format == expected)
    }

    private static func type(_ cells: [String], known: FieldType? = nil, separator: UInt8 = 0x2C) -> String {
        let guess = ColumnGuess(cells, known: known, separator: separator)
        let options = ColumnMapping("x", .skip, guess.options)
        let mapping = TableMapping(recordType: .users, columns: [options])
        let shown = mapping.json["columns"]?.array?.first?.object?.members.filter {
            !["column", "skip"].contains($0.key)
        }
        let words = shown?.map { "\($0.key)=\(String(decoding: $0.value.bytes, as: UTF8.self))" } ?? []
        return ([guess.type.schemaName] + words + (guess.doubt == nil ? [] : ["doubt"])).joined(separator: " ")
    }

    @Test(
        arguments: [
            ([], "STRING"), (["1", "-2", "0"], "INT64"), (["01067", "80331"], "STRING"), (["+49", "1"], "STRING"),
            (["9223372036854775808"], "STRING"), (["1.5", "2"], "DOUBLE"), (["1.0"], "DOUBLE"), (["007.5"], "STRING"),
            (["1E5"], "STRING"), (["1.5e3"], "DOUBLE"), (["0.12345678901234567890"], "STRING"), (["1", "x"], "STRING"),
            (["true", "FALSE"], "INT64"), (["t", "f"], #"INT64 true=["t"] false=["f"]"#), (["t"], "STRING"),
            (["ja", "nein", "ja"], #"INT64 true=["ja"] false=["nein"]"#), (["no"], "STRING"),
            (["1.234,50", "2,5"], #"DOUBLE decimal="," thousands=".""#), (["2,5", "3"], #"DOUBLE decimal=",""#),
            (["1,234.50"], #"DOUBLE thousands=",""#), (["1,234,567"], #"INT64 thousands=",""#),
            (["1,234"], "STRING doubt"),
            (["2026-11-29", "2026-11-30 14:00"], "TIMESTAMP"), (["29.11.2026"], #"TIMESTAMP date="day-first""#),
            (["1.2.2026"], #"TIMESTAMP date="day-first""#),
            (["11/29/2026", "1/2/2026"], #"TIMESTAMP date="month-first""#),
            (["29/11/2026", "1/2/2026"], #"TIMESTAMP date="day-first""#), (["1/2/2026"], "TIMESTAMP doubt"),
            (["1795960800"], "INT64"), (["[\"a\"]", "[]"], "STRING_LIST"), (["[1,2]"], "INT64_LIST"),
            (["[1.5]"], "DOUBLE_LIST"),
            (["{1,2}", "{}"], "INT64_LIST"), (["{a,b}"], "STRING_LIST"), (["{\"a\":1}"], "STRING"), (["[x"], "STRING"),
            (["\\x01", "\\x"], "BYTES"), (["POINT(1 2)"], "LOCATION"), (["52.5,13.4"], "LOCATION"),
            (["1,2"], #"DOUBLE decimal=",""#),
        ] as [([String], String)])
    func `types of columns are guessed`(_ cells: [String], _ expected: String) {
        #expect(Self.type(cells) == expected)
    }

    @Test(
        arguments: [
            (["1"], .string, "STRING"), (["1795960800"], .timestamp, #"TIMESTAMP date="unix-seconds""#),
            (["1795960800123"], .timestamp, #"TIMESTAMP date="unix-milliseconds""#),
            (["1,5"], .double, #"DOUBLE decimal=",""#),
            (["a;b", "c"], .stringList, #"STRING_LIST separator=";""#), (["[1]"], .int64List, "INT64_LIST"),
            (["yes"], .int64, #"INT64 true=["yes"] false=["no"]"#), (["007"], .int64, "INT64"),
            (["x"], .reference, "REFERENCE"),
        ] as [([String], FieldType, String)])
    func `options for known types are guessed`(_ cells: [String], _ type: FieldType, _ expected: String) {
        #expect(Self.type(cells, known: type) == expected)
    }

    @Test func `with semicolons, a comma is decimal`() {
        #expect(Self.type(["1,234"], separator: 0x3B) == #"DOUBLE decimal=",""#)
        #expect(Self.type(["1.234"], separator: 0x3B) == "STRING doubt")
    }

    @Test(arguments: [
        ("title", "title"), ("created_at", "created_at"), ("Price (EUR)", "priceEUR"), ("Größe in cm", "größeInCm"),
        ("2026", "field2026"), ("SKU number", "skuNumber"), ("_id", "id"), ("---", "field"), ("価格", "価格"),
        ("recordName", "fieldRecordName"), ("a\u{200B}b", "aB"), ("First Name", "firstName"),
    ])
    func `field names are made of headers`(_ header: String, _ expected: String) {
        #expect(FieldNames.make(header) == expected)
        #expect(FieldName(FieldNames.make(header)) != nil)
    }

    @Test func `a long header becomes a name`() {
        let name = FieldNames.make(String(repeating: "Größe ", count: 200))
        #expect(FieldName(name + "12") != nil)
    }

    @Test func `columns get names of their own`() throws {
        let found = try Self.guess("x y,x-y, x y ,\n1,2,3,\n")
        #expect(found.format == ",")
        let second = try Self.guess("x y,x-y,X y\na,b,c\n")
        #expect(
            second.columns == """
                {"column":"x y","field":"xY","type":"STRING"}
                {"column":"x-y","field":"xY2","type":"STRING"}
                {"column":"X y","field":"xY3","type":"STRING"}
                """)
    }

    @Test func `ten thousand columns of one name get names in time`() throws {
        var reader = TableReader(.csv)
        reader.append(Array((String(repeating: "a b,", count: 9_999) + "a b\n").utf8))
        var row = TableRow()
        #expect(try reader.next(&row) == .header)
        let names = ColumnNames.of(header: row)
        #expect(names.last == "a b (10000)")
        let type = try #require(RecordTypeName("A"))
        let guess = TableMapping.guess(recordType: type, columns: names, rows: [], format: .csv)
        let last = try #require(FieldName("aB10000"))
        #expect(guess.mapping.columns.last == ColumnMapping("a b (10000)", .field(last, .string)))
    }

    @Test func `system values are recognized if all cells fit`() throws {
        #expect(
            try Self.guess("id,created_at,name\na,2026-11-29,x\nb,2026-11-30,y\n").columns == """
                {"column":"id","as":"recordName"}
                {"column":"created_at","as":"createdTimestamp"}
                {"column":"name","field":"name","type":"STRING"}
                """)
        // Equal names, and a time in doubt.
        #expect(
            try Self.guess("id,created_at,name\na,1/2/2026,x\na,1/2/2026,y\n").columns == """
                {"column":"id","field":"id","type":"STRING"}
                {"column":"created_at","field":"created_at","type":"TIMESTAMP"}
                {"column":"name","field":"name","type":"STRING"}
                """)
    }

    @Test func `fields of the schema win`() throws {
        let fields: [(String, FieldType)] = [
            ("id", .string), ("unitPrice", .double), ("photo", .asset), ("plz", .string),
        ]
        let known = RecordTypeDefinition(
            id: TypeID(rawValue: 1), name: try #require(RecordTypeName("A")), grants: Grants(),
            fields: try fields.enumerated().map { index, field in
                FieldDefinition(id: index + 1, name: try #require(FieldName(field.0)), type: field.1)
            })
        let found = try Self.guess("id,Unit price,photo,PLZ,new\n1,2,x,3,4\n", known: known)
        #expect(
            found.columns == """
                {"column":"id","field":"id","type":"STRING"}
                {"column":"Unit price","field":"unitPrice","type":"DOUBLE"}
                {"column":"photo","skip":true}
                {"column":"PLZ","field":"plz","type":"STRING"}
                {"column":"new","field":"new","type":"INT64"}
                """)
        #expect(found.doubts == ["Column 'photo' is skipped: field 'photo' is an ASSET, and a cell has no file"])
    }

    @Test func `a guess ends for any bytes, and its mapping fits the file`() throws {
        var random = SeededGenerator(seed: 3)
        let parts = [
            "a", "1", ",", ";", "\t", "\n", "\"", "'", "\\N", "{", "[", "}", "]", ".", "2026-11-29", "é", "sep=",
        ]
        let name = try #require(RecordTypeName("A"))
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0...30, using: &random)).compactMap { _ in
                parts.randomElement(using: &random)
            }
            let bytes = Array(text.joined().utf8)
            let preview = try TablePreview(bytes, isWhole: true, recordType: name, timeZones: { _ in nil })
            #expect((try? JSONValue.parse(preview.json)) != nil)
            #expect(try TableMapping(json: preview.mapping.json) == preview.mapping)
        }
    }
}
