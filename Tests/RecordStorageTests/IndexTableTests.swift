import RecordModel
import RecordStorage
import TestSupport
import Testing

@Suite struct IndexTableTests {
    private func insert(_ table: IndexTable, _ zone: ZoneID, _ key: [UInt8], _ record: RecordNumber) throws {
        try key.withUnsafeBytes { try table.insert(home: .zone(zone), key: $0, record: record, into: 1) }
    }

    @Test func `entries are in order, and each is there once`() throws {
        let file = try TestFile()
        let table = IndexTable(file.writer)
        try table.make(1)
        try insert(table, 2, [], 1)
        try insert(table, 1, [2, 5], 9)
        try insert(table, 1, [2], 7)
        try insert(table, 1, [2, 5], 8)
        try insert(table, 1, [2, 5], 9)
        let all = try table.entries(of: 1)
        #expect(all.map(\.record) == [7, 8, 9, 1])
        #expect(all == all.sorted())
        #expect(try table.entries(of: 1, after: all[1], limit: 1) == [all[2]])
        #expect(try table.contains(all[3], in: 1))
        try all[1].key.withUnsafeBytes { key in
            #expect(try table.otherRecord(home: .zone(1), key: key, than: 9, in: 1) == 8)
            #expect(try table.otherRecord(home: .zone(2), key: key, than: 9, in: 1) == nil)
            try table.remove(home: .zone(1), key: key, record: 8, from: 1)
            try table.remove(home: .zone(1), key: key, record: 8, from: 1)
            #expect(try table.otherRecord(home: .zone(1), key: key, than: 9, in: 1) == nil)
        }
        #expect(try table.count(of: 1) == 3)
    }

    @Test func `a table is emptied from its beginning, and then dropped`() throws {
        let file = try TestFile()
        let table = IndexTable(file.writer)
        try table.make(1)
        for number in 0..<10 { try insert(table, ZoneID(rawValue: Int64(number / 5)), [UInt8(number)], 1) }
        #expect(try !table.removeFirst(4, of: 1))
        #expect(try table.entries(of: 1).map(\.key) == [[4], [5], [6], [7], [8], [9]])
        #expect(try !table.removeFirst(4, of: 1))
        #expect(try table.removeFirst(4, of: 1))
        #expect(try table.count(of: 1) == 0)
        try table.drop(1)
        #expect(try table.tables().isEmpty)
        // The statements of the dropped table are not kept for one that takes its number.
        try table.make(1)
        try insert(table, 1, [1], 1)
    }

    @Test func `definitions are read as they were written`() throws {
        let file = try TestFile()
        let table = IndexDefinitionTable(file.writer)
        typealias Column = IndexDefinition.Column
        let columns = [
            Column(.field(12)), Column(.field(3), isAscending: false), Column(.system(.createdTimestamp)),
            Column(.system(.modifiedTimestamp), isAscending: false), Column(.system(.createdUserRecordName)),
            Column(.system(.modifiedUserRecordName)),
        ]
        let first = try table.add(.init(kind: .ordered, columns: columns, isUnique: true), isDeclared: true, type: 5)
        let second = try table.add(.init(kind: .members, columns: [Column(.field(1))]), isDeclared: false, type: 5)
        let third = try table.add(.init(kind: .ordered, columns: [Column(.field(1))]), isDeclared: true, type: 6)
        var build = try #require(try table.builds().first { $0.id == first })
        build.position = 40
        build.built = 7
        try table.save(build)
        try table.setFailed(third, reason: "No")
        let loaded = try table.load()
        #expect(
            loaded[5] == [
                IndexDefinition(
                    id: first, kind: .ordered, columns: columns, isUnique: true, state: .building(position: 40)),
                IndexDefinition(
                    id: second, kind: .members, columns: [Column(.field(1))], isDeclared: false,
                    state: .building(position: 0)),
            ])
        #expect(loaded[6]?.map(\.state) == [.failed("No")])
        #expect(try table.builds().map(\.built) == [7, 0])
        try table.setReady(first)
        try table.setDropped(second)
        #expect(try table.load()[5]?.map(\.state) == [.ready])
        #expect(try table.firstDropped() == second)
        #expect(try table.numbers() == [first, second, third])
        try table.remove(third)
        // A number is never given twice.
        #expect(try table.add(.init(kind: .ordered, columns: columns), isDeclared: true, type: 5) == third + 1)
    }

    @Test func `a scan visits the records of one type zone by zone and reports if they are few`() throws {
        let file = try TestFile()
        for id in 1...6 { try file.insert("r\(id)", id: Int64(id)) }
        try file.writer.execute("INSERT INTO zone (scope, owner, name, generation) VALUES (1, 16, 'z', 2)")
        try file.writer.execute("UPDATE record SET zone = 2 WHERE id IN (1, 2)")
        try file.writer.execute("UPDATE record SET type = 2 WHERE id = 5")
        try file.writer.execute("UPDATE record SET deleted = 1 WHERE id = 6")
        let scan = RecordBackfillScan(file.writer)
        #expect(try scan.hasAtMost(4, ofType: 1))
        #expect(try !scan.hasAtMost(3, ofType: 1))
        try scan.begin(type: 1)
        #expect(try Self.ids(scan) == [3, 4, 1, 2])
        try scan.begin(after: 2)
        #expect(try Self.ids(scan) == [3, 4, 5, 6])
    }

    private static func ids(_ scan: RecordBackfillScan) throws -> [RecordNumber] {
        defer { scan.finish() }
        var ids: [RecordNumber] = []
        while let (cursor, _) = try scan.next() { ids.append(cursor.row.id) }
        return ids
    }
}
