import Foundation
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing
import Threads

@testable import RecordEngine

/// Schedules: when they start jobs, as whom, and what they show.
@Suite struct ScheduleTests {
    private static let fields = #""g":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},"n":{"type":"INT64"}"#
    private static let admin = AuditActor(caller: .administrator(.bootstrap))
    private static let hour: Int64 = 3_600_000

    private static func filled(_ count: Int, keeps: Bool = false) async throws -> TestDatabase {
        var building = IndexBuildOptions()
        building.retryPause = .milliseconds(1)
        let test = try TestDatabase(.production, keepsDirectory: keeps, indexBuilding: building)
        try await test.putType(
            fields: fields, grants: #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#)
        try await test.createAll((0..<count).map { ("r\($0)", #""g":\#($0 % 4),"n":0"#) })
        return test
    }

    private static let deletion = #"{"kind":"deleteRecords","recordType":"Post","where":"g == 1"}"#

    private static func input(
        _ cron: String, zone: String = "UTC", _ task: String = deletion, isPaused: Bool = false
    ) throws -> ScheduleInput {
        let json =
            #"{"cron":"\#(cron)","timeZone":"\#(zone)","task":\#(task),"paused":\#(isPaused)}"#
        return try ScheduleInput(try #require(JSONValue.parse(Array(json.utf8)).object))
    }

    @discardableResult
    private static func put(
        _ test: TestDatabase, _ name: String, _ input: ScheduleInput, by actor: AuditActor = admin
    ) async throws -> JSONValue {
        try test.reader.refresh()
        let address = DatabaseAddress(scope: .publicDatabase, zone: .defaultZone)
        return try await test.database.schedules.put(try ScheduleName(name), input, in: address, by: actor, test.reader)
            .schedule.json(for: actor.caller)
    }

    private static func schedule(_ test: TestDatabase, _ name: String) throws -> JSONValue {
        try test.reader.refresh()
        return try test.reader.schedules.find(try ScheduleName(name)).json(for: admin.caller)
    }

    /// Waits until the last run of a schedule has ended, and returns the schedule.
    private static func end(_ test: TestDatabase, _ name: String) async throws -> JSONValue {
        var pauses = Pauses()
        while true {
            let schedule = try schedule(test, name)
            if schedule["runs"]?.array?.first?["ended"] != nil { return schedule }
            await pauses.pause()
        }
    }

    private static func next(_ schedule: JSONValue) throws -> Int64 { try #require(schedule["next"]?.integer) }

    @Test func `a schedule starts a job when it is due, and shows it`() async throws {
        let test = try await Self.filled(40)
        let made = try await Self.put(test, "nightly", try Self.input("0 3 * * *", zone: "Asia/Tokyo"))
        let due = try Self.next(made)
        #expect(due % (24 * Self.hour) == 18 * Self.hour && made["runs"]?.array == [], "\(made)")
        #expect(made["by"]?["kind"] == "administrator" && made["paused"] == false)
        try await test.database.schedules.runDue(at: due - 1)
        #expect(try Self.schedule(test, "nightly")["runs"]?.array == [])
        try await test.database.schedules.runDue(at: due)
        let ran = try await Self.end(test, "nightly")
        let run = ran["runs"]?.array?.first
        #expect(run?["state"] == "succeeded" && run?["done"]?.integer == 10 && run?["schedule"] == "nightly", "\(ran)")
        #expect(try Self.next(ran) == due + 24 * Self.hour)
        #expect(try await test.query("g == 1").count == 0)
        #expect(try await test.query("g == 2").count == 10)
        // A call in the same minute starts nothing.
        try await test.database.schedules.runDue(at: due + 59_999)
        #expect(try Self.schedule(test, "nightly")["runs"]?.array?.count == 1)
        await test.close()
    }

    @Test func `missed times lead to one run, also after a restart`() async throws {
        var test = try await Self.filled(4, keeps: true)
        let directory = test.directory
        let due = try Self.next(try await Self.put(test, "hourly", try Self.input("0 * * * *")))
        await test.close()
        test = try TestDatabase(.production, directory: directory, keepsDirectory: true)
        let later = due + 50 * Self.hour + 7
        try await test.database.schedules.runDue(at: later)
        let ran = try await Self.end(test, "hourly")
        #expect(ran["runs"]?.array?.count == 1)
        #expect(try Self.next(ran) == due + 51 * Self.hour)
        #expect(DataDirectory.hasWork(in: directory, includingWebhooks: false))
        await test.close()
        try FileManager.default.removeItem(atPath: directory)
    }

    @Test func `a schedule follows a clock that goes back, also after a restart`() async throws {
        let ahead = Locked<Int64>(3 * Self.hour)
        func open(_ directory: String?) throws -> TestDatabase {
            try TestDatabase(
                .production, directory: directory, keepsDirectory: true,
                clock: { WallClock.milliseconds + ahead.withLock { $0 } })
        }
        var test = try open(nil)
        try await test.putType(fields: Self.fields)
        let directory = test.directory
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let late = try Self.next(try await Self.put(test, "often", try Self.input("* * * * *")))
        let now = late - 3 * Self.hour
        await test.close()
        ahead.withLock { $0 = 0 }
        test = try open(directory)
        // The first call after the start.
        try await test.database.schedules.runDue(at: now)
        #expect(try Self.schedule(test, "often")["runs"]?.array == [])
        #expect(try Self.next(try Self.schedule(test, "often")) == now + 60_000)
        // The clock goes ahead for one call and starts a job; then it is right again.
        try await test.database.schedules.runDue(at: now + 24 * Self.hour)
        #expect(try Self.next(try await Self.end(test, "often")) == now + 24 * Self.hour + 60_000)
        try await test.database.schedules.runDue(at: now + 5_000)
        #expect(try Self.next(try Self.schedule(test, "often")) == now + 60_000)
        try await test.database.schedules.runDue(at: now + 60_000)
        #expect(try Self.schedule(test, "often")["runs"]?.array?.count == 2)
        _ = try await Self.end(test, "often")
        // A schedule that was put while the clock was ahead between two calls.
        ahead.withLock { $0 = 24 * Self.hour }
        try await Self.put(test, "between", try Self.input("*/5 * * * *"))
        ahead.withLock { $0 = 0 }
        try await test.database.schedules.runDue(at: now + 65_000)
        try await test.database.schedules.runDue(at: now + 120_000)
        #expect(try Self.next(try Self.schedule(test, "between")) <= now + 420_000)
        await test.close()
    }

    @Test func `a schedule whose time zone is gone is paused, and the operator is told`() async throws {
        let test = try await Self.filled(4)
        let due = try Self.next(try await Self.put(test, "nightly", try Self.input("0 3 * * *", zone: "Asia/Tokyo")))
        try await test.database.write { transaction throws(RecordError) in
            guard var row = try transaction.store.schedules.find(name: "nightly") else { return }
            row.timeZone = "Mars/Olympus"
            _ = try transaction.store.schedules.put(row)
        }
        #expect(try await test.database.schedules.runDue(at: due - 1).isEmpty)
        let told = try await test.database.schedules.runDue(at: due)
        #expect(told.count == 1 && told[0].hasPrefix("The schedule nightly was paused: The server has no time zone"))
        #expect(try Self.schedule(test, "nightly")["paused"] == true)
        #expect(try await test.database.schedules.runDue(at: due + 1).isEmpty)
        await test.close()
    }

    @Test func `a new run waits for the last one`() async throws {
        let test = try await Self.filled(8)
        let update = #"{"kind":"updateRecords","recordType":"Post","all":true,"fields":{"n":{"increment":1}}}"#
        let due = try Self.next(try await Self.put(test, "often", try Self.input("*/5 * * * *", update)))
        let job = try await test.database.schedules.run(try ScheduleName("often"), by: Self.admin)
        _ = try? await test.database.jobs.perform(.pause, on: job.name, by: Self.admin)
        let isPaused = try Self.schedule(test, "often")["runs"]?.array?.first?["state"] == "paused"
        try await test.database.schedules.runDue(at: due)
        let schedule = try Self.schedule(test, "often")
        #expect(schedule["runs"]?.array?.count == (isPaused ? 1 : 2))
        #expect(schedule["skipped"]?.integer == (isPaused ? due : nil))
        #expect(try Self.next(schedule) == due + 300_000)
        if isPaused {
            await #expect(throws: RecordError.self) {
                try await test.database.schedules.run(try ScheduleName("often"), by: Self.admin)
            }
        }
        await test.close()
    }

    @Test func `replacing a schedule keeps a time that has not changed, and its runs`() async throws {
        let test = try await Self.filled(4)
        let name = "daily"
        let due = try Self.next(try await Self.put(test, name, try Self.input("0 3 * * *")))
        try await test.database.schedules.runDue(at: due + 3 * Self.hour)
        _ = try await Self.end(test, name)
        #expect(try Self.next(try Self.schedule(test, name)) > due)
        let other = #"{"kind":"deleteRecords","recordType":"Post","where":"g == 2"}"#
        let same = try await Self.put(test, name, try Self.input("0 3 * * *", other))
        // The run was at a later time than that of the clock, which a replacement follows.
        #expect(try Self.next(same) == due)
        #expect(same["runs"]?.array?.count == 1 && same["task"]?["where"] == "g == 2")
        let changed = try await Self.put(test, name, try Self.input("30 4 * * *", other))
        #expect(try Self.next(changed) % (24 * Self.hour) == 4 * Self.hour + Self.hour / 2)
        let paused = try await Self.put(test, name, try Self.input("30 4 * * *", other, isPaused: true))
        #expect(paused["paused"] == true && paused["next"] == nil)
        try await test.database.schedules.runDue(at: .max)
        #expect(try Self.schedule(test, name)["runs"]?.array?.count == 1)
        _ = try await test.database.schedules.run(try ScheduleName(name), by: Self.admin)
        let ran = try await Self.end(test, name)
        #expect(ran["runs"]?.array?.count == 2 && ran["paused"] == true)
        try await test.database.schedules.delete(try ScheduleName(name), by: Self.admin)
        #expect(throws: RecordError.self) { try Self.schedule(test, name) }
        // Another schedule with the name has no runs.
        #expect(try await Self.put(test, name, try Self.input("@daily"))["runs"]?.array == [])
        await test.close()
    }

    @Test func `a schedule whose key has lost its right fails, and says so`() async throws {
        let test = try await Self.filled(4)
        let scope = #"{"types":["Post"],"actions":["read","write"],"rights":["manageSchedules"]}"#
        let made = try await test.makeKey("cleaner", try KeyScope(try JSONValue.parse(Array(scope.utf8))))
        let key = AuditActor(caller: try test.caller(made.token))
        let due = try Self.next(try await Self.put(test, "nightly", try Self.input("0 3 * * *"), by: key))
        try await test.database.schedules.runDue(at: due)
        #expect(try await Self.end(test, "nightly")["runs"]?.array?.first?["state"] == "succeeded")
        try await test.database.apiKeys.revoke(made.key.id, by: Self.admin)
        try await test.database.schedules.runDue(at: due + 24 * Self.hour)
        let schedule = try await Self.end(test, "nightly")
        let run = schedule["runs"]?.array?.first
        #expect(run?["state"] == "failed", "\(schedule)")
        #expect(run?["error"]?["serverErrorCode"] == "ACCESS_DENIED", "\(schedule)")
        #expect(try await test.query("g == 2").count == 1)
        await test.close()
    }

    @Test func `invalid schedules are rejected before anything is stored`() async throws {
        let test = try await Self.filled(4)
        for (cron, zone, task) in [
            ("* * * *", "UTC", Self.deletion), ("@daily", "Mars/Olympus", Self.deletion),
            ("@daily", "../../etc/passwd", Self.deletion), ("@daily", "Europe", Self.deletion),
            ("@daily", "UTC", #"{"kind":"buildIndex"}"#), ("@daily", "UTC", #"{"kind":"deleteRecords"}"#),
            ("@daily", "UTC", #"{"kind":"deleteRecords","recordType":"Post"}"#),
        ] {
            #expect(throws: RecordError.self, "\(cron) \(zone) \(task)") { try Self.input(cron, zone: zone, task) }
        }
        for task in [
            #"{"kind":"deleteRecords","recordType":"Nothing","where":"g == 1"}"#,
            #"{"kind":"deleteRecords","recordType":"Post","where":"g == 'text'"}"#,
            #"{"kind":"deleteRecords","recordType":"Post","where":"n == 1"}"#,
            #"{"kind":"deleteRecords","recordType":"Users","all":true}"#,
        ] {
            let input = try Self.input("@daily", task)
            await #expect(throws: RecordError.self, "\(task)") { try await Self.put(test, "bad", input) }
        }
        for name in ["", "a b", "a/b", String(repeating: "a", count: 65)] {
            #expect(throws: RecordError.self) { try ScheduleName(name) }
        }
        #expect(try test.reader.schedules.list().isEmpty)
        let input = try Self.input("@daily")
        for number in 0..<Schedules.most { try await Self.put(test, "s\(number)", input) }
        await #expect(throws: RecordError.self) { try await Self.put(test, "more", input) }
        try await Self.put(test, "s0", input)
        await test.close()
    }

    @Test func `the last runs stay after other jobs have expired`() async throws {
        let test = try await Self.filled(1)
        let due = try Self.next(try await Self.put(test, "often", try Self.input("* * * * *")))
        for run in 0..<Int64(13) {
            try await test.database.schedules.runDue(at: due + run * 60_000)
            _ = try await Self.end(test, "often")
        }
        let count = try await test.database.write { transaction throws(RecordError) in
            try transaction.store.jobs.removeEnded(before: .max, keepingRuns: Schedules.shownRuns, limit: 100)
        }
        #expect(count == 3)
        #expect(try Self.schedule(test, "often")["runs"]?.array?.count == 10)
        try await test.database.schedules.delete(try ScheduleName("often"), by: Self.admin)
        let rest = try await test.database.write { transaction throws(RecordError) in
            try transaction.store.jobs.removeEnded(before: .max, keepingRuns: Schedules.shownRuns, limit: 100)
        }
        #expect(rest == 10)
        await test.close()
    }
}
