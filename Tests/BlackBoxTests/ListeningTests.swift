import Foundation
import TestSupport
import Testing

/// Addresses and signals of the real binary.
@Suite struct ListeningTests {
    private static func makeDirectory() throws -> String {
        // The path of a Unix socket is short.
        let directory = "/tmp/fogbase-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return directory
    }

    private static func get(_ port: UInt16, _ path: String) throws {
        _ = try HTTPClient(port: port).send("GET", path)
    }

    @Test func `SIGHUP opens the log file again, and never ends the server`() async throws {
        let directory = try Self.makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let log = directory + "/access.log"
        @Sendable func lines(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
        let server = try ServerProcess(settings: ["FOGBASE_LOG_FILE": log, "FOGBASE_LOG_ACCESS": "text"])
        try Self.get(server.port, "/health/live?first")
        try #require(await eventually { lines(log).contains("/health/live") })
        try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
        kill(server.pid, SIGHUP)
        try #require(await eventually { FileManager.default.fileExists(atPath: log) })
        try Self.get(server.port, "/health/ready")
        try #require(await eventually { lines(log).contains("/health/ready") })
        #expect(!lines(log + ".1").contains("/health/ready"))
        // A file that cannot be opened leaves the log where it is.
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
        for _ in 0..<3 { kill(server.pid, SIGHUP) }
        try Self.get(server.port, "/health/live")
        #expect(server.terminate() == 0)
    }

    @Test func `SIGHUP is ignored by a server without a log file`() throws {
        let server = try ServerProcess()
        for _ in 0..<3 {
            kill(server.pid, SIGHUP)
            try Self.get(server.port, "/health/live")
        }
        #expect(server.isRunning && server.terminate() == 0)
    }

    @Test func `SIGHUP is ignored by a server that stops`() async throws {
        let server = try ServerProcess(settings: ["FOGBASE_TIMEOUTS_SHUTDOWN": "10m"])
        let client = try RawClient(port: server.port)
        try client.send(
            "POST /records/Post HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(ServerProcess.administratorToken)\r\n"
                + "Content-Type: application/json\r\nContent-Length: 31\r\nExpect: 100-continue\r\n\r\n")
        _ = try client.receive(until: "100 Continue")
        kill(server.pid, SIGTERM)
        #expect(await eventually { (try? RawClient(port: server.port)) == nil })
        for _ in 0..<20 { kill(server.pid, SIGHUP) }
        try client.send(#"{"fields":{"title":"the last"}}"#)
        #expect(try client.receiveText().contains("HTTP/1.1 "))
        #expect(server.waitForEnd() == 0)
    }

    @Test func `a Unix socket that cannot be made is named with its setting`() throws {
        let directory = try Self.makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/f.sock"
        let server = try ServerProcess(settings: ["FOGBASE_SERVER_UNIX": path])
        try "precious".write(toFile: directory + "/file", atomically: true, encoding: .utf8)
        for (socket, reason) in [
            (path, "Another program already listens on"), (directory + "/file", "something that is no socket"),
            (directory, "something that is no socket"), (directory + "/none/f.sock", "its directory does not exist"),
        ] {
            let run = try Command.run(["serve", "--port", "0", "--data", directory + "/data", "--unix", socket])
            #expect(run.status != 0 && run.text.contains(reason), "\(run.text)")
            #expect(run.text.contains("Unix socket \(socket)") && run.text.contains("--unix"), "\(run.text)")
            #expect(!run.text.contains("--port"), "\(run.text)")
        }
        let busy = try Command.run(["serve", "--port", "0", "--data", directory + "/data", "--unix", path])
        #expect(busy.text.contains("\(path): process \(server.pid) (fogbase)"), "\(busy.text)")
        #expect(try String(contentsOfFile: directory + "/file", encoding: .utf8) == "precious")
        #expect(server.isRunning)
    }

    @Test(arguments: [(nil, 0o700), ("660", 0o660)] as [(String?, Int)])
    func `the setting decides who may use the Unix socket`(setting: String?, mode: Int) throws {
        let directory = try Self.makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/f.sock"
        var settings = ["FOGBASE_SERVER_UNIX": path]
        settings["FOGBASE_SERVER_UNIX_MODE"] = setting
        let server = try ServerProcess(settings: settings)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == mode)
        #expect(server.isRunning)
    }

    @Test func `the server listens on several addresses, and localhost is both families`() throws {
        let two = try ServerProcess(settings: ["FOGBASE_SERVER_HOST": "127.0.0.1, 127.0.0.2"])
        try Self.get(two.port, "/health/live")
        let taken = try Command.run([
            "serve", "--host", "127.0.0.1", "--port", "\(two.port)", "--data", two.data + "-2",
        ])
        #expect(taken.text.contains("127.0.0.1, port \(two.port)"), "\(taken.text)")
        // The port of a server that has ended.
        let port = two.port
        #expect(two.terminate() == 0)
        let both = try ServerProcess(
            settings: ["FOGBASE_SERVER_HOST": "localhost"], port: port)
        try Self.get(both.port, "/health/live")
        let client = try RawClient(port6: port)
        try client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 200"))
    }

    @Test func `one address of several that cannot be had ends the start with its name`() throws {
        let directory = try Self.makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let run = try Command.run([
            "serve", "--host", "127.0.0.1, 192.0.2.1", "--port", "0", "--data", directory + "/data",
        ])
        #expect(
            run.status == 1
                && run.text == "fogbase: This machine has no address 192.0.2.1. Choose another one with --host.\n")
        let all = try ServerProcess(settings: ["FOGBASE_SERVER_HOST": "0.0.0.0, ::, 127.0.0.1"])
        try Self.get(all.port, "/health/live")
        let client = try RawClient(port6: all.port)
        try client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(try client.receiveText().hasPrefix("HTTP/1.1 200"))
    }

    @Test func `a start that fails says only why`() throws {
        let server = try ServerProcess()
        let data = server.data + "-2"
        defer { try? FileManager.default.removeItem(atPath: data) }
        // What runs in the background at a start does so at any of these moments.
        for _ in 0..<8 {
            let run = try Command.run(["serve", "--host", "127.0.0.1", "--port", "\(server.port)", "--data", data])
            #expect(run.status != 0)
            #expect(run.text.split(separator: "\n").count == 1, "\(run.text)")
            #expect(run.text.hasPrefix("fogbase: Another program already listens on 127.0.0.1"), "\(run.text)")
        }
    }

    @Test(OtherUser.isPossible) func `a data directory of another user is reported with both users and the command`()
        throws
    {
        let directory = try Self.makeDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)
        try FileManager.default.createDirectory(atPath: directory + "/data", withIntermediateDirectories: true)
        let denied = try OtherUser.run(["serve", "--port", "0", "--data", directory + "/data"])
        #expect(denied.contains("user with the number 10001 cannot write"), "\(denied)")
        #expect(denied.contains("chown -R 10001:10001 \(directory)/data"), "\(denied)")
    }
}
