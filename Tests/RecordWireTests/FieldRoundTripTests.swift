import RecordModel
import RecordWire
import TestSupport
import Testing

/// A value from a request to the stored form, to a response, and decoded from it.
struct FieldRoundTripTests {
    static let checksum = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    static func reference(_ name: String, _ action: ReferenceAction = .none) throws -> FieldValue {
        .reference(Reference(recordName: try #require(RecordName(name)), action: action))
    }

    static func asset() -> Asset {
        Asset(fileChecksum: checksum, size: 12, contentType: "text/plain", filename: "a\"b.txt")
    }

    static func place() -> Location {
        var place = Location(latitude: -89.5, longitude: 180)
        place.altitude = 1.25
        place.timestamp = 12
        return place
    }

    static let assetJSON =
        "{\"downloadURL\":\"x\",\"receipt\":\"r\",\"size\":12,\"fileChecksum\":\"\(checksum)\",\"contentType\":\"text/plain\",\"filename\":\"a\\\"b.txt\"}"

    static func rows() throws -> [(FieldType, String, FieldValue)] {
        [
            (.string, "\"sea\"", .string("sea")), (.string, "\"\"", .string("")),
            (.string, "\"\\u0000\\u2028\\ud83d\\ude00\\/\\\"\"", .string("\u{0}\u{2028}😀/\"")),
            (.int64, "9223372036854775807", .int64(.max)), (.int64, "-9223372036854775808", .int64(.min)),
            (.int64, "-0", .int64(0)), (.int64, "3.0", .int64(3)), (.int64, "1e3", .int64(1_000)),
            (.int64, "12.50e1", .int64(125)), (.int64, "9223372036854775807.0", .int64(.max)),
            (.int64, "-9.223372036854775808e18", .int64(.min)), (.int64, "0e99999999999999999999", .int64(0)),
            (.int64, "true", .int64(1)), (.int64, "false", .int64(0)),
            (.double, "3", .double(3)), (.double, "0.1", .double(0.1)), (.double, "1e20", .double(1e20)),
            (.double, "-0.00001", .double(-0.00001)), (.double, "5e-324", .double(.leastNonzeroMagnitude)),
            (.double, "0.1000", .double(0.1)), (.double, "9007199254740993", .double(9007199254740992)),
            (.double, "123456789012345678901234567890", .double(1.2345678901234568e29)),
            (.timestamp, "1709251200000", .timestamp(1_709_251_200_000)), (.timestamp, "-1", .timestamp(-1)),
            (.timestamp, "\"2024-03-01T00:00:00Z\"", .timestamp(1_709_251_200_000)),
            (.timestamp, "\"2024-03-01T01:00:00.250+01:00\"", .timestamp(1_709_251_200_250)),
            (.bytes, "\"\"", .bytes([])), (.bytes, "\"AQI=\"", .bytes([1, 2])),
            (.bytes, "\"\\/\\/8=\"", .bytes([255, 255])),
            (.reference, "{\"recordName\":\"a\"}", try reference("a")),
            (.reference, "{\"action\":\"DELETE_SELF\",\"recordName\":\"é\"}", try reference("é", .deleteSelf)),
            (
                .reference, "{\"recordName\":\"a\",\"zoneID\":{\"zoneName\":\"_defaultZone\"},\"action\":null}",
                try reference("a")
            ),
            (.asset, assetJSON, .asset(asset())),
            (
                .location, "{\"longitude\":180,\"latitude\":-89.5,\"timestamp\":12,\"altitude\":1.25,\"speed\":null}",
                .location(place())
            ),
            (.stringList, "[\"a\",\"\\n\",\"\"]", .list(element: .string, [.string("a"), .string("\n"), .string("")])),
            (.stringList, "[ ]", .list(element: .string, [])),
            (.int64List, "[1, true,2.0]", .list(element: .int64, [.int64(1), .int64(1), .int64(2)])),
            (.doubleList, "[1,2.5]", .list(element: .double, [.double(1), .double(2.5)])),
            (
                .timestampList, "[0,\"1970-01-01T00:00:01Z\"]",
                .list(element: .timestamp, [.timestamp(0), .timestamp(1_000)])
            ),
            (.bytesList, "[\"AQ==\",\"\"]", .list(element: .bytes, [.bytes([1]), .bytes([])])),
            (
                .referenceList, "[{\"recordName\":\"a\",\"action\":\"VALIDATE\"}]",
                .list(element: .reference, [try reference("a", .validate)])
            ),
            (.assetList, "[\(assetJSON)]", .list(element: .asset, [.asset(asset())])),
            (
                .locationList, "[{\"longitude\":180.0,\"latitude\":-89.5,\"timestamp\":12,\"altitude\":1.25}]",
                .list(element: .location, [.location(place())])
            ),
        ]
    }

    @Test(arguments: 0..<45)
    func `a value of every type arrives unchanged`(index: Int) throws {
        let rows = try Self.rows()
        guard index < rows.count else { return }
        let (type, json, expected) = rows[index]
        #expect(try Sample.roundTrip(type, json) == expected)
        #expect(try Sample.roundTrip(type, "{\"value\":\(json),\"type\":\"\(type.tag)\"}") == expected)
        #expect(
            try Sample.roundTrip(type, "{\"type\":\"\(type.schemaName)\",\"isEncrypted\":false,\"value\":\(json)}")
                == expected)
        if type.isList { #expect(try Sample.roundTrip(type, "{\"value\":\(json),\"type\":\"LIST\"}") == expected) }
        var canonical: [UInt8] = []
        CanonicalValue.append(expected, to: &canonical)
        #expect(canonical.withUnsafeBytes { CanonicalValue.check($0, as: type) } != nil, "\(text(canonical))")
        #expect(try CanonicalValue.decode(canonical, as: type) == expected)
    }

    @Test func `the rows cover every type`() throws {
        #expect(Set(try Self.rows().map(\.0)) == Set(FieldType.allCases))
        #expect(try Self.rows().count <= 45)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a decimal becomes the text that Swift gives its double`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let whole = String(
                UInt64.random(in: 0...(1 << UInt64.random(in: 0...60, using: &generator)), using: &generator))
            let zeros = String(repeating: "0", count: Int.random(in: 0...6, using: &generator))
            let digits = String(
                UInt64.random(in: 0...(1 << UInt64.random(in: 0...40, using: &generator)), using: &generator))
            let sign = Bool.random(using: &generator) ? "-" : ""
            for literal in [
                "\(sign)\(whole)", "\(sign)\(whole).\(zeros)\(digits)", "\(sign)0.\(zeros)\(digits)",
                "\(sign)\(whole).0e-3",
            ] {
                let stored = try Sample.store("{\"double\":\(literal)}").stored
                let expected = try #require(Double(literal))
                #expect(text(stored.text) == "\"double\":{\"value\":\(expected.description),\"type\":\"DOUBLE\"}")
            }
        }
    }

    @Test func `strings of every scalar class survive exactly`() throws {
        for scalar in [
            0, 0x1F, 0x22, 0x5C, 0x7F, 0x80, 0x9F, 0x7FF, 0x800, 0x2028, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000,
            0x10FFFF,
        ] {
            let scalar = try #require(Unicode.Scalar(UInt32(scalar)))
            for padding in ["", "1234567", "12345678"] {
                let string = padding + String(Character(scalar)) + padding
                var json: [UInt8] = []
                json.appendString(string)
                guard case .string(let read)? = try Sample.roundTrip(.string, text(json)) else {
                    Issue.record("no string")
                    continue
                }
                #expect(Array(read.utf8) == Array(string.utf8))
            }
        }
    }
}
