import Foundation
import RecordEngine
import RecordStorage

/// A closed data directory with one database, to be damaged and examined. Removed with its last user.
final class DoctorPatient {
    let data = NSTemporaryDirectory() + "fogbase-doctor-" + UUID().uuidString
    var directory: String { data + "/iCloud.test/development" }

    /// - Parameter fill: Makes the database in the directory that it gets, and closes it.
    init(_ fill: (_ directory: String) async throws -> Void) async throws {
        try await fill(directory)
        // The program's umask does this; a test shares its process with others.
        chmod(data, 0o700)
        chmod(data + "/iCloud.test", 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            chmod(directory + "/" + name, name == "assets" ? 0o700 : 0o600)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: data)
    }

    func injure(_ sql: String) throws {
        let connection = try Connection(path: DataDirectory.databasePath(in: directory), role: .writer)
        try connection.execute(SQL(sql))
    }

    func examine(isQuick: Bool = false) -> DoctorReport {
        Doctor(isQuick: isQuick).examine(dataPath: data)
    }

    var problems: [String] {
        examine().findings.filter { $0.kind == .problem }.map(\.sentence)
    }
}
