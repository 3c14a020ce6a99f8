import Glibc
import Synchronization
import TestSupport
import Testing
import Threads

/// An actor whose every job runs on one thread.
private actor Counter {
    private let executor: ThreadExecutor
    private(set) var value = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(on executor: ThreadExecutor) {
        self.executor = executor
    }

    /// Adds one, and says whether that happened on the right thread.
    func add() -> Bool {
        value += 1
        return executor.isOnThread
    }

    nonisolated func addSynchronously() {
        assumeIsolated { $0.value += 1 }
    }

    func addThroughAssumption() {
        addSynchronously()
    }
}

@Suite struct ThreadExecutorTests {
    @Test func `an actor's jobs run on its thread`() async {
        let executor = ThreadExecutor(name: "test-thread")
        let counter = Counter(on: executor)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 { group.addTask { await counter.add() } }
            for await wasOnThread in group { #expect(wasOnThread) }
        }
        #expect(await counter.value == 1000)
        #expect(!executor.isOnThread)
        await counter.addThroughAssumption()
        #expect(await counter.value == 1001)
        await executor.end()
    }

    @Test func `a task with the executor as its preference runs on its thread`() async {
        let executor = ThreadExecutor(name: "test-thread")
        let task = Task(executorPreference: executor) {
            let before = executor.isOnThread
            await Task.yield()
            return before && executor.isOnThread
        }
        #expect(await task.value)
        await executor.end()
    }

    @Test func `a thread is nicer than its process, and others are not`() async {
        let executor = ThreadExecutor(name: "test-thread", niceness: 5)
        let own = getpriority(Int32(PRIO_PROCESS.rawValue), 0)
        let task = Task(executorPreference: executor) { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }
        #expect(await task.value == min(19, own + 5))
        #expect(getpriority(Int32(PRIO_PROCESS.rawValue), 0) == own)
        await executor.end()
    }

    @Test func `jobs run in the order in which they came`() async {
        let executor = ThreadExecutor(name: "test-thread")
        let gate = Gate()
        let order = Locked<[Int]>([])
        let blocker = Task(executorPreference: executor) { gate.waitBlocking() }
        let tasks = (0..<100).map { index in
            Task(executorPreference: executor) { order.withLock { $0.append(index) } }
        }
        gate.open()
        await blocker.value
        for task in tasks { await task.value }
        #expect(order.withLock { $0 } == Array(0..<100))
        await executor.end()
    }

    @Test func `a shutdown drains the queue`() async {
        let executor = ThreadExecutor(name: "test-thread")
        let gate = Gate()
        let count = Atomic<Int>(0)
        let blocker = Task(executorPreference: executor) { gate.waitBlocking() }
        let counter = Counter(on: executor)
        let tasks = (0..<50).map { _ in Task { await counter.add() } }
        async let ended: Void = executor.end()
        gate.open()
        await blocker.value
        for task in tasks {
            if await task.value { count.add(1, ordering: .relaxed) }
        }
        await ended
        #expect(count.load(ordering: .relaxed) == 50)
    }

    @Test func `a job that comes after the end still runs on a thread of its own`() async {
        let executor = ThreadExecutor(name: "test-thread")
        let counter = Counter(on: executor)
        await executor.end()
        #expect(await counter.add())
        #expect(await counter.add())
        await executor.end()
        await executor.end()
        #expect(await counter.value == 2)
    }

    @Test func `a blocking shutdown returns when the thread has ended`() {
        let executor = ThreadExecutor(name: "a name longer than the system's fifteen bytes")
        executor.shutdown()
        executor.shutdown()
        #expect(!executor.isOnThread)
    }

    @Test func `a call on a wrong thread traps`() async {
        await #expect(processExitsWith: .failure) {
            let executor = ThreadExecutor(name: "test-thread")
            Counter(on: executor).addSynchronously()
        }
    }
}
