import Foundation
import RecordWire
import TestSupport
import Testing

/// `fogbase jobs` beside the server and without it.
@Suite struct JobsCommandTests {
    /// A running `fogbase jobs watch`.
    private final class WatchingProcess {
        private let process = Process()
        private let output = Pipe()
        private let errors = Pipe()
        private var rest = Data()

        init(_ id: String, data: String) throws {
            process.executableURL = URL(fileURLWithPath: ServerProcess.binary)
            process.arguments = ["jobs", "watch", id, "--data", data]
            process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
            process.standardOutput = output
            process.standardError = errors
            try process.start()
        }

        deinit {
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }

        /// Waits for the next line; `nil` at the end.
        func next() -> String? {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest = Data(rest[(end + 1)...]) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                let piece = output.fileHandleForReading.availableData
                if piece.isEmpty { return nil }
                rest += piece
            }
        }

        func interrupt() { Foundation.kill(process.processIdentifier, SIGINT) }

        /// Waits for the end, and returns the exit code and the errors.
        func end() -> (status: Int32, errors: String) {
            let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
    }

    private static let token = ServerProcess.administratorToken
    /// So many that a job takes much longer than a command.
    private static let count = 40_000

    private func fill(_ server: ServerProcess) throws {
        let client = try HTTPClient(port: server.port)
        for start in stride(from: 0, to: Self.count, by: 2_000) {
            let operations = (start..<start + 2_000).map {
                #"{"operationType":"create","record":{"recordType":"Log","fields":{"number":\#($0)}}}"#
            }
            let response = try client.send(
                "POST", "/records", #"{"operations":[\#(operations.joined(separator: ","))]}"#, token: Self.token)
            try #require(response.status == 200, "\(response.text.prefix(500))")
            // While there are few records, the index is built at once.
            let query = try client.send("GET", "/query/Log?where=number%20%3C%201", token: Self.token)
            try #require(query.status == 200, "\(query.text)")
        }
    }

    /// Starts a job, kills the server at once, and returns the job's id.
    private func interruptedJob(_ condition: String, _ server: ServerProcess) throws -> String {
        let client = try HTTPClient(port: server.port)
        let response = try client.send(
            "DELETE", "/query/Log?where=" + condition, token: Self.token, fields: ["Prefer": "respond-async"])
        try #require(response.status == 202, "\(response.text)")
        server.kill()
        return try #require(response.json?["id"]?.string)
    }

    @Test(.timeLimit(.minutes(3)))
    func `jobs are listed, paused, resumed, followed over a restart and canceled`() throws {
        let server = try ServerProcess(settings: ["FOGBASE_LIMITS_BATCH_OPERATIONS": "2000"])
        let shell = OperatorShell(server)
        try fill(server)
        let id = try interruptedJob("number%20%3C%2020000", server)

        // Without a server, the commands use the files.
        let pause = try shell.run("jobs pause \(id)")
        #expect(pause.status == 0 && pause.out.hasPrefix("\(id) is paused: "), "\(pause.out)\(pause.errors)")
        let list = try shell.run("jobs list --unfinished")
        #expect(list.out.contains(id) && list.out.contains("Log") && list.out.contains("paused"), "\(list.out)")
        let unserved = try shell.run("jobs watch \(id)")
        #expect(unserved.status == 1 && unserved.errors.contains("No server uses"), "\(unserved.errors)")

        try server.start()
        let interrupted = try WatchingProcess(id, data: server.data)
        #expect(interrupted.next()?.hasPrefix("paused: ") == true)
        interrupted.interrupt()
        let stopped = interrupted.end()
        #expect(stopped.status == 130 && stopped.errors.contains("The job goes on"), "\(stopped)")

        let watcher = try WatchingProcess(id, data: server.data)
        #expect(watcher.next()?.hasPrefix("paused: ") == true)
        server.kill()
        try server.start()
        let resume = try shell.run("jobs resume \(id)")
        #expect(resume.status == 0, "\(resume.errors)")
        #expect(resume.out.hasPrefix("\(id) is queued") || resume.out.hasPrefix("\(id) is running"), "\(resume.out)")
        var lines: [String] = []
        while let line = watcher.next() { lines.append(line) }
        let end = watcher.end()
        #expect(end.status == 0 && end.errors.isEmpty, "\(lines) \(end)")
        #expect(lines.last?.hasPrefix("succeeded: 100 %, 20,000 of 20,000, in ") == true, "\(lines)")
        let job = try shell.json("jobs show \(id) --json")
        #expect(job["state"] == "succeeded" && job["done"]?.integer == 20_000)
        let late = try shell.run("jobs pause \(id)")
        #expect(late.status == 1 && late.errors.contains("has ended: it is succeeded"), "\(late.errors)")

        let other = try interruptedJob("number%20%3E%3D%2020000", server)
        let cancel = try shell.run("jobs cancel \(other)")
        #expect(cancel.status == 0 && cancel.out.hasPrefix("\(other) is cancelled: "), "\(cancel.errors)")
        try server.start()
        let canceled = try shell.run("jobs watch \(other)")
        #expect(canceled.status == 1 && canceled.out.hasPrefix("cancelled: "), "\(canceled.out)")
        #expect(canceled.errors.contains("The job \(other) was canceled"), "\(canceled.errors)")

        let all = try shell.json("jobs list --json")["jobs"]?.array ?? []
        #expect(all.count { $0["kind"] == "deleteRecords" } == 2)
        let show = try shell.run("jobs show \(other)")
        #expect(show.out.contains("number >= 20000") && show.out.contains("cancelled"), "\(show.out)")
        let unknown = try shell.run("jobs show nothing")
        #expect(unknown.status == 1 && unknown.errors.contains("There is no job nothing."), "\(unknown.errors)")
        #expect(try shell.run("jobs watch").status == 64)
    }
}
