import Calendars
import RecordModel
import RecordWire
import Testing

@testable import TextTables

@Suite struct CellTests {
    private static func value(
        _ cell: String, _ type: FieldType, _ change: (inout CellOptions) -> Void = { _ in }, zone: String? = nil
    ) throws -> String? {
        var options = CellOptions()
        change(&options)
        let rules = try #require(zone.map { SampleTests.timeZone($0) } ?? .utc)
        var converter = CellConverter(type, options, clock: LocalClock(rules))
        var output: [UInt8] = []
        do {
            let hasValue = try Array(cell.utf8).withUnsafeBufferPointer { bytes throws(CellProblem) in
                try converter.append(UnsafeRawBufferPointer(bytes), to: &output)
            }
            return hasValue ? String(decoding: output, as: UTF8.self) : nil
        } catch {
            return "! " + error.expected
        }
    }

    private static let whole = "! a whole number of 64 bits, such as 42, or true or false"
    private static let number = "! a number, such as 12.5"

    @Test(
        arguments: [
            ("42", .int64, "42"), ("-0", .int64, "-0"), ("+7", .int64, "7"), ("007", .int64, "7"), (" 5 ", .int64, "5"),
            ("9223372036854775807", .int64, "9223372036854775807"),
            ("-9223372036854775808", .int64, "-9223372036854775808"),
            ("9223372036854775808", .int64, whole), ("12.0", .int64, "12"), ("12.5", .int64, whole),
            ("1e3", .int64, whole),
            ("TRUE", .int64, "1"), ("false", .int64, "0"), ("yes", .int64, whole), ("", .int64, nil),
            ("  ", .int64, nil),
            ("-", .int64, whole), ("1 2", .int64, whole), ("0x10", .int64, whole),
            ("1.5", .double, "1.5"), (".5", .double, "0.5"), ("5.", .double, "5.0"), ("-1e-7", .double, "-1e-7"),
            ("1e999", .double, number), ("NaN", .double, number), ("1,5", .double, number), (".", .double, number),
            ("1e", .double, number), ("00.50", .double, "0.50"), ("Infinity", .double, number),
            ("a\"b\\\n", .string, "\"a\\\"b\\\\\\n\""), ("", .string, "\"\""), (" x ", .string, "\" x \""),
            ("AQID", .bytes, "\"AQID\""), ("\\x010203", .bytes, "\"AQID\""), ("X'010203'", .bytes, "\"AQID\""),
            ("\\x", .bytes, "\"\""), ("AQI", .bytes, "! base64, or hexadecimal such as \\x01ff"),
            ("\\x0", .bytes, "! base64, or hexadecimal such as \\x01ff"),
            ("a1", .reference, "{\"recordName\":\"a1\",\"action\":\"NONE\"}"),
            (
                "{\"recordName\":\"a\",\"action\":\"VALIDATE\"}", .reference,
                "{\"recordName\":\"a\",\"action\":\"VALIDATE\"}"
            ),
            ("{3F25-04}", .reference, "{\"recordName\":\"{3F25-04}\",\"action\":\"NONE\"}"),
            ("..", .reference, "! the name of a record, of 1 to 255 bytes without control characters"),
            ("52.5,13.4", .location, "{\"latitude\":52.5,\"longitude\":13.4}"),
            ("52.5; 13.4", .location, "{\"latitude\":52.5,\"longitude\":13.4}"),
            ("POINT(13.4 52.5)", .location, "{\"latitude\":52.5,\"longitude\":13.4}"),
            ("srid=4326;point (13.4 52.5)", .location, "{\"latitude\":52.5,\"longitude\":13.4}"),
            (
                "{\"latitude\":1,\"longitude\":2,\"altitude\":3}", .location,
                "{\"latitude\":1.0,\"longitude\":2.0,\"altitude\":3.0}"
            ),
            ("91,0", .location, "! latitude and longitude in degrees, such as 52.5,13.4 or POINT(13.4 52.5)"),
            ("52.5", .location, "! latitude and longitude in degrees, such as 52.5,13.4 or POINT(13.4 52.5)"),
            ("[\"a\",\"b\"]", .stringList, "[\"a\",\"b\"]"),
            ("{a,\"b \\\"c\", d }", .stringList, "[\"a\",\"b \\\"c\",\"d\"]"),
            ("[]", .stringList, "[]"), ("{}", .int64List, "[]"), ("{1,2}", .int64List, "[1,2]"),
            ("[1,\"2\",true]", .int64List, "[1,2,1]"), ("[1.5,2]", .doubleList, "[1.5,2.0]"),
            ("[\"2026-11-29\"]", .timestampList, "[1795910400000]"),
            ("[\"a\"]", .referenceList, "[{\"recordName\":\"a\",\"action\":\"NONE\"}]"),
            ("[null]", .int64List, "! a list whose members are all INT64"),
            ("[1]", .stringList, "! a list whose members are all STRING"),
            ("", .stringList, nil),
            (
                "{a,NULL}", .stringList,
                "! a list in JSON such as [1,2] or in PostgreSQL's form {1,2}. For others, name what is between the members, such as \"separator\":\";\""
            ),
        ] as [(String, FieldType, String?)])
    func `cells become values`(_ cell: String, _ type: FieldType, _ expected: String?) throws {
        #expect(try Self.value(cell, type) == expected)
    }

