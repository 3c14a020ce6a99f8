import Foundation
import RecordWire
import TestSupport
import Testing

/// `fogbase changes --follow` as a process beside the server.
@Suite struct ChangesProcessTests {
    /// A running `fogbase changes --follow`, and the lines that it prints.
    private final class FollowingProcess {
        private let process = Process()
        private let output = Pipe()
        private var rest = Data()

        init(_ arguments: String..., data: String) throws {
            process.executableURL = URL(fileURLWithPath: ServerProcess.binary)
            process.arguments = ["changes", "--follow", "--data", data] + arguments
            process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
            process.standardOutput = output
            try process.start()
        }

        deinit {
            // SIGTERM can be blocked in processes that a test starts.
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// Waits for the next line, and reads it as JSON.
        func next() throws -> JSONValue {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Array(rest[..<end])
                    rest = Data(rest[(end + 1)...])
                    return try JSONValue.parse(line)
                }
                let piece = output.fileHandleForReading.availableData
                try #require(!piece.isEmpty, "The process has ended")
                rest += piece
            }
        }

        /// Waits for a number of changes, and returns the names of the records and the last token.
        func changes(_ count: Int) throws -> (names: [String], token: String) {
            var (names, token): ([String], String) = ([], "")
            while names.count < count {
                let line = try next()
                guard line["event"] == "change" else { continue }
                names.append(try #require(line["data"]?["recordName"]?.string))
                token = try #require(line["token"]?.string)
            }
            return (names, token)
        }
    }

    private func write(_ names: [String], to server: ServerProcess) throws {
        let client = try HTTPClient(port: server.port)
        for name in names {
            let response = try client.send(
                "PUT", "/records/Note/\(name)", #"{"fields":{"text":"sea"}}"#, token: ServerProcess.administratorToken)
            try #require(response.status == 201, "\(response.text)")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `each change is printed once while the server is killed and started again`() throws {
        let server = try ServerProcess()
        let follower = try FollowingProcess("--types", "Note", data: server.data)
        var (written, printed): ([String], [String]) = ([], [])
        var token = ""
        for round in 0..<4 {
            let names = (0..<6).map { "note-\(round)-\($0)" }
            try write(Array(names[..<3]), to: server)
            if round.isMultiple(of: 2) {
                // The follower has these when the server is killed. In other rounds, it may have some of them.
                let found = try follower.changes(written.count + 3 - printed.count)
                printed += found.names
                token = found.token
            }
            server.kill()
            try server.start()
            try write(Array(names[3...]), to: server)
            written += names
        }
        let last = try follower.changes(written.count - printed.count)
        #expect(printed + last.names == written)

        // Another process continues after a token.
        let resumed = try FollowingProcess("--since", token, data: server.data)
        #expect(try resumed.changes(last.names.count).names == last.names)
        // Nothing is repeated.
        try write(["end"], to: server)
        #expect(try follower.changes(1).names == ["end"])
        #expect(try resumed.changes(1).names == ["end"])
    }
}
