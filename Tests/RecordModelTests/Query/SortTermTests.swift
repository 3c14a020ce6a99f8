import FuzzTargets
import RecordModel
import Testing

/// The order of records under a sort.
struct SortTermTests {
    private static func order(_ sort: String..., records: [(id: Int64, SampleRecord)]) throws -> [Int64] {
        let binder = try QuerySample.binder()
        var terms: [SortTerm] = []
        for name in sort {
            let isAscending = !name.hasPrefix("-")
            terms.append(try binder.sortTerm(isAscending ? name : String(name.dropFirst()), isAscending: isAscending))
        }
        return records.sorted { terms.areInIncreasingOrder($0.1, id: $0.id, $1.1, id: $1.id) }.map(\.id)
    }

    private static let records: [(id: Int64, SampleRecord)] = [
        (1, SampleRecord(values: ["a": .integer(2), "title": QuerySample.text("b")])),
        (2, SampleRecord(values: ["a": .integer(1), "title": QuerySample.text("b")])),
        (3, SampleRecord()), (4, SampleRecord(values: ["title": QuerySample.text("B")])),
        (5, SampleRecord(values: ["a": .integer(2), "title": QuerySample.text("b\0")])),
    ]

    @Test func `absent values come first ascending and last descending, and ties follow the id`() throws {
        #expect(try Self.order("a", records: Self.records) == [3, 4, 2, 1, 5])
        #expect(try Self.order("-a", records: Self.records) == [1, 5, 2, 3, 4])
        #expect(try Self.order(records: Self.records.reversed()) == [1, 2, 3, 4, 5])
    }

    @Test func `keys apply in their order, and texts compare by their bytes`() throws {
        #expect(try Self.order("title", "-a", records: Self.records) == [3, 4, 1, 2, 5])
        #expect(try Self.order("-title", "a", records: Self.records) == [5, 2, 1, 4, 3])
    }

    @Test func `only the head of a text is compared`() throws {
        let head = String(repeating: "x", count: IndexKey.textBytes)
        let long: [(id: Int64, SampleRecord)] = [
            (1, SampleRecord(values: ["title": QuerySample.text(head + "b")])),
            (2, SampleRecord(values: ["title": QuerySample.text(head + "a")])),
            (3, SampleRecord(values: ["title": QuerySample.text(head)])),
            (4, SampleRecord(values: ["title": QuerySample.text(String(head.dropLast()))])),
        ]
        #expect(try Self.order("title", records: long) == [4, 1, 2, 3])
        #expect(try Self.order("-title", records: long) == [1, 2, 3, 4])
    }

    private static let made: [(id: Int64, SampleRecord)] = [
        (1, SampleRecord(values: ["createdTimestamp": .integer(9), "a": .integer(1)])),
        (2, SampleRecord(values: ["createdTimestamp": .integer(9), "a": .integer(2)])),
        (3, SampleRecord(values: ["createdTimestamp": .integer(8), "a": .integer(3)])),
        (4, SampleRecord(values: ["createdTimestamp": .integer(9), "a": .integer(1)])),
    ]

    @Test func `records of one millisecond keep the order of creation, in both directions`() throws {
        #expect(try Self.order("createdTimestamp", records: Self.made) == [3, 1, 2, 4])
        #expect(try Self.order("-createdTimestamp", records: Self.made) == [4, 2, 1, 3])
        #expect(try Self.order("-modifiedTimestamp", records: Self.made) == [1, 2, 3, 4])
    }

    @Test func `keys after the time of creation order the records of one millisecond`() throws {
        #expect(try Self.order("createdTimestamp", "-a", records: Self.made) == [3, 2, 1, 4])
        #expect(try Self.order("-createdTimestamp", "a", records: Self.made) == [4, 1, 2, 3])
        #expect(try Self.order("-createdTimestamp", "-a", records: Self.made) == [2, 4, 1, 3])
    }

    @Test func `the time of creation gives ties its direction at any position`() throws {
        #expect(try Self.order("a", "-createdTimestamp", records: Self.made) == [4, 1, 2, 3])
        #expect(try Self.order("a", "createdTimestamp", records: Self.made) == [1, 4, 2, 3])
    }
}