    @Test func `options say how cells are read`() throws {
        func german(_ options: inout CellOptions) { (options.decimal, options.thousands) = (0x2C, 0x2E) }
        #expect(try Self.value("1.234,50", .double, german) == "1234.50")
        #expect(try Self.value("1.234.567", .int64, german) == "1234567")
        #expect(try Self.value("12.34,5", .double, german) == "! a number, such as 12,5")
        #expect(try Self.value("1.2345", .int64, german)?.first == "!")
        #expect(try Self.value("52,5;13,4", .location, german) == "{\"latitude\":52.5,\"longitude\":13.4}")
        #expect(try Self.value("1\u{202F}234\u{A0}567", .int64) { $0.thousands = 0x20 } == "1234567")
        func words(_ options: inout CellOptions) { (options.trueWords, options.falseWords) = (["ja", "да"], ["nein"]) }
        #expect(try Self.value("Ja", .int64, words) == "1")
        #expect(try Self.value("ДА", .int64, words) == "1")
        #expect(try Self.value("NEIN", .int64, words) == "0")
        #expect(try Self.value("true", .int64, words) == "! a whole number of 64 bits, such as 42, or ja or nein")
        #expect(try Self.value("a; b;;c", .stringList) { $0.listSeparator = ";" } == "[\"a\",\"b\",\"c\"]")
        #expect(try Self.value("1::2", .int64List) { $0.listSeparator = "::" } == "[1,2]")
        #expect(
            try Self.value("x", .reference) { $0.action = .deleteSelf }
                == "{\"recordName\":\"x\",\"action\":\"DELETE_SELF\"}")
    }

    @Test(
        arguments: [
            ("2026-11-29T14:00:00.123Z", .iso, 1_795_960_800_123),
            ("2026-11-29 14:00:00.123456+00", .iso, 1_795_960_800_123),
            ("2026-11-29 14:00", .iso, 1_795_960_800_000), ("2026-11-29", .iso, 1_795_910_400_000),
            ("2026/11/29 2:00 PM", .iso, 1_795_960_800_000), ("2026-11-29T23:00:00+09:00", .iso, 1_795_960_800_000),
            ("2026-11-29 14:00:00 UTC", .iso, 1_795_960_800_000), ("2026-11-29T24:00:00Z", .iso, 1_795_996_800_000),
            ("1969-12-31T23:59:59.999Z", .iso, -1), ("+12026-01-01T00:00:00Z", .iso, 317_336_745_600_000),
            ("2026-02-29", .iso, nil), ("+999999999-01-01", .iso, nil), ("2026-13-01", .iso, nil),
            ("2026-11-29T25:00:00Z", .iso, nil),
            ("2026-11-29T14", .iso, nil), ("20261129", .iso, nil), ("2026-11/29", .iso, nil), ("x", .iso, nil),
            ("2026-11-29T14:00:00+24:00", .iso, nil), ("2026-11-29T14:00:00.Z", .iso, nil), ("29.11.2026", .iso, nil),
            ("29.11.2026 14:00", .dayFirst, 1_795_960_800_000), ("29.11.26, 14:00", .dayFirst, 1_795_960_800_000),
            ("1/2/1999", .dayFirst, 917_827_200_000), ("1/2/99", .monthFirst, 915_235_200_000),
            ("11/29/2026 2:00 PM", .monthFirst, 1_795_960_800_000),
            ("11/29/2026, 2:00\u{202F}PM", .monthFirst, 1_795_960_800_000),
            ("11/29/2026 12:00 a.m.", .monthFirst, 1_795_910_400_000), ("11/29/2026 13:00 PM", .monthFirst, nil),
            ("29.11.026", .dayFirst, nil), ("11/29/2026", .dayFirst, nil),
            ("1795960800", .unixSeconds, 1_795_960_800_000), ("1795960800.25", .unixSeconds, 1_795_960_800_250),
            ("-1", .unixSeconds, -1_000), ("1795960800123", .unixMilliseconds, 1_795_960_800_123),
            ("1e9", .unixSeconds, nil),
        ] as [(String, DateStyle, Int64?)])
    func `times are read as programs write them`(_ text: String, _ style: DateStyle, _ expected: Int64?) {
        var clock = LocalClock(.utc)
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { DateText.read($0, as: style, clock: &clock) } == expected)
    }

    @Test func `local times are those of their zone`() throws {
        func time(_ text: String, _ zone: String = "Europe/Berlin") throws -> String? {
            try Self.value(text, .timestamp, zone: zone)
        }
        #expect(try time("2026-11-29 14:00") == "1795957200000")
        #expect(try time("2026-07-01 14:00") == "1782907200000")
        #expect(try time("2026-11-29 14:00Z") == "1795960800000")
        // The clock goes from 2:00 to 3:00 on March 29, and from 3:00 to 2:00 on October 25.
        #expect(try time("2026-03-29 01:59:59") == "1774745999000")
        #expect(try time("2026-03-29 02:30") == "1774747800000")
        #expect(try time("2026-03-29 03:00") == "1774746000000")
        #expect(try time("2026-10-25 01:59") == "1792886340000")
        #expect(try time("2026-10-25 02:30") == "1792888200000")
        #expect(try time("2026-10-25 03:00") == "1792893600000")
        #expect(try time("2026-11-29 14:00", "Asia/Tokyo") == "1795928400000")
    }

    @Test func `each local time of two years is that of the zone, in any order`() throws {
        let rules = try #require(SampleTests.timeZone("America/New_York"))
        var clock = LocalClock(rules)
        for step in 0..<4_000 {
            // Forward by 4.4 hours at a time, and back by half a year now and then.
            let universal = 1_767_225_600 + step * 15_840 - (step % 97 == 0 ? 15_000_000 : 0)
            let local = universal + rules.period(at: universal).offset
            let found = clock.universal(local)
            #expect(found + rules.period(at: found).offset == local)
            #expect(found <= universal)
        }
    }
}

