import Foundation
import TestSupport
import Testing

/// Runs the real binary as another user than root.
enum OtherUser {
    static let number: UInt32 = 10_001

    static let isPossible: ConditionTrait = .enabled(
        if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
        "Only root can start a program as another user, with /usr/bin/setpriv")

    /// Runs a command to its end, and returns what it prints.
    ///
    /// - Parameter stopsServer: Whether the command is a server, to be ended once it listens.
    static func run(_ arguments: [String], stopsServer: Bool = false) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = ["--reuid", "\(number)", "--regid", "\(number)", "--clear-groups", ServerProcess.binary]
        process.arguments? += arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.start()
        var text = ""
        while true {
            let piece = output.fileHandleForReading.availableData
            if piece.isEmpty { break }
            text += String(decoding: piece, as: UTF8.self)
            if stopsServer, text.contains("is listening on") { process.terminate() }
        }
        process.waitUntilExit()
        return text
    }
}

/// Files of another user, as they remain of a start as root.
@Suite(OtherUser.isPossible) final class OwnershipTests {
    private let directory = "/tmp/fogbase-" + UUID().uuidString.prefix(8)
    private var data: String { directory + "/data" }
    private var database: String { data + "/iCloud.fogbase.default/development" }

    init() throws {
        try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
        chmod(directory, 0o755)
        chmod(data, 0o700)
        chown(data, OtherUser.number, OtherUser.number)
        let first = try OtherUser.run(["serve", "--port", "0", "--data", data], stopsServer: true)
        try #require(first.contains("is listening on"), "\(first)")
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private func giveToRoot(_ path: String) throws {
        try #require(chown(path, 0, 0) == 0, "\(path)")
        chmod(path, path.hasSuffix("default") || path.hasSuffix("development") ? 0o700 : 0o600)
    }

    private func giveBack(_ path: String) { chown(path, OtherUser.number, OtherUser.number) }

    /// The paths, and the directories of the command.
    private var files: [(path: String, changed: String)] {
        var files: [(path: String, changed: String)] = []
        for name in ["server.sqlite", "server.sqlite-shm", "lock", "administrator"] {
            files.append((data + "/" + name, data))
        }
        for name in ["records.sqlite", "records.sqlite-wal", "secret", "lock"] {
            files.append((database + "/" + name, database))
        }
        let container = data + "/iCloud.fogbase.default"
        return files + [(container, container), (database, database)]
    }

    @Test func `a start names the owner, and the command that helps`() throws {
        for (path, changed) in files where FileManager.default.fileExists(atPath: path) {
            try giveToRoot(path)
            let text = try OtherUser.run(["serve", "--port", "0", "--data", data], stopsServer: true)
            #expect(text.contains("The user with the number 10001 cannot"), "\(path): \(text)")
            #expect(text.contains("\(path), which belongs to the user 0."), "\(path): \(text)")
            #expect(text.contains("as root: chown -R 10001:10001 \(changed)."), "\(path): \(text)")
            giveBack(path)
        }
        let last = try OtherUser.run(["serve", "--port", "0", "--data", data], stopsServer: true)
        #expect(last.contains("is listening on"), "\(last)")
    }

    @Test func `the doctor advises no restore of files that another user owns`() throws {
        let healthy = try OtherUser.run(["doctor", "--data", data])
        try #require(!healthy.contains("PROBLEM"), "\(healthy)")
        for (path, changed) in files where FileManager.default.fileExists(atPath: path) {
            try giveToRoot(path)
            let text = try OtherUser.run(["doctor", "--data", data])
            #expect(text.contains("\(path), which belongs to the user 0."), "\(path): \(text)")
            #expect(text.contains("as root: chown -R 10001:10001 \(changed)."), "\(path): \(text)")
            #expect(!text.contains("restore") && !text.contains("estore it"), "\(path): \(text)")
            #expect(!text.contains("damaged") && !text.contains("no database yet"), "\(path): \(text)")
            giveBack(path)
        }
    }

    @Test func `a mode that keeps the owner out is named`() throws {
        chmod(database + "/secret", 0o200)
        let text = try OtherUser.run(["serve", "--port", "0", "--data", data], stopsServer: true)
        #expect(
            text.contains("although it is the owner: the mode is 0200. Run: chmod u+rw \(database)/secret."), "\(text)")
    }

    @Test func `a backup names the owner of its destination`() throws {
        let destination = directory + "/backups"
        try FileManager.default.createDirectory(atPath: destination, withIntermediateDirectories: true)
        let advice = "Change its owner, as root: chown 10001:10001 \(destination). Or choose another directory."
        for (mode, path) in [(0o755, destination + "/today"), (0o700, destination + "/today")] {
            chmod(destination, mode_t(mode))
            let text = try OtherUser.run(["backup", "create", path, "--data", data])
            #expect(text.contains("\(destination), which belongs to the user 0."), "\(text)")
            #expect(text.contains(advice), "\(text)")
        }
    }
}
