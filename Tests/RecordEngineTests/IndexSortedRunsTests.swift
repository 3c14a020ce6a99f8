import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

@Suite struct IndexRunsTests {
    private struct Row: Hashable, Comparable {
        var index: IndexID
        var entry: IndexTable.Entry

        static func < (left: Row, right: Row) -> Bool {
            left.index != right.index ? left.index < right.index : left.entry < right.entry
        }
    }

    private static func drain(_ runs: IndexSortedRuns) -> [Row] {
        var rows: [Row] = []
        while let entry = runs.next() {
            let key = runs.withKey(of: entry) { Array($0) }
            rows.append(
                Row(index: entry.index, entry: .init(home: entry.home, key: key, record: entry.record)))
        }
        return rows
    }

    /// Keys with common prefixes of all lengths, around the end of an eight-byte comparison.
    private static func key(_ random: inout SeededGenerator) -> [UInt8] {
        var key = [UInt8](repeating: 7, count: Int(random.next() % 19))
        for _ in 0..<random.next() % 3 where !key.isEmpty {
            key[Int(random.next() % UInt64(key.count))] = [0, 1, 127, 128, 255][Int(random.next() % 5)]
        }
        return key
    }

    @Test(arguments: 1...40) func `entries come out in the order of their tables, however they were cut into runs`(
        _ seed: Int
    ) {
        var random = SeededGenerator(seed: UInt64(seed))
        let runs = IndexSortedRuns()
        var rows: [Row] = []
        let count = [0, 1, 2, 40, 900][seed % 5]
        let runLength = [1, 3, 64, 10_000][seed % 4]
        for number in 0..<count {
            let row = Row(
                index: IndexID(rawValue: Int64(random.next() % 3)),
                entry: .init(
                    home: RowHome(column: Int64(random.next() % 4) - 2), key: Self.key(&random),
                    record: RecordNumber(rawValue: Int64(number * 7 % 901))))
            rows.append(row)
            runs.append(
                row.entry.key, index: row.index, home: row.entry.home, record: row.entry.record, zone: 1,
                isUnique: false)
            if number % runLength == runLength - 1 { runs.endRun() }
            // An end without anything before it is none.
            if number % 50 == 0 { runs.endRun() }
        }
        #expect(runs.count == count)
        #expect(Self.drain(runs) == rows.sorted())
        #expect(runs.next() == nil)
    }

    @Test func `entries keep their values, and their size is known`() throws {
        let runs = IndexSortedRuns()
        #expect(runs.bytes == 0)
        runs.append([1, 2, 3], index: 5, home: .audience(4), record: 9, zone: 3, isUnique: true)
        #expect(runs.bytes > 3 && runs.bytes < 100)
        let entry = try #require(runs.next())
        #expect(
            entry.index == 5 && entry.home == .audience(4) && entry.record == 9 && entry.zone == 3 && entry.isUnique)
    }
}
