@testable import RecordEngine
import RecordModel
import RecordStorage
import TestSupport
import Testing
import Threads

/// The events in the order in which they happen.
typealias EventLog = Locked<[String]>

extension EventLog {
    func note(_ event: String) { withLock { $0.append(event) } }
    var events: [String] { withLock { $0 } }
}

/// A job whose slices execute the test's code.
///
/// Unchecked: see `SlicedWork`.
private final class ScriptedWork: SlicedWork, @unchecked Sendable {
    typealias Body = @Sendable (_ number: Int, WriteTransaction) throws(RecordError) -> SliceProgress

    let log: EventLog
    private let retry: @Sendable (RecordError) -> SliceRetry
    private let afterCommit: AfterCommit?
    private let body: Body
    private var slices = 0

    init(
        _ log: EventLog = EventLog([]), retry: @escaping @Sendable (RecordError) -> SliceRetry = { .end($0) },
        afterCommit: AfterCommit? = nil, _ body: @escaping Body
    ) {
        self.log = log
        self.retry = retry
        self.afterCommit = afterCommit
        self.body = body
    }

    func slice(_ transaction: WriteTransaction, _ budget: inout SliceBudget) throws(RecordError) -> SliceProgress {
        slices += 1
        log.note("slice \(slices)")
        return try body(slices, transaction)
    }

    func didCommit(_ progress: SliceProgress) -> AfterCommit? {
        log.note("commit \(progress.done)")
        return afterCommit
    }

    func didFail(_ error: RecordError) -> SliceRetry {
        log.note("failure")
        return retry(error)
    }
}

@Suite struct SliceSchedulerTests {
    private static let error = RecordError.badRequest("Not this slice")

    @Test func `a job that is started during its slice gets one more slice`() async throws {
        let test = try TestDatabase()
        let jobs = SliceScheduler(firstPause: .seconds(1))
        let (begun, held) = (Gate(), Gate())
        let job = ScriptedWork { number, _ throws(RecordError) in
            begun.open()
            held.waitBlocking()
            return SliceProgress(hasMore: false, done: number)
        }
        jobs.begin(job, in: test.database)
        await begun.wait()
        for _ in 0..<3 { jobs.begin(job, in: test.database) }
        #expect(test.database.queueDepth == 0)
        #expect(jobs.count == 1)
        held.open()
        await jobs.wait(for: job)
        #expect(job.log.events == ["slice 1", "commit 1", "slice 2", "commit 2"])
        #expect(jobs.count == 0)
        try await jobs.run(job, in: test.database)
        #expect(job.log.events.suffix(2) == ["slice 3", "commit 3"])
    }

