internal import Synchronization

/// The query counters of one database, read by `/metrics` from any thread.
package final class QueryCounters: Sendable {
    private let onLoop = Atomic<UInt64>(0)
    private let onPool = Atomic<UInt64>(0)
    private let rows = Atomic<UInt64>(0)
    private let tooLong = Atomic<UInt64>(0)

    init() {}

    /// The number of queries completed on an event loop.
    package var ranOnLoop: UInt64 { onLoop.load(ordering: .relaxed) }
    /// The number of queries completed on the pool because they took too long for an event loop.
    package var ranOnPool: UInt64 { onPool.load(ordering: .relaxed) }
    /// The number of index entries and records that queries read.
    package var examinedRows: UInt64 { rows.load(ordering: .relaxed) }
    /// The number of queries stopped at their time limit.
    package var stopped: UInt64 { tooLong.load(ordering: .relaxed) }

    func didRespond(onPool isOnPool: Bool, examined: Int) {
        if isOnPool { onPool.add(1, ordering: .relaxed) } else { onLoop.add(1, ordering: .relaxed) }
        rows.add(UInt64(max(0, examined)), ordering: .relaxed)
    }

    func didStop() {
        tooLong.add(1, ordering: .relaxed)
    }
}
