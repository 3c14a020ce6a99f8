import Synchronization

/// Time that passes when a test says so.
final class TestClock: Sendable {
    private let nanoseconds = Atomic<UInt64>(5_000_000_000_000)

    var now: UInt64 { nanoseconds.load(ordering: .sequentiallyConsistent) }

    func pass(milliseconds: UInt64) {
        nanoseconds.add(milliseconds * 1_000_000, ordering: .sequentiallyConsistent)
    }

    func pass(seconds: UInt64) {
        pass(milliseconds: seconds * 1_000)
    }
}
