import Encodings
import RecordModel
import RecordWire
import Testing

/// Rejected values, with the sentences.
struct FieldRejectionTests {
    static let wrongValues: [(FieldType, String, String)] = [
        (.string, "1", "integer"), (.string, "true", "boolean"), (.string, "[]", "list"),
        (.string, "{\"a\":1}", "object"),
        (.int64, "\"1\"", "string"), (.int64, "1.5", "number that is no 64-bit integer"),
        (.int64, "9223372036854775808", "integer outside 64 bits"),
        (.int64, "-9223372036854775809", "integer outside 64 bits"),
        (.int64, "9.3e18", "number that is no 64-bit integer"), (.int64, "1e400", "number that is no 64-bit integer"),
        (.int64, "10e9223372036854775807", "number that is no 64-bit integer"),
        (.int64, "0.1e99999999999999999999", "number that is no 64-bit integer"),
        (.int64, "1.5e-9223372036854775808", "number that is no 64-bit integer"),
        (.int64, "1e-1", "number that is no 64-bit integer"), (.int64, "[1]", "list"),
        (.double, "\"1\"", "string"), (.double, "true", "boolean"),
        (.double, "1e400", "number outside the range of DOUBLE"),
        (.timestamp, "1.5", "number that is no 64-bit integer"), (.timestamp, "true", "boolean"),
        (.timestamp, "\"yesterday\"", "text that is no RFC 3339 time"),
        (.timestamp, "\"2024-13-01T00:00:00.0001Z\"", "time in month 13"),
        (.timestamp, "\"2024-03-01\"", "date without a time of day"),
        (.bytes, "1", "integer"), (.bytes, "\"AQI\"", "string that is not canonical base64"),
        (.bytes, "\"AQJ=\"", "string that is not canonical base64"),
        (.bytes, "\"A_I=\"", "string that is not canonical base64"),
        (.reference, "\"a\"", "string"), (.reference, "{\"action\":\"NONE\"}", "object without recordName"),
        (.reference, "{\"recordName\":\"\"}", "string that is no record name"),
        (.reference, "{\"recordName\":1}", "integer"),
        (.reference, "{\"recordName\":\"a\",\"action\":\"none\"}", "action that is not NONE, DELETE_SELF or VALIDATE"),
        (.reference, "{\"recordName\":\"a\",\"zoneID\":{\"zoneName\":\"z\"}}", "reference to another zone"),
        (.reference, "{\"recordName\":\"a\",\"x\":1}", "object with the unknown key 'x'"),
        (.asset, "{\"fileChecksum\":\"AQI=\",\"size\":1}", "fileChecksum that is not 32 bytes in base64"),
        (.asset, "{\"fileChecksum\":\"\(FieldRoundTripTests.checksum)\"}", "object without fileChecksum or size"),
        (.asset, "{\"fileChecksum\":\"\(FieldRoundTripTests.checksum)\",\"size\":-1}", "negative size"),
        (.location, "{\"latitude\":90.1,\"longitude\":0}", "latitude outside -90 to 90"),
        (.location, "{\"latitude\":0,\"longitude\":-180.5}", "longitude outside -180 to 180"),
        (.location, "{\"latitude\":0}", "object without latitude or longitude"),
        (.location, "{\"latitude\":0,\"longitude\":0,\"timestamp\":1.5}", "number that is no 64-bit integer"),
        (.stringList, "\"a\"", "string"), (.stringList, "[\"a\",null]", "null"),
        (.stringList, "[{\"value\":\"a\"}]", "object"),
        (.int64List, "[[1]]", "list"), (.doubleList, "[1e999]", "number outside the range of DOUBLE"),
    ]

    @Test(arguments: 0..<wrongValues.count)
    func `a mistyped value is rejected with the field, its type and the type received`(index: Int) throws {
        let (type, json, found) = Self.wrongValues[index]
        let name = Sample.fieldName(type)
        let error = try #require(try Sample.rejection("{\"\(name)\":\(json)}"))
        #expect(error.code == .badRequest)
        #expect(error.cause == .typeMismatch)
        let article = "AI".contains(type.schemaName.prefix(1)) ? "an" : "a"
        #expect(error.reason.hasPrefix("Field '\(name)' takes \(article) \(type.schemaName), and this is "))
        #expect(error.reason.contains(" \(found)"))
        #expect(error.detail("field") == .text(name))
        #expect(error.detail("expected") == .text(type.schemaName))
        #expect(error.detail("found") == .text(found))
        guard case .number(let offset)? = error.detail("offset") else {
            Issue.record("no offset")
            return
        }
        #expect(offset >= 10)
    }

