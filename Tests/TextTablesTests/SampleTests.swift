import Calendars
import Foundation
import RecordModel
import RecordWire
import TestSupport
import Testing

@testable import TextTables

/// Files as programs write them, and what they become: `Samples/NAME` and `Samples/NAME.preview.json`.
///
/// With `FOGBASE_WRITE_SAMPLES` set, the tests write the previews first. Then `git diff` shows what has changed.
@Suite struct SampleTests {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
        path: "Samples")

    static let names: [String] = [
        "excel-german.csv", "excel-unicode.txt", "excel-utf8.csv", "excel-separator.csv", "numbers.csv",
        "numbers-us.csv",
        "postgres.csv", "postgres.txt", "sqlite.csv", "sqlite-quote.txt", "mysql.txt", "mysql-enclosed.csv",
        "parse.csv",
        "ncmb.csv", "sheets.csv",
    ]

    static func file(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: directory.appending(path: name)))
    }

    /// The system's time zones.
    static func timeZone(_ name: String) -> TimeZoneRules? {
        guard let data = FileManager.default.contents(atPath: "/usr/share/zoneinfo/\(name)") else { return nil }
        return try? TimeZoneRules(file: Array(data))
    }

    static func preview(_ bytes: [UInt8], isWhole: Bool = true, type: String = "Goods") throws -> TablePreview {
        try TablePreview(
            bytes, isWhole: isWhole, recordType: try #require(RecordTypeName(type)), timeZones: timeZone)
    }

    @Test(arguments: names) func `files of programs are recognized`(_ name: String) throws {
        let found = try JSONValue.parse(Self.preview(Self.file(name)).json)
        if ProcessInfo.processInfo.environment["FOGBASE_WRITE_SAMPLES"] != nil {
            try Data(found.bytes).write(to: Self.directory.appending(path: name + ".preview.json"))
        }
        let expected = try JSONValue.parse(Self.file(name + ".preview.json"))
        for key in try #require(expected.object).keys {
            #expect(found[key] == expected[key], "\(key)")
        }
        #expect(found.object?.count == expected.object?.count)
    }

    @Test(arguments: names) func `records of these files are what writes read`(_ name: String) throws {
        for record in try Self.preview(Self.file(name)).records {
            let input = try RecordInput.readSingle(record, takesStamps: true)
            #expect(input.recordType?.text == "Goods")
            if let created = input.created { #expect(try input.stamp(created, "created").timestamp != nil) }
        }
    }

    @Test(arguments: names) func `a mapping and a format are the same after JSON`(_ name: String) throws {
        let preview = try Self.preview(Self.file(name))
        #expect(try TableMapping(json: preview.mapping.json) == preview.mapping)
        #expect(try TableFormat(json: preview.format.json) == preview.format)
    }

    @Test(arguments: names) func `decoding does not depend on how the file is split`(_ name: String) throws {
        let bytes = try Self.file(name)
        let encoding = try Self.preview(bytes).encoding
        func decoded(_ cuts: [Int], skipping: Int = 0) throws -> [UInt8] {
            var decoder = try TextDecoder(encoding, skipping: skipping)
            var text: [UInt8] = []
            var start = 0
            for cut in cuts + [bytes.count] {
                try decoder.decode(Array(bytes[start..<cut]), into: &text)
                start = cut
            }
            try decoder.finish()
            return text
        }
        let whole = try decoded([])
        #expect(String(validating: whole, as: UTF8.self) != nil)
        for cut in 0...bytes.count { #expect(try decoded([cut]) == whole, "\(cut)") }
        #expect(try decoded(Array(0...bytes.count)) == whole)
        #expect(try decoded(Array(0...bytes.count), skipping: 50) == Array(whole.dropFirst(50)))
    }

    @Test func `a preview of the beginning of a file leaves out the row that is cut off`() throws {
        let bytes = try Self.file("excel-utf8.csv")
        let preview = try Self.preview(Array(bytes.prefix(bytes.count - 3)), isWhole: false)
        #expect(preview.rows.count == 2)
        #expect(preview.problems.isEmpty)
    }
}
