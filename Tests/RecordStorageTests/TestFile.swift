import Foundation
import RecordModel
import RecordStorage
import TestSupport

/// A database file in a folder of its own, with the writer's connection.
final class TestFile {
    let folder: String
    let writer: Connection
    let clock = CommitClock()

    var path: String { DataFolder.databasePath(in: folder) }

    init() throws {
        folder = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        try DataFolder.makeFolder(folder)
        writer = try Connection(path: DataFolder.databasePath(in: folder), role: .writer)
        try Migrations.run(on: writer)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    func insert(_ name: String, id: Int64) throws {
        let table = RecordTable(writer)
        let row = RecordRow(
            id: RecordNumber(rawValue: id), type: 1, sequence: id, revision: 1, creator: 0, created: 0, modifier: 0,
            modified: 0)
        try table.insert(row, zone: 1, name: name, layout: [], fields: [])
    }
}
