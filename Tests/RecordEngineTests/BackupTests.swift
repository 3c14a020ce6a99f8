import Foundation
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

@testable import RecordEngine

/// Backups that are made during writes: one moment of the database each, whole or nothing.
@Suite struct BackupTests {
    /// A registry over its own data directory, and a directory for backups.
    private final class Place {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        let registry: DatabaseRegistry
        var data: String { path + "/data" }
        var target: String { path + "/backup" }

        init(containers: [String] = ["iCloud.test"]) throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            var configuration = DatabaseRegistry.Configuration(
                dataPath: path + "/data", containers: containers.compactMap(ContainerName.init), passwordThreads: 1)
            configuration.administrators = try Administrators(
                dataPath: path + "/data", passwords: PasswordWorkers(threads: 1))
            registry = DatabaseRegistry(configuration)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func open(_ environment: RecordEnvironment = .development) async throws -> RecordDatabase {
            try await registry.open(
                DatabaseID(container: #require(ContainerName("iCloud.test")), environment: environment))
        }

        /// Makes a backup and returns the result.
        func backUp(to target: String? = nil) async throws -> Backups.State {
            let request = BackupRequest(path: target ?? self.target, copiesAssets: false, version: "test")
            try #require(registry.backups.start(request, of: registry))
            let limit = ContinuousClock.now + .seconds(60)
            var pauses = Pauses()
            while case .running = registry.backups.state {
                try #require(ContinuousClock.now < limit)
                await pauses.pause()
            }
            return registry.backups.state
        }

        func problem(to target: String? = nil) async throws -> String {
            guard case .failed(let problem) = try await backUp(to: target) else { return "" }
            return problem.description
        }
    }

    private static func create(_ name: String, _ fields: String, in database: RecordDatabase) async throws {
        var input = try RecordInput.readSingle(Array("{\"fields\":{\(fields)}}".utf8))
        input.recordName = RecordName(name)
        _ = try await database.modify(
            WriteRequest(
                caller: .administrator(.bootstrap), address: .publicDefault, shape: .single,
                operations: [
                    RecordOperation(
                        .create, typeName: RecordTypeName("Post"), isTypeInPath: true, recordName: input.recordName,
                        input: input)
                ]))
    }

    @Test func `a backup has all databases, secrets and administrators, for their owner alone, and is whole`()
        async throws
    {
        let place = try Place()
        try await Self.create("a", #""n":1"#, in: place.open())
        _ = try await place.open(.production)
        guard case .done(let path, let manifest) = try await place.backUp() else {
            Issue.record("\(place.registry.backups.state)")
            return
        }
        #expect(path == place.target && manifest.databases.count == 2)
        let names = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
        #expect(
            names == [
                "iCloud.test", "iCloud.test/development", "iCloud.test/development/records.sqlite",
                "iCloud.test/development/secret", "iCloud.test/production", "iCloud.test/production/records.sqlite",
                "iCloud.test/production/secret", "manifest.json", "server.sqlite",
            ])
        for name in names + [""] {
            let mode = try #require(DirectoryInspection.status(of: path + "/" + name)?.permissions)
            #expect(mode == (DirectoryInspection.isDirectory(path + "/" + name) ? 0o700 : 0o600), "\(name)")
        }
        let found = try BackupVerification(of: path)
        #expect(found.problems.isEmpty && found.manifest == manifest)
        #expect(!DirectoryInspection.exists(path + ".partial"))
        await place.registry.close()
    }

    @Test func `a backup during writes has a prefix of them, and its token ends there`() async throws {
        let place = try Place()
        let database = try await place.open()
        let text = String(repeating: "x", count: 4_000)
        for number in 0..<2_000 { try await Self.create("old\(number)", "\"t\":\"\(text)\"", in: database) }
        let written = Counter()
        let writer = Task {
            while !Task.isCancelled {
                try await Self.create("new\(written.value)", "\"n\":\(written.value)", in: database)
                written.add()
            }
        }
        let before = written.value
        guard case .done(let path, let manifest) = try await place.backUp() else {
            Issue.record("\(place.registry.backups.state)")
            return
        }
        let after = written.value
        writer.cancel()
        _ = try? await writer.value
        #expect(after > before, "nobody wrote beside it")
        // The writer may have been stopped before it wrote anything that the copy does not have.
        try await Self.create("later", "\"n\":0", in: database)
        let reader = try database.makeReader()
        try reader.refresh()
        let token = try Self.changes(reader).token
        reader.rest()
        await place.registry.close()
        let restored = place.path + "/restored"
        _ = try BackupRestoration(of: path, to: restored, replaces: false).run()
        let copy = try RecordDatabase(
            directory: restored + "/iCloud.test/development", environment: .development,
            passwords: PasswordWorkers(threads: 1))
        let copyReader = try copy.makeReader()
        let names = Set(try Self.changes(copyReader).names)
        let new = names.filter { $0.hasPrefix("new") }.count
        #expect(new >= before && new <= after + 1, "\(before) \(new) \(after)")
        #expect((0..<new).allSatisfy { names.contains("new\($0)") })
        #expect((0..<2_000).allSatisfy { names.contains("old\($0)") })
        // Tokens that the first database issued after the copy are valid only there.
        #expect(await rejection { _ = try Self.changes(copyReader, since: token) }?.cause == .tokenExpired)
        #expect(manifest.databases.first?.mark != nil)
        copyReader.rest()
        await copy.close()
    }

    private static func changes(_ reader: RecordReader, since: String? = nil) throws -> (names: [String], token: String)
    {
        var (names, token, goesOn): ([String], String?, Bool) = ([], since, true)
        while goesOn {
            var json: [UInt8] = []
            try reader.refresh()
            try reader.changes(
                in: .publicDefault, for: .administrator(.bootstrap), since: token, limit: 200, fields: nil, to: &json)
            let page = try JSONValue.parse(json)
            names += (page["changes"]?.array ?? []).compactMap { $0["recordName"]?.string }
            token = page["token"]?.string
            goesOn = page["moreComing"] == .bool(true)
        }
        return (names, try #require(token))
    }

    @Test func `files of assets are linked, and not collected while a copy needs them`() async throws {
        let place = try Place()
        let database = try await place.open()
        let reader = try database.makeReader()
        let upload = AssetUpload(
            caller: .administrator(.bootstrap), address: .publicDefault, contentType: nil, filename: nil, length: 5)
        try reader.refresh()
        let asset = try await reader.assets.receive([Array("hello".utf8)], for: upload).asset
        let value = #""file":{"fileChecksum":"\#(asset.fileChecksum)","size":5,"receipt":"\#(asset.receipt ?? "")"}"#
        try await Self.create("a", value, in: database)
        let lost = try await reader.assets.receive([Array("there".utf8)], for: upload).asset
        database.assetStore.holdCollection()
        #expect(try await database.assets.collect(unusedFor: 0) == 0)
        guard case .done(let path, let manifest) = try await place.backUp() else {
            Issue.record("\(place.registry.backups.state)")
            return
        }
        database.assetStore.releaseCollection()
        // The clock of a database does not advance within a millisecond.
        try await Self.create("later", #""n":1"#, in: database)
        #expect(await eventuallyCollects(database))
        #expect(manifest.databases.first?.assets == 2 && manifest.databases.first?.assetBytes == 10)
        let files = try FileManager.default.subpathsOfDirectory(atPath: path).filter {
            $0.contains("assets/") && $0.contains(".")
        }
        .filter { !DirectoryInspection.isDirectory(path + "/" + $0) }
        #expect(files.count == 2 && lost.size == 5)
        #expect(try BackupVerification(of: path).problems.isEmpty)
        // A byte that has changed is found, and the file named.
        let victim = try #require(files.first)
        try FileManager.default.removeItem(atPath: path + "/" + victim)
        try Data("hellO".utf8).write(to: URL(filePath: path + "/" + victim))
        chmod(path + "/" + victim, 0o600)
        #expect(try BackupVerification(of: path).problems.contains { $0.contains(victim) })
        let problem = #expect(throws: BackupProblem.self) {
            _ = try BackupRestoration(of: path, to: place.path + "/restored", replaces: false).run()
        }
        #expect(problem?.description.contains(victim) == true)
        reader.rest()
        await place.registry.close()
    }

    private func eventuallyCollects(_ database: RecordDatabase) async -> Bool {
        for _ in 0..<100_000 {
            if let count = try? await database.assets.collect(unusedFor: 0), count == 1 { return true }
        }
        return false
    }

    @Test func `an unsuitable directory is rejected with a remedy`() async throws {
        let place = try Place()
        #expect(try await place.problem() == "\(place.data) contains no database yet.")
        try await Self.create("a", #""n":1"#, in: place.open())
        #expect(try await place.problem(to: place.data + "/backup").contains("is inside the data directory"))
        #expect(try await place.problem(to: place.path + "/none/backup").contains("Create it first"))
        #expect(try await place.problem(to: "backup").contains("is not an absolute path"))
        #expect(try await place.problem(to: place.path).contains("exists. A backup is a new directory"))
        // A backup in progress, recognized by its held lock, and the remains of a killed backup.
        try BackupFiles.makeDirectory(place.target + ".partial")
        let lock = try #require(try BackupFiles.lock(place.target + ".partial"))
        #expect(try await place.problem().contains("is in progress"))
        BackupFiles.unlock(lock)
        try BackupFiles.write([1], to: place.target + ".partial/left")
        guard case .done = try await place.backUp() else {
            Issue.record("\(place.registry.backups.state)")
            return
        }
        #expect(!DirectoryInspection.exists(place.target + "/left"))
        await place.registry.close()
        #expect(
            !place.registry.backups.start(
                BackupRequest(path: "/x", copiesAssets: false, version: ""), of: place.registry))
    }

    /// The jobs of a database, newest first.
    private static func jobs(of database: RecordDatabase) throws -> [JSONValue] {
        let caller = Caller.administrator(.bootstrap)
        return try database.makeReader().jobs.list(Jobs.Filter(limit: 10), for: caller).jobs
            .map { $0.json(for: caller) }
    }

    @Test func `a backup is a job of each database, which its copy does not have`() async throws {
        let place = try Place()
        let database = try await place.open()
        try await Self.create("a", #""n":1"#, in: database)
        _ = try await place.backUp()
        let jobs = try Self.jobs(of: database)
        #expect(jobs.map { $0["kind"] } == ["backup"] && jobs.first?["state"] == "succeeded", "\(jobs)")
        #expect(jobs.first?["by"]?["kind"] == "server" && jobs.first?["done"] == jobs.first?["total"])
        #expect(try await place.problem(to: place.data + "/x").contains("inside the data directory"))
        #expect(try Self.jobs(of: database).count == 1)
        await place.registry.close()
        let copy = try RecordDatabase(
            directory: place.target + "/iCloud.test/development", environment: .development,
            passwords: PasswordWorkers(threads: 1))
        #expect(try Self.jobs(of: copy).isEmpty)
        await copy.close()
    }

    @Test func `the job of a backup that ended with the process has failed`() async throws {
        let place = try Place()
        await (try await place.open()).jobs.showBackup(done: 1, total: 5)
        await place.registry.close()
        let database = try RecordDatabase(
            directory: place.data + "/iCloud.test/development", environment: .development,
            passwords: PasswordWorkers(threads: 1))
        var pauses = Pauses()
        while try Self.jobs(of: database).first?["state"] == "running" { await pauses.pause() }
        let job = try Self.jobs(of: database).first
        #expect(job?["state"] == "failed" && job?["done"]?.integer == 1, "\(String(describing: job))")
        #expect(job?["error"]?["reason"]?.string?.contains("before the backup was complete") == true)
        await database.close()
    }

    @Test func `a backup that is cancelled, or whose database closes, leaves nothing`() async throws {
        let place = try Place()
        let text = String(repeating: "x", count: 100_000)
        let database = try await place.open()
        for number in 0..<100 { try await Self.create("r\(number)", "\"t\":\"\(text)\"", in: database) }
        for closes in [false, true] {
            let request = BackupRequest(path: place.target, copiesAssets: false, version: "test")
            #expect(place.registry.backups.start(request, of: place.registry))
            #expect(!place.registry.backups.start(request, of: place.registry))
            if closes { await place.registry.close() } else { await place.registry.backups.cancel() }
            #expect(place.registry.backups.state == .failed(.cancelled))
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["data"])
        }
    }

    @Test func `damaged, foreign and incompatible backups are rejected by name`() async throws {
        let place = try Place()
        try await Self.create("a", #""n":1"#, in: place.open())
        _ = try await place.backUp()
        await place.registry.close()
        func problem(_ body: () throws -> Void) -> String {
            do {
                try body()
                return ""
            } catch { return "\(error)" }
        }
        func restore(to name: String, replaces: Bool = false) -> String {
            problem {
                _ = try BackupRestoration(of: place.target, to: place.path + "/" + name, replaces: replaces).run()
            }
        }
        #expect(problem { _ = try BackupVerification(of: place.data) }.contains("is not a backup"))
        #expect(problem { _ = try BackupVerification(of: place.path + "/none") }.contains("There is no directory"))
        #expect(restore(to: "data").contains("is not empty"))
        #expect(restore(to: "backup/data").contains("is inside the other"))
        #expect(restore(to: "one") == "")
        #expect(restore(to: "one").contains("--replace"))
        #expect(restore(to: "one", replaces: true) == "")
        let aside = try FileManager.default.contentsOfDirectory(atPath: place.path + "/one").filter {
            $0.hasPrefix(".replaced-")
        }
        #expect(aside.count == 1)
        // A restore that was interrupted while it copied, and while it moved: no server starts on it.
        try BackupFiles.makeDirectory(place.path + "/one/.restoring")
        let copying = problem { _ = try DataDirectory(opening: place.path + "/one") }
        #expect(copying.contains("before it changed anything"))
        #expect(copying.contains("deleting \(place.path)/one/.restoring"))
        #expect(restore(to: "one").contains("--replace"))
        try BackupFiles.write([], to: place.path + "/one/.moving")
        #expect(problem { _ = try DataDirectory(opening: place.path + "/one") }.contains("while it moved files"))
        let report = Doctor().examine(dataPath: place.path + "/one")
        #expect(report.findings.contains { $0.kind == .problem && $0.sentence.contains("was interrupted") })
        #expect(restore(to: "one", replaces: true) == "")
        #expect(problem { _ = try DataDirectory(opening: place.path + "/one") } == "")
        // Each file that is in the manifest.
        let file = place.target + "/iCloud.test/development/secret"
        let secret = try Data(contentsOf: URL(filePath: file))
        try Data(repeating: 1, count: 32).write(to: URL(filePath: file))
        #expect(
            try BackupVerification(of: place.target).problems.contains { $0.contains(file) && $0.contains("SHA-256") })
        // A damaged backup leaves the data as it is, and an empty directory ready for another backup.
        let rejected = restore(to: "one", replaces: true)
        #expect(rejected.contains(file) && rejected.contains("The data in \(place.path)/one is unchanged."))
        #expect(problem { _ = try DataDirectory(opening: place.path + "/one") } == "")
        #expect(restore(to: "two").contains(file))
        #expect(problem { _ = try DataDirectory(opening: place.path + "/two") }.contains("was interrupted"))
        #expect(restore(to: "two").contains("SHA-256"))
        try FileManager.default.removeItem(atPath: file)
        #expect(try BackupVerification(of: place.target).problems == ["\(file) is missing."])
        try secret.write(to: URL(filePath: file))
        #expect(restore(to: "two") == "")
        #expect(problem { _ = try DataDirectory(opening: place.path + "/two") } == "")
        let manifest = place.target + "/manifest.json"
        let text = try String(contentsOfFile: manifest, encoding: .utf8)
        try text.replacingOccurrences(of: "\"format\":1", with: "\"format\":2").write(
            toFile: manifest, atomically: false, encoding: .utf8)
        #expect(restore(to: "three").contains("has the format 2"))
        try text.replacingOccurrences(of: "server.sqlite", with: "../x").write(
            toFile: manifest, atomically: false, encoding: .utf8)
        #expect(restore(to: "three").contains("manifest.json is damaged"))
    }
}

private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int { lock.withLock { count } }

    func add() { lock.withLock { count += 1 } }
}
