@testable import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing
import Threads

/// Reads whose client has disconnected: their task is canceled.
@Suite struct AbandonedReadTests {
    private static func filled(_ count: Int) async throws -> TestDatabase {
        let test = try TestDatabase(.production)
        try await test.putType(fields: #""n":{"type":"INT64","indexes":["QUERYABLE","SORTABLE"]}"#)
        try await test.createAll((0..<count).map { ("r\($0)", #""n":\#($0 % 7)"#) })
        return test
    }

    /// The error of `body` in a task that was canceled before.
    private static func refusalWhenCancelled(_ body: @escaping @Sendable () async throws -> Void) async -> RecordError?
    {
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await rejection(body)
        }.value
    }

    @Test func `abandoned work in the queue is skipped unless it serves others too`() async throws {
        let test = try await Self.filled(1)
        let database = test.database
        let pool = ReaderPool(name: "test-pool", threads: 1)
        let (begun, gate) = (Gate(), Gate())
        let blocker = Task {
            try await pool.read(database) { _ throws(RecordError) in
                begun.open()
                gate.waitBlocking()
            }
        }
        await begun.wait()
        let ran = Locked(0)
        let waiting = [true, true, false].map { isForCaller in
            Task { () -> RecordError? in
                await rejection {
                    try await pool.read(database, isForCaller: isForCaller) { _ throws(RecordError) in
                        ran.withLock { $0 += 1 }
                    }
                }
            }
        }
        while pool.depth < 4 { await Task.yield() }
        waiting[0].cancel()
        waiting[2].cancel()
        gate.open()
        try await blocker.value
        #expect(await waiting[0].value?.cause == .requestAbandoned)
        #expect(await waiting[1].value == nil)
        // Work that also serves other callers completes even if its caller has left.
        #expect(await waiting[2].value == nil)
        #expect(ran.withLock { $0 } == 2)
        #expect(pool.depth == 0)
        await pool.close()
    }

    @Test func `running work notices that it was abandoned`() async throws {
        let test = try await Self.filled(1)
        let database = test.database
        let pool = ReaderPool(name: "test-pool", threads: 1)
        let begun = Gate()
        let running = Task {
            try await pool.read(database, isForCaller: true) { _ throws(RecordError) in
                begun.open()
                while !Task.isCancelled {}
            }
        }
        await begun.wait()
        running.cancel()
        try await running.value
        await pool.close()
    }

    @Test func `an abandoned query ends, on a loop and on the pool, and does not count as too costly`() async throws {
        let test = try await Self.filled(300)
        let request = try test.queryRequest("n >= 0", sort: "-n", limit: 200)
        let database = test.database
        #expect(
            await Self.refusalWhenCancelled { _ = try await database.makeReader().queries.run(request) }?.cause
                == .requestAbandoned)
        let onPool = await Self.refusalWhenCancelled {
            _ = try await database.queries.pool.read(database) { pooled throws(RecordError) in
                withUnsafeCurrentTask { $0?.cancel() }
                return try pooled.queries.respondOnThisThread(request, [])
            }
        }
        #expect(onPool?.cause == .requestAbandoned)
        #expect(test.database.queries.advice.json["advice"]?.array?.isEmpty ?? true)
        #expect(try await test.query("n >= 0", limit: 200).names.count == 200)
    }

    /// A predicate of more than 8 KiB is bound on the pool.
    private static let long = "n IN {0,1,2,3,4,5,6" + String(repeating: ",1234567890", count: 900) + "}"

    @Test(arguments: ["n >= 0", long])
    func `an abandoned bulk deletion still completes`(condition: String) async throws {
        let test = try await Self.filled(40)
        let request = BulkRequest(
            query: try test.queryRequest(condition), change: .delete, isForAll: false, isDryRun: false,
            maxAffected: nil,
            idempotency: nil)
        let database = test.database
        #expect(
            await Self.refusalWhenCancelled { _ = try await database.makeReader().bulkChanges.perform(request) } == nil)
        #expect(try await test.query("n >= 0").names.isEmpty)
    }
}
