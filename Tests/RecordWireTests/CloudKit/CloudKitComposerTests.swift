import RecordModel
import RecordWire
import TestSupport
import Testing

/// Record dictionaries of CloudKit's protocol.
@Suite struct CloudKitComposerTests {
    static let digest = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    static func compose(
        _ fields: String, selection: FieldSelection = .all,
        as face: CloudKitFace = CloudKitFace(requestID: "u", baseURL: "https://example.org")
    ) throws -> String {
        let type = try Sample.type()
        let stored = try Sample.store(fields).stored
        var json: [UInt8] = []
        let name = utf8("a\"b")
        try name.withUnsafeBytes { name in
            try stored.text.withUnsafeBytes { text in
                try stored.layout.withUnsafeBytes { layout in
                    let header = RecordHeader(
                        name: name, typeName: type.name, revision: 36, created: 1, creator: "_a", modified: 2,
                        modifier: "_b")
                    CloudKitComposer.append(
                        header, fields: try StoredFieldsView(text: text, layout: layout), selection: selection,
                        as: face,
                        external: { _, output in output += utf8("\"AQID\"") }, zone: face.zone.json,
                        downloadURL: { "https://example.org/assets/t/" + ($0.filename ?? "file") }, to: &json)
                }
            }
        }
        return text(json)
    }

    static func record(_ fields: String, zone: String = "") -> String {
        #"{"recordName":"a\"b","recordType":"Post","fields":{\#(fields)},"pluginFields":{},"recordChangeTag":"10","created":{"timestamp":1,"userRecordName":"_a","deviceID":"2"},"modified":{"timestamp":2,"userRecordName":"_b","deviceID":"2"},"deleted":false\#(zone)}"#
    }

    @Test(arguments: [
        (#""int64":{"value":-5,"type":"INT64"},"double":{"value":1.5,"type":"DOUBLE"}"#),
        (#""timestamp":{"value":5,"type":"TIMESTAMP"},"stringlist":{"value":[],"type":"STRING_LIST"}"#),
        (#""reference":{"value":{"recordName":"r","action":"NONE"},"type":"REFERENCE"}"#), "",
    ]) func `a record has CloudKit's keys`(fields: String) throws {
        #expect(try Self.compose("{\(fields)}") == Self.record(fields))
    }

    @Test func `numbers may be strings, times stay numbers`() throws {
        let face = CloudKitFace(requestID: "u", baseURL: "", numbersAsStrings: true)
        let fields =
            #"{"int64":{"value":-5},"double":{"value":1.5},"timestamp":{"value":7},"int64list":{"value":[1,2]},"doublelist":{"value":[]}}"#
        let expected =
            #""int64":{"value":"-5","type":"INT64"},"double":{"value":"1.5","type":"DOUBLE"},"timestamp":{"value":7,"type":"TIMESTAMP"},"int64list":{"value":["1","2"],"type":"INT64_LIST"},"doublelist":{"value":[],"type":"DOUBLE_LIST"}"#
        #expect(try Self.compose(fields, as: face) == Self.record(expected))
    }

    @Test func `an asset has checksum, size and URL alone`() throws {
        let stored = #"{"fileChecksum":"\#(Self.digest)","size":3,"contentType":"image/png","filename":"a.png"}"#
        let shown =
            #"{"fileChecksum":"\#(Self.digest)","size":3,"downloadURL":"https://example.org/assets/t/a.png"}"#
        #expect(
            try Self.compose(#"{"asset":{"value":\#(stored)},"assetlist":{"value":[\#(stored),\#(stored)]}}"#)
                == Self.record(
                    #""asset":{"value":\#(shown),"type":"ASSETID"},"assetlist":{"value":[\#(shown),\#(shown)],"type":"ASSETID_LIST"}"#
                ))
    }

    @Test func `selected fields are shown, and the zone if there is one`() throws {
        let face = CloudKitFace(
            requestID: "u", baseURL: "", zone: .one(CloudKitZoneID(zoneName: "Shifts", ownerRecordName: "_o").json))
        #expect(
            try Self.compose(
                #"{"string":{"value":"x"},"int64":{"value":1}}"#, selection: .only([Int(FieldType.int64.rawValue)]),
                as: face)
                == Self.record(
                    #""int64":{"value":1,"type":"INT64"}"#,
                    zone: #","zoneID":{"zoneName":"Shifts","ownerRecordName":"_o","zoneType":"REGULAR_CUSTOM_ZONE"}"#))
    }

    @Test func `a large value is read where it is stored`() throws {
        let long = String(repeating: "AQID", count: 20_000)
        #expect(
            try Self.compose(#"{"bytes":{"value":"\#(long)"}}"#)
                == Self.record(#""bytes":{"value":"AQID","type":"BYTES"}"#))
    }

    @Test func `a record that the caller may not read is a stub`() {
        let name = utf8("n")
        var json: [UInt8] = []
        name.withUnsafeBytes { name in
            guard let type = RecordTypeName("Post") else { return }
            CloudKitComposer.appendStub(
                name: name, typeName: type, revision: 36, as: CloudKitFace(requestID: "u", baseURL: ""), to: &json)
        }
        #expect(
            text(json)
                == #"{"recordName":"n","recordType":"Post","recordChangeTag":"10","deleted":false,"fields":{},"pluginFields":{}}"#
        )
    }
}
