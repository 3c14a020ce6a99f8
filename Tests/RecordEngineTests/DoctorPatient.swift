import Foundation
import RecordEngine
import RecordStorage

/// A closed data folder with one database, to be injured and examined. Gone with its last user.
final class DoctorPatient {
    let data = NSTemporaryDirectory() + "fogbase-doctor-" + UUID().uuidString
    var folder: String { data + "/iCloud.test/development" }

    /// - Parameter fill: Makes the database in the folder that it gets, and closes it.
    init(_ fill: (_ folder: String) async throws -> Void) async throws {
        try await fill(folder)
        // The program's umask does this; a test shares its process with others.
        chmod(data, 0o700)
        chmod(data + "/iCloud.test", 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            chmod(folder + "/" + name, name == "assets" ? 0o700 : 0o600)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: data)
    }

    func injure(_ sql: String) throws {
        let connection = try Connection(path: DataFolder.databasePath(in: folder), role: .writer)
        try connection.execute(SQL(sql))
    }

    func examine(isQuick: Bool = false) -> DoctorReport {
        Doctor(isQuick: isQuick).examine(dataPath: data)
    }

    var problems: [String] {
        examine().findings.filter { $0.kind == .problem }.map(\.sentence)
    }
}
