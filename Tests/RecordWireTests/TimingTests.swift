import Foundation
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Prints the costs of the record path. Run in release: `FOGBASE_TIMINGS=1 swift test -c release --filter TimingTests`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FOGBASE_TIMINGS"] != nil, "FOGBASE_TIMINGS=1 prints timings"))
struct TimingTests {
    static let body = utf8(
        #"{"recordName":"0190c2e8-7d31-7cc2-9a5f-2f1f6a1d9b10","fields":{"title":{"value":"A walk along the sea","type":"STRING"},"#
            + #""body":{"value":"We went down to the water before sunrise; the tide was out and the whole bay lay open, grey and quiet.","type":"STRING"},"#
            + #""good":{"value":1234,"type":"INT64"},"rating":{"value":4.25,"type":"DOUBLE"},"#
            + #""posted":{"value":1772366400123,"type":"TIMESTAMP"},"tags":{"value":["sea","walk","dawn"],"type":"STRING_LIST"}}}"#
    )

    static func type() throws -> RecordTypeDefinition {
        let names: [(String, FieldType)] = [
            ("title", .string), ("body", .string), ("good", .int64), ("rating", .double), ("posted", .timestamp),
            ("tags", .stringList),
        ]
        let fields = try names.enumerated().map { index, pair in
            FieldDefinition(id: index + 1, name: try #require(FieldName(pair.0)), type: pair.1)
        }
        return RecordTypeDefinition(
            id: 1, name: try #require(RecordTypeName("Post")), grants: .standard, fields: fields)
    }

    static func measure(_ name: String, rounds: Int = 200_000, _ body: () throws -> Int) rethrows {
        var best = Double.infinity
        var sum = 0
        for _ in 0..<5 {
            let clock = ContinuousClock()
            let start = clock.now
            for _ in 0..<(rounds / 5) { sum &+= try body() }
            let elapsed = start.duration(to: clock.now)
            best = min(
                best,
                Double(elapsed.components.attoseconds) / 1e12 / Double(rounds / 5)
                    + Double(elapsed.components.seconds) * 1e6 / Double(rounds / 5))
        }
        print("TIMING \(name): \((best * 1_000).rounded() / 1_000) µs (\(sum & 1))")
    }

    @Test func `the record path against Foundation`() throws {
        let type = try Self.type()
        let body = Self.body
        print("TIMING body of \(body.count) bytes")
        let data = Data(body)
        try Self.measure("JSONSerialization", rounds: 10_000) {
            (try JSONSerialization.jsonObject(with: data) as? [String: Any])?.count ?? 0
        }
        try Self.measure("readSingle") { try RecordInput.readSingle(body).fields.count }
        let input = try RecordInput.readSingle(body)
        try Self.measure("resolve") {
            try FieldResolver.resolve(
                input, typeName: type.name, type: type, allowsNewFields: false, recordBytes: 1 << 20
            ).changes.count
        }
        let resolved = try FieldResolver.resolve(
            input, typeName: type.name, type: type, allowsNewFields: false, recordBytes: 1 << 20)
        let none = { (_: Int) throws(RecordError) -> [UInt8] in [] }
        try Self.measure("merge, new record") {
            try FieldMerger.merge(
                resolved, into: nil, replacingAll: true, now: 0, recordBytes: 1 << 20, loadExternal: none
            ).stored.text.count
        }
        try Self.measure("readSingle + resolve + merge") {
            let input = try RecordInput.readSingle(body)
            let resolved = try FieldResolver.resolve(
                input, typeName: type.name, type: type, allowsNewFields: false, recordBytes: 1 << 20)
            return try FieldMerger.merge(
                resolved, into: nil, replacingAll: true, now: 0, recordBytes: 1 << 20, loadExternal: none
            ).stored.text.count
        }
        let stored = try FieldMerger.merge(
            resolved, into: nil, replacingAll: true, now: 0, recordBytes: 1 << 20, loadExternal: none
        ).stored
        let like = try RecordInput.readSingle(utf8("{\"fields\":{\"good\":{\"increment\":1}}}"))
        try stored.withView { view throws(RecordError) in
            let change = try FieldResolver.resolve(
                like, typeName: type.name, type: type, allowsNewFields: false, recordBytes: 1 << 20)
            do {
                try Self.measure("merge, increment of one field") {
                    try FieldMerger.merge(
                        change, into: view, replacingAll: false, now: 0, recordBytes: 1 << 20, loadExternal: none
                    ).stored.text.count
                }
            } catch { throw .recordNotFound }
        }
        try Self.measureComposing(stored, type.name)
    }

    static func measureComposing(_ stored: StoredFields, _ typeName: RecordTypeName) throws {
        let name = utf8("0190c2e8-7d31-7cc2-9a5f-2f1f6a1d9b10")
        var response: [UInt8] = []
        response.reserveCapacity(4_096)
        try stored.text.withUnsafeBytes { text in
            try stored.layout.withUnsafeBytes { layout in
                try name.withUnsafeBytes { name in
                    try measure("compose, with its view") {
                        response.removeAll(keepingCapacity: true)
                        let header = RecordHeader(
                            name: name, typeName: typeName, revision: 1_234_567, created: 1_772_366_400_123,
                            creator: "_0123456789abcdef0123456789abcdef", modified: 1_772_366_400_124,
                            modifier: "_0123456789abcdef0123456789abcdef")
                        RecordComposer.append(
                            header, fields: try StoredFieldsView(text: text, layout: layout), selection: .all,
                            external: { (_, _) throws(Never) in }, to: &response)
                        return response.count
                    }
                }
            }
        }
    }
}
