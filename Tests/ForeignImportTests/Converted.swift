import Cryptography
import Encodings
import Foundation
import RecordModel
import RecordWire
import Testing

@testable import ForeignImport

/// A directory for one test, removed with it.
final class Folder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/foreign-import-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ name: String, _ text: String) throws {
        try write(name, Array(text.utf8))
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }
}

/// The lines of a conversion, checked by the rules of the format.
struct Converted {
    var lines: [JSONValue] = []
    var schema: JSONValue = [:]
    /// The accounts by name.
    var accounts: [String: JSONObject] = [:]
    var roles: [(name: String, members: [String])] = []
    /// The files by their checksums.
    var files: [String: [UInt8]] = [:]
    /// The records by type and name.
    var records: [String: JSONObject] = [:]
    var report: ConversionReport

    /// Converts a data set.
    init(
        _ source: ForeignSource, _ paths: [String], _ options: ConversionOptions = ConversionOptions()
    ) throws {
        var text: [UInt8] = []
        let head = ContainerWriter.Head(container: "iCloud.test", environment: "development", time: 7, program: "Test")
        let writer = try ContainerWriter(head) { text += $0 }
        report = try source.convert(paths, options, to: writer)
        try read(text)
    }

    private mutating func read(_ text: [UInt8]) throws {
        #expect(text.last == UInt8(ascii: "\n"))
        let order = ["fogbase", "schema", "account", "role", "file", "record", "end"]
        var (stage, counts): (Int, [String: Int64]) = (0, [:])
        var open: (checksum: String, size: Int64, bytes: [UInt8])?
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let value = try JSONValue.parse(Array(line))
            lines.append(value)
            let members = try #require(value.object?.members)
            try #require(members.count == 1)
            let (kind, body) = (members[0].key, members[0].value)
            if kind == "data" {
                let bytes = try #require(body.string.flatMap { Base64.decode($0) })
                #expect((1...196_608).contains(bytes.count))
                try #require(open != nil)
                open?.bytes += bytes
                continue
            }
            try finish(&open)
            let position = try #require(order.firstIndex(of: kind))
            // Files and records alternate.
            #expect(position >= stage || kind == "file" && stage == 5)
            stage = max(stage, position)
            counts[kind, default: 0] += 1
            switch kind {
            case "schema":
                _ = try SchemaDocument(body)
                schema = body["types"] ?? [:]
            case "account":
                let account = try #require(body.object)
                let name = try #require(account["name"]?.string)
                #expect(UserRecordName(account["userRecordName"]?.string ?? "") != nil)
                #expect(accounts.updateValue(account, forKey: name) == nil)
            case "role":
                let name = try #require(body["name"]?.string)
                #expect(RoleName(name)?.isBuiltIn == false)
                let members = try #require(body["members"]?.array).compactMap(\.string)
                for member in members where member.hasPrefix("role:") {
                    #expect(roles.contains { "role:" + $0.name == member })
                }
                roles.append((name, members))
            case "file":
                open = (
                    try #require(body["fileChecksum"]?.string), try #require(body["size"]?.integer), []
                )
            case "record": try add(body)
            case "end":
                for (key, kind) in [
                    ("accounts", "account"), ("roles", "role"), ("files", "file"), ("records", "record"),
                ] {
                    #expect(body[key]?.integer == counts[kind] ?? 0)
                }
                #expect(body["zones"]?.integer == 0)
            default: break
            }
        }
        #expect(stage == 6)
        #expect(counts["fogbase"] == 1 && counts["schema"] == 1 && counts["end"] == 1)
    }

    private mutating func finish(_ open: inout (checksum: String, size: Int64, bytes: [UInt8])?) throws {
        guard let file = open else { return }
        #expect(SHA256.hash(file.bytes).base64 == file.checksum)
        #expect(Int64(file.bytes.count) == file.size)
        #expect(files.updateValue(file.bytes, forKey: file.checksum) == nil)
        open = nil
    }

    private mutating func add(_ body: JSONValue) throws {
        let record = try #require(body.object)
        let type = try #require(record["recordType"]?.string)
        let name = try #require(record["recordName"]?.string)
        #expect(RecordName(name) != nil)
        let fields = try #require(schema[type]?["fields"]?.object, "The schema has \(type)")
        for field in record["fields"]?.object?.members ?? [] {
            let declared = try #require(fields[field.key]?["type"]?.string.flatMap(FieldType.init(tag:)))
            #expect(field.value["type"]?.string == declared.tag.description)
            for member in field.value["value"]?.array ?? [field.value["value"] ?? .null]
            where declared.element == .asset {
                #expect(files[member["fileChecksum"]?.string ?? ""] != nil, "A file comes before its record")
            }
        }
        // The name is unique in the database, whatever the type.
        #expect(!records.keys.contains { $0.hasSuffix("/" + name) })
        #expect(records.updateValue(record, forKey: type + "/" + name) == nil)
    }

    /// Returns the value of a field without its type.
    func value(_ record: String, _ field: String) -> JSONValue? { records[record]?["fields"]?[field]?["value"] }

    /// Returns the type of a field in the schema.
    func type(_ type: String, _ field: String) -> String? { schema[type]?["fields"]?[field]?["type"]?.string }

    /// Whether the report has a note about a subject with words.
    func notes(_ subject: String, _ words: String) -> Bool {
        report.differences.contains {
            $0.note.subject == subject && ($0.note.text + " " + ($0.example ?? "")).contains(words)
        }
    }
}
