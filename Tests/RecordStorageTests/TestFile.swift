import Foundation
import RecordModel
import RecordStorage
import TestSupport

/// A database file in a directory of its own, with the writer's connection.
final class TestFile {
    let directory: String
    let writer: Connection
    let clock = CommitClock()

    var path: String { DataDirectory.databasePath(in: directory) }

    init() throws {
        directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        try DataDirectory.makeDirectory(directory)
        writer = try Connection(path: DataDirectory.databasePath(in: directory), role: .writer)
        try Migrations.run(on: writer)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    func insert(_ name: String, id: Int64) throws {
        let table = RecordTable(writer)
        let row = RecordRow(
            id: RecordNumber(rawValue: id), type: 1, sequence: id, revision: 1, creator: 0, created: 0, modifier: 0,
            modified: 0)
        try table.insert(row, zone: 1, name: name, layout: [], fields: [])
    }
}
