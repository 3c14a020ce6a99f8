import Foundation
import RecordWire
import TestSupport
import Testing

/// The real server on a full disk of 12 MB: it reports this, and deletions free space.
@Suite(.enabled(if: SmallDisk.isPossible, Comment(rawValue: SmallDisk.reason))) struct FullDiskTests {
    private static let token = ServerProcess.administratorToken

    /// Uploads leave no room to records, so that a test fills the disk with either.
    private static let settings = ["FOGBASE_ASSETS_FREE_BYTES": "1MiB"]

    private static func create(_ name: String, _ client: HTTPClient, bytes: Int = 60_000) throws -> Int {
        let text = String(repeating: "x", count: bytes)
        return try client.send(
            "POST", "/records/Item", #"{"recordName":"\#(name)","fields":{"text":"\#(text)"}}"#, token: token
        ).status
    }

    /// Writes records until there is no room for one more.
    private static func fill(_ client: HTTPClient, _ prefix: String = "r") throws -> [String] {
        var names: [String] = []
        while true {
            try #require(names.count < 1_000)
            let status = try create("\(prefix)\(names.count)", client)
            guard status == 201 else {
                #expect(status == 507)
                return names
            }
            names.append("\(prefix)\(names.count)")
        }
    }

    private static func isReady(_ client: HTTPClient) throws -> Bool {
        let response = try client.send("GET", "/health/ready")
        guard response.status != 200 else { return true }
        #expect(response.status == 503 && response.json?["details"]?["cause"] == "STORAGE_FULL", "\(response.text)")
        #expect(response.json?["reason"]?.string?.contains("is full: writes are rejected") == true, "\(response.text)")
        return false
    }

    /// It notices by itself, in seconds.
    private static func becomesReady(_ client: HTTPClient) throws -> Bool {
        let limit = Date().addingTimeInterval(30)
        while Date() < limit { if try isReady(client) { return true } }
        return false
    }

    /// Before, `/health/ready` was 200, each deletion was 507, and both stayed so after a restart.
    @Test func `a full disk is reported, also after a restart, and deletions free it`() throws {
        let disk = try SmallDisk(megabytes: 12)
        let server = try ServerProcess(data: disk.path + "/data", settings: Self.settings)
        var client = try HTTPClient(port: server.port)
        let names = try Self.fill(client)
        try #require(names.count > 40)
        #expect(try !Self.isReady(client))
        let shell = OperatorShell(server)
        let health = try shell.run("health --port \(server.port)", takesData: false)
        #expect(health.status == 1 && health.errors.contains("The disk of the data directory is full"), "\(health)")
        // Commands of operators work, or say why not.
        #expect(try shell.run("users list").status == 0)
        let added = try shell.run("keys add shop --read-only")
        #expect(added.status == 0 || added.errors.contains("disk is full"), "\(added.errors)")
        #expect(try shell.run("doctor").out.contains("MiB left"))
        #expect(server.terminate() == 0)
        try server.start()
        client = try HTTPClient(port: server.port)
        #expect(try client.send("GET", "/records/Item/r0", token: Self.token).status == 200)
        // The start has emptied the WAL, so a record or two may fit now.
        let more = try Self.fill(client, "more")
        #expect(more.count < names.count / 8, "\(more.count) of \(names.count)")
        #expect(try !Self.isReady(client))
        for name in names + more {
            #expect(try client.send("DELETE", "/records/Item/\(name)", token: Self.token).status == 204)
        }
        #expect(try Self.becomesReady(client))
        let second = try Self.fill(client, "s")
        #expect(second.count > names.count / 2, "\(second.count) of \(names.count)")
        let all = try client.send("DELETE", "/query/Item?all=true", token: Self.token)
        #expect(all.status == 200, "\(all.text)")
        #expect(try Self.becomesReady(client))
    }

    @Test func `a disk that is made larger is noticed`() throws {
        let disk = try SmallDisk(megabytes: 12)
        let server = try ServerProcess(data: disk.path + "/data", settings: Self.settings)
        let client = try HTTPClient(port: server.port)
        _ = try Self.fill(client)
        #expect(try !Self.isReady(client))
        #expect(disk.resize(megabytes: 64))
        #expect(try Self.becomesReady(client))
        #expect(try Self.create("more", client) == 201)
    }

    /// Files of deleted records must not occupy the disk for a day.
    @Test func `files of deleted records make room on a full disk`() throws {
        let disk = try SmallDisk(megabytes: 12)
        let server = try ServerProcess(data: disk.path + "/data", settings: Self.settings)
        let client = try HTTPClient(port: server.port)
        for number in 0..<4 {
            let upload = try client.upload(sampleContent(number, count: 1_000_000))
            try #require(upload.status == 201, "\(upload.text)")
            #expect(try client.link(upload, to: "f\(number)").status == 201)
        }
        let unused = try client.upload(sampleContent(9, count: 100_000))
        try #require(unused.status == 201)
        let names = try Self.fill(client)
        #expect(try !Self.isReady(client))
        // No space for a file, by any route.
        #expect(try HTTPClient(port: server.port).upload(sampleContent(5, count: 3_000_000)).status == 507)
        let resumable = try HTTPClient(port: server.port).send(
            "POST", "/assets/uploads", token: Self.token,
            fields: ["Tus-Resumable": "1.0.0", "Upload-Length": "3000000"])
        #expect(resumable.status == 507, "\(resumable.text)")
        for number in 0..<4 { #expect(try client.delete("f\(number)").status == 204) }
        let files = AssetFiles(server: server)
        #expect(try files.become { $0.count == 1 })
        #expect(try Self.becomesReady(client))
        #expect(try client.link(unused, to: "late").status == 201)
        #expect(try Self.create("more", client) == 201 && !names.isEmpty)
    }
}
