import Encodings
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Changes and operations on stored fields.
struct FieldMergerTests {
    static func fields(_ stored: StoredFields, externals: [Int: [UInt8]] = [:]) throws -> [String: FieldValue] {
        try RecordDictionary.decode(try Sample.compose(stored, externals: externals)).fields
    }

    /// The result of a change on a field, given the fields before.
    static func outcome(_ before: String, _ change: String, _ field: FieldType) throws -> FieldValue? {
        let old = try Sample.store(before).stored
        let merge = try Sample.merge("{\"\(Sample.fieldName(field))\":\(change)}", into: old)
        try merge.stored.withView { view throws(RecordError) in try view.check() }
        return try fields(merge.stored)[Sample.fieldName(field)]
    }

    static func list(_ members: String...) -> FieldValue { .list(element: .string, members.map { .string($0) }) }

    static let operations: [(String, String, FieldType, FieldValue?)] = [
        ("{}", "{\"increment\":5}", .int64, .int64(5)), ("{\"int64\":5}", "{\"increment\":-7}", .int64, .int64(-2)),
        ("{\"int64\":5}", "{\"increment\":2.0}", .int64, .int64(7)),
        ("{\"int64\":9223372036854775806}", "{\"increment\":1}", .int64, .int64(.max)),
        ("{}", "{\"increment\":1}", .double, .double(1)),
        ("{\"double\":0.5}", "{\"increment\":0.25}", .double, .double(0.75)),
        ("{}", "{\"serverTime\":true}", .timestamp, .timestamp(Sample.now)),
        ("{\"timestamp\":1}", "{\"serverTime\":true}", .timestamp, .timestamp(Sample.now)),
        ("{}", "{\"setIfAbsent\":\"a\"}", .string, .string("a")),
        ("{\"string\":\"b\"}", "{\"setIfAbsent\":\"a\"}", .string, .string("b")),
        ("{}", "{\"append\":[\"a\",\"a\"]}", .stringList, list("a", "a")),
        ("{}", "{\"append\":[]}", .stringList, list()),
        ("{\"stringlist\":[\"x,\\\"]\"]}", "{\"append\":[\"\\u0061\"]}", .stringList, list("x,\"]", "a")),
        ("{\"stringlist\":[\"a\",\"b\"]}", "{\"appendUnique\":[\"b\",\"c\",\"c\"]}", .stringList, list("a", "b", "c")),
        ("{\"stringlist\":[\"a\",\"a\"]}", "{\"appendUnique\":[\"a\"]}", .stringList, list("a", "a")),
        ("{\"stringlist\":[\"a\",\"b\",\"a\"]}", "{\"remove\":[\"a\",\"z\"]}", .stringList, list("b")),
        ("{\"stringlist\":[\"a\"]}", "{\"remove\":[\"a\"]}", .stringList, list()),
        ("{}", "{\"remove\":[\"a\"]}", .stringList, nil),
        (
            "{\"int64list\":[1]}", "{\"appendUnique\":[1.0,true,2]}", .int64List,
            .list(element: .int64, [.int64(1), .int64(2)])
        ),
        (
            "{\"doublelist\":[-0.0,1]}", "{\"remove\":[0]}", .doubleList,
            .list(element: .double, [.double(1)])
        ),
        (
            "{\"referencelist\":[{\"recordName\":\"x\",\"action\":\"DELETE_SELF\"}]}",
            "{\"remove\":[{\"recordName\":\"x\"}]}", .referenceList, .list(element: .reference, [])
        ),
        (
            "{\"referencelist\":[{\"recordName\":\"x\",\"action\":\"DELETE_SELF\"}]}",
            "{\"appendUnique\":[{\"recordName\":\"x\"}]}", .referenceList,
            RecordName("x").map {
                .list(element: .reference, [.reference(Reference(recordName: $0, action: .deleteSelf))])
            }
        ),
        (
            "{\"byteslist\":[\"AQ==\"]}", "{\"append\":[\"AQI=\"]}", .bytesList,
            .list(element: .bytes, [.bytes([1]), .bytes([1, 2])])
        ),
    ]

    @Test(arguments: 0..<operations.count)
    func `an operation starts from what is there`(index: Int) throws {
        let (before, change, field, expected) = Self.operations[index]
        #expect(try Self.outcome(before, change, field) == expected)
        // Without fields before, the merge has no stored text.
        if before == "{}" {
            let merge = try Sample.store("{\"\(Sample.fieldName(field))\":\(change)}")
            #expect(try Self.fields(merge.stored)[Sample.fieldName(field)] == expected)
        }
    }

