import Foundation
import HTTP
import RecordAPI
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import Threads

/// Backups that an owner downloads.
@Suite struct BackupArchiveTests {
    private static let route = "/backup/archive"

    /// Makes a backup and returns the document that says that it is done.
    private static func make(_ database: TestDatabase) async throws -> JSONValue {
        let started = await database.call(.post, route, as: .administrator)
        try #require(started.status == 202, "\(started.text)")
        let limit = ContinuousClock.now + .seconds(90)
        var pauses = Pauses()
        while true {
            let document = try #require(await database.call(.get, route, as: .administrator).json)
            if document["state"]?.string != "running" { return document }
            try #require(ContinuousClock.now < limit)
            await pauses.pause()
        }
    }

    private static func ticket(_ database: TestDatabase, for route: String = route) async throws -> String {
        let response = await database.call(.post, "\(route)/tickets", as: .administrator)
        return try #require(response.json?["ticket"]?.string, "\(response.text)")
    }

    /// Downloads the archive as a browser's link does, without a credential.
    private static func download(
        _ database: TestDatabase, _ ticket: String, fields: [(HTTPFieldName, String)] = []
    ) async throws -> (Response, [UInt8]) {
        let target = try #require(RequestTarget("\(route)/file?ticket=\(ticket)"))
        var head = HTTPFields()
        for (name, value) in fields { head.append(name, value) }
        let request = HTTPRequest(method: .get, target: target, fields: head, id: "request-1")
        let response = await database.api.respond(to: request, in: database.context)
        guard case .stream(let length, let source) = response.body else { return (Response(response), []) }
        var bytes: [UInt8] = []
        while let piece = try await source.next() { bytes += piece }
        #expect(bytes.count == length)
        return (Response(response), bytes)
    }

