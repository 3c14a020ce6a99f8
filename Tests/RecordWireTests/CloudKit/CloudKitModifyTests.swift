import RecordModel
import RecordWire
import TestSupport
import Testing

/// The body of `records/modify`.
@Suite struct CloudKitModifyTests {
    static func read(_ body: String, isPublic: Bool = true) throws(RecordError) -> CloudKitModifyBody {
        try CloudKitModifyBody.read(utf8(body), isPublic: isPublic)
    }

    static func reason(_ body: String) -> String? {
        do throws(RecordError) {
            _ = try read(body)
            return nil
        } catch { return error.asCloudKit().reason }
    }

    /// Reads and resolves the fields of one operation on a `Post`.
    static func resolve(_ fields: String, isPublic: Bool = true) throws(RecordError) -> ResolvedFields {
        let body = try read(
            #"{"operations":[{"operationType":"create","record":{"recordType":"Post","fields":\#(fields)}}]}"#,
            isPublic: isPublic)
        guard let operation = body.operations.first, let type = try? Sample.type() else { throw .recordNotFound }
        if let rejection = operation.rejection { throw rejection }
        return try FieldResolver.resolve(
            operation.input.record, typeName: type.name, type: type, allowsNewFields: false, recordBytes: 1 << 20)
    }

    static func fieldReason(_ fields: String, isPublic: Bool = true) -> String? {
        do throws(RecordError) {
            _ = try resolve(fields, isPublic: isPublic)
            return nil
        } catch { return error.asCloudKit().reason }
    }

    @Test(arguments: OperationKind.allCases) func `an operation has one of seven types`(kind: OperationKind) throws {
        let body = try Self.read(
            #"{"operations":[{"operationType":"\#(kind.rawValue)","record":{"recordName":"a","recordType":"Post","recordChangeTag":"1k","fields":{"string":{"value":"x"}}}}]}"#
        )
        let operation = try #require(body.operations.first)
        #expect(operation.input.kind == kind)
        #expect(operation.input.record.recordName?.text == "a")
        #expect(operation.input.record.recordType?.text == "Post")
        #expect(operation.input.record.recordChangeTag == "1k")
        #expect(operation.input.record.fields.map(\.name) == ["string"])
        #expect(operation.rejection == nil)
        let write = try operation.input.write()
        switch kind {
        case .update, .replace, .delete: #expect(write.precondition == .tags(["1k"]))
        case .create, .forceUpdate, .forceReplace, .forceDelete: #expect(write.precondition == .none)
        }
    }

