import RecordStorage
import Testing

@Suite struct SchemaSnapshotTableTests {
    @Test func `the newest snapshots stay, and numbers are not reused`() throws {
        let file = try TestFile()
        let table = SchemaSnapshotTable(file.writer)
        for number in 1...5 {
            let row = SchemaSnapshotRow(
                created: Int64(number), actorKind: "key", actor: "ci", reason: "promotion",
                text: Array("v\(number)".utf8))
            #expect(try table.add(row, most: 3) == Int64(number))
        }
        #expect(try table.list().map(\.id) == [5, 4, 3])
        #expect(try table.list().allSatisfy { $0.text.isEmpty && $0.reason == "promotion" })
        #expect(try table.find(4)?.text == Array("v4".utf8))
        #expect(try table.find(2) == nil)
        try file.writer.execute("DELETE FROM schema_snapshot")
        let row = SchemaSnapshotRow(created: 6, actorKind: "operator", actor: "_shell", reason: "reset", text: [])
        #expect(try table.add(row, most: 3) == 6)
    }
}