    @Test func `an owner makes a backup, and its tar file is a whole backup`() async throws {
        let database = try await TestDatabase.make()
        await database.call(.put, "/records/Post/a", as: .creator, body: #"{"fields":{"n":1}}"#)
        let none = await database.call(.get, Self.route, as: .administrator)
        #expect(none.text == #"{"state":"none"}"#)
        let document = try await Self.make(database)
        #expect(document["state"]?.string == "done", "\(document)")
        let (response, bytes) = try await Self.download(database, try await Self.ticket(database))
        #expect(response.status == 200 && document["bytes"] == .integer(Int64(bytes.count)))
        #expect(response.field("Content-Type") == "application/x-tar")
        let name = try #require(response.field("Content-Disposition")?.split(separator: "\"").last)
        #expect(name.hasPrefix("fogbase-2") && name.hasSuffix(".tar"))

        let place = NSTemporaryDirectory() + "fogbase-archive-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: place) }
        try Data(bytes).write(to: URL(fileURLWithPath: place + "/file.tar"))
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-x", "-C", place, "-f", place + "/file.tar"]
        try tar.start()
        tar.waitUntilExit()
        #expect(tar.terminationStatus == 0)
        let found = try BackupVerification(of: "\(place)/\(name.dropLast(4))")
        #expect(found.problems.isEmpty && found.manifest.databases.count == 1)

        let audit = await database.call(.get, "/audit?scope=server&action=backup.download", as: .administrator)
        #expect(audit.json?["entries"]?.array?.count == 1, "\(audit.text)")
        let deleted = await database.call(.delete, Self.route, as: .administrator)
        #expect(deleted.text == #"{"state":"none"}"#)
        let gone = try await Self.download(database, try await Self.ticket(database))
        #expect(gone.0.status == 404)
    }

    @Test func `a download that broke off continues with a range`() async throws {
        let database = try await TestDatabase.make()
        // A file of several pieces.
        let text = String(repeating: "abcdefghij", count: 30_000)
        for name in ["a", "b", "c"] {
            await database.call(.put, "/records/Post/\(name)", as: .creator, body: #"{"fields":{"t":"\#(text)"}}"#)
        }
        #expect(try await Self.make(database)["state"]?.string == "done")
        let (whole, bytes) = try await Self.download(database, try await Self.ticket(database))
        let tag = try #require(whole.field("ETag"))
        #expect(whole.field("Accept-Ranges") == "bytes" && bytes.count > 600_000)
        func part(_ range: String, _ more: [(HTTPFieldName, String)] = []) async throws -> (Response, [UInt8]) {
            try await Self.download(database, try await Self.ticket(database), fields: [(.range, range)] + more)
        }
        for start in [0, 1, 511, 512, 513, 100_000, 262_144, 262_657, 600_000, bytes.count - 1_024, bytes.count - 1] {
            let (rest, found) = try await part("bytes=\(start)-", [(.ifRange, tag)])
            #expect(rest.status == 206 && found == Array(bytes[start...]), "\(start)")
            #expect(rest.field("Content-Range") == "bytes \(start)-\(bytes.count - 1)/\(bytes.count)")
            let end = min(start + 300_000, bytes.count - 1)
            #expect(try await part("bytes=\(start)-\(end)").1 == Array(bytes[start...end]), "\(start)")
        }
        #expect(try await part("bytes=-700").1 == Array(bytes.suffix(700)))
        let other = try await part("bytes=5-", [(.ifRange, #""another""#)])
        #expect(other.0.status == 200 && other.1 == bytes)
        let beyond = try await part("bytes=\(bytes.count)-").0
        #expect(beyond.status == 416 && beyond.field("Content-Range") == "bytes */\(bytes.count)")
    }

    @Test func `an archive is tested, and the list of backups has the result`() async throws {
        let database = try await TestDatabase.make()
        let empty = await database.call(.get, "/backups", as: .administrator)
        #expect(empty.text == #"{"backups":[]}"#)
        #expect(!(await database.call(.get, "/metrics", as: .administrator)).text.contains("fogbase_backup_complete"))
        let made = try await Self.make(database)
        let created = try #require(made["created"]?.integer)
        var document = made
        let limit = ContinuousClock.now + .seconds(90)
        var pauses = Pauses()
        while document["test"]?["state"] == "running" {
            try #require(ContinuousClock.now < limit)
            await pauses.pause()
            document = try #require(await database.call(.get, Self.route, as: .administrator).json)
        }
        let test = try #require(document["test"])
        #expect(test["state"] == "complete" && test["problems"] == 0 && test["problem"] == nil, "\(document)")
        let list = await database.call(.get, "/backups", as: .administrator)
        let backup = try #require(list.json?["backups"]?.array?.first)
        #expect(backup["created"]?.integer == created && backup["kind"] == "archive", "\(list.text)")
        #expect(backup["tested"] == test["tested"] && backup["problems"] == 0)
        #expect(!list.text.contains(database.directory))
        let metrics = await database.call(.get, "/metrics", as: .administrator)
        #expect(metrics.text.contains("fogbase_backup_complete_timestamp_seconds \(Double(created) / 1_000)"))
    }

    @Test func `the operator's command notes a test`() async throws {
        let database = try await TestDatabase.make()
        let created = try #require(try await Self.make(database)["created"]?.integer)
        func note(_ body: String) async -> Response {
            await database.call(.post, "/backup/tests", token: TestDatabase.operatorToken, body: body)
        }
        let unknown = await note(#"{"created":1,"problems":0}"#)
        #expect(unknown.status == 404)
        for body in [
            #"{"problems":0}"#, #"{"created":1}"#, #"{"created":1,"problems":-1}"#, #"{"created":1,"problems":0.5}"#,
            #"{"created":1,"problems":1,"problem":2}"#, #"{"created":1,"problems":0,"path":"/x"}"#,
        ] {
            #expect(await note(body).status == 400, "\(body)")
        }
        // The server's own test ends first, so that it does not replace the result.
        await database.registry.archive.cancel()
        let noted = await note(#"{"created":\#(created),"problems":2,"problem":"a is missing."}"#)
        #expect(noted.status == 200 && noted.json?["problem"] == "a is missing.", "\(noted.text)")
        let list = await database.call(.get, "/backups", as: .administrator)
        #expect(list.json?["backups"]?.array == [try #require(noted.json)])
        #expect(await note(#"{"created":\#(created),"problems":0,"problem":"x"}"#).json?["problem"] == nil)
    }

    @Test func `a ticket opens its own route once`() async throws {
        let database = try await TestDatabase.make()
        _ = try await Self.make(database)
        let other = try await Self.ticket(database, for: "/changes")
        let (rejected, _) = try await Self.download(database, other)
        #expect(rejected.status == 401)
        let ticket = try await Self.ticket(database)
        let stream = await database.call(.get, "/changes?ticket=\(ticket)")
        #expect(stream.status == 401)
        let once = try await Self.ticket(database)
        #expect(try await Self.download(database, once).0.status == 200)
        #expect(try await Self.download(database, once).0.status == 401)
    }

    @Test func `of several starts at the same time one makes the backup, and the others do not disturb it`()
        async throws
    {
        let database = try await TestDatabase.make()
        let (archive, registry) = (database.registry.archive, database.registry)
        let started = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask { (try? archive.start(version: "test", of: registry)) == true }
            }
            return await group.reduce(into: 0) { if $1 { $0 += 1 } }
        }
        #expect(started >= 1)
        let limit = ContinuousClock.now + .seconds(90)
        var pauses = Pauses()
        var state = "running"
        while state == "running" {
            try #require(ContinuousClock.now < limit)
            await pauses.pause()
            state = await database.call(.get, Self.route, as: .administrator).json?["state"]?.string ?? "?"
        }
        #expect(state == "done")
    }

    @Test func `a deletion does not disturb a backup that has just started`() async throws {
        let database = try await TestDatabase.make()
        let (archive, registry) = (database.registry.archive, database.registry)
        let isDone = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while !isDone.withLock({ $0 }) {
                    _ = try archive.start(version: "test", of: registry)
                    await Task.yield()
                }
            }
            group.addTask {
                defer { isDone.withLock { $0 = true } }
                for _ in 0..<400 {
                    await archive.cancel()
                    try archive.delete()
                }
            }
            try await group.waitForAll()
        }
        await archive.cancel()
        try archive.delete()
        #expect(try await Self.make(database)["state"]?.string == "done")
    }

    @Test func `a download beside a deletion is the whole backup or finds none`() async throws {
        let database = try await TestDatabase.make()
        for number in 0..<40 {
            let upload = await database.call(
                .post, "/assets", as: .administrator, bytes: Array("asset \(number)".utf8),
                headers: [("Content-Type", "text/plain")])
            try #require(upload.status == 201)
        }
        let archive = database.registry.archive
        for _ in 0..<10 {
            let document = try await Self.make(database)
            await archive.cancel()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while let file = try archive.open(at: 1) {
                        #expect(document["bytes"] == .integer(Int64(file.size)))
                        await Task.yield()
                    }
                }
                group.addTask { try archive.delete() }
                try await group.waitForAll()
            }
        }
    }

    @Test func `an archive is deleted after some hours`() async throws {
        let database = try await TestDatabase.make()
        let document = try await Self.make(database)
        let archive = database.registry.archive
        guard case .integer(let expires)? = document["expires"] else {
            Issue.record("\(document)")
            return
        }
        try archive.removeExpired(at: expires - 1)
        #expect(await database.call(.get, Self.route, as: .administrator).json?["state"]?.string == "done")
        try archive.removeExpired(at: expires)
        #expect(await database.call(.get, Self.route, as: .administrator).json?["state"]?.string == "none")
        // The archive does not prevent another one.
        #expect(try await Self.make(database)["state"]?.string == "done")
    }

    @Test(arguments: ["DELETE", "PATCH"])
    func `a download ends when its administrator is deleted or demoted`(_ method: String) async throws {
        let database = try await TestDatabase.make()
        _ = try await Self.make(database)
        let added = await database.call(
            .post, "/administrators", as: .administrator,
            body: #"{"name":"ada","password":"correct horse ada","role":"owner"}"#)
        try #require(added.status == 201, "\(added.text)")
        let session = await database.call(
            .post, "/administrators/sessions", body: #"{"name":"ada","password":"correct horse ada"}"#)
        var fields = HTTPFields()
        fields.append(.authorization, "Bearer \(try #require(session.json?["token"]?.string))")
        let target = try #require(RequestTarget("\(Self.route)/file"))
        let response = await database.api.respond(
            to: HTTPRequest(method: .get, target: target, fields: fields, id: "request-1"), in: database.context)
        guard case .stream(_, let source) = response.body else {
            Issue.record("\(Response(response).text)")
            return
        }
        #expect(try await source.next()?.isEmpty == false)
        let lost = await database.call(
            method == "DELETE" ? .delete : .patch, "/administrators/ada", as: .administrator,
            body: method == "DELETE" ? nil : #"{"role":"developer"}"#)
        try #require(lost.status < 300, "\(lost.text)")
        await #expect(throws: RecordError.self) { while try await source.next() != nil {} }
    }
}
