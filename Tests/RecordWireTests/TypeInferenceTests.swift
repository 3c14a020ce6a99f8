import RecordModel
import RecordWire
import Testing

/// The types of fields that appear just in time.
struct TypeInferenceTests {
    static func inferred(_ value: String) throws -> [FieldType] {
        let type = try Sample.type()
        let input = try RecordInput.readSingle(utf8("{\"fields\":{\"fresh\":\(value)}}"))
        let resolved = try FieldResolver.resolve(
            input, typeName: type.name, type: type, allowsNewFields: true, recordBytes: 1 << 20)
        #expect(resolved.newFields.allSatisfy { $0.name.text == "fresh" })
        return resolved.newFields.map(\.type)
    }

    @Test(
        arguments: [
            ("\"a\"", .string), ("\"\\n\"", .string), ("1", .int64), ("1.0", .double), ("1e1", .double),
            ("true", .int64), ("[\"a\"]", .stringList), ("[1,2.5]", .int64List), ("[2.5]", .doubleList),
            ("[false]", .int64List), ("{\"recordName\":\"a\"}", .reference),
            ("[{\"recordName\":\"a\"}]", .referenceList),
            ("{\"latitude\":1,\"longitude\":1}", .location), ("{\"fileChecksum\":\"\",\"size\":1}", .asset),
            ("{\"value\":1,\"type\":\"DOUBLE\"}", .double), ("{\"value\":[],\"type\":\"BYTES_LIST\"}", .bytesList),
            ("{\"value\":[1],\"type\":\"LIST\"}", .int64List), ("{\"value\":\"AQ==\",\"type\":\"BYTES\"}", .bytes),
            ("{\"increment\":1}", .int64), ("{\"increment\":0.5}", .double), ("{\"append\":[\"a\"]}", .stringList),
            ("{\"appendUnique\":[1]}", .int64List), ("{\"serverTime\":true}", .timestamp),
            ("{\"setIfAbsent\":\"a\"}", .string),
            ("{\"setIfAbsent\":{\"value\":1,\"type\":\"TIMESTAMP\"}}", .timestamp),
            ("{\"append\":[],\"type\":\"STRING_LIST\"}", .stringList),
        ] as [(String, FieldType)])
    func `a new field takes the type that its value suggests`(value: String, type: FieldType) throws {
        #expect(try Self.inferred(value) == [type])
    }

    @Test(arguments: ["null", "{}", "{\"value\":null}", "{\"remove\":[1]}"])
    func `an operation that removes creates no field`(value: String) throws {
        #expect(try Self.inferred(value).isEmpty)
    }

    @Test(arguments: [
        "[]", "[null]", "[[1]]", "{\"a\":1}", "{\"append\":[]}", "{\"value\":1,\"type\":\"LIST\"}", "{\"latitude\":1}",
    ])
    func `a value of no known form needs a tag`(value: String) {
        let error = #expect(throws: RecordError.self) { try Self.inferred(value) }
        #expect(error?.cause == .typeMismatch)
    }

    @Test func `a new type's fields are all new`() throws {
        let name = try #require(RecordTypeName("Fresh"))
        let input = try RecordInput.readSingle(utf8("{\"fields\":{\"a\":1,\"b\":\"x\"}}"))
        let resolved = try FieldResolver.resolve(
            input, typeName: name, type: nil, allowsNewFields: true, recordBytes: 1 << 20)
        #expect(resolved.newFields.map(\.name.text) == ["a", "b"])
        let error = #expect(throws: RecordError.self) {
            try FieldResolver.resolve(input, typeName: name, type: nil, allowsNewFields: false, recordBytes: 1 << 20)
        }
        #expect(error?.reason == "Field a not found in Fresh")
    }
}
