import Foundation
import RecordWire
import TestSupport
import Testing

/// The operator's backups, with a running server and without one.
@Suite struct BackupCommandTests {
    private static let token = ServerProcess.administratorToken

    /// A directory for backups that is removed with the test.
    private final class Shelf {
        let path = NSTemporaryDirectory() + "fogbase-shelf-" + UUID().uuidString

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    @Test(arguments: OperatorCommandTests.Place.allCases)
    func `a backup is made, verified and restored`(place: OperatorCommandTests.Place) throws {
        let (server, shelf) = (try ServerProcess(), try Shelf())
        let client = try HTTPClient(port: server.port)
        let upload = try client.upload(sampleContent(1, count: 50_000))
        #expect(try client.link(upload, to: "kept").status == 201)
        let shell = OperatorShell(server)
        #expect(try shell.run("users add ada", input: "correct horse\n").status == 0)
        #expect(try shell.run("admin add grace --role owner", input: "correct horse\n").status == 0)
        if place == .stopped { #expect(server.terminate() == 0) }
        let backup = shelf.path + "/backup"
        let made = try shell.run("backup create \(backup)/")
        #expect(
            made.status == 0 && made.out.contains("Saved 1 database") && made.out.contains("and 1 asset to \(backup)."),
            "\(made)")
        let verified = try shell.run("backup verify \(backup)", takesData: false)
        #expect(verified.status == 0 && verified.out.contains("The backup is complete."), "\(verified)")
        let json = try JSONValue.parse(
            Array(try shell.run("backup verify \(backup) --json", takesData: false).out.utf8))
        #expect(json["whole"] == true && json["databases"] == 1 && json["problems"] == .array([]))
        // The server that made it remembers the result, and so does its directory.
        #expect(json["isRemembered"] == false && !verified.out.contains("remembers"))
        let noted = try shell.run("backup verify \(backup)/")
        #expect(noted.status == 0 && noted.out.contains("The server of \(server.data) remembers"), "\(noted)")
        let list = try JSONValue.parse(
            Array(try shell.run("backup verify \(backup) --json").out.utf8))
        #expect(list["isRemembered"] == true)
        if place == .running {
            let known = try JSONValue.parse(
                Array(try client.send("GET", "/backups", token: Self.token).text.utf8))["backups"]?.array
            #expect(known?.count == 1 && known?.first?["problems"] == 0 && known?.first?["name"] == "backup")
        }
        // Later writes are not in it.
        if place == .running { #expect(try client.delete("kept").status == 204) }
        let busy = try shell.run("backup restore \(backup) --replace")
        #expect(
            place == .running
                ? busy.status == 1 && busy.errors.contains("in use by another Fogbase process") : busy.status == 0,
            "\(busy)")
        let other = try shell.run("backup restore \(backup) --data \(shelf.path)/data", takesData: false)
        #expect(other.status == 0 && other.out.contains("Start the server."), "\(other)")
        let copy = try ServerProcess(data: shelf.path + "/data")
        let copied = try HTTPClient(port: copy.port)
        #expect(try copied.download("kept").body == sampleContent(1, count: 50_000))
        let restored = OperatorShell(copy)
        #expect(try restored.run("users list").out.contains("ada"))
        #expect(try restored.run("admin list").out.contains("grace"))
        #expect(try restored.run("doctor").out.contains("No problems found."))
        #expect(try copied.delete("kept").status == 204)
        #expect(copy.terminate() == 0)
        // A data directory of another time does not know it.
        let foreign = try shell.run("backup verify \(backup) --data \(shelf.path)/data", takesData: false)
        #expect(foreign.status == 0 && !foreign.out.contains("remembers"), "\(foreign)")
        // The backup has its own files, whatever happened to the originals.
        #expect(try shell.run("backup verify \(backup)", takesData: false).status == 0)
    }

    @Test func `a failed backup reports its cause`() throws {
        let (server, shelf) = (try ServerProcess(), try Shelf())
        let shell = OperatorShell(server)
        func rejected(_ line: String, takesData: Bool = true) throws -> String {
            let run = try shell.run(line, takesData: takesData)
            #expect(run.status == 1 && run.out.isEmpty, "\(line): \(run)")
            return run.errors
        }
        #expect(try shell.run("backup create").status == 64)
        #expect(try rejected("backup create \(server.data)/backup").contains("is inside the data directory"))
        #expect(try rejected("backup create \(shelf.path)").contains("exists. A backup is a new directory"))
        #expect(try rejected("backup create \(shelf.path)/none/backup").contains("Create it first"))
        #expect(try rejected("backup verify \(shelf.path)", takesData: false).contains("is not a backup"))
        #expect(try rejected("backup restore \(shelf.path)").contains("is not a backup"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: shelf.path).isEmpty)
        // The path is one of the server's machine: no token from elsewhere names it.
        let client = try HTTPClient(port: server.port)
        for token in [Self.token, nil] {
            let response = try client.send("POST", "/backup", #"{"path":"\#(shelf.path)/x"}"#, token: token)
            #expect(response.status == (token == nil ? 401 : 403), "\(response.text)")
            #expect(try client.send("GET", "/backup", token: token).status == response.status)
            #expect(try client.send("DELETE", "/backup", token: token).status == response.status)
        }
        if SmallDisk.isPossible {
            let disk = try SmallDisk(megabytes: 4)
            #expect(
                try rejected("backup create \(disk.path)/backup").contains(
                    "Free disk space, or choose another directory"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
        }
        #expect(try shell.run("backup create \(shelf.path)/backup").status == 0)
        let damaged = shelf.path + "/backup/iCloud.fogbase.default/development/records.sqlite"
        let handle = try #require(FileHandle(forUpdatingAtPath: damaged))
        try handle.seek(toOffset: 5_000)
        try handle.write(contentsOf: Data([0xFF]))
        try handle.close()
        let verified = try shell.run("backup verify \(shelf.path)/backup", takesData: false)
        #expect(verified.status == 1 && verified.out.contains("PROBLEM  \(damaged) is damaged"), "\(verified)")
        let noted = try shell.run("backup verify \(shelf.path)/backup")
        #expect(noted.status == 1 && noted.out.contains("remembers this result"), "\(noted)")
        let known = try client.send("GET", "/backups", token: Self.token).text
        #expect(known.contains("is damaged: its SHA-256") && !known.contains(shelf.path), "\(known)")
        #expect(
            try rejected("backup restore \(shelf.path)/backup --data \(shelf.path)/data", takesData: false)
                .contains("\(damaged) is damaged"))
        // A start on the remains would replace it with an empty database.
        let broken = try shell.run("serve --port 0 --data \(shelf.path)/data", takesData: false)
        #expect(broken.status == 1 && broken.errors.contains("was interrupted"), "\(broken)")
    }
}
