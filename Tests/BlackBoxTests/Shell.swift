import Foundation
import TestSupport

/// One shell for all blocks, as a reader has.
enum Shell {
    struct Run {
        let status: Int32
        /// Everything that was printed, errors too.
        let text: String
        /// The trimmed standard output of each block.
        let responses: [String]
    }

    /// Follows the output of each block.
    private static let mark = "=== the block ends here ==="

    /// The `sh` blocks of a page, or those of another language, in order. Those in lists are indented.
    static func blocks(of page: String, language: String = "sh") throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
        var blocks: [String] = []
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        while let fence = lines.popFirst() {
            let indent = fence.prefix { $0 == " " }.count
            guard fence.dropFirst(indent) == "```\(language)" else { continue }
            let block = lines.prefix { $0.dropFirst(indent) != "```" }
            blocks.append(block.map { $0.dropFirst(indent) }.joined(separator: "\n"))
            lines = lines.dropFirst(block.count + 1)
        }
        return blocks
    }

    static func run(_ blocks: [String], port: UInt16, variables: [String: String] = [:]) throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        let script = blocks.map { $0 + "\nprintf '\\n%s\\n' '\(mark)'" }.joined(separator: "\n")
        process.arguments = ["--noprofile", "--norc", "-e", "-u", "-o", "pipefail", "-c", script]
        var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
        environment["URL"] = "http://127.0.0.1:\(port)"
        environment["FOGBASE_ADMIN_TOKEN"] = ServerProcess.administratorToken
        environment["no_proxy"] = "*"
        // Files that the blocks write are removed with it.
        let directory = FileManager.default.temporaryDirectory.appending(path: "fogbase-readme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        process.currentDirectoryURL = directory
        environment["HOME"] = directory.path
        environment.merge(variables) { $1 }
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.standardError
        process.standardInput = FileHandle.nullDevice
        try process.start()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let responses = text.components(separatedBy: "\n\(mark)\n").dropLast().map {
            $0.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        return Run(status: process.terminationStatus, text: text, responses: Array(responses))
    }
}
