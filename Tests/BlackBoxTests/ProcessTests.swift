import Foundation
import RecordWire
import TestSupport
import Testing

@Suite struct ProcessTests {
    @Test func `SIGTERM ends the server cleanly, and the next start has everything`() throws {
        let server = try ServerProcess()
        let client = try HTTPClient(port: server.port)
        let made = try client.send(
            "POST", "/records/Post", #"{"recordName":"kept","fields":{"title":"sea"}}"#,
            token: ServerProcess.administratorToken)
        #expect(made.status == 201)
        #expect(server.terminate() == 0)
        try server.start()
        let read = try HTTPClient(port: server.port).send("GET", "/records/Post/kept")
        #expect(read.status == 200)
        #expect(read.json?["fields"]?["title"]?["value"]?.string == "sea")
        #expect(read.fields["etag"] == made.fields["etag"])
    }

    @Test func `a second process on the same directory is rejected with a sentence`() throws {
        let server = try ServerProcess()
        let second = try Command.run(["serve", "--port", "0", "--data", server.data])
        #expect(second.status != 0)
        #expect(second.text.contains("in use"))
    }

    @Test func `a taken port is rejected with a sentence`() throws {
        let server = try ServerProcess()
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let second = try Command.run(["serve", "--port", "\(server.port)", "--data", directory])
        #expect(second.status != 0)
        #expect(second.text.contains("\(server.port)"))
        #expect(!second.text.contains("fogadm_"), "A token that is lost above the error: \(second.text)")
        let third = try FirstStart(directory)
        #expect(third.token != nil, "The start that succeeds shows it")
        third.stop()
    }

    @Test func `the program prints its help`() throws {
        for arguments in [["--help"], ["serve", "--help"], ["users", "--help"], ["doctor", "--help"], ["help"]] {
            let response = try Command.run(arguments)
            #expect(response.status == 0, "\(arguments)")
            #expect(response.text.contains("fogbase"), "\(arguments)")
        }
        let version = try Command.run(["version"])
        #expect(version.text.contains("SQLite"))
        #expect(version.text.contains("OpenSSL"))
        #expect(try Command.run(["sevre"]).status == 64)
    }

    @Test func `the administrator's token is printed at the first start only, and works`() throws {
        let directory = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try FirstStart(directory)
        let token = try #require(first.token)
        let schema = try HTTPClient(port: first.port).send("GET", "/schema", token: token)
        #expect(schema.status == 200)
        #expect(try HTTPClient(port: first.port).send("GET", "/schema", token: token + "x").status == 401)
        first.stop()
        let second = try FirstStart(directory)
        #expect(second.token == nil)
        #expect(try HTTPClient(port: second.port).send("GET", "/schema", token: token).status == 200)
        second.stop()
    }

    @Test func `the printed link makes the first administrator, and later starts print none`() throws {
        let directory = NSTemporaryDirectory() + "fogbase-first-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let first = try FirstStart(directory)
        let old = try first.setUpCode()
        first.stop()
        let second = try FirstStart(directory)
        let code = try second.setUpCode()
        #expect(old != code)
        let client = try HTTPClient(port: second.port)
        func send(_ code: String) throws -> Int {
            try client.send(
                "POST", "/administrators/first", #"{"code":"\#(code)","name":"grace","password":"a long password"}"#
            ).status
        }
        #expect(try send(old) == 403)
        #expect(try send(code) == 201)
        second.stop()
        let third = try FirstStart(directory)
        let again = try HTTPClient(port: third.port).send(
            "POST", "/administrators/first", #"{"code":"\#(code)","name":"eve","password":"a long password"}"#)
        #expect(again.status == 403)
        third.stop()
    }

    @Test func `the doctor finds nothing wrong with a directory that was killed in the middle`() throws {
        let server = try ServerProcess()
        let client = try HTTPClient(port: server.port)
        for number in 0..<20 {
            let body = #"{"fields":{"n":\#(number),"t":{"recordName":"x","action":"DELETE_SELF"}}}"#
            _ = try client.send("POST", "/records/Post", body, token: ServerProcess.administratorToken)
        }
        server.kill()
        let verdict = try Command.run(["doctor", "--data", server.data])
        #expect(verdict.status == 0, "\(verdict.text)")
        #expect(!verdict.text.contains("SQLite"), "A bug that cannot happen here alarms nobody: \(verdict.text)")
    }
}

/// A run of the binary to its end.
enum Command {
    static func run(_ arguments: [String], input: String? = nil) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: ServerProcess.binary)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.start()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}

/// A server without a token in its environment, as a person starts it.
private final class FirstStart {
    let token: String?
    /// What follows the line about where the server listens.
    private let rest: FileHandle
    private var text: String
    let port: UInt16
    private let process = Process()

    init(_ directory: String) throws {
        process.executableURL = URL(fileURLWithPath: ServerProcess.binary)
        process.arguments = ["serve", "--port", "0", "--data", directory]
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("FOGBASE_") }
        let output = Pipe()
        process.standardOutput = output
        try process.start()
        rest = output.fileHandleForReading
        text = ""
        while !text.contains("is listening on") || text.last != "\n" {
            let piece = output.fileHandleForReading.availableData
            try #require(!piece.isEmpty, "The server ended before it listened: \(text)")
            text += String(decoding: piece, as: UTF8.self)
        }
        let lines = text.split(separator: "\n")
        let marker = "Administrator's token: "
        token = lines.first { $0.hasPrefix(marker) }.map { String($0.dropFirst(marker.count)) }
        let address = try #require(text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http://") })
        port = try #require(UInt16(address.split(separator: ":").last ?? ""))
    }

    /// The code in the link that makes the first administrator.
    func setUpCode() throws -> String {
        while !text.contains("code=") || text.last != "\n" {
            let piece = rest.availableData
            try #require(!piece.isEmpty, "The server printed no link: \(text)")
            text += String(decoding: piece, as: UTF8.self)
        }
        return try #require(text.split(separator: "code=").last?.split(separator: "\n").first.map(String.init))
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
