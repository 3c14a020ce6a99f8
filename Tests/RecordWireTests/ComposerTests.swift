import Encodings
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Answers, byte for byte.
struct ComposerTests {
    @Test func `a record dictionary has CloudKit's keys in a fixed order`() throws {
        let stored = try Sample.store("{\"string\":\"sea\",\"int64\":3}").stored
        #expect(
            text(try Sample.compose(stored, name: "a\"\u{e9}"))
                == #"{"recordName":"a\"é","recordType":"Post","fields":{"string":{"value":"sea","type":"STRING"},"#
                + #""int64":{"value":3,"type":"INT64"}},"pluginFields":{},"recordChangeTag":"11","#
                + #""created":{"timestamp":1000,"userRecordName":"_0f6d","deviceID":"2"},"#
                + #""modified":{"timestamp":2000,"userRecordName":"_0f6e","deviceID":"2"},"deleted":false}"#)
        let record = try RecordDictionary.decode(try Sample.compose(stored))
        #expect(record.recordName.text == "tree-1")
        #expect(record.recordType?.text == "Post")
        #expect(record.recordChangeTag == "11")
        #expect(record.created?.timestamp == 1_000)
        #expect(record.modified?.userRecordName == "_0f6e")
        #expect(!record.deleted)
    }

    @Test func `a selection shows only its fields`() throws {
        let stored = try Sample.store("{\"string\":\"sea\",\"int64\":3,\"double\":0.5}").stored
        for (wanted, names) in [([], []), ([2], ["int64"]), ([1, 3], ["string", "double"]), ([7, 99], [])]
            as [([Int], [String])]
        {
            let record = try RecordDictionary.decode(try Sample.compose(stored, selection: .only(wanted)))
            #expect(Set(record.fields.keys) == Set(names))
        }
    }

    @Test func `a selection of stored text copies the same fields as one of single values`() throws {
        let stored = try Sample.store(
            "{\"string\":\"a,b\",\"int64\":3,\"double\":0.5,\"timestamp\":9,\"stringlist\":[\"x\"]}"
        ).stored
        let numbers = try stored.withView { view throws(RecordError) in view.entries.map(\.fieldID) }
        for bits in 0..<(1 << numbers.count) {
            let named = numbers.indices.filter { bits & 1 << $0 != 0 }.map { numbers[$0] }
            let rest = numbers.filter { !named.contains($0) }
            let expected = try Sample.compose(stored, selection: .only(named))
            #expect(text(try Sample.compose(stored, selection: .except(rest + [99]))) == text(expected))
            for selection in [FieldSelection.only(named + [99]), .except(rest)] {
                let plain = try Sample.compose(plain: stored.text, layout: stored.layout, selection: selection)
                #expect(text(plain) == text(expected))
            }
        }
        #expect(try Sample.compose(plain: stored.text, layout: stored.layout) == Sample.compose(stored))
    }

