import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import TextTables

/// Records that become a table and records again are the same records.
@Suite struct RoundTripTests {
    private static let types = FieldType.allCases.filter { $0.element != .asset }

    private static func text(_ random: inout SeededGenerator) -> String {
        let parts = [
            "a", "Größe", "茶", "\"", "'", ",", ";", "\t", "\n", "\r\n", "\r", " ", "\\", "\\N", "NULL", "=1+1", "{",
            "[", ".",
            "\u{FEFF}", "\0", "\u{1}", "sep=;", "\\.", "🍵", "",
        ]
        return (0..<Int.random(in: 0...4, using: &random)).compactMap { _ in parts.randomElement(using: &random) }
            .joined()
    }

    private static func name(_ random: inout SeededGenerator) -> RecordName {
        RecordName(text(&random)) ?? RecordName(unchecked: "{n} \(Int.random(in: 0...9, using: &random)) ")
    }

    private static func scalar(_ type: FieldType, _ random: inout SeededGenerator) -> FieldValue {
        switch type {
        case .int64: return .int64([0, -1, .min, .max, 42].randomElement(using: &random) ?? 0)
        case .double:
            return .double(
                [0, -0.0, 1.5, -1e300, .leastNonzeroMagnitude, 0.1, 1e20, 123_456_789.123].randomElement(using: &random)
                    ?? Double.random(in: -1...1, using: &random))
        case .timestamp:
            return .timestamp(
                [
                    .min, .max, 0, -1, 1_795_960_800_123, -62_167_219_200_001, 253_402_300_800_000, -62_198_755_200_000,
                    8_640_000_000_000_000,
                ]
                .randomElement(using: &random) ?? 0)
        case .bytes:
            return .bytes(
                (0..<Int.random(in: 0...5, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
        case .reference:
            return .reference(
                Reference(
                    recordName: name(&random), action: ReferenceAction.allCases.randomElement(using: &random) ?? .none))
        case .location:
            var location = Location(
                latitude: Double.random(in: -90...90, using: &random),
                longitude: [-180, 0, 13.4].randomElement(using: &random) ?? 1)
            if Bool.random(using: &random) { location.altitude = 12.5 }
            if Bool.random(using: &random) { location.timestamp = 5 }
            return .location(location)
        default: return .string(text(&random))
        }
    }

    private static func value(_ type: FieldType, _ random: inout SeededGenerator) -> FieldValue {
        guard type.isList else { return scalar(type, &random) }
        return .list(
            element: type.element,
            (0..<Int.random(in: 0...3, using: &random)).map { _ in scalar(type.element, &random) })
    }

    /// A record dictionary with a value for most fields.
    private static func record(_ random: inout SeededGenerator) -> [UInt8] {
        var json = Array("{\"recordName\":".utf8)
        json.appendString(name(&random).text)
        json.appendLiteral(",\"recordType\":\"A\",\"fields\":{")
        var isFirst = true
        for type in types where Int.random(in: 0..<4, using: &random) > 0 {
            if !isFirst { json.append(UInt8(ascii: ",")) }
            isFirst = false
            json.appendString("f_\(type.tag)")
            json.appendLiteral(":{\"value\":")
            CanonicalValue.append(value(type, &random), to: &json)
            json.appendLiteral(",\"type\":\"")
            json.appendLiteral(type.tag)
            json.appendLiteral("\"}")
        }
        json.appendLiteral("}")
        if Bool.random(using: &random) {
            json.appendLiteral(",\"parent\":{\"recordName\":")
            json.appendString(name(&random).text)
            json.appendLiteral("}")
        }
        let user = "_0123456789abcdef0123456789abcdef"
        for key in ["created", "modified"] {
            guard case .timestamp(let time) = scalar(.timestamp, &random) else { continue }
            json += Array(",\"\(key)\":{\"timestamp\":\(time),\"userRecordName\":\"\(user)\"}".utf8)
        }
        json.appendLiteral("}")
        return json
    }

    /// What a record dictionary means.
    private static func meaning(_ record: [UInt8]) throws -> String {
        try record.withUnsafeBytes { bytes in
            var scanner = RecordScanner(bytes)
            try scanner.readDocument()
            var fields = scanner.fields
            let head = scanner.head
            let values = fields.names.sorted().map { name in
                // Zero and minus zero are equal, and print differently.
                "\(name)=\(fields.find(name).flatMap { fields.value(of: $0) }.map { "\($0)" } ?? "?")"
            }
            return
                "\(head.recordName) \(head.recordType ?? "?") \(String(describing: head.created)) \(String(describing: head.modified)) \(head.parent ?? "-") \(values)"
        }
    }

    static let formats: [TableFormat] = [
        .csv,
        .with {
            $0.separator = UInt8(ascii: ";"); $0.hasSeparatorLine = true
        }, .with { $0.separator = UInt8(ascii: "\t") },
        .with { $0.hasHeader = false }, .with { $0.noValue = "NULL" }, .copyText,
        .with {
            $0.escape = .backslash; $0.noValue = "\\N"
        },
        .with {
            $0.quote = UInt8(ascii: "'"); $0.noValue = "NULL"
        },
        .with {
            $0 = .copyText; $0.hasHeader = true
        },
    ]

    @Test(arguments: formats) func `records are the same after a table`(_ format: TableFormat) throws {
        var random = SeededGenerator(seed: 17)
        let type = try #require(RecordTypeName("A"))
        var columns = SystemColumn.allCases.map { TableWriter.Column.system($0) }
        for type in Self.types { columns.append(.field(try #require(FieldName("f_\(type.tag)")), type)) }
        let records = (0..<300).map { _ in Self.record(&random) }
        var writer = TableWriter(columns: columns, format: format, hasMark: Bool.random(using: &random))
        var table: [UInt8] = []
        writer.begin(&table)
        for record in records { try writer.append(record: record, to: &table) }

        var reader = TableReader(format)
        reader.append(table)
        reader.finish()
        var row = TableRow()
        var composer = try RowComposer(
            writer.mapping(recordType: type), columns: columns.map(\.name), timeZones: { _ in nil })
        var found: [[UInt8]] = []
        reading: while true {
            switch try reader.next(&row) {
            case .header: #expect(ColumnNames.of(header: row) == columns.map(\.name))
            case .row:
                var record: [UInt8] = []
                try composer.compose(row, to: &record)
                // What the server reads in a write.
                _ = try RecordInput.readSingle(record, takesStamps: true)
                found.append(record)
            case .rejected(let error): Issue.record("\(error.reason)")
            case .needsBytes, .end: break reading
            }
        }
        #expect(found.count == records.count)
        for (found, record) in zip(found, records) {
            let (after, before) = (try Self.meaning(found), try Self.meaning(record))
            #expect(after == before, "\(String(decoding: record, as: UTF8.self))")
        }
    }

    @Test func `cells are exact, also those that formulas begin with`() throws {
        let name = try #require(FieldName("a"))
        var writer = TableWriter(columns: [.system(.recordName), .field(name, .string)], hasMark: true)
        var table: [UInt8] = []
        writer.begin(&table)
        let record = #"{"recordName":"r","recordType":"A","fields":{"a":{"value":"=1+1","type":"STRING"}}}"#
        try writer.append(record: Array(record.utf8), to: &table)
        #expect(table == Array("\u{FEFF}recordName,a\nr,=1+1\n".utf8))
        #expect(throws: RecordError.self) { try writer.append(record: Array("{".utf8), to: &table) }
    }
}
