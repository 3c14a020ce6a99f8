import Foundation
import RecordModel
import TestSupport
import Testing

@testable import RecordStorage

/// Deleted records give their room back, although each leaves a tombstone.
@Suite struct TombstoneSpaceTests {
    private struct Silence: StoreObserver {
        func didFail(_ text: String) {}
        func didCheckpoint() {}
        func didStepBack(_ milliseconds: Int64) {}
    }

    private static func row(_ number: Int64, access: [UInt8]? = nil) -> RecordRow {
        RecordRow(
            id: RecordNumber(rawValue: number), type: 1, sequence: number, revision: 1, creator: 3, created: 5,
            modifier: 3, modified: 5, access: access, formerReaders: nil)
    }

    @Test(arguments: [1_000, 3_000]) func `new records use the room of deleted ones`(bytes: Int) throws {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try StoreWriter(
            in: DataDirectory(opening: path), observer: Silence(), checkpoints: CheckpointPolicy(),
            longestQuery: .seconds(1), driver: nil)
        let (count, fields) = (1_500, [UInt8](repeating: 0x61, count: bytes))
        var pages: [Int64] = []
        for cycle in 0..<4 {
            try store.begin()
            let numbers = try (0..<count).map { index in
                let number = try store.nextSequence()
                try store.records.insert(
                    Self.row(number), zone: ZoneTable.publicDefault, name: "\(cycle)-\(index)", layout: [1],
                    fields: fields)
                return number
            }
            try store.commit {}
            try store.begin()
            for number in numbers {
                var row = Self.row(number)
                row.sequence = try store.nextSequence()
                try store.records.writeTombstone(row)
            }
            try store.commit {}
            let file = try Connection(path: DataDirectory.databasePath(in: path), role: .reader)
            pages.append(try file.integer("PRAGMA page_count") ?? 0)
        }
        // Each of the later cycles adds its tombstones: their rows and index entries are less than 256 bytes each.
        let (first, last) = (try #require(pages.first), try #require(pages.last))
        #expect(last - first < Int64(3 * count * 256 / 4_096), "\(pages)")
    }

    @Test func `a tombstone keeps the columns of its record`() throws {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let store = try StoreWriter(
            in: DataDirectory(opening: path), observer: Silence(), checkpoints: CheckpointPolicy(),
            longestQuery: .seconds(1), driver: nil)
        try store.begin()
        var row = Self.row(try store.nextSequence(), access: [1, 2, 3])
        try store.records.insert(row, zone: 7, name: "näme", layout: [1], fields: [0x61])
        row.formerReaders = [4, 5]
        try store.records.setAccess(row)
        try store.records.setReceived(99, record: row.id)
        (row.sequence, row.revision, row.modifier, row.modified) = (try store.nextSequence(), 8, 9, 10)
        try store.records.writeTombstone(row)
        try store.commit {}
        row.isDeleted = true
        let found = try #require(try store.records.find(id: row.id))
        #expect(found.row == row)
        #expect(found.name == Array("näme".utf8) && found.layout.isEmpty && found.fields.isEmpty)
        let file = try Connection(path: DataDirectory.databasePath(in: path), role: .reader)
        #expect(try file.integer("SELECT received FROM record WHERE zone = 7") == 99)
    }
}