@Suite struct MappingDocumentTests {
    private static func problem(_ json: String) throws -> String? {
        do {
            let mapping = try TableMapping(json: try JSONValue.parse(Array(json.utf8)))
            _ = try RowComposer(
                mapping, columns: ["id", "Preis", "Titel", "lat", "lng"], timeZones: SampleTests.timeZone)
            return nil
        } catch {
            return (error as? RecordError)?.reason ?? "\(error)"
        }
    }

    private static func column(_ members: String) -> String {
        "{\"recordType\":\"Goods\",\"columns\":[{\(members)}]}"
    }

    @Test(
        arguments: [
            ("[]", "The document must be an object"),
            ("{}", "'recordType' is missing. It names the type of the records"),
            ("{\"recordType\":\"my type\",\"columns\":[]}", "'recordType' \(Identifier.rule). Write 'MyType'"),
            ("{\"recordType\":\"A\"}", "'columns' must be a list of at most 10000 columns"),
            ("{\"recordType\":\"A\",\"column\":[]}", "'column' is no key of this object. Did you mean 'columns'?"),
            (
                "{\"recordType\":\"A\",\"x\":1,\"columns\":[]}",
                "'x' is no key of this object. The keys are recordType, timeZone, columns"
            ),
            (
                "{\"recordType\":\"A\",\"timeZone\":\"Mars/Phobos\",\"columns\":[{\"column\":\"id\",\"field\":\"a\",\"type\":\"STRING\"}]}",
                "The server has no time zone 'Mars/Phobos'. Names are those of the IANA database, such as Europe/Berlin"
            ),
            (
                column("\"field\":\"a\",\"type\":\"STRING\""),
                "'columns[0].column' is missing. It names a column of the file"
            ),
            (column("\"column\":\"id\""), "'columns[0].column' needs one of 'field', 'as' and 'skip'"),
            (
                column("\"column\":\"id\",\"field\":\"a\",\"as\":\"recordName\""),
                "'columns[0].column' needs one of 'field', 'as' and 'skip'"
            ),
            (column("\"column\":\"id\",\"field\":\"a\""), "'columns[0].type' is missing. \(FieldType.rule)"),
            (
                column("\"column\":\"id\",\"field\":\"a\",\"type\":\"BOOL\""),
                "'columns[0].type' is 'BOOL'. \(FieldType.rule)"
            ),
            (
                column("\"column\":\"id\",\"field\":\"Price (EUR)\",\"type\":\"DOUBLE\""),
                "'columns[0].field' is 'Price (EUR)'. A field name \(Identifier.rule). Write 'priceEUR'"
            ),
            (
                column("\"column\":\"id\",\"field\":\"recordName\",\"type\":\"STRING\""),
                "'columns[0].field' is 'recordName'. A field name is not that of a system field. Write 'fieldRecordName'"
            ),
            (
                column("\"column\":\"id\",\"as\":\"owner\""),
                "'columns[0].as' must be one of recordName, createdTimestamp, createdUserRecordName, modifiedTimestamp, modifiedUserRecordName, parent, zoneName"
            ),
            (
                column("\"column\":\"id\",\"field\":\"a\",\"type\":\"STRING\",\"date\":\"iso\""),
                "'columns[0].date' has no meaning for STRING. Remove it"
            ),
            (
                column("\"column\":\"id\",\"field\":\"a\",\"type\":\"TIMESTAMP\",\"date\":\"us\""),
                "'columns[0].date' must be one of iso, day-first, month-first, unix-seconds, unix-milliseconds"
            ),
            (
                column("\"column\":\"id\",\"field\":\"a\",\"type\":\"DOUBLE\",\"decimal\":\";\""),
                "'columns[0].decimal' must be '.' or ','"
            ),
            (
                column("\"column\":\"id\",\"field\":\"a\",\"type\":\"DOUBLE\",\"thousands\":\".\""),
                "'columns[0].thousands' must differ from 'decimal'"
            ),
            (
                column("\"column\":\"id\",\"field\":\"a\",\"type\":\"ASSET\""),
                "Column 'id' cannot become an ASSET: a cell has no file. Skip the column, or load its URLs as STRING"
            ),
            (
                column("\"column\":\"id\",\"skip\":true,\"action\":\"NONE\""),
                "'columns[0].action' has no meaning for a column that is skipped. Remove it"
            ),
            (
                column("\"column\":\"id\",\"field\":\"a\",\"type\":\"STRING\",\"Skip\":true"),
                "'columns[0].Skip' is no key of this object. Did you mean 'skip'?"
            ),
            (
                column("\"column\":\"preis\",\"field\":\"a\",\"type\":\"STRING\""),
                "The file has no column 'preis'. Did you mean 'Preis'?"
            ),
            (
                column("\"column\":\"Titell\",\"field\":\"a\",\"type\":\"STRING\""),
                "The file has no column 'Titell'. Did you mean 'Titel'?"
            ),
            (column("\"column\":\"weight\",\"field\":\"a\",\"type\":\"STRING\""), "The file has no column 'weight'."),
            (
                column("\"column\":\"lat\",\"longitude\":\"lon\",\"field\":\"a\",\"type\":\"LOCATION\""),
                "The file has no column 'lon'."
            ),
            (
                column("\"column\":\"id\",\"skip\":true},{\"column\":\"id\",\"skip\":true"),
                "The mapping has the column 'id' twice. Remove one entry"
            ),
            (
                column(
                    "\"column\":\"id\",\"field\":\"a\",\"type\":\"STRING\"},{\"column\":\"Titel\",\"field\":\"a\",\"type\":\"INT64\""
                ), "The columns 'id' and 'Titel' become the same value. Give one another field, or skip it"
            ),
            (
                column("\"column\":\"id\",\"as\":\"recordName\"},{\"column\":\"Titel\",\"as\":\"___recordID\""),
                "The columns 'id' and 'Titel' become the same value. Give one another field, or skip it"
            ),
            (
                column(
                    "\"column\":\"id\",\"as\":\"recordName\"},{\"column\":\"lat\",\"longitude\":\"lng\",\"field\":\"place\",\"type\":\"LOCATION\""
                ), nil
            ),
        ] as [(String, String?)])
    func `what is wrong with a mapping is named`(_ json: String, _ expected: String?) throws {
        #expect(try Self.problem(json) == expected)
    }