    @Test(arguments: [OperationKind.update, .replace]) func `update and replace need a tag`(kind: OperationKind) throws
    {
        let body = try Self.read(
            #"{"operations":[{"operationType":"\#(kind.rawValue)","record":{"recordName":"a","fields":{}}}]}"#)
        let operation = try #require(body.operations.first)
        #expect(throws: RecordError.self) { try operation.input.write() }
    }

    @Test func `delete without a tag deletes any version`() throws {
        let body = try Self.read(#"{"operations":[{"operationType":"delete","record":{"recordName":"a"}}]}"#)
        #expect(try body.operations.first?.input.write().precondition == WritePrecondition.none)
    }

    @Test func `a body has every key, and the keys of responses are ignored`() throws {
        let body = try Self.read(
            #"{"operations":{"operationType":"create","desiredKeys":["b"],"record":{"recordName":"a","recordType":"Post","fields":null,"pluginFields":{},"created":{"timestamp":1},"modified":{"timestamp":1},"deleted":false,"parent":{"recordName":"p"},"createShortGUID":false,"desiredKeys":["c"]}},"atomic":false,"desiredKeys":["a"],"numbersAsStrings":true,"zoneID":{"zoneName":"_defaultZone"},"more":[]}"#
        )
        #expect(body.operations.count == 1)
        #expect(!body.isAtomic && body.numbersAsStrings)
        #expect(body.desiredKeys == ["a"])
        #expect(body.operations.first?.desiredKeys == ["c"])
        #expect(body.operations.first?.input.record.hasStamps == false)
        #expect(body.zone.isDefault)
    }

    @Test func `desiredKeys of the operation are those of its record, unless the record has its own`() throws {
        let body = try Self.read(
            #"{"operations":[{"record":{"recordName":"a"},"operationType":"delete","desiredKeys":["b"]},{"operationType":"delete","record":{"recordName":"c"}}]}"#
        )
        #expect(body.operations.map(\.desiredKeys) == [["b"], nil])
        #expect(body.isAtomic)
    }

    static func zones(_ request: String?, _ records: String?...) -> String {
        let operations = records.enumerated().map { index, zone in
            let zone = zone.map { #","zoneID":{"zoneName":"\#($0)"}"# } ?? ""
            return #"{"operationType":"delete","record":{"recordName":"\#(index)"\#(zone)}}"#
        }
        let zone = request.map { #","zoneID":{"zoneName":"\#($0)"}"# } ?? ""
        return #"{"operations":[\#(operations.joined(separator: ","))]\#(zone)}"#
    }

    @Test func `the zone of the request takes precedence over those of the records`() throws {
        #expect(try Self.read(Self.zones("A", "B", nil)).zone.zoneName == "A")
        #expect(try Self.read(Self.zones(nil, "B", "B")).zone.zoneName == "B")
        #expect(try Self.read(Self.zones(nil, nil)).zone.zoneName == "_defaultZone")
        #expect(try Self.read(Self.zones(nil, "_defaultZone", nil)).zone.isDefault)
        #expect(Self.reason(Self.zones(nil, "B", "C")) != nil)
        #expect(Self.reason(Self.zones(nil, "B", nil)) != nil)
    }

    @Test func `a record has one operation in a request`() {
        let one = #"{"operationType":"delete","record":{"recordName":"a"}}"#
        #expect(Self.reason(#"{"operations":[\#(one),\#(one)]}"#)?.contains("'a'") == true)
    }

    @Test func `a request has at most 200 operations`() {
        func body(_ count: Int) -> String {
            let operations = (0..<count).map { #"{"operationType":"delete","record":{"recordName":"\#($0)"}}"# }
            return #"{"operations":[\#(operations.joined(separator: ","))]}"#
        }
        #expect(Self.reason(body(200)) == nil)
        #expect(Self.reason(body(201))?.contains("200") == true)
    }

    @Test(arguments: [
        "{}", "", #"{"operations":[{}]}"#, #"{"operations":[{"operationType":"remove","record":{}}]}"#,
        #"{"operations":[{"operationType":"delete"}]}"#, #"{"operations":[1]}"#, #"{"operations":[],"atomic":1}"#,
        #"{"operations":[{"operationType":"delete","record":{"recordName":3}}]}"#, "[",
        #"{"operations":[],"desiredKeys":"a"}"#,
    ]) func `a body of another form is unexpected input`(body: String) {
        #expect(Self.reason(body)?.hasPrefix("BadRequestException: Unexpected input") == true)
    }

    @Test(arguments: [#""recordName":"""#, #""recordName":"a","recordType":"no type""#])
    func `an invalid name rejects its operation alone`(keys: String) throws {
        let body = try Self.read(
            #"{"operations":[{"operationType":"create","record":{\#(keys)}},{"operationType":"delete","record":{"recordName":"b"}}]}"#
        )
        #expect(body.operations.map { $0.rejection == nil } == [false, true])
    }

    // MARK: Fields

    static let fields: [(fields: String, stored: String)] = [
        (#"{"string":{"value":"x","type":"STRING"}}"#, #""string":{"value":"x","type":"STRING"}"#),
        (#"{"string":{"value":"x"}}"#, #""string":{"value":"x","type":"STRING"}"#),
        (#"{"int64":{"value":true}}"#, #""int64":{"value":1,"type":"INT64"}"#),
        (#"{"int64":{"value":5,"type":"INT"}}"#, #""int64":{"value":5,"type":"INT64"}"#),
        (#"{"int64":{"value":9223372036854775807}}"#, #""int64":{"value":9223372036854775807,"type":"INT64"}"#),
        (#"{"double":{"value":1}}"#, #""double":{"value":1.0,"type":"DOUBLE"}"#),
        (#"{"timestamp":{"value":1775034000000}}"#, #""timestamp":{"value":1775034000000,"type":"TIMESTAMP"}"#),
        (#"{"timestamp":{"value":5,"type":"DATETIME"}}"#, #""timestamp":{"value":5,"type":"TIMESTAMP"}"#),
        (#"{"bytes":{"value":"AQI=","type":"BYTE"}}"#, #""bytes":{"value":"AQI=","type":"BYTES"}"#),
        (
            #"{"reference":{"value":{"recordName":"r","action":"DELETE_SELF","zoneID":{"zoneName":"_defaultZone"},"extra":1}}}"#,
            #""reference":{"value":{"recordName":"r","action":"DELETE_SELF"},"type":"REFERENCE"}"#
        ),
        (
            #"{"reference":{"value":{"recordName":"r"}}}"#,
            #""reference":{"value":{"recordName":"r","action":"NONE"},"type":"REFERENCE"}"#
        ),
        (
            #"{"location":{"value":{"latitude":1,"longitude":2,"extra":null,"more":3}}}"#,
            #""location":{"value":{"latitude":1.0,"longitude":2.0},"type":"LOCATION"}"#
        ),
        (#"{"stringlist":{"value":[],"type":"STRING_LIST"}}"#, #""stringlist":{"value":[],"type":"STRING_LIST"}"#),
        (#"{"stringlist":{"value":["a"],"type":"LIST"}}"#, #""stringlist":{"value":["a"],"type":"STRING_LIST"}"#),
        (#"{"int64list":{"value":[1,2]}}"#, #""int64list":{"value":[1,2],"type":"INT64_LIST"}"#),
        (
            #"{"asset":{"value":{"fileChecksum":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","size":3,"wrappingKey":"a","referenceChecksum":"b","downloadURL":"c","more":1},"type":"ASSET"}}"#,
            #""asset":{"value":{"fileChecksum":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","size":3},"type":"ASSETID"}"#
        ),
        (#"{"string":{"value":"x","isEncrypted":false}}"#, #""string":{"value":"x","type":"STRING"}"#),
        (#"{"string":{"value":"x","unknown":1}}"#, #""string":{"value":"x","type":"STRING"}"#),
    ]

    @Test(arguments: fields) func `a field is stored in its canonical form`(fields: String, stored: String) throws {
        #expect(text(try Self.resolve(fields).text) == stored)
    }

    @Test(arguments: [#"{"value":null}"#, "{}", "null", #"{"type":"STRING"}"#, #"{"value":null,"type":"STRING"}"#])
    func `a field without a value is removed`(field: String) throws {
        let resolved = try Self.resolve(#"{"string":\#(field)}"#)
        #expect(resolved.changes.map(\.kind) == [.remove])
    }

    static let reasons: [(fields: String, reason: String)] = [
        (#"{"timestamp":{"value":1.5,"type":"TIMESTAMP"}}"#, "Invalid value, expected type TIMESTAMP."),
        (#"{"timestamp":{"value":1.5}}"#, "Invalid value, expected type TIMESTAMP."),
        (#"{"int64":{"value":"x"}}"#, "Invalid value, expected type INT64."),
        (#"{"int64":{"value":1.5}}"#, "Invalid value, expected type INT64."),
        (#"{"string":{"value":3,"type":"STRING"}}"#, "Invalid value, expected type STRING."),
        (#"{"bytes":{"value":"!","type":"BYTES"}}"#, "Invalid value, expected type BYTES."),
        (#"{"reference":{"value":{"name":"r"}}}"#, "Invalid value, expected type REFERENCE."),
        (#"{"location":{"value":{"latitude":100,"longitude":0}}}"#, "Invalid value, expected type LOCATION."),
        (#"{"stringlist":{"value":"a"}}"#, "Invalid value, expected type STRING_LIST."),
        (
            #"{"int64":{"value":"x","type":"STRING"}}"#,
            "invalid attempt to set value type STRING for field 'int64' for type 'Post', defined to be: INT64"
        ),
        (
            #"{"int64":{"value":1.5,"type":"DOUBLE"}}"#,
            "invalid attempt to set value type DOUBLE for field 'int64' for type 'Post', defined to be: INT64"
        ),
        (
            #"{"string":{"value":["x"],"type":"STRING_LIST"}}"#,
            "invalid attempt to set value type STRING_LIST for field 'string' for type 'Post', defined to be: STRING"
        ),
        (#"{"missing":{"value":1}}"#, "Field missing not found in Post"),
        (
            #"{"string":{"value":"x","type":"STRING","isEncrypted":true}}"#,
            "encrypted fields are not supported in the public database"
        ),
        (
            #"{"string":{"value":"x","type":"ENCRYPTED_STRING"}}"#,
            "encrypted fields are not supported in the public database"
        ),
    ]

    @Test(arguments: reasons) func `a wrong field has CloudKit's reason`(fields: String, reason: String) {
        #expect(Self.fieldReason(fields) == reason)
    }

    @Test func `an encrypted value in another database has a reason of its own`() {
        #expect(
            Self.fieldReason(#"{"string":{"value":"x","isEncrypted":true}}"#, isPublic: false)
                == "Attempt to save encrypted data in non encrypted field type")
    }

    @Test(arguments: [#"{"string":"x"}"#, #"{"string":{"Value":"x"}}"#, #"{"string":{"value":"x","type":"TEXT"}}"#])
    func `a field of another form is unexpected input`(fields: String) {
        #expect(Self.fieldReason(fields)?.hasPrefix("BadRequestException: Unexpected input: ") == true)
    }
}
