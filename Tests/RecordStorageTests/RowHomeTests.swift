import RecordModel
import TestSupport
import Testing

@testable import RecordStorage

@Suite struct RowHomeTests {
    @Test func `an audience is a negative number in a column, a zone is its number`() {
        #expect(RowHome.zone(7).column == 7)
        #expect(RowHome.audience(7).column == -7)
        #expect(RowHome.zone(7) != .audience(7))
    }

    @Test(arguments: [RowHome.zone(1), .zone(9), .audience(1), .audience(9)])
    func `a home round-trips through a column`(
        _ home: RowHome
    ) throws {
        #expect(RowHome(column: home.column) == home)
        let file = try TestFile()
        let statement = file.writer.prepare("SELECT ?1, ?1")
        let found = try #require(try statement.with(home).row { ($0.next(RowHome.self), $0.next(Int64.self)) })
        #expect(found == (home, home.column))
    }

    @Test func `homes have the order of the tables`() {
        let homes: [RowHome] = [.zone(2), .audience(1), .zone(1), .audience(2)]
        #expect(homes.sorted() == [.audience(2), .audience(1), .zone(1), .zone(2)])
        #expect(homes.allSatisfy { $0.column > RowHome.belowAllColumns })
    }

    @Test func `an entry of an audience is not one of the zone with its number`() throws {
        let file = try TestFile()
        let table = IndexTable(file.writer)
        try table.make(1)
        try [UInt8(5)].withUnsafeBytes { try table.insert(home: .audience(3), key: $0, record: 8, into: 1) }
        let reading = IndexScanner(file.writer)
        let everything = IndexScanner.KeyRange(lower: [], upper: nil)
        #expect(try reading.count(1, home: .zone(3), everything) == 0)
        #expect(try reading.count(1, home: .audience(3), everything) == 1)
        #expect(try table.entries(of: 1) == [.init(home: .audience(3), key: [5], record: 8)])
    }
}