    @Test func `a selection of stored text with a damaged layout is rejected, and nothing of it appended`() throws {
        let stored = try Sample.store("{\"string\":\"sea\",\"int64\":3,\"double\":0.5}").stored
        for position in stored.layout.indices {
            let cut = Array(stored.layout[..<position])
            #expect(throws: RecordError.self) {
                try Sample.compose(plain: stored.text, layout: cut, selection: .except([2]))
            }
        }
        #expect(throws: RecordError.self) {
            try Sample.compose(plain: stored.text + utf8(" "), layout: stored.layout, selection: .except([2]))
        }
    }

    @Test func `the access list follows the timestamps`() throws {
        let stored = try Sample.store("{\"int64\":3}").stored
        for name in ["_0f6d", "with \"quotes\""] {
            let response = try Sample.compose(
                plain: stored.text, layout: stored.layout, access: utf8("{\"*\":[\"read\"]}"), creator: name)
            #expect(text(response).hasSuffix(#""deviceID":"2"},"acl":{"*":["read"]},"deleted":false}"#))
            #expect(try RecordDictionary.decode(response).fields.count == 1)
        }
    }

    @Test func `external values are fetched only when they are shown`() throws {
        let merge = try Sample.store(
            "{\"int64\":1,\"bytes\":\"\(Base64.encode([UInt8](repeating: 5, count: 5_000)))\"}")
        let externals = Dictionary(uniqueKeysWithValues: merge.externalPuts.map { ($0.fieldID, $0.json) })
        let all = try RecordDictionary.decode(try Sample.compose(merge.stored, externals: externals))
        #expect(all.fields["bytes"] == .bytes([UInt8](repeating: 5, count: 5_000)))
        #expect(try RecordDictionary.decode(try Sample.compose(merge.stored, selection: .only([2]))).fields.count == 1)
        #expect(throws: RecordError.recordNotFound) { try Sample.compose(merge.stored) }
    }

    @Test func `assets get their URLs as the response is composed`() throws {
        let asset = "{\"size\":12,\"fileChecksum\":\"\(FieldRoundTripTests.checksum)\"}"
        let stored = try Sample.store("{\"int64\":1,\"asset\":\(asset),\"assetlist\":[\(asset),\(asset)]}").stored
        var number = 0
        let response = try Sample.compose(stored) { fieldID, asset in
            number += 1
            return number == 3 ? nil : "/\(fieldID)/\(asset.size)/\"\(number)"
        }
        let plain = "{\"fileChecksum\":\"\(FieldRoundTripTests.checksum)\",\"size\":12"
        #expect(text(response).contains(#""asset":{"value":\#(plain),"downloadURL":"/7/12/\"1"},"type":"ASSETID"}"#))
        #expect(
            text(response).contains(
                #""assetlist":{"value":[\#(plain),"downloadURL":"/23/12/\"2"},\#(plain)}],"type":"ASSETID_LIST"}"#))
        #expect(try RecordDictionary.decode(response).fields.count == 3)
        #expect(try !text(Sample.compose(stored)).contains("downloadURL"))
    }

    @Test func `tombstones and stubs have few keys`() throws {
        let typeName = try Sample.type().name
        var response: [UInt8] = []
        utf8("a").withUnsafeBytes { name in
            RecordComposer.appendTombstone(name: name, typeName: typeName, to: &response)
            RecordComposer.appendStub(name: name, typeName: typeName, revision: 36, to: &response)
        }
        #expect(
            text(response) == #"{"recordName":"a","recordType":"Post","deleted":true}"#
                + #"{"recordName":"a","recordType":"Post","recordChangeTag":"10","deleted":false}"#)
        #expect(try RecordDictionary.decode(utf8(#"{"recordName":"a","recordType":null,"deleted":true}"#)).deleted)
    }

    @Test func `an error dictionary has the known keys in a fixed order`() {
        var response: [UInt8] = []
        ErrorComposer.append(.recordNotFound, uuid: nil, recordName: "a\n", to: &response)
        #expect(text(response) == #"{"recordName":"a\n","serverErrorCode":"NOT_FOUND","reason":"Record not found"}"#)
        let full = RecordError(
            .tryAgainLater, "Wait", cause: .unavailable,
            details: [("n", .number(-1)), ("t", .text("\"")), ("l", .list(["a", "b"]))], retryAfter: 3,
            serverRecord: utf8("{\"recordName\":\"a\"}"))
        response = []
        ErrorComposer.append(full, uuid: "u", recordName: nil, to: &response)
        #expect(
            text(response) == #"{"uuid":"u","serverErrorCode":"TRY_AGAIN_LATER","reason":"Wait","details":"#
                + #"{"cause":"UNAVAILABLE","n":-1,"t":"\"","l":["a","b"]},"retryAfter":3,"serverRecord":{"recordName":"a"}}"#
        )
    }

    @Test func `a list of records is decoded in order`() throws {
        let records = try RecordDictionary.decodeList(
            utf8(
                #"{"cursor":"x","records":[{"recordName":"a"},{"recordName":"b","fields":{"n":{"value":1,"type":"INT64"}}}]}"#
            ))
        #expect(records.map(\.recordName.text) == ["a", "b"])
        #expect(records[1].fields == ["n": .int64(1)])
    }

    @Test(
        arguments: [
            (0, "0"), (1, "1"), (35, "z"), (36, "10"), (1_295, "zz"), (1_698_214_460_422, "lo5d1jwm"),
            (.max, "1y2p0ij32e8e7"),
        ] as [(Int64, String)])
    func `a tag is the revision in base 36`(revision: Int64, tag: String) {
        #expect(RecordTag.text(revision) == tag)
        #expect(RecordTag.parse(tag) == revision)
    }

    @Test(arguments: ["", "00", "01", "A", "-1", "+1", " 1", "1y2p0ij32e8e8", "zzzzzzzzzzzzz", "10000000000000", "é"])
    func `any other text is no tag`(tag: String) {
        #expect(RecordTag.parse(tag) == nil)
    }
}