    @Test(
        arguments: [
            (
                "{\"separator\":\"ab\"}",
                "'separator' must be one ASCII character, or a word: comma, pipe, semicolon, tab"
            ),
            ("{\"separator\":\"\\\"\"}", "'quote' must differ from the separator"),
            (
                "{\"escape\":\"backslash\",\"quote\":\"\\\\\"}",
                "'escape' must be doubled if separator or quote is the backslash"
            ),
            ("{\"header\":1}", "'header' must be true or false"),
            (
                "{\"noValue\":\"a,b\"}",
                "'noValue' must be a cell of at most 64 bytes without separators, quotes and line breaks"
            ),
            ("{\"seperator\":\";\"}", "'seperator' is no key of this object. Did you mean 'separator'?"),
            ("{\"separator\":\"tab\",\"quote\":null,\"shortRows\":\"reject\"}", nil),
        ] as [(String, String?)])
    func `what is wrong with a format is named`(_ json: String, _ expected: String?) throws {
        let value = try JSONValue.parse(Array(json.utf8))
        do {
            _ = try TableFormat(json: value)
            #expect(expected == nil)
        } catch {
            #expect(error.reason == expected)
        }
    }

    @Test func `a mapping that people wrote round-trips`() throws {
        let text =
            #"{"recordType":"Goods","timeZone":"Europe/Berlin","columns":[{"column":"a","field":"title","type":"STRING"},{"column":"b","field":"price","type":"DOUBLE","decimal":",","thousands":"."},{"column":"c","as":"createdTimestamp","date":"day-first","timeZone":"Asia/Tokyo"},{"column":"d","skip":true},{"column":"e","field":"done","type":"INT64","true":["ja"],"false":["nein",""]},{"column":"f","field":"tags","type":"STRING_LIST","separator":"; "},{"column":"g","field":"owner","type":"REFERENCE","action":"DELETE_SELF"},{"column":"h","field":"place","type":"LOCATION","longitude":"i"}]}"#
        let mapping = try TableMapping(json: try JSONValue.parse(Array(text.utf8)))
        #expect(String(decoding: mapping.json.bytes, as: UTF8.self) == text)
    }

