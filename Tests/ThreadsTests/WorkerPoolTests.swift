import Testing
import Threads

@Suite struct WorkerPoolTests {
    @Test func `work goes to the threads in turn, each of which is started when it is needed`() async throws {
        let pool = WorkerPool(name: "test-pool", threads: 3)
        let executors = try (0..<7).map { _ in try #require(pool.next()) }
        #expect(executors.map(\.name) == [0, 1, 2, 0, 1, 2, 0].map { "test-pool-\($0)" })
        for executor in executors {
            #expect(await Task(executorPreference: executor) { executor.isOnThread }.value)
        }
        await pool.close()
    }

    @Test func `a closed pool has finished its accepted work and accepts no more`() async throws {
        let pool = WorkerPool(name: "test-pool", threads: 2)
        let count = Locked(0)
        for _ in 0..<100 {
            let executor = try #require(pool.next())
            Task.detached(executorPreference: executor) { count.withLock { $0 += 1 } }
        }
        await pool.close()
        #expect(pool.next() == nil)
        #expect(count.withLock { $0 } == 100)
    }
}
