@testable import RecordEngine
import RecordModel
import RecordStorage
import TestSupport
import Testing
import Threads

@Suite struct BetweenGroupsTests {
    private struct Problem: Error {}

    /// Submits work while the writer is blocked, then releases the writer.
    ///
    /// - Parameter submissions: Each one puts one entry into the queue.
    private static func inTurn(
        _ database: RecordDatabase, _ submissions: [@Sendable () async throws -> Void]
    ) async throws {
        let (begun, held) = (Gate(), Gate())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await database.write { _ throws(RecordError) in
                    begun.open()
                    held.waitBlocking()
                }
            }
            await begun.wait()
            for (position, submission) in submissions.enumerated() {
                group.addTask { try await submission() }
                while database.queueDepth <= position { await Task.yield() }
            }
            held.open()
            try await group.waitForAll()
        }
    }

    private static func write(
        _ event: String, to log: EventLog, in database: RecordDatabase
    ) -> @Sendable () async throws -> Void {
        { try await database.write(weight: 60) { _ throws(RecordError) in log.note(event) } }
    }

    /// Notes the committed writes, and that no transaction was open.
    private static func look(_ log: EventLog, in database: RecordDatabase) -> @Sendable () async throws -> Void {
        {
            try await database.betweenGroups { database in
                #expect(database.transaction?.store.isInTransaction == false)
                log.note("between after \(database.statistics.commits)")
            }
        }
    }

    @Test func `work between groups runs in the order of the queue, after the commit of its group`() async throws {
        let test = try TestDatabase()
        let (database, log) = (test.database, EventLog([]))
        let writes = ["a", "b", "c", "d", "e"].map { Self.write($0, to: log, in: database) }
        let look = Self.look(log, in: database)
        // A group has room for four of these writes. On a slow machine the group ends earlier, and the remaining writes
        // wait.
        try await Self.inTurn(database, [writes[0], look] + writes[1...] + [look])
        let events = log.events
        #expect(events.filter { $0.count == 1 } == ["a", "b", "c", "d", "e"])
        let looks = events.indices.filter { events[$0].count > 1 }
        #expect(looks.count == 2 && looks[0] > 0 && looks[1] == events.count - 1)
        #expect(events[looks[1]] == "between after \(database.statistics.commits)")
    }

    @Test func `work between groups waits for no sync and rethrows its error`() async throws {
        let test = try TestDatabase()
        let commits = test.database.statistics.commits
        #expect(try await test.database.betweenGroups { _ in 7 } == 7)
        await #expect(throws: Problem.self) { try await test.database.betweenGroups { _ in throw Problem() } }
        #expect(test.database.statistics.commits == commits)
    }

    @Test func `work between groups is rejected like a write`() async throws {
        let test = try TestDatabase()
        let (begun, held) = (Gate(), Gate())
        let database = test.database
        async let blocked: Void = database.write(isAlone: true) { _ throws(RecordError) in
            begun.open()
            held.waitBlocking()
        }
        await begun.wait()
        for _ in 0..<8_192 {
            database.submit(PendingWrite(operations: 0, weight: 0, isAlone: false, startsLazily: true))
        }
        #expect(await rejection { try await database.betweenGroups { _ in } } == .writerOverloaded)
        held.open()
        try await blocked
        await test.close()
        #expect(await rejection { try await database.betweenGroups { _ in } } == .databaseUnavailable)
    }
}