    @Test func `known fields need no type`() throws {
        let name = try #require(RecordTypeName("Goods"))
        let field = FieldDefinition(id: 1, name: try #require(FieldName("price")), type: .double)
        let type = RecordTypeDefinition(id: TypeID(rawValue: 1), name: name, grants: Grants(), fields: [field])
        let json = try JSONValue.parse(Array("{\"columns\":[{\"column\":\"p\",\"field\":\"price\"}]}".utf8))
        let mapping = try TableMapping(json: json, knownType: type)
        #expect(mapping == TableMapping(recordType: name, columns: [ColumnMapping("p", .field(field.name, .double))]))
    }
}

@Suite struct ComposingTests {
    private static func compose(_ table: String, _ mapping: String) throws -> [String] {
        let mapping = try TableMapping(json: try JSONValue.parse(Array(mapping.utf8)))
        var reader = TableReader(.csv)
        reader.append(Array(table.utf8))
        reader.finish()
        var row = TableRow()
        guard try reader.next(&row) == .header else { return [] }
        var composer = try RowComposer(mapping, columns: ColumnNames.of(header: row), timeZones: SampleTests.timeZone)
        var found: [String] = []
        while try reader.next(&row) == .row {
            var output = Array("before".utf8)
            do {
                try composer.compose(row, to: &output)
                found.append(String(decoding: output.dropFirst(6), as: UTF8.self))
            } catch {
                #expect(output == Array("before".utf8))
                found.append(error.reason)
                #expect(error.code == .badRequest)
            }
        }
        return found
    }

