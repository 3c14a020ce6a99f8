import RecordModel
import TestSupport
import Testing

@testable import RecordWire

@Suite struct BoundsTests {
    @Test func `more fields than a type can have are rejected before the schema is asked`() {
        let fields = (0...Limits.fieldsPerType).map { "\"f\($0)\":1" }.joined(separator: ",")
        let body = Array("{\"fields\":{\(fields)}}".utf8)
        #expect(throws: RecordError.self) { try RecordInput.readSingle(body) }
        let allowed = (0..<Limits.fieldsPerType).map { "\"f\($0)\":1" }.joined(separator: ",")
        #expect(throws: Never.self) { try RecordInput.readSingle(Array("{\"fields\":{\(allowed)}}".utf8)) }
    }

    @Test func `an object has a bounded number of keys, also in ignored parts`() {
        func batch(_ count: Int) -> [UInt8] {
            let keys = (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",")
            return Array("{\"operations\":[],\"ignored\":{\(keys)}}".utf8)
        }
        #expect(throws: Never.self) { try BatchInput.read(batch(JSONKeySet.most), maxOperations: 200) }
        #expect { try BatchInput.read(batch(JSONKeySet.most + 1), maxOperations: 200) } throws: {
            ($0 as? RecordError)?.cause == .malformedJSON
        }
    }

    @Test func `more desired keys than a type can have fields are rejected`() {
        func batch(_ count: Int) -> [UInt8] {
            let keys = Array(repeating: "\"a\"", count: count).joined(separator: ",")
            return Array("{\"operations\":[],\"desiredKeys\":[\(keys)]}".utf8)
        }
        #expect(throws: Never.self) { try BatchInput.read(batch(Limits.fieldsPerType), maxOperations: 200) }
        #expect { try BatchInput.read(batch(Limits.fieldsPerType + 1), maxOperations: 200) } throws: {
            ($0 as? RecordError)?.cause == .tooLarge
        }
    }

    @Test func `an operation of a large batch reserves memory only for itself`() throws {
        let large = String(repeating: "x", count: 1_000_000)
        let body = Array(
            """
            {"operations":[{"operationType":"create","record":{"recordType":"Post","fields":{"t":"\(large)"}}},
            {"operationType":"create","record":{"recordType":"Post","fields":{"t":"y"}}}]}
            """.utf8)
        let batch = try BatchInput.read(body, maxOperations: 200)
        let type = RecordTypeDefinition(
            id: 1, name: try #require(RecordTypeName("Post")), grants: .standard,
            fields: [FieldDefinition(id: 1, name: try #require(FieldName("t")), type: .string)])
        let resolved = try FieldResolver.resolve(
            batch.operations[1].record, typeName: type.name, type: type, allowsNewFields: false,
            recordBytes: 1_048_576)
        #expect(resolved.text.capacity < 10_000)
    }

    @Test func `values of size zero do not make a record unbounded`() throws {
        let list = "[" + Array(repeating: "\"\"", count: 100_000).joined(separator: ",") + "]"
        let fields = (1...4).map { "\"f\($0)\":\(list)" }.joined(separator: ",")
        let input = try RecordInput.readSingle(Array("{\"fields\":{\(fields)}}".utf8))
        let type = RecordTypeDefinition(
            id: 1, name: try #require(RecordTypeName("Post")), grants: .standard,
            fields: try (1...4).map {
                FieldDefinition(id: $0, name: try #require(FieldName("f\($0)")), type: .stringList)
            })
        let resolved = try FieldResolver.resolve(
            input, typeName: type.name, type: type, allowsNewFields: false, recordBytes: 100_000)
        #expect {
            try FieldMerger.merge(
                resolved, into: nil, replacingAll: true, now: 0, recordBytes: 100_000,
                loadExternal: { _ throws(RecordError) in [] })
        } throws: {
            ($0 as? RecordError)?.code == .quotaExceeded
        }
    }
}