    @Test(arguments: [
        ("{\"int64\":9223372036854775807}", "{\"int64\":{\"increment\":1}}"),
        ("{\"int64\":-9223372036854775808}", "{\"int64\":{\"increment\":-1}}"),
        ("{\"double\":1.7976931348623157e308}", "{\"double\":{\"increment\":1.7976931348623157e308}}"),
    ])
    func `an increment beyond the type's range is rejected`(before: String, change: String) throws {
        let old = try Sample.store(before).stored
        let error = #expect(throws: RecordError.self) { try Sample.merge(change, into: old) }
        #expect(error?.code == .badRequest)
        #expect(error?.detail("field") == .text(before.contains("int64") ? "int64" : "double"))
    }

    @Test func `a list cannot grow past its limit by appending`() throws {
        let most = "[" + String(repeating: "1,", count: Limits.listMembers - 1) + "1]"
        let old = try Sample.store("{\"int64list\":\(most)}").stored
        let error = #expect(throws: RecordError.self) {
            try Sample.merge("{\"int64list\":{\"append\":[1]}}", into: old)
        }
        #expect(error?.cause == .tooLarge)
    }

    @Test func `a record over its limit is rejected with size and limit`() throws {
        let old = try Sample.store("{\"string\":\"0123456789\"}").stored
        _ = try Sample.merge("{\"int64\":1}", into: old, limit: 18)
        let error = #expect(throws: RecordError.self) { try Sample.merge("{\"int64\":1}", into: old, limit: 17) }
        #expect(error?.code == .quotaExceeded)
        #expect(error?.detail("size") == .number(18))
    }

    @Test func `a long BYTES value is stored outside the record, and other changes leave it there`() throws {
        let bytes = [UInt8](repeating: 9, count: 3_072)
        let inline = Base64.encode([UInt8](repeating: 9, count: 3_069))
        #expect(try Sample.store("{\"bytes\":\"\(inline)\"}").externalPuts.isEmpty)

        let first = try Sample.store("{\"int64\":1,\"bytes\":\"\(Base64.encode(bytes))\",\"string\":\"a\"}")
        let put = try #require(first.externalPuts.first)
        #expect(put.fieldID == 5)
        #expect(text(put.json) == "\"\(Base64.encode(bytes))\"")
        #expect(text(first.stored.text).hasSuffix("\"bytes\":{\"value\":,\"type\":\"BYTES\"}"))
        let size = try first.stored.withView { view throws(RecordError) in
            try view.check()
            return view.decodedSize
        }
        #expect(size == 3_072 + 9)

        let second = try Sample.merge("{\"int64\":2}", into: first.stored)
        #expect(second.externalPuts.isEmpty)
        #expect(second.externalRemovals.isEmpty)
        #expect(try Self.fields(second.stored, externals: [5: put.json])["bytes"] == .bytes(bytes))

        #expect(try Sample.merge("{\"bytes\":null}", into: first.stored).externalRemovals == [5])
        #expect(try Sample.merge("{\"bytes\":\"\"}", into: first.stored).externalRemovals == [5])
        #expect(try Sample.merge("{\"int64\":2}", into: first.stored, replacingAll: true).externalRemovals == [5])
        let again = try Sample.merge("{\"bytes\":\"\(Base64.encode(bytes))\"}", into: first.stored)
        #expect(again.externalPuts.count == 1)
        #expect(again.externalRemovals.isEmpty)
    }

    @Test func `a list of BYTES moves out and in as operations change its length`() throws {
        let big = Base64.encode([UInt8](repeating: 9, count: 3_060))
        let small = try Sample.store("{\"byteslist\":[\"\(big)\"]}")
        #expect(small.externalPuts.isEmpty)
        let grown = try Sample.merge("{\"byteslist\":{\"append\":[\"AAAAAAAAAAAAAAAAAAAA\"]}}", into: small.stored)
        let put = try #require(grown.externalPuts.first)
        let shrunk = try Sample.merge(
            "{\"byteslist\":{\"remove\":[\"\(big)\"]}}", into: grown.stored, externals: [21: put.json])
        #expect(shrunk.externalRemovals == [21])
        #expect(shrunk.externalPuts.isEmpty)
        #expect(
            text(shrunk.stored.text) == "\"byteslist\":{\"value\":[\"AAAAAAAAAAAAAAAAAAAA\"],\"type\":\"BYTES_LIST\"}")
    }

    @Test func `a replacing write sees the old value in its operations`() throws {
        let old = try Sample.store("{\"int64\":5,\"string\":\"a\"}").stored
        let merge = try Sample.merge("{\"int64\":{\"increment\":1}}", into: old, replacingAll: true)
        #expect(try Self.fields(merge.stored) == ["int64": .int64(6)])
    }

    @Test func `references are found, and their absence is known`() throws {
        let merge = try Sample.store(
            "{\"reference\":{\"recordName\":\"a\"},\"referencelist\":[{\"recordName\":\"b\",\"action\":\"DELETE_SELF\"}]}"
        )
        #expect(merge.hasReferences)
        let (all, strong) = try merge.stored.withView { view throws(RecordError) in
            (try view.references(includingNone: true), try view.references(includingNone: false))
        }
        #expect(all.map(\.fieldID) == [6, 22])
        #expect(strong.map(\.reference.recordName.text) == ["b"])
        #expect(try !Sample.merge("{\"reference\":null,\"referencelist\":null}", into: merge.stored).hasReferences)
        #expect(try Sample.merge("{\"int64\":1}", into: merge.stored).hasReferences)
    }

    @Test func `assets are passed on with their receipts, which are not stored`() throws {
        let asset = FieldRoundTripTests.assetJSON
        for fields in [
            "{\"asset\":\(asset)}", "{\"asset\":{\"setIfAbsent\":\(asset)}}", "{\"assetlist\":[\(asset)]}",
            "{\"assetlist\":{\"append\":[\(asset)]}}",
        ] {
            let resolved = try Sample.resolve(fields)
            #expect(resolved.assets.map(\.asset.receipt) == ["r"], "\(fields)")
            let stored = try Sample.merge(resolved, into: nil).stored
            #expect(!text(stored.text).contains("receipt"))
            #expect(!text(stored.text).contains("downloadURL"))
        }
    }

    static let literals: [FieldType: [String]] = [
        .string: ["\"\"", "\"a,b\"", "\"{\\\"}\"", "\"\\u00e9😀\""], .int64: ["0", "-5", "9223372036854775807"],
        .double: ["0.5", "-1e300"], .timestamp: ["1", "1772366400123"], .bytes: ["\"AQID\"", "\"\""],
        .reference: ["{\"recordName\":\"a\"}"], .location: ["{\"latitude\":1,\"longitude\":2}"],
        .stringList: ["[]", "[\"a\",\"]\"]"], .int64List: ["[1,2,3]"], .doubleList: ["[0.5]"],
        .bytesList: ["[\"AQ==\"]"],
    ]

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `random changes agree with a dictionary`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let types = Array(Self.literals.keys).sorted { $0.rawValue < $1.rawValue }
        let long = "\"" + Base64.encode([UInt8](repeating: UInt8(seed), count: 4_000)) + "\""
        var stored = StoredFields.empty
        var externals: [Int: [UInt8]] = [:]
        var model: [String: FieldValue] = [:]
        for _ in 0..<40 {
            let replacingAll = Int.random(in: 0..<8, using: &generator) == 0
            if replacingAll { model = [:] }
            var changes: [String] = []
            for type in types.shuffled(using: &generator) where Int.random(in: 0..<3, using: &generator) == 0 {
                let name = Sample.fieldName(type)
                let choices = (Self.literals[type] ?? []) + (type == .bytes ? [long] : [])
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    changes.append("\"\(name)\":null")
                    model[name] = nil
                } else if let literal = choices.randomElement(using: &generator) {
                    changes.append("\"\(name)\":\(literal)")
                    model[name] = try Sample.roundTrip(type, literal)
                }
            }
            let merge = try Sample.merge(
                "{\(changes.joined(separator: ","))}", into: stored, replacingAll: replacingAll)
            for fieldID in merge.externalRemovals { #expect(externals.removeValue(forKey: fieldID) != nil) }
            for (fieldID, json) in merge.externalPuts { externals[fieldID] = json }
            stored = merge.stored
            try stored.withView { view throws(RecordError) in try view.check() }
            #expect(try Self.fields(stored, externals: externals) == model)
            #expect(externals.isEmpty == (text(stored.text).contains("{\"value\":,") == false))
        }
    }
}
