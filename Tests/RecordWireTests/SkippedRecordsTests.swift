import RecordModel
import RecordWire
import Testing

/// The report of a bulk change on the records that it skipped.
struct SetSkipsTests {
    @Test func `one entry for each reason, with ten names at most`() throws {
        var skips = SkippedRecords()
        for number in 0..<12 { skips.add(.changedSinceMatched, name: RecordName("r\(number)")) }
        skips.add(RecordError(.exists, "Taken", cause: .uniqueViolation), name: RecordName("x"))
        var later = SkippedRecords()
        later.add(.deletedSinceMatched, name: nil)
        later.add(RecordError(.exists, "Taken elsewhere", cause: .uniqueViolation), name: RecordName("y"))
        later.add(RecordError(.exists, "Taken", cause: nil), name: RecordName("z"))
        skips.add(later)
        #expect(skips.count == 16)
        let entries = try #require(skips.json.array)
        #expect(entries.map { $0["serverErrorCode"]?.string } == ["CONFLICT", "EXISTS", "NOT_FOUND", "EXISTS"])
        #expect(entries.map { $0["count"]?.integer } == [12, 2, 1, 1])
        #expect(entries.map { $0["recordNames"]?.array?.count } == [10, 2, 0, 1])
        #expect(entries[1]["cause"]?.string == "UNIQUE_VIOLATION" && entries[0]["cause"] == nil)
        #expect(entries[1]["reason"]?.string == "Taken")
    }
}
