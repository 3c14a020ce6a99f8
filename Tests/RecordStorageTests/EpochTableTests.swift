import RecordStorage
import Testing

@Suite struct OpeningTableTests {
    @Test func `the numbers of an epoch end where the next epoch begins`() throws {
        let file = try TestFile()
        let table = EpochTable(file.writer)
        #expect(try table.current() == EpochTable.before)
        #expect(try table.lastNumber(of: EpochTable.before) == .max)
        try table.add(epoch: 700, after: 12)
        try table.add(epoch: 7, after: 12)
        try table.add(epoch: 70, after: 40)
        #expect(try table.current() == 70)
        #expect(try [EpochTable.before, 700, 7, 70].map(table.lastNumber) == [12, 12, 40, .max])
        #expect(try table.lastNumber(of: 71) == nil)
    }

    @Test func `the oldest of very many openings are deleted`() throws {
        let file = try TestFile()
        let table = EpochTable(file.writer)
        try file.writer.execute("BEGIN")
        for number in 1...10_001 { try table.add(epoch: Int64(number), after: Int64(number)) }
        try file.writer.execute("COMMIT")
        #expect(try table.lastNumber(of: 1) == nil)
        #expect(try table.lastNumber(of: 2) == 3)
        #expect(try table.lastNumber(of: 10_001) == .max)
        #expect(try file.writer.integer("SELECT count(*) FROM opening") == 10_000)
    }
}