    @Test func `system values and fields are in the form of requests`() throws {
        let found = try Self.compose(
            "id,made,by,up,zone,n,lat,lng\na,2026-11-29,_u,b,z,1,52.5,13.4\n,,,,,,,\n\"\",,_u,,,x,,\nc,x,,,,,,\nd,,,,,,1,\n",
            #"{"recordType":"Goods","columns":[{"column":"id","as":"recordName"},{"column":"made","as":"createdTimestamp"},{"column":"by","as":"createdUserRecordName"},{"column":"up","as":"parent"},{"column":"zone","as":"zoneName"},{"column":"n","field":"n","type":"INT64"},{"column":"lat","longitude":"lng","field":"place","type":"LOCATION"}]}"#
        )
        #expect(
            found == [
                #"{"recordName":"a","zoneID":{"zoneName":"z"},"parent":{"recordName":"b"},"created":{"timestamp":1795910400000,"userRecordName":"_u"},"recordType":"Goods","fields":{"n":{"value":1,"type":"INT64"},"place":{"value":{"latitude":52.5,"longitude":13.4},"type":"LOCATION"}}}"#,
                "Column 'n' in line 4 has 'x'. Expected is a whole number of 64 bits, such as 42, or true or false",
                "Column 'made' in line 5 has 'x'. Expected is a time, such as 2026-11-29T14:00:00Z or 2026-11-29 14:00",
                "Column 'lat' in line 6 has '1'. Expected is latitude and longitude in degrees, such as 52.5,13.4 or POINT(13.4 52.5)",
            ])
    }

    @Test func `a long value is cut off in its error`() throws {
        let found = try Self.compose(
            "n\n\(String(repeating: "x", count: 500))\n",
            #"{"recordType":"A","columns":[{"column":"n","field":"n","type":"DOUBLE"}]}"#)
        #expect(
            found == [
                "Column 'n' in line 2 has '\(String(repeating: "x", count: 64))…'. Expected is a number, such as 12.5"
            ])
    }

    @Test func `times with day and month in doubt name the way out`() throws {
        let found = try Self.compose(
            "n\n1/2/2026\n", #"{"recordType":"A","columns":[{"column":"n","field":"n","type":"TIMESTAMP"}]}"#)
        #expect(found[0].hasSuffix("For others, name the order: \"date\":\"day-first\" or \"date\":\"month-first\""))
    }
}
