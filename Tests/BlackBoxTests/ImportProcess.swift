import Foundation
import Threads
import TestSupport

/// A running `fogbase import cloudkit`, which a test may interrupt or kill.
final class ImportProcess: Sendable {
    struct Run {
        let status: Int32
        let wasKilled: Bool
        let out: String
        let errors: String
    }

    private let pid = Locked<Int32>(0)

    /// Sends a signal to the process, if it runs.
    func signal(_ number: Int32) {
        let pid = pid.withLock { $0 }
        if pid > 0 { kill(pid, number) }
    }

    /// Runs the command in a directory, until it ends.
    func run(_ words: [String], in directory: URL) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ServerProcess.binary)
        process.arguments = ["import", "cloudkit"] + words
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
        process.currentDirectoryURL = directory
        let (output, errors) = (directory.appendingPathComponent("out"), directory.appendingPathComponent("errors"))
        for url in [output, errors] { _ = FileManager.default.createFile(atPath: url.path, contents: nil) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        // The proxy gets no request before the process id is known.
        try pid.withLock {
            try process.start()
            $0 = process.processIdentifier
        }
        process.waitUntilExit()
        pid.withLock { $0 = 0 }
        return Run(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            out: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
