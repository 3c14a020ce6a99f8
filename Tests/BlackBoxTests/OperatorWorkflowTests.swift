import Foundation
import RecordWire
import Testing

/// How the operator's commands find a server, and their messages if there is none.
@Suite struct OperatorWorkflowTests {
    @Test func `commands open the directory despite the file of a killed server`() throws {
        let server = try ServerProcess()
        let shell = OperatorShell(server)
        #expect(try shell.run("users add ada", input: "correct horse\n").status == 0)
        server.kill()
        #expect(FileManager.default.fileExists(atPath: server.data + "/operator.json"))
        #expect(try shell.run("users list").out.contains("ada"))
        #expect(try shell.run("users add bob", input: "correct horse\n").status == 0)
        try server.start()
        #expect(try shell.run("users list").out.contains("bob"))
    }

    @Test func `a server that responds to other names is reached by one of them`() throws {
        let server = try ServerProcess(settings: ["FOGBASE_HTTP_HOSTS": "db.example.org"])
        #expect(try OperatorShell(server).run("users list").status == 0)
    }

    @Test func `the log reports that the server created an administrator's token`() throws {
        let server = try ServerProcess(settings: ["FOGBASE_ADMIN_TOKEN": ""])
        let shell = OperatorShell(server)
        func entries() throws -> [JSONValue] {
            try shell.json("audit --action administrator.token --json")["entries"]?.array ?? []
        }
        let first = try entries()
        #expect(first.map { $0["actor"]?["name"] } == ["_server"] && first.first?["target"] == "_administrator")
        #expect(server.terminate() == 0)
        try server.start()
        #expect(try entries().count == 1)
        #expect(server.terminate() == 0)
        try FileManager.default.removeItem(atPath: server.data + "/administrator")
        try server.start()
        #expect(try entries().count == 2)
    }

    @Test func `rate limits do not apply to the operator`() throws {
        let server = try ServerProcess(settings: [
            "FOGBASE_LIMITS_RATES": "on", "FOGBASE_LIMITS_RATE_ADMINISTER": "1/h burst 1",
        ])
        let shell = OperatorShell(server)
        for _ in 0..<3 { #expect(try shell.run("users list").status == 0) }
    }

    @Test func `a server has its own containers and default`() throws {
        let server = try ServerProcess(settings: ["FOGBASE_DATA_CONTAINERS": "Forum, Chess"])
        let shell = OperatorShell(server)
        // Without a container the server's default applies.
        #expect(try shell.run("users add ada", input: "correct horse\n").status == 0)
        #expect(try shell.run("users list --container Forum").out.contains("ada"))
        #expect(try shell.run("users list --container Chess").out.contains("ada") == false)
        #expect(try shell.run("users list --environment production").out.contains("ada") == false)
        let none = try shell.run("users list --container Club")
        #expect(none.status == 1 && none.errors == "fogbase: The server has no container with this name.\n")
    }

    @Test func `a server is reached by its port, and else by its Unix socket`() throws {
        let socket = NSTemporaryDirectory() + "fogbase-\(UUID().uuidString.prefix(8)).sock"
        defer { unlink(socket) }
        let server = try ServerProcess(settings: ["FOGBASE_SERVER_UNIX": socket])
        let shell = OperatorShell(server)
        let path = server.data + "/operator.json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        func rewrite(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
        #expect(text.contains(socket))
        // A port without a listener, and no port.
        let address = #""url":"http://127.0.0.1:\#(server.port)""#
        #expect(text.contains(address), "\(text)")
        try rewrite(text.replacingOccurrences(of: address, with: #""url":"http://127.0.0.1:1""#))
        #expect(try shell.run("users add ada", input: "correct horse\n").status == 0)
        try rewrite(text.replacingOccurrences(of: address + ",", with: ""))
        #expect(try shell.run("users list").out.contains("ada"))
        try rewrite(text.replacingOccurrences(of: socket, with: socket + "-none"))
        #expect(try shell.run("users list").out.contains("ada"))
        try rewrite(
            text.replacingOccurrences(of: address + ",", with: "").replacingOccurrences(
                of: socket, with: socket + "-none"))
        let none = try shell.run("users list")
        #expect(none.status == 1 && none.errors.contains("No server responds at \(socket)-none"), "\(none.errors)")
    }

    @Test func `a failed command reports its cause`() throws {
        let server = try ServerProcess()
        let shell = OperatorShell(server)
        let path = server.data + "/operator.json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        func attempt(_ text: String?) throws -> String {
            try FileManager.default.removeItem(atPath: path)
            if let text { try text.write(toFile: path, atomically: false, encoding: .utf8) }
            let run = try shell.run("admin list")
            #expect(run.status == 1 && run.out.isEmpty)
            if text == nil { try "".write(toFile: path, atomically: false, encoding: .utf8) }
            return run.errors
        }
        #expect(try attempt(nil).contains("another command is running"))
        #expect(try attempt("nonsense").contains("is damaged, or of another version"))
        #expect(
            try attempt(text.replacingOccurrences(of: "\"0.1.0\"", with: "\"0.0.9\"")).contains("is Fogbase 0.0.9"))
        #expect(
            try attempt(text.replacingOccurrences(of: "\(server.pid)", with: "2147483646")).contains("is stale"))
        #expect(
            try attempt(text.replacingOccurrences(of: ":\(server.port)\",\"token", with: ":1\",\"token"))
                .contains("No server responds at 127.0.0.1, port 1"))
        #expect(try attempt(text.replacingOccurrences(of: "fbo_", with: "fbo_x")).contains("rejects the token"))
    }

    @Test func `without a server commands create no database and list the existing ones`() throws {
        let server = try ServerProcess()
        #expect(server.terminate() == 0)
        let shell = OperatorShell(server)
        let before = try FileManager.default.contentsOfDirectory(atPath: server.data).sorted()
        for command in [
            "users list", "users add ada", "users invite", "keys add shop", "admin add grace", "roles add editors ada",
        ] {
            let none = try shell.run(command + " --container Club", input: "correct horse\n")
            #expect(none.status == 1 && none.out.isEmpty && none.errors.contains("There is no database in"))
            #expect(none.errors.contains("/Club/development"), "\(none.errors)")
            #expect(none.errors.contains("has iCloud.fogbase.default (development). Select one"))
            let other = try shell.run(command + " --environment production", input: "correct horse\n")
            #expect(other.status == 1 && other.errors.contains("has iCloud.fogbase.default (development)"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: server.data).sorted() == before)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: server.data + "/iCloud.fogbase.default")
                == ["development"])
        // With a directory they work, and the files that they create are private to its owner.
        #expect(try shell.run("admin add grace", input: "correct horse\n").status == 0)
        let mode =
            try FileManager.default.attributesOfItem(atPath: server.data + "/server.sqlite")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try FileManager.default.removeItem(atPath: server.data + "/iCloud.fogbase.default")
        let empty = try shell.run("users add ada", input: "correct horse\n")
        #expect(empty.status == 1 && empty.errors.contains("let 'fogbase serve' create it"), "\(empty.errors)")
        #expect(!FileManager.default.fileExists(atPath: server.data + "/iCloud.fogbase.default"))
    }
}
