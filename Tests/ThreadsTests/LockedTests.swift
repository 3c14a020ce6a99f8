import TestSupport
import Testing
import Threads

@Suite struct LockedTests {
    @Test func `threads that add under the lock lose nothing`() async {
        let total = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { total.withLock { $0 += 1 } }
                }
            }
        }
        #expect(total.withLock { $0 } == 80_000)
    }

    @Test func `an error releases the lock`() {
        struct Failure: Error {}
        let locked = Locked(1)
        #expect(throws: Failure.self) { try locked.withLock { _ in throw Failure() } }
        #expect(locked.withLock { $0 } == 1)
    }

    @Test func `a monitor's waiter goes on when its condition holds`() async {
        let monitor = Monitor(0)
        let done = Gate()
        SystemThread.start(name: "test-waiter") {
            monitor.wait(until: { $0 == 3 }, then: { $0 = 100 })
            done.open()
        }
        for _ in 0..<3 {
            monitor.withLock { $0 += 1 }
            monitor.signal()
        }
        await done.wait()
        #expect(monitor.withLock { $0 } == 100)
    }
}
