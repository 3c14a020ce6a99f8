import Foundation
import TestSupport
import Testing

/// The real binary on its own port, with a data directory that outlives it.
///
/// Unchecked: one test starts, uses and stops it.
final class ServerProcess: @unchecked Sendable {
    static let administratorToken = "black-box-administrator-token"

    let data: String
    private(set) var port: UInt16 = 0
    private var process: Process?
    private let isTemporary: Bool
    private let wantedPort: UInt16
    private var environment: [String: String]

    /// - Parameters:
    ///   - settings: `FOGBASE_…` variables beside the defaults of these tests.
    ///   - port: The port to listen on; 0 lets the system choose.
    init(data: String? = nil, settings: [String: String] = [:], port: UInt16 = 0) throws {
        wantedPort = port
        isTemporary = data == nil
        self.data = data ?? NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") && $0.key != "PORT" }
        environment["FOGBASE_ADMIN_TOKEN"] = Self.administratorToken
        environment["FOGBASE_LOG_ACCESS"] = "off"
        // All of a test's clients come from one address.
        environment["FOGBASE_LIMITS_RATES"] = "off"
        environment.merge(settings) { $1 }
        try start()
    }

    deinit {
        kill()
        if isTemporary { try? FileManager.default.removeItem(atPath: data) }
    }

    /// The `fogbase` that was built with these tests.
    static var binary: String {
        let runner = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let directories = [runner, CommandLine.arguments.first ?? ""].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent()
        }
        let candidates =
            directories.flatMap { directory in [directory, directory.deletingLastPathComponent()] }
            + [URL(fileURLWithPath: ".build/debug")]
        return candidates.map { $0.appendingPathComponent("fogbase").path }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "fogbase"
    }

    var isRunning: Bool { process?.isRunning ?? false }

    var pid: Int32 { process?.processIdentifier ?? 0 }

    /// Starts the server and returns when it says where it listens.
    func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.binary)
        process.arguments = ["serve", "--port", "\(wantedPort)", "--data", data]
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        // One at a time: it examines all descriptors of this process, which a concurrent start would change.
        try process.start()
        self.process = process
        var text = ""
        while !text.contains("is listening on") || text.last != "\n" {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty, "The server ended before it listened: \(text)")
            text += String(decoding: piece, as: UTF8.self)
        }
        let address = try #require(text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http") })
        port = try #require(UInt16(address.split(separator: ":").last ?? ""))
    }

    /// `kill -9`, waited for.
    func kill() {
        guard let process, process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// `SIGTERM`, waited for.
    ///
    /// - Returns: The exit status.
    func terminate() -> Int32 {
        process?.terminate()
        return waitForEnd()
    }

    /// Waits for the end of a server that has been told to stop.
    ///
    /// - Returns: The exit status.
    func waitForEnd() -> Int32 {
        guard let process else { return -1 }
        process.waitUntilExit()
        return process.terminationStatus
    }
}
