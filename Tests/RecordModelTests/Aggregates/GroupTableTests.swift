import Testing

@testable import RecordModel

@Suite struct GroupTableTests {
    private func aggregation(
        keys: [FieldType], _ values: [(AggregateFunction, FieldType?)], limit: Int = 10
    ) throws -> Aggregation {
        func field(_ type: FieldType) throws -> QueryField {
            let name = try #require(FieldName("f\(type.rawValue)"))
            return .field(FieldDefinition(id: Int(type.rawValue), name: name, type: type))
        }
        return Aggregation(
            keys: try keys.map { Aggregation.Key(name: "k\($0.rawValue)", field: try field($0)) },
            values: try values.enumerated().map {
                Aggregation.Value(name: "v\($0.offset)", function: $0.element.0, field: try $0.element.1.map(field))
            }, having: .constant(true), order: [], limit: limit)
    }

    @Test func `without keys there is one group, even without rows`() throws {
        let table = GroupTable(try aggregation(keys: [], [(.count, nil), (.max, .int64)]), in: .utc)
        #expect(try table.finish().groups == [AggregateGroup(keys: [], values: [.integer(0), nil])])
    }

    @Test func `one group more than the limit is rejected`() throws {
        let table = GroupTable(try aggregation(keys: [.int64], [(.count, nil)]), in: .utc)
        for number in 0..<Int64(Aggregation.maxGroups) { try table.add([.integer(number)]) }
        // A row of a known group fits.
        try table.add([.integer(5)])
        let error = #expect(throws: RecordError.self) { try table.add([.integer(-1)]) }
        #expect(error?.cause == .tooLarge)
        let (groups, hasMore) = try table.finish()
        #expect(groups.count == 10 && hasMore)
    }

    @Test func `long texts and distinct values are limited in bytes`() throws {
        for keys in [[FieldType.string], []] {
            let table = GroupTable(
                try aggregation(keys: keys, [(keys.isEmpty ? .countDistinct : .count, .string)]), in: .utc)
            let long = [UInt8](repeating: 0x61, count: 1 << 20)
            let error = #expect(throws: RecordError.self) {
                for number in UInt8(0)..<64 { try table.add([.text(long + [number])]) }
            }
            #expect(error?.cause == .tooLarge)
        }
    }
}
