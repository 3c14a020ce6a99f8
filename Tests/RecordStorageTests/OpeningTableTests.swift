import RecordStorage
import Testing

@Suite struct OpeningTableTests {
    @Test func `an epoch has given numbers up to where the next one began`() throws {
        let file = try TestFile()
        let table = OpeningTable(file.writer)
        #expect(try table.current() == OpeningTable.before)
        #expect(try table.lastNumber(of: OpeningTable.before) == .max)
        try table.add(epoch: 700, after: 12)
        try table.add(epoch: 7, after: 12)
        try table.add(epoch: 70, after: 40)
        #expect(try table.current() == 70)
        #expect(try [OpeningTable.before, 700, 7, 70].map(table.lastNumber) == [12, 12, 40, .max])
        #expect(try table.lastNumber(of: 71) == nil)
    }

    @Test func `of very many openings the oldest are forgotten`() throws {
        let file = try TestFile()
        let table = OpeningTable(file.writer)
        try file.writer.execute("BEGIN")
        for number in 1...10_001 { try table.add(epoch: Int64(number), after: Int64(number)) }
        try file.writer.execute("COMMIT")
        #expect(try table.lastNumber(of: 1) == nil)
        #expect(try table.lastNumber(of: 2) == 3)
        #expect(try table.lastNumber(of: 10_001) == .max)
        #expect(try file.writer.integer("SELECT count(*) FROM opening") == 10_000)
    }
}
