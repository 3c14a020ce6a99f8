import Foundation
import HTTP
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing
import Threads

@testable import RecordAPI

/// The files of jobs: how much room they may take, and when they are deleted.
@Suite struct JobFileTests {
    private static func files(_ test: TestDatabase, _ job: JSONValue) -> [String] {
        let path = test.directory + "/Forum/development/assets/jobs/" + (job["id"]?.string ?? "?")
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// Starts an export of all records, and returns the job as it has ended, or the error.
    private static func export(_ test: TestDatabase, as who: TestDatabase.Who) async throws -> JSONValue {
        let response = await test.call(
            .post, "/exports", as: who, body: #"{"format":"jsonLines","recordType":"Post"}"#)
        guard response.status == 202 else { return response.json ?? .null }
        return try await TransferRoutesTests.end(test, response, as: who)
    }

    @Test func `the files of a caller's jobs have a limit, until the jobs are deleted`() async throws {
        var limits = DatabaseLimits()
        limits.unreferencedAssetBytes = 30_000
        let test = try await TestDatabase.make(limits: limits)
        _ = try await TransferRoutesTests.importing(test, JobRateTests.lines(80, "a"), #""format":"jsonLines""#)
        let first = try await Self.export(test, as: .creator)
        let size = try #require(first["bytes"]?.integer)
        try #require(size > 15_000 && size < 30_000, "\(first)")
        #expect(Self.files(test, first) == ["result"])
        let second = try await Self.export(test, as: .creator)
        #expect(second["state"] == "failed" && second["error"]?["serverErrorCode"] == "QUOTA_EXCEEDED", "\(second)")
        let details = second["error"]?["details"]
        #expect(details?["limit"]?.integer == 30_000 && details?["held"]?.integer == size, "\(second)")
        #expect(details?["setting"] == "assets.unreferenced_bytes", "\(second)")
        var pauses = Pauses()
        while !Self.files(test, second).isEmpty { await pauses.pause() }
        // Each caller has its own limit.
        #expect(try await Self.export(test, as: .stranger)["state"] == "succeeded")
        // The file of an import counts from its start.
        let file = try await TransferRoutesTests.upload(test, JobRateTests.lines(250, "b"), as: .creator)
        let rejected = await test.call(
            .post, "/imports", as: .creator, body: #"{"file":\#(file),"format":"jsonLines"}"#)
        #expect(rejected.status == 413 && rejected.code == "QUOTA_EXCEEDED", "\(rejected.text)")
        let path = "/jobs/" + (first["id"]?.string ?? "")
        #expect(await test.call(.delete, path, as: .creator).status == 204)
        #expect(Self.files(test, first).isEmpty)
        #expect(try await Self.export(test, as: .creator)["state"] == "succeeded")
    }

    @Test func `an export leaves room on the disk`() async throws {
        var limits = DatabaseLimits()
        limits.freeDiskBytes = 1 << 60
        let test = try await TestDatabase.make(limits: limits)
        try await test.make([("a", #"{"n":1}"#)], "Post")
        let job = try await Self.export(test, as: .creator)
        #expect(job["state"] == "failed" && job["error"]?["details"]?["cause"] == "STORAGE_FULL", "\(job)")
        #expect(job["error"]?["reason"]?.string?.contains("no room for the file of this job") == true, "\(job)")
        var pauses = Pauses()
        while !Self.files(test, job).isEmpty { await pauses.pause() }
    }

    @Test func `callers delete their own jobs, and administrators those of others`() async throws {
        let clock = TestClock()
        let test = try await JobRateTests.make(burst: 20, clock: clock)
        let unfinished = try await JobRateTests.start(test, JobRateTests.lines(100, "a"), as: .creator)
        _ = try await JobRateTests.wait(test, unfinished, done: 19)
        let early = await test.call(.delete, unfinished, as: .administrator)
        #expect(early.status == 409 && early.json?["details"]?["state"] == "running", "\(early.text)")
        #expect(await test.call(.post, unfinished + "/cancel", as: .creator).status == 429)
        #expect(await test.call(.post, unfinished + "/cancel", as: .administrator).status == 200)
        clock.pass(seconds: 1)
        var jobs: [JSONValue] = []
        for _ in 0..<2 { jobs.append(try await Self.export(test, as: .creator)) }
        let paths = jobs.map { "/jobs/" + ($0["id"]?.string ?? "") }
        #expect(await test.call(.get, paths[0], as: .administrator).json?["state"] == "succeeded")
        #expect(await test.call(.get, paths[0] + "/file", as: .administrator).status == 200)
        for who in [TestDatabase.Who.stranger, .anonymous] {
            #expect(await test.call(.delete, paths[0], as: who).status == 404)
        }
        #expect(await test.call(.delete, paths[0], as: .creator).status == 204)
        #expect(await test.call(.delete, paths[1], as: .administrator).status == 204)
        for (path, job) in zip(paths, jobs) {
            #expect(await test.call(.get, path, as: .creator).status == 404)
            #expect(await test.call(.get, path + "/file", as: .creator).status == 404)
            #expect(await test.call(.delete, path, as: .creator).status == 404)
            #expect(Self.files(test, job).isEmpty)
        }
        let log = await test.call(.get, "/audit?action=job.delete", as: .administrator)
        #expect(log.json?["entries"]?.array?.count == 1, "\(log.text)")
        #expect(log.text.contains(jobs[1]["id"]?.string ?? "?"), "\(log.text)")
    }

    @Test func `rejected rows are deleted with their job, beyond one write`() async throws {
        let test = try await TestDatabase.make()
        let job = try await TransferRoutesTests.importing(
            test, String(repeating: "x\n", count: 4_500), #""format":"jsonLines""#)
        let path = "/jobs/" + (job["id"]?.string ?? "")
        #expect(await test.call(.get, path + "/rejections?limit=1000", as: .administrator).json?["cursor"] != nil)
        #expect(await test.call(.delete, path, as: .administrator).status == 204)
        #expect(await test.call(.get, path + "/rejections", as: .administrator).status == 404)
        let database = try await test.registry.database(test.api.configuration.defaultDatabase)
        #expect(try Self.rejections(in: database) == 0)
    }

    /// The number of stored rejected rows.
    private static func rejections(in database: RecordDatabase) throws -> Int {
        let connection = try Connection(path: DataDirectory.databasePath(in: database.directoryPath), role: .reader)
        return Int(try connection.integer("SELECT count(*) FROM job_rejection") ?? 0)
    }

    @Test func `jobs beyond their time and those of deleted accounts lose their files`() async throws {
        let later = Locked<Int64>(0)
        var drivers = StoreDrivers()
        drivers.clock = { WallClock.milliseconds + later.withLock { $0 } }
        let test = try await TestDatabase.make(drivers: drivers)
        let rejected = try await TransferRoutesTests.importing(
            test, String(repeating: "x\n", count: 1_200), #""format":"jsonLines""#)
        #expect(rejected["skipped"]?.integer == 1_200)
        try await test.make([("a", #"{"n":1}"#)], "Post")
        var jobs: [TestDatabase.Who: JSONValue] = [:]
        for who in [TestDatabase.Who.creator, .stranger] {
            jobs[who] = try await Self.export(test, as: who)
            #expect(Self.files(test, jobs[who] ?? .null) == ["result"])
        }
        let database = try await test.registry.database(test.api.configuration.defaultDatabase)
        #expect(
            await test.call(.delete, "/users/me", as: .stranger, body: #"{"password":"correct horse"}"#).status == 204)
        #expect(try await database.maintenance.run().jobs == 0)
        #expect(Self.files(test, jobs[.stranger] ?? .null).isEmpty)
        #expect(Self.files(test, jobs[.creator] ?? .null) == ["result"])
        later.withLock { $0 = 8 * 86_400_000 }
        #expect(try await database.maintenance.run().jobs >= 1_203)
        #expect(Self.files(test, jobs[.creator] ?? .null).isEmpty)
        #expect(try Self.rejections(in: database) == 0)
    }
}
