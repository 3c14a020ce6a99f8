import Foundation
import RecordModel
import RecordStorage
import TestSupport
import Testing
import Threads

@testable import RecordEngine

/// The list of backups with the results of their tests, and the tests of archives.
@Suite struct RememberedBackupTests {
    /// A server with one database, and what it has reported to the operator.
    private final class Place {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        let registry: DatabaseRegistry
        let administrators: Administrators
        let reports = Locked<[String]>([])
        var data: String { path + "/data" }
        var target: String { path + "/backup" }

        init() throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let reports = reports
            var configuration = DatabaseRegistry.Configuration(
                dataPath: path + "/data", containers: ["iCloud.test"].compactMap(ContainerName.init),
                passwordThreads: 1, report: { sentence in reports.withLock { $0.append(sentence) } })
            administrators = try Administrators(dataPath: path + "/data", passwords: PasswordWorkers(threads: 1))
            configuration.administrators = administrators
            registry = DatabaseRegistry(configuration)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func open() async throws {
            _ = try await registry.open(
                DatabaseID(container: #require(ContainerName("iCloud.test")), environment: .development))
        }

        /// Waits for the end of a backup.
        func end() async throws -> BackupManifest {
            let limit = ContinuousClock.now + .seconds(60)
            var pauses = Pauses()
            while case .running = registry.backups.state {
                try #require(ContinuousClock.now < limit)
                await pauses.pause()
            }
            guard case .done(_, let manifest) = registry.backups.state else {
                throw BackupProblem("\(registry.backups.state)")
            }
            return manifest
        }

        func backUp() async throws -> BackupManifest {
            let request = BackupRequest(path: target, copiesAssets: false, version: "test")
            try #require(registry.backups.start(request, of: registry))
            return try await end()
        }

        /// Waits for the end of the test of an archive.
        func endTest(of created: Int64) async throws -> BackupTester.State {
            let limit = ContinuousClock.now + .seconds(60)
            var pauses = Pauses()
            while case .running = registry.archive.test(of: created) {
                try #require(ContinuousClock.now < limit)
                await pauses.pause()
            }
            return registry.archive.test(of: created)
        }
    }

    private static func backup(_ created: Int64) -> RememberedBackup {
        RememberedBackup(BackupRow(created: created, kind: "directory", name: "b\(created)", bytes: created))
    }

    @Test func `the last fifty backups are remembered, also after a restart`() async throws {
        let place = try Place()
        for created in 1...55 { try await place.administrators.remember(Self.backup(Int64(created))) }
        #expect(place.administrators.backups.map(\.created) == (6...55).reversed())
        let test = RememberedBackup.Test(tested: 99, problems: 2, problem: String(repeating: "x", count: 1_000))
        let changed = try await place.administrators.remember(test, of: 30)
        #expect(changed?.name == "b30" && changed?.test?.problem?.count == 500)
        #expect(try await place.administrators.remember(test, of: 5) == nil)
        let known = place.administrators.backups
        await place.registry.close()
        let next = try Administrators(dataPath: place.data, passwords: PasswordWorkers(threads: 1))
        #expect(next.backups == known && next.backups.filter { $0.test != nil }.map(\.created) == [30])
        await next.close()
    }

    @Test func `a directory is in the list when it is done, and not tested`() async throws {
        let place = try Place()
        try await place.open()
        let manifest = try await place.backUp()
        let backup = try #require(place.administrators.backups.first)
        #expect(backup.created == manifest.created && backup.kind == .directory && backup.name == "backup")
        #expect(backup.bytes == Int64(manifest.fileBytes) && backup.test == nil)
        await place.registry.close()
    }

    @Test func `an archive is tested as soon as it is made, and forgotten with its file`() async throws {
        let place = try Place()
        try await place.open()
        try #require(try place.registry.archive.start(version: "test", of: place.registry))
        let manifest = try await place.end()
        guard case .done(let test) = try await place.endTest(of: manifest.created) else {
            Issue.record("\(place.registry.archive.test(of: manifest.created))")
            return
        }
        #expect(test.problems == 0 && test.problem == nil && test.tested >= manifest.created)
        let backup = try #require(place.administrators.backups.first)
        #expect(backup.kind == .archive && backup.name.hasSuffix(".tar") && backup.test == test)
        // The test has left no file beside those of the backup, which may be downloaded meanwhile.
        let files = try FileManager.default.subpathsOfDirectory(atPath: place.data + "/.archive/backup")
        #expect(!files.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") || $0.hasSuffix("-journal") })
        #expect(place.reports.withLock { $0 } == [])
        await place.registry.archive.cancel()
        try place.registry.archive.delete()
        // The list still has the result: the file was perhaps downloaded.
        #expect(place.registry.archive.test(of: manifest.created) == .done(test))
        #expect(place.registry.archive.test(of: 1) == .none)
        await place.registry.close()
    }

    @Test func `damage is remembered and reported, without a path`() async throws {
        let place = try Place()
        try await place.open()
        let manifest = try await place.backUp()
        for name in ["secret", "records.sqlite"] {
            try FileManager.default.removeItem(atPath: place.target + "/iCloud.test/development/" + name)
        }
        let (tester, registry) = (BackupTester(), place.registry)
        tester.start(place.target, created: manifest.created) { await registry.remember($0, of: manifest.created) }
        let limit = ContinuousClock.now + .seconds(60)
        var pauses = Pauses()
        while case .running? = tester.state(of: manifest.created) {
            try #require(ContinuousClock.now < limit)
            await pauses.pause()
        }
        let test = try #require(place.administrators.backups.first?.test)
        #expect(tester.state(of: manifest.created) == .done(test))
        #expect(test.problems == 2 && test.problem == "iCloud.test/development/records.sqlite is missing.")
        let reports = place.reports.withLock { $0 }
        #expect(reports.count == 1 && reports[0].contains("The backup backup is DAMAGED"), "\(reports)")
        #expect(!reports[0].contains(place.path))
        await tester.close()
        tester.start(place.target, created: 7) { _ in }
        #expect(tester.state(of: 7) == nil)
        await place.registry.close()
    }

    @Test func `a cancelled test has no result`() async throws {
        let place = try Place()
        try await place.open()
        let manifest = try await place.backUp()
        let tester = BackupTester()
        tester.start(place.target, created: manifest.created) { _ in }
        tester.cancel()
        #expect(tester.state(of: manifest.created) == nil)
        await tester.end()
        let target = place.target
        // The first file, a file in the middle of the doctor's work, and its last step.
        for activity in ["records.sqlite", "server.sqlite", ": the file", ": records", ": assets"] {
            let task = Task { () -> (problem: BackupProblem?, later: [String]) in
                var (isCancelled, later) = (false, [String]())
                do throws(BackupProblem) {
                    _ = try BackupVerification(of: target) { now, _, _ in
                        if isCancelled { later.append(now) }
                        guard now.hasSuffix(activity) else { return }
                        withUnsafeCurrentTask { $0?.cancel() }
                        isCancelled = true
                    }
                    return (nil, later)
                } catch {
                    return (error, later)
                }
            }
            let found = await task.value
            #expect(found.problem == .cancelled && found.later == [], "\(activity): \(found)")
        }
        await place.registry.close()
    }

    @Test func `without administrators a backup is made and tested, and not remembered`() async throws {
        let path = NSTemporaryDirectory() + "fogbase-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let container = try #require(ContainerName("iCloud.test"))
        let registry = DatabaseRegistry(
            DatabaseRegistry.Configuration(dataPath: path, containers: [container], passwordThreads: 1))
        _ = try await registry.open(DatabaseID(container: container, environment: .development))
        try #require(try registry.archive.start(version: "test", of: registry))
        let limit = ContinuousClock.now + .seconds(60)
        var pauses = Pauses()
        var created: Int64?
        while created == nil {
            try #require(ContinuousClock.now < limit)
            await pauses.pause()
            if case .done(_, let manifest) = registry.backups.state { created = manifest.created }
        }
        while case .running = registry.archive.test(of: created ?? 0) {
            try #require(ContinuousClock.now < limit)
            await pauses.pause()
        }
        guard case .done(let test) = registry.archive.test(of: created ?? 0) else {
            Issue.record("\(registry.archive.test(of: created ?? 0))")
            return
        }
        #expect(test.problems == 0)
        await registry.close()
    }
}