    @Test func `the next slice waits for the writes queued meanwhile`() async throws {
        let test = try TestDatabase()
        let jobs = SliceScheduler(firstPause: .seconds(1))
        let (begun, held) = (Gate(), Gate())
        let log = EventLog([])
        let job = ScriptedWork(log) { number, _ throws(RecordError) in
            begun.open()
            held.waitBlocking()
            return SliceProgress(hasMore: number < 3)
        }
        jobs.begin(job, in: test.database)
        await begun.wait()
        async let written: Void = test.database.write { _ throws(RecordError) in log.note("write") }
        while test.database.queueDepth < 1 { await Task.yield() }
        held.open()
        try await written
        await jobs.wait(for: job)
        #expect(
            log.events == ["slice 1", "commit 0", "write", "slice 2", "commit 0", "slice 3", "commit 0"])
    }

    @Test func `the pause after a failure doubles, and is short again after a commit`() async throws {
        let test = try TestDatabase()
        let pauses = Locked<[Duration]>([])
        let jobs = SliceScheduler(firstPause: .seconds(1), sleep: { pause in pauses.withLock { $0.append(pause) } })
        let job = ScriptedWork(retry: { _ in .later }) { number, _ throws(RecordError) in
            if number <= 8 || number == 10 { throw Self.error }
            return SliceProgress(hasMore: number == 9)
        }
        jobs.begin(job, in: test.database)
        while jobs.count > 0 { await Task.yield() }
        #expect(pauses.withLock { $0 } == [1, 2, 4, 8, 16, 30, 30, 30, 1].map { .seconds($0) })
    }

    @Test func `a paused job delays no other work and may be started before the pause ends`() async throws {
        let test = try TestDatabase()
        let pause = Gate()
        let jobs = SliceScheduler(firstPause: .seconds(1), sleep: { _ in await pause.wait() })
        let job = ScriptedWork(retry: { _ in .later }) { number, _ throws(RecordError) in
            if number == 1 { throw Self.error }
            return SliceProgress(hasMore: false)
        }
        jobs.begin(job, in: test.database)
        await jobs.wait(for: job)
        #expect(job.log.events == ["slice 1", "failure"])
        #expect(jobs.count == 1)
        jobs.begin(job, in: test.database)
        await jobs.wait(for: job)
        #expect(job.log.events == ["slice 1", "failure", "slice 2", "commit 0"])
        pause.open()
    }

    @Test func `a slice that fails leaves nothing, is tried again or ends the job with its error`() async throws {
        let test = try TestDatabase()
        let jobs = SliceScheduler(firstPause: .seconds(1))
        let log = EventLog([])
        let retry = { @Sendable (_: RecordError) -> SliceRetry in
            log.events.count { $0 == "failure" } == 1 ? .again : .end(.unauthorizedAfterAll)
        }
        let job = ScriptedWork(log, retry: retry) { number, transaction throws(RecordError) in
            #expect(try !transaction.store.removals.hasWork())
            guard number == 2 else {
                try transaction.store.removals.add(account: 99, now: transaction.now)
                throw Self.error
            }
            return SliceProgress(hasMore: true)
        }
        let error = await rejection { try await jobs.run(job, in: test.database) }
        #expect(error == .unauthorizedAfterAll)
        #expect(log.events == ["slice 1", "failure", "slice 2", "commit 0", "slice 3", "failure"])
        #expect(jobs.count == 0)
        try await test.create("a")
    }

    @Test func `the step after a commit runs before the next slice, and its failure ends the job`() async throws {
        let test = try TestDatabase()
        let jobs = SliceScheduler(firstPause: .seconds(1))
        let log = EventLog([])
        let follow: SlicedWork.AfterCommit = { () throws(RecordError) in
            log.note("after")
            if log.events.count(where: { $0 == "after" }) == 2 { throw Self.error }
        }
        let job = ScriptedWork(log, afterCommit: follow) { _, _ throws(RecordError) in SliceProgress(hasMore: true) }
        #expect(await rejection { try await jobs.run(job, in: test.database) } == Self.error)
        #expect(log.events == ["slice 1", "commit 0", "after", "slice 2", "commit 0", "after", "failure"])
    }

    @Test func `a database that closes ends its jobs`() async throws {
        let test = try TestDatabase()
        let pauses = Locked(0)
        let jobs = SliceScheduler(firstPause: .seconds(1), sleep: { _ in pauses.withLock { $0 += 1 } })
        let (begun, begunToo) = (Gate(), Gate())
        let standing = ScriptedWork(retry: { _ in .later }) { _, _ throws(RecordError) in
            begun.open()
            return SliceProgress(hasMore: true)
        }
        let awaited = ScriptedWork { _, _ throws(RecordError) in
            begunToo.open()
            return SliceProgress(hasMore: true)
        }
        let database = test.database
        jobs.begin(standing, in: database)
        async let ended = rejection { try await jobs.run(awaited, in: database) }
        await begun.wait()
        await begunToo.wait()
        await test.close()
        await jobs.wait(for: standing)
        #expect(await ended == .databaseUnavailable)
        for job in [standing, awaited] { #expect(job.log.events.last == "failure") }
        let count = standing.log.events.count
        jobs.begin(standing, in: test.database)
        await jobs.wait(for: standing)
        #expect(standing.log.events.count == count + 1 && pauses.withLock { $0 } == 0)
    }
}

@Suite struct SliceBudgetTests {
    /// The units of a slice before its budget was used up; at most ten.
    private static func units(
        busy: UInt64, waiting: Int, limit: Int = .max, touched: Int? = nil
    ) async throws -> Int {
        var building = IndexBuildOptions()
        building.busyNanoseconds = busy
        building.idleNanoseconds = .max
        return try await TestDatabase(indexBuilding: building).database.write { transaction throws(RecordError) in
            var budget = SliceBudget(.background, in: transaction, waiting: waiting)
            budget.limit(to: limit)
            while budget.hasMore, budget.done < 10 {
                if let touched { budget.spend(touched: touched) } else { budget.spend() }
            }
            return budget.done
        }
    }

    @Test func `a slice ends after its units or its time, which is shorter while others wait`() async throws {
        #expect(try await Self.units(busy: 0, waiting: 0) == 10)
        #expect(try await Self.units(busy: 0, waiting: 0, limit: 3) == 3)
        #expect(try await Self.units(busy: 0, waiting: 1) == 1)
    }

    @Test func `the clock is not read for each entry`() async throws {
        #expect(try await Self.units(busy: 0, waiting: 1, touched: 1) == 8)
        #expect(try await Self.units(busy: 0, waiting: 1, touched: 4) == 2)
    }
}

extension RecordError {
    fileprivate static let unauthorizedAfterAll = RecordError(.accessDenied, "Not any more")
}
