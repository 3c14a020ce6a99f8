@testable import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing
import Threads

/// The turns of the users of a reader pool.
@Suite struct ReaderPoolTurnTests {
    private static func user(_ number: Int64) -> PoolUser { .caller(CallerID(rawValue: number)) }

    /// A pool whose only thread is busy until the gate opens.
    private struct BusyPool {
        let test: TestDatabase
        let pool: ReaderPool
        let gate = Gate()
        let order = Locked<[String]>([])
        let blocker: Task<Void, any Error>

        init(_ pool: ReaderPool) async throws {
            self.pool = pool
            test = try TestDatabase(.production)
            let (begun, gate, database) = (Gate(), gate, test.database)
            blocker = Task {
                try await pool.read(database) { _ throws(RecordError) in
                    begun.open()
                    gate.waitBlocking()
                }
            }
            await begun.wait()
        }

        /// Adds a read that notes its name.
        func add(_ name: String, for user: PoolUser, isForCaller: Bool = true) async -> Task<RecordError?, Never> {
            let (pool, database, order, depth) = (pool, test.database, order, pool.depth)
            let task = Task { () -> RecordError? in
                await rejection {
                    try await pool.read(database, for: user, isForCaller: isForCaller) { _ throws(RecordError) in
                        order.withLock { $0.append(name) }
                    }
                }
            }
            while pool.depth == depth { await Task.yield() }
            // The depth grows before the read is queued, and one read runs.
            while pool.queued < depth { await Task.yield() }
            return task
        }

        func finish(_ tasks: [Task<RecordError?, Never>]) async throws -> [RecordError?] {
            gate.open()
            try await blocker.value
            var errors: [RecordError?] = []
            for task in tasks { errors.append(await task.value) }
            #expect(pool.depth == 0)
            await pool.close()
            await test.close()
            return errors
        }
    }

    @Test func `users with many long queries delay another by one query each`() async throws {
        let busy = try await BusyPool(ReaderPool(name: "test-pool", threads: 1))
        var tasks: [Task<RecordError?, Never>] = []
        for number in 0..<5 {
            tasks.append(await busy.add("a\(number)", for: Self.user(1)))
            tasks.append(await busy.add("b\(number)", for: .network(ClientNetwork(high: 0, low: 7))))
        }
        tasks.append(await busy.add("late", for: Self.user(2)))
        tasks.append(await busy.add("other network", for: .network(ClientNetwork(high: 0, low: 8))))
        tasks.append(await busy.add("server", for: .server))
        #expect(try await busy.finish(tasks).allSatisfy { $0 == nil })
        let order = busy.order.withLock { $0 }
        #expect(Array(order.prefix(7)) == ["a0", "b0", "late", "other network", "server", "a1", "b1"])
        #expect(order.filter { $0.hasPrefix("a") } == (0..<5).map { "a\($0)" })
    }

    @Test func `a user has a part of the queue, and learns what to do`() async throws {
        let busy = try await BusyPool(ReaderPool(name: "test-pool", threads: 1, queueLength: 8, userLength: 3))
        var tasks: [Task<RecordError?, Never>] = []
        for number in 0..<3 { tasks.append(await busy.add("a\(number)", for: Self.user(1))) }
        let database = busy.test.database
        let pool = busy.pool
        let refused = await rejection {
            try await pool.read(database, for: Self.user(1)) { _ throws(RecordError) in }
        }
        #expect(refused?.code == .tryAgainLater && refused?.retryAfter == 1)
        #expect(refused?.reason.contains("Wait for some of them") == true)
        #expect(refused?.details.first { $0.key == "limit" } != nil)
        // Others are admitted, and the server has no share, up to the length of the whole queue.
        tasks.append(await busy.add("b", for: Self.user(2)))
        for number in 0..<3 { tasks.append(await busy.add("s\(number)", for: .server)) }
        let full = await rejection {
            try await pool.read(database, for: Self.user(3)) { _ throws(RecordError) in }
        }
        #expect(full == .poolOverloaded)
        #expect(try await busy.finish(tasks).allSatisfy { $0 == nil })
    }

    @Test func `a canceled read leaves the queue at once, and gives its share back`() async throws {
        let busy = try await BusyPool(ReaderPool(name: "test-pool", threads: 1, userLength: 2))
        let first = await busy.add("a0", for: Self.user(1))
        let second = await busy.add("a1", for: Self.user(1))
        first.cancel()
        // The thread is still busy.
        #expect(await first.value?.cause == .requestAbandoned)
        let third = await busy.add("a2", for: Self.user(1))
        #expect(try await busy.finish([second, third]) == [nil, nil])
        #expect(busy.order.withLock { $0 } == ["a1", "a2"])
    }

    @Test func `closing waits for reads in the queue and rejects others`() async throws {
        let busy = try await BusyPool(ReaderPool(name: "test-pool", threads: 1))
        let waiting = await busy.add("a", for: Self.user(1))
        let pool = busy.pool
        let closing = Task { await pool.close() }
        let database = busy.test.database
        while !pool.isClosed { await Task.yield() }
        let refused = await rejection {
            try await pool.read(database, for: Self.user(2)) { _ throws(RecordError) in }
        }
        #expect(refused == .databaseUnavailable)
        busy.gate.open()
        try await busy.blocker.value
        #expect(await waiting.value == nil)
        await closing.value
        #expect(busy.order.withLock { $0 } == ["a"])
        await busy.test.close()
    }

    @Test func `anonymous callers are told apart by their networks, others by their accounts`() throws {
        let (one, other) = (ClientNetwork(high: 0, low: 1), ClientNetwork(high: 0, low: 2))
        let ada = Caller.user(UserID(rawValue: 5), roles: [:])
        #expect(PoolUser(.anonymous, one) != PoolUser(.anonymous, other))
        #expect(PoolUser(.anonymous, one) == PoolUser(.anonymous, one))
        #expect(PoolUser(ada, one) == PoolUser(ada, other))
        #expect(PoolUser(ada, nil) != PoolUser(.user(UserID(rawValue: 6), roles: [:]), nil))
    }
}