    @Test func `a tag other than the schema's is rejected in CloudKit's words`() throws {
        let error = try #require(try Sample.rejection("{\"int64\":{\"value\":\"a\",\"type\":\"STRING\"}}"))
        #expect(
            error.reason.hasPrefix(
                "invalid attempt to set value type STRING for field 'int64' for type 'Post', defined to be: INT64. A field keeps its type"
            ))
        #expect(error.detail("expected") == .text("INT64"))
        #expect(error.detail("found") == .text("STRING"))
        #expect(try Sample.rejection("{\"int64\":{\"value\":[1],\"type\":\"LIST\"}}")?.detail("found") == .text("LIST"))
        #expect(try Sample.rejection("{\"int64\":{\"value\":1,\"type\":\"INT64_LIST\"}}")?.cause == .typeMismatch)
    }

    @Test func `unknown fields, system fields and malformed names have different errors`() throws {
        let unknown = try #require(try Sample.rejection("{\"nosuch\":1}"))
        #expect(unknown.reason == "Field nosuch not found in Post")
        #expect(unknown.cause == .unknownName)
        for name in ["recordName", "createdTimestamp", "modificationDate", "___share", "recordChangeTag"] {
            #expect(try Sample.rejection("{\"\(name)\":1}")?.cause == .readOnlyKey, "\(name)")
            #expect(try Sample.rejection("{\"\(name)\":null}")?.cause == .readOnlyKey, "\(name)")
        }
        for name in ["", "1a", "a-b", "😀", "_a", "a b"] {
            #expect(try Sample.rejection("{\"\(name)\":1}") != nil, "\(name)")
        }
        #expect(try Sample.rejection("{\"nosuch\":null,\"other\":{\"remove\":[1]}}") == nil)
    }

    @Test(arguments: [
        "{\"string\":{\"value\":\"a\",\"extra\":1}}", "{\"string\":{\"value\":\"a\",\"type\":\"NOSUCH\"}}",
        "{\"string\":{\"value\":\"a\",\"type\":1}}", "{\"string\":{\"value\":\"a\",\"isEncrypted\":true}}",
        "{\"int64\":{\"increment\":1,\"value\":1}}", "{\"int64\":{\"increment\":1,\"append\":[1]}}",
        "{\"int64\":{\"increment\":\"1\"}}", "{\"int64\":{\"increment\":1.5}}", "{\"string\":{\"increment\":1}}",
        "{\"string\":{\"append\":[\"a\"]}}", "{\"stringlist\":{\"append\":\"a\"}}", "{\"stringlist\":{\"append\":[1]}}",
        "{\"timestamp\":{\"serverTime\":false}}", "{\"int64\":{\"serverTime\":true}}",
        "{\"int64\":{\"setIfAbsent\":null}}",
        "{\"int64\":{\"setIfAbsent\":{\"increment\":1}}}", "{\"int64\":{\"setIfAbsent\":{}}}",
        "{\"int64\":{\"increment\":1,\"type\":\"DOUBLE\"}}", "{\"double\":{\"increment\":1e999}}",
        "{\"string\":{\"type\":\"STRING\"}}",
    ])
    func `a field that mixes forms or misuses one is rejected`(fields: String) throws {
        let error = try #require(try Sample.rejection(fields))
        #expect(error.code == .badRequest)
        #expect(error.cause == .typeMismatch)
    }

    @Test func `a list may have 100,000 members and no more`() throws {
        let most = "[" + String(repeating: "1,", count: Limits.listMembers - 1) + "1]"
        #expect(try Sample.rejection("{\"int64list\":\(most)}") == nil)
        let error = try #require(try Sample.rejection("{\"int64list\":\(most.dropLast()),1]}"))
        #expect(error.cause == .tooLarge)
    }

    @Test func `a record is measured in decoded bytes`() throws {
        let base64 = Base64.encode([UInt8](repeating: 7, count: 900))
        let fields = "{\"string\":\"\\u00e9\",\"int64\":1,\"bytes\":\"\(base64)\"}"
        #expect(try Sample.resolve(fields, limit: 910).changes.count == 3)
        let error = #expect(throws: RecordError.self) { try Sample.resolve(fields, limit: 909) }
        #expect(error?.code == .quotaExceeded)
        #expect(error?.cause == .tooLarge)
        #expect(error?.detail("size") == .number(910))
        #expect(error?.detail("limit") == .number(909))
    }
}
