import Foundation
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import ForeignImport

/// Random data sets, of which the expected records are made beside the data and not from it.
@Suite struct RandomDataTests {
    /// A value: as NCMB and Parse's dashboard have it, as mongoexport has it, and as a record here has it.
    private struct Sample {
        let json: String
        let mongo: String
        let value: JSONValue
    }

    private static let kinds = [
        "STRING", "INT64", "DOUBLE", "bool", "TIMESTAMP", "REFERENCE", "LOCATION", "BYTES", "STRING_LIST", "INT64_LIST",
        "json", "mixed",
    ]

    private static func text(_ random: inout SeededGenerator) -> String {
        let characters: [Character] = [
            "a", "Z", "霧", "é", "\"", "\\", "\n", "{", "]", ",", "'", "\u{1F32B}", " ", "$", "\u{1}",
        ]
        return String(
            (0..<Int.random(in: 0...12, using: &random)).map { _ in characters.randomElement(using: &random) ?? "x" })
    }

    private static func json(_ value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) }

    private static func sample(_ kind: String, _ random: inout SeededGenerator) -> Sample {
        switch kind {
        case "STRING":
            let value = JSONValue.string(text(&random))
            return Sample(json: json(value), mongo: json(value), value: value)
        case "INT64":
            let number = Int64.random(in: -1_000...1_000, using: &random)
            return Sample(json: "\(number)", mongo: #"{"$numberLong":"\#(number)"}"#, value: .integer(number))
        case "DOUBLE":
            // With a fraction, so that no printer makes an integer of it.
            let number = Double(Int.random(in: -1_000...1_000, using: &random)) + 0.5
            return Sample(json: "\(number)", mongo: #"{"$numberDouble":"\#(number)"}"#, value: .double(number))
        case "bool":
            let flag = Bool.random(using: &random)
            return Sample(json: "\(flag)", mongo: "\(flag)", value: flag ? 1 : 0)
        case "TIMESTAMP":
            let days = Int64.random(in: 0...27, using: &random)
            let milliseconds = Int64.random(in: 100...999, using: &random)
            let iso = "2021-02-\(days < 9 ? "0" : "")\(days + 1)T00:00:01.\(milliseconds)Z"
            return Sample(
                json: #"{"__type":"Date","iso":"\#(iso)"}"#, mongo: #"{"$date":"\#(iso)"}"#,
                value: .integer(1_612_137_601_000 + days * 86_400_000 + milliseconds))
        case "REFERENCE":
            let id = "t\(Int.random(in: 0...99, using: &random))"
            return Sample(
                json: #"{"__type":"Pointer","className":"Target","objectId":"\#(id)"}"#, mongo: #""Target$\#(id)""#,
                value: ["recordName": .string(id), "action": "NONE"])
        case "LOCATION":
            let (latitude, longitude) = (
                Double.random(in: -90...90, using: &random), Double.random(in: -180...180, using: &random)
            )
            let place = #"{"__type":"GeoPoint","latitude":\#(latitude),"longitude":\#(longitude)}"#
            return Sample(
                json: place, mongo: place, value: ["latitude": .double(latitude), "longitude": .double(longitude)])
        case "BYTES":
            let bytes = Data(
                (0..<Int.random(in: 0...9, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            let base64 = bytes.base64EncodedString()
            return Sample(
                json: #"{"__type":"Bytes","base64":"\#(base64)"}"#,
                mongo: #"{"$binary":{"base64":"\#(base64)","subType":"00"}}"#,
                value: .string(base64))
        case "STRING_LIST":
            let list = JSONValue.array((0..<Int.random(in: 1...3, using: &random)).map { _ in .string(text(&random)) })
            return Sample(json: json(list), mongo: json(list), value: list)
        case "INT64_LIST":
            let list = JSONValue.array(
                (0..<Int.random(in: 1...3, using: &random)).map { _ in .integer(Int64.random(in: 0...9, using: &random))
                })
            return Sample(json: json(list), mongo: json(list), value: list)
        case "json":
            let object: JSONValue = ["k": .array([.string(text(&random)), .null]), "n": .integer(1)]
            return Sample(json: json(object), mongo: json(object), value: .string(json(object)))
        default:
            let inner: JSONValue = Bool.random(using: &random) ? .string(text(&random)) : .integer(7)
            return Sample(json: json(inner), mongo: json(inner), value: inner.string.map(JSONValue.string) ?? "7")
        }
    }

    @Test(arguments: seeds(15)) func `exports of NCMB and Parse become the records that they have`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        // A text and a number at the start make the mixed fields mixed.
        let fields = (0..<8).map { (name: "f\($0)", kind: Self.kinds.randomElement(using: &random) ?? "STRING") }
        var expected: [String: [String: JSONValue]] = [:]
        var (plain, mongo): ([String], [String]) = ([], [])
        for number in 0..<Int.random(in: 2...30, using: &random) {
            var (json, mongoJSON, values): ([String], [String], [String: JSONValue]) = ([], [], [:])
            for field in fields where number < 2 || Int.random(in: 0...3, using: &random) > 0 {
                var sample = Self.sample(field.kind, &random)
                if field.kind == "mixed", number < 2 {
                    sample =
                        number == 0
                        ? Sample(json: #""a""#, mongo: #""a""#, value: "a") : Sample(json: "7", mongo: "7", value: "7")
                }
                json.append(#""\#(field.name)":\#(sample.json)"#)
                mongoJSON.append(#""\#(field.kind == "REFERENCE" ? "_p_" : "")\#(field.name)":\#(sample.mongo)"#)
                values[field.name] = sample.value
            }
            plain.append(
                #"{"objectId":"o\#(number)",\#(json.joined(separator: ",")),"createDate":"2021-02-01T00:00:00Z","createdAt":"2021-02-01T00:00:00Z"}"#
            )
            mongo.append(
                #"{"_id":"o\#(number)",\#(mongoJSON.joined(separator: ",")),"_created_at":{"$date":"2021-02-01T00:00:00Z"}}"#
            )
            expected["o\(number)"] = values
        }
        let layouts: [([String]) -> String] = [
            { "[" + $0.joined(separator: ",\n") + "]" }, { #"{"results":["# + $0.joined(separator: ",") + "]}" },
            { $0.joined(separator: "\n") + "\n" },
        ]
        for (index, layout) in layouts.enumerated() {
            for (source, objects) in [(ForeignSource.ncmb, plain), (.parse, plain), (.parse, mongo)] {
                let folder = try Folder()
                try folder.write("Item.json", layout(objects))
                let result = try Converted(source, [folder.path])
                #expect(result.records.count == expected.count)
                for (id, values) in expected {
                    let record = result.records["Item/\(id)"]?["fields"]?.object ?? JSONObject()
                    // NCMB does not know the keys of Parse, and Parse not those of NCMB.
                    let known = record.members.filter { !["createDate", "createdAt"].contains($0.key) }
                    let found = Dictionary(uniqueKeysWithValues: known.map { ($0.key, $0.value["value"] ?? .null) })
                    #expect(found == values, "layout \(index), \(source)")
                }
                for field in fields {
                    let type =
                        field.kind == "bool" ? "INT64" : ["json", "mixed"].contains(field.kind) ? "STRING" : field.kind
                    #expect(result.type("Item", field.name) == type)
                }
            }
        }
    }

    @Test(arguments: seeds(15)) func `tables of PocketBase become the records that they have`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let kinds = [
            "text", "number", "bool", "date", "select", "selects", "json", "relation", "relations", "geoPoint",
        ]
        let fields = (0..<7).map { (name: "c\($0)", kind: kinds.randomElement(using: &random) ?? "text") }
        func quoted(_ text: String) -> String { PocketBaseDatabase.text(text) }
        func sample(_ kind: String) -> (sql: String, value: JSONValue?) {
            switch kind {
            case "number":
                let number = Double(Int.random(in: -500...500, using: &random)) / 8
                return ("\(number)", .double(number))
            case "bool":
                let flag = Bool.random(using: &random)
                return (flag ? "TRUE" : "FALSE", flag ? 1 : 0)
            case "date":
                let day = Int64.random(in: 1...9, using: &random)
                if day == 9 { return ("''", nil) }
                return ("'2021-02-0\(day) 00:00:00.250Z'", .integer(1_612_137_600_250 + (day - 1) * 86_400_000))
            case "select", "relation":
                let text = Bool.random(using: &random) ? "" : "v\(Int.random(in: 0...9, using: &random))"
                if text.isEmpty { return ("''", nil) }
                return (
                    quoted(text), kind == "select" ? .string(text) : ["recordName": .string(text), "action": "NONE"]
                )
            case "selects", "relations":
                let texts = (0..<Int.random(in: 0...3, using: &random)).map { JSONValue.string("v\($0)") }
                let value = texts.map { kind == "selects" ? $0 : ["recordName": $0, "action": "NONE"] }
                return (quoted(Self.json(.array(texts))), .array(value))
            case "json":
                let value: JSONValue = ["t": .string(Self.text(&random))]
                return (quoted(Self.json(value)), .string(Self.json(value)))
            case "geoPoint":
                let (latitude, longitude) = (
                    Double.random(in: 1...90, using: &random), Double.random(in: 1...180, using: &random)
                )
                return (
                    "'{\"lon\":\(longitude),\"lat\":\(latitude)}'",
                    ["latitude": .double(latitude), "longitude": .double(longitude)]
                )
            default:
                let text = Self.text(&random)
                return (quoted(text), .string(text))
            }
        }
        let folder = try Folder()
        let connection = try Connection(path: folder.path + "/data.db", role: .writer)
        try connection.execute(SQL(PocketBaseTests.newCollections))
        let columns = fields.map { field in
            let type =
                ["number", "bool"].contains(field.kind)
                ? "NUMERIC" : ["text", "date", "select", "relation"].contains(field.kind) ? "TEXT" : "JSON"
            return "\(field.name) \(type)"
        }
        try connection.execute(SQL("CREATE TABLE items (id TEXT PRIMARY KEY, \(columns.joined(separator: ", ")))"))
        let declared = fields.map { field -> JSONValue in
            let isMultiple = field.kind.hasSuffix("s")
            return [
                "name": .string(field.name), "type": .string(isMultiple ? String(field.kind.dropLast()) : field.kind),
                "maxSelect": .integer(isMultiple ? 9 : 1), "collectionId": "items",
            ]
        }
        try connection.execute(
            SQL(
                "INSERT INTO _collections (id, name, fields) VALUES ('items', 'items', \(quoted(Self.json(.array(declared)))))"
            ))
        var expected: [String: [String: JSONValue]] = [:]
        for number in 0..<Int.random(in: 1...20, using: &random) {
            let samples = fields.map { sample($0.kind) }
            try connection.execute(
                SQL("INSERT INTO items VALUES ('i\(number)', \(samples.map(\.sql).joined(separator: ", ")))"))
            for (field, sample) in zip(fields, samples) {
                expected["i\(number)", default: [:]][field.name] = sample.value
            }
        }
        let result = try Converted(.pocketbase, [folder.path])
        #expect(result.records.count == expected.count)
        for (id, values) in expected {
            let record = result.records["items/\(id)"]?["fields"]?.object ?? JSONObject()
            #expect(
                Dictionary(uniqueKeysWithValues: record.members.map { ($0.key, $0.value["value"] ?? .null) }) == values)
        }
    }
}
