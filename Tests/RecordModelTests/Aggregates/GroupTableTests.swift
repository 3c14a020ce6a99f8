import Testing

@testable import RecordModel

@Suite struct GroupTableTests {
    private func aggregation(
        keys: [FieldType], _ values: [(AggregateFunction, FieldType?)], limit: Int = 10,
        having test: ValueTest? = nil
    ) throws -> Aggregation {
        func field(_ type: FieldType) throws -> QueryField {
            let name = try #require(FieldName("f\(type.rawValue)"))
            return .field(FieldDefinition(id: Int(type.rawValue), name: name, type: type))
        }
        // The fields of a condition on groups are numbered as the columns.
        let first = FieldDefinition(id: 0, name: try #require(FieldName("k")), type: keys.first ?? .string)
        let having = test.map { Predicate.condition(Condition(.field(first), $0)) } ?? .constant(true)
        return Aggregation(
            keys: try keys.map { Aggregation.Key(name: "k\($0.rawValue)", field: try field($0)) },
            values: try values.enumerated().map {
                Aggregation.Value(name: "v\($0.offset)", function: $0.element.0, field: try $0.element.1.map(field))
            }, having: having, order: [], limit: limit)
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

    @Test(arguments: ["MATCHES", "CONTAINS"])
    func `a condition on groups with long texts can be ended`(word: String) throws {
        let test: ValueTest =
            word == "MATCHES"
            ? .matches(try TextPattern("(?:[a-z]*){300}Z", .expression, folding: []))
            : .contains([UInt8](repeating: 0x61, count: 10_000) + [0x62])
        let table = GroupTable(try aggregation(keys: [.string], [(.count, nil)], having: test), in: .utc)
        try table.add([.text([UInt8](repeating: 0x61, count: 1 << 20))])
        // The reference implementation of CONTAINS would take 10 s of processor time.
        var work = 0
        let error = #expect(throws: RecordError.self) {
            _ = try table.finish { more throws(RecordError) in
                work += more
                if work > 20_000_000 { throw RecordError(.internalError, "The end") }
            }
        }
        #expect(error?.reason == "The end" && work < 21_000_000)
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
