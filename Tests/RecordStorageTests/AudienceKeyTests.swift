import RecordModel
import TestSupport
import Testing

@testable import RecordStorage

@Suite struct AudienceKeyTests {
    @Test func `everything is stored as the greatest number, a principal as its own`() {
        let keys: [(AudienceKey, Int64)] = [
            (.everything, .max), (.principal(.everyone), 0), (.principal(.user(5)), 5), (.principal(.role(5)), -5),
        ]
        for (key, column) in keys {
            #expect(key.column == column)
            #expect(AudienceKey(column: column) == key)
        }
        #expect(AudienceKey(column: .min) == nil)
    }

    @Test func `an audience is found by zone and key, and says both`() throws {
        let file = try TestFile()
        let table = AudienceTable(file.writer)
        #expect(try table.find(zone: 3, .everything) == nil)
        let everything = try table.ensure(zone: 3, .everything)
        let editors = try table.ensure(zone: 3, .principal(.role(5)))
        #expect(try table.ensure(zone: 3, .everything) == everything)
        #expect(try table.find(zone: 3, .principal(.role(5))) == editors)
        #expect(try table.find(zone: 3, .principal(.user(5))) == nil)
        #expect(try table.find(zone: 4, .everything) == nil)
        let found = try #require(try table.audience(editors))
        #expect(found == (3, .principal(.role(5))))
        #expect(try table.audience(editors + 1) == nil)
    }

    @Test func `a set of permitted records finds its audiences that have records of the type`() throws {
        let file = try TestFile()
        let table = AudienceTable(file.writer)
        let row = RecordRow(
            id: 9, type: 2, sequence: 9, revision: 1, creator: 16, created: 1, modifier: 16, modified: 1)
        let everything = try table.ensure(zone: 3, .everything)
        let editors = try table.ensure(zone: 3, .principal(.role(5)))
        _ = try table.ensure(zone: 3, .principal(.user(5)))
        try table.add(row, to: everything)
        try table.add(row, to: editors)
        let reading = AudienceFinder(file.writer)
        let principals: [Principal] = [.role(5), .everyone, .user(5)]
        #expect(try reading.find(zone: 3, type: 2, .all) == [everything])
        #expect(try reading.find(zone: 3, type: 2, .principals(principals)) == [editors])
        #expect(try reading.find(zone: 3, type: 1, .principals(principals)).isEmpty)
        #expect(try reading.find(zone: 3, type: 2, .none).isEmpty)
    }
}
