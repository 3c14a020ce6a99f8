internal import Synchronization

/// Counters of one database's queries, read by `/metrics` from any thread.
package final class QueryCounters: Sendable {
    private let onLoop = Atomic<UInt64>(0)
    private let onPool = Atomic<UInt64>(0)
    private let rows = Atomic<UInt64>(0)
    private let tooLong = Atomic<UInt64>(0)

    init() {}

    /// Queries answered on an event loop.
    package var answeredOnLoop: UInt64 { onLoop.load(ordering: .relaxed) }
    /// Queries that were too long for a loop and answered on the pool.
    package var answeredOnPool: UInt64 { onPool.load(ordering: .relaxed) }
    /// Index entries and records that queries looked at.
    package var examinedRows: UInt64 { rows.load(ordering: .relaxed) }
    /// Queries that were stopped at their time limit.
    package var stopped: UInt64 { tooLong.load(ordering: .relaxed) }

    func didAnswer(onPool isOnPool: Bool, examined: Int) {
        if isOnPool { onPool.add(1, ordering: .relaxed) } else { onLoop.add(1, ordering: .relaxed) }
        rows.add(UInt64(max(0, examined)), ordering: .relaxed)
    }

    func didStop() {
        tooLong.add(1, ordering: .relaxed)
    }
}
