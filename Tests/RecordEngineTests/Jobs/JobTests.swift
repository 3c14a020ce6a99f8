import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import StoreTestSupport
import TestSupport
import Testing

/// Jobs of callers: what they change, how they are controlled, and what ends them.
@Suite struct JobTests {
    private static let fields =
        #""g":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]},"n":{"type":"INT64","indexes":["QUERYABLE"]}"#
    private static let admin = Caller.administrator(.bootstrap)

    private static func filled(
        _ count: Int, limits: DatabaseLimits = DatabaseLimits(), keeps: Bool = false
    ) async throws -> TestDatabase {
        var building = IndexBuildOptions()
        building.retryPause = .milliseconds(1)
        let test = try TestDatabase(.production, limits: limits, keepsDirectory: keeps, indexBuilding: building)
        try await test.putType(
            fields: fields, grants: #"{"_world":["READ"],"_icloud":["CREATE"],"_creator":["WRITE"]}"#)
        try await test.createAll((0..<count).map { ("r\($0)", #""g":\#($0 % 4),"n":0"#) })
        return test
    }

    private static func request(
        _ test: TestDatabase, _ condition: String, change: String? = nil, as caller: Caller = admin, most: Int? = nil,
        key: IdempotencyKey? = nil
    ) throws -> BulkRequest {
        let verb: BulkRequest.Change =
            if let change { .modify(try RecordInput.readSingle(Array(#"{"fields":{\#(change)}}"#.utf8))) } else {
                .delete
            }
        var request = BulkRequest(
            query: try test.queryRequest(condition, as: caller), change: verb, isForAll: condition.isEmpty,
            isDryRun: false, maxAffected: most, idempotency: key)
        request.prefersJob = true
        return request
    }

    /// Starts a job and returns its id.
    private static func start(_ test: TestDatabase, _ request: BulkRequest) async throws -> String {
        try test.reader.refresh()
        guard case .job(let job, _) = try await test.reader.bulkChanges.perform(request) else {
            Issue.record("no job")
            return ""
        }
        return job.name
    }

    private static func job(_ test: TestDatabase, _ name: String, as caller: Caller = admin) throws -> JSONValue {
        try test.reader.refresh()
        return try test.reader.jobs.find(name, for: caller).json(for: caller)
    }

    /// Waits until a job is in one of the states.
    @discardableResult
    private static func wait(
        _ test: TestDatabase, _ name: String, for states: [String] = ["succeeded", "failed", "cancelled"]
    ) async throws -> JSONValue {
        var pauses = Pauses()
        while true {
            let job = try job(test, name)
            if states.contains(job["state"]?.string ?? "") { return job }
            await pauses.pause()
        }
    }

    private static func send(_ command: Jobs.Command, _ test: TestDatabase, _ name: String, as caller: Caller = admin)
        async throws -> String?
    {
        try await test.database.jobs.perform(command, on: name, by: AuditActor(caller: caller))
            .json(for: caller)["state"]?.string
    }

    /// The values of `n`, in the order of the names.
    private static func values(_ test: TestDatabase, _ count: Int) throws -> [FieldValue?] {
        try (0..<count).map { try test.read("r\($0)").fields["n"] }
    }

    @Test func `a job deletes what matches, and tells how many`() async throws {
        let test = try await Self.filled(40)
        let name = try await Self.start(test, try Self.request(test, "g == 1"))
        let job = try await Self.wait(test, name)
        #expect(job["state"] == "succeeded" && job["kind"] == "deleteRecords", "\(job)")
        #expect(job["total"]?.integer == 10 && job["done"]?.integer == 10 && job["skipped"]?.integer == 0)
        #expect(job["task"]?["where"] == "g == 1" && job["task"]?["recordType"] == "Post")
        #expect(job["by"]?["kind"] == "administrator" && job["ended"]?.integer != nil)
        #expect(try await test.query("g == 1").count == 0)
        #expect(try await test.query("g == 2").count == 10)
        let none = try await Self.wait(test, try await Self.start(test, try Self.request(test, "g == 77")))
        #expect(none["state"] == "succeeded" && none["total"]?.integer == 0)
        await test.close()
    }

    @Test func `each record is changed once, also if the change makes it match again`() async throws {
        let test = try await Self.filled(300)
        let request = try Self.request(test, "n >= 0", change: #""n":{"increment":1}"#)
        let job = try await Self.wait(test, try await Self.start(test, request))
        #expect(job["done"]?.integer == 300, "\(job)")
        #expect(try Self.values(test, 300) == Array(repeating: .int64(1), count: 300))
        await test.close()
    }

    @Test func `records that are created after the job are not part of it`() async throws {
        let test = try await Self.filled(1_000)
        let name = try await Self.start(test, try Self.request(test, "n == 0", change: #""g":9"#))
        #expect(try await Self.send(.pause, test, name) == "paused")
        try await test.create("late", #""g":1,"n":0"#)
        _ = try await Self.send(.resume, test, name)
        try await Self.wait(test, name)
        #expect(try test.read("late").fields["g"] == .int64(1))
        #expect(try await test.query("g == 9").count == 1_000)
        await test.close()
    }

    /// The server stops at a random point again and again. The next start continues.
    @Test(arguments: seeds(2)) func `a job changes each record once over many restarts`(_ seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = 1_500
        var test = try await Self.filled(count, keeps: true)
        let directory = test.directory
        let name = try await Self.start(test, try Self.request(test, "n < 1000", change: #""n":{"increment":1}"#))
        var restarts = 0
        var done: Int64 = 0
        while done < count {
            // Each start makes some progress.
            while true {
                let job = try Self.job(test, name)
                let now = job["done"]?.integer ?? 0
                if now > done || job["state"] == "failed" {
                    done = job["state"] == "failed" ? .max : now
                    break
                }
                await Task.yield()
            }
            for _ in 0..<Int.random(in: 0...50, using: &random) { await Task.yield() }
            await test.close()
            restarts += 1
            test = try TestDatabase(.production, directory: directory, keepsDirectory: true)
        }
        try await Self.wait(test, name)
        let job = try Self.job(test, name)
        #expect(job["state"] == "succeeded" && job["done"]?.integer == Int64(count), "seed \(seed): \(job)")
        #expect(
            try Self.values(test, count) == Array(repeating: .int64(1), count: count),
            "seed \(seed), \(restarts) restarts")
        await test.close()
        try FileManager.default.removeItem(atPath: directory)
    }

    /// A statement of a slice fails, with or without the transaction.
    @Test func `a job survives failures of the store`() async throws {
        let test = try await Self.filled(3_000)
        let name = try await Self.start(test, try Self.request(test, "n < 1000", change: #""n":{"increment":1}"#))
        // Other writes share the groups of the slices.
        let others = (0..<4).map { _ in
            Task { [database = test.database] in
                let input = try RecordInput.readSingle(Array(#"{"fields":{"g":1,"n":5000}}"#.utf8))
                let create = RecordOperation(
                    .create, typeName: RecordTypeName("Post"), isTypeInPath: true, recordName: nil, input: input)
                while !Task.isCancelled {
                    _ = try? await database.modify(
                        WriteRequest(caller: Self.admin, address: .publicDefault, shape: .single, operations: [create]))
                }
            }
        }
        for round in 0..<12 {
            let plan = FaultPlan(
                failAt: 200 + round * 170, with: StoreFailure(code: round % 2 == 0 ? 13 : 10, message: "lost"),
                losesTransaction: round % 3 == 0)
            test.inject(plan)
            var pauses = Pauses()
            while !plan.hasFired, try Self.job(test, name)["state"] != "succeeded" { await pauses.pause() }
        }
        test.inject(nil)
        for other in others { other.cancel() }
        for other in others { _ = await other.result }
        let job = try await Self.wait(test, name)
        #expect(job["state"] == "succeeded", "\(job)")
        #expect(try Self.values(test, 3_000) == Array(repeating: .int64(1), count: 3_000))
        await test.close()
    }

    @Test func `a paused job changes nothing until it is resumed, and a cancelled one never`() async throws {
        let test = try await Self.filled(1_000)
        let name = try await Self.start(test, try Self.request(test, "n == 0", change: #""n":1"#))
        #expect(try await Self.send(.pause, test, name) == "paused")
        let done = try Self.job(test, name)["done"]
        try await test.create("other", #""g":1"#)
        #expect(try Self.job(test, name)["done"] == done)
        #expect(try await Self.send(.pause, test, name) == "paused")
        #expect(try await Self.send(.resume, test, name) == "queued")
        try await Self.wait(test, name)
        #expect(await rejection { _ = try await Self.send(.pause, test, name) }?.code == .conflict)
        let second = try await Self.start(test, try Self.request(test, "n == 1", change: #""n":2"#))
        _ = try await Self.send(.cancel, test, second)
        let job = try Self.job(test, second)
        #expect(job["state"] == "cancelled" && job["ended"]?.integer != nil, "\(job)")
        #expect(try await Self.send(.cancel, test, second) == "cancelled")
        #expect(await rejection { _ = try await Self.send(.resume, test, second) }?.code == .conflict)
        #expect(await rejection { _ = try await Self.send(.pause, test, "nothing") }?.code == .notFound)
        await test.close()
    }

    @Test func `a job ends when its caller loses the account`() async throws {
        let test = try await Self.filled(0)
        let ann = try await test.signUp("ann")
        try await test.createAll((0..<1_000).map { ("a\($0)", #""g":1,"n":0"#) }, as: ann.caller)
        let name = try await Self.start(test, try Self.request(test, "g == 1", as: ann.caller))
        #expect(try await Self.send(.pause, test, name, as: ann.caller) == "paused")
        _ = try await test.database.accounts.change(
            try #require(UserRecordName(ann.session.user.recordName)), isDisabled: true, by: .shell)
        _ = try await Self.send(.resume, test, name)
        let job = try await Self.wait(test, name)
        #expect(job["state"] == "failed" && job["error"]?["serverErrorCode"] == "AUTHENTICATION_FAILED", "\(job)")
        await test.close()
    }

    @Test func `skipped records are counted with their reasons, over restarts too`() async throws {
        let test = try await Self.filled(12)
        let ann = try await test.signUp("ann")
        try await test.createAll((0..<5).map { ("a\($0)", #""g":1,"n":0"#) }, as: ann.caller)
        let job = try await Self.wait(
            test, try await Self.start(test, try Self.request(test, "g == 1", as: ann.caller)))
        #expect(job["done"]?.integer == 5 && job["skipped"]?.integer == 3 && job["total"]?.integer == 8, "\(job)")
        #expect(job["skipReasons"]?.array?.first?["serverErrorCode"] == "ACCESS_DENIED")
        #expect(job["skipReasons"]?.array?.first?["count"]?.integer == 3)
        await test.close()
    }

    @Test func `callers see their own jobs, and administrators all without private conditions`() async throws {
        let test = try await Self.filled(4)
        let (ann, ben) = (try await test.signUp("ann"), try await test.signUp("ben"))
        var request = try Self.request(test, "g == 1", as: ann.caller)
        request.query.address = DatabaseAddress(scope: .privateDatabase(owner: try #require(ann.caller.userID)))
        try await test.create("mine", #""g":1"#, as: ann.caller, in: request.query.address)
        let name = try await Self.start(test, request)
        try await Self.wait(test, name)
        #expect(try Self.job(test, name, as: ann.caller)["task"]?["where"] == "g == 1")
        let shown = try Self.job(test, name)
        #expect(shown["task"]?["recordType"] == "Post" && shown["task"]?["where"] == nil, "\(shown)")
        #expect(await rejection { _ = try Self.job(test, name, as: ben.caller) }?.code == .notFound)
        #expect(await rejection { _ = try Self.job(test, name, as: .anonymous) }?.code == .notFound)
        #expect(await rejection { _ = try await Self.send(.cancel, test, name, as: ben.caller) }?.code == .notFound)
        func names(_ caller: Caller, _ filter: Jobs.Filter = Jobs.Filter(limit: 10)) throws -> [String] {
            try test.reader.jobs.list(filter, for: caller).jobs.map(\.name)
        }
        #expect(try names(ann.caller) == [name] && names(ben.caller).isEmpty && names(Self.admin) == [name])
        #expect(try names(Self.admin, Jobs.Filter(isUnfinished: true, limit: 10)).isEmpty)
        #expect(await rejection { _ = try names(.anonymous) }?.code == .authenticationRequired)
        await test.close()
    }

    @Test func `pages of jobs follow each other, newest first`() async throws {
        let test = try await Self.filled(2)
        var names: [String] = []
        for _ in 0..<5 {
            names.append(try await Self.start(test, try Self.request(test, "g == 7")))
            try await Self.wait(test, names[names.count - 1])
        }
        var listed: [String] = []
        var last: String?
        while true {
            let page = try test.reader.jobs.list(Jobs.Filter(after: last, limit: 2), for: Self.admin)
            listed += page.jobs.map(\.name)
            guard page.hasMore else { break }
            last = listed.last
        }
        #expect(listed == names.reversed())
        await test.close()
    }

    /// Jobs are added at the moments at which the runners find no job and end.
    @Test(.timeLimit(.minutes(1))) func `every job runs, also if it is added while the runners end`() async throws {
        let test = try await Self.filled(2)
        let request = try Self.request(test, "g == 7")
        for _ in 0..<40 {
            var names: [String] = []
            for _ in 0..<3 { names.append(try await Self.start(test, request)) }
            for name in names { try await Self.wait(test, name) }
        }
        #expect(try test.reader.jobs.list(Jobs.Filter(isUnfinished: true, limit: 9), for: Self.admin).jobs.isEmpty)
        await test.close()
    }

    @Test func `a repeated request gets the same job`() async throws {
        let test = try await Self.filled(8)
        let key = try #require(IdempotencyKey("once", request: [1]))
        let request = try Self.request(test, "n == 0", change: #""n":{"increment":1}"#, key: key)
        let first = try await Self.start(test, request)
        try await Self.wait(test, first)
        #expect(try await Self.start(test, request) == first)
        #expect(try Self.values(test, 8) == Array(repeating: .int64(1), count: 8))
        await test.close()
    }

    @Test func `more records than one request may change become a job, but not for anonymous callers`() async throws {
        var limits = DatabaseLimits()
        limits.setRecords = 5
        let test = try await Self.filled(12, limits: limits)
        var request = try Self.request(test, "n == 0", change: #""n":1"#)
        request.prefersJob = false
        let job = try await Self.wait(test, try await Self.start(test, request))
        #expect(job["done"]?.integer == 12, "\(job)")
        request.maxAffected = 11
        request.query = try test.queryRequest("n == 1")
        #expect(await rejection { _ = try await Self.start(test, request) }?.cause == .tooManyAffected)
        await test.close()
        let open = try TestDatabase(.production, limits: limits)
        try await open.putType(fields: Self.fields, grants: #"{"_world":["READ","WRITE"]}"#)
        try await open.createAll((0..<6).map { ("r\($0)", #""g":1,"n":0"#) })
        let anonymous = try Self.request(open, "n == 0", as: .anonymous)
        #expect(await rejection { _ = try await Self.start(open, anonymous) }?.cause == .tooLarge)
        await open.close()
    }

    @Test func `a caller has a limited number of unfinished jobs`() async throws {
        let test = try await Self.filled(400)
        let request = try Self.request(test, "n >= 0", change: #""n":{"increment":1}"#)
        var names: [String] = []
        let error = await rejection {
            while names.count <= 1_000 {
                names.append(try await Self.start(test, request))
                _ = try await Self.send(.pause, test, names[names.count - 1])
            }
        }
        #expect(error?.code == .tryAgainLater && error?.retryAfter != nil, "\(names.count)")
        #expect(
            try test.reader.jobs.list(Jobs.Filter(isUnfinished: true, limit: 100), for: Self.admin).jobs.count == 20)
        await test.close()
    }
}

@Suite struct SmallestNumbersTests {
    @Test func `the smallest numbers are kept in order, whatever the order of arrival`() {
        var random = SeededGenerator(seed: 5)
        for count in [0, 1, 5, 9, 10, 11, 19, 20, 21, 100] {
            let numbers = (0..<count).map { RecordNumber(rawValue: Int64($0)) }.shuffled(using: &random)
            var smallest = SmallestNumbers(10)
            for number in numbers { smallest.add(number) }
            #expect(smallest.finish() == Array(numbers.sorted().prefix(10)), "\(count)")
        }
    }
}
