internal import RecordStorage
internal import Synchronization
internal import Threads

/// The counters of one database's writer. `/metrics` reads them from any thread.
package final class WriterStatistics: StoreObserver {
    private let commitCount = Atomic<UInt64>(0)
    private let writeCount = Atomic<UInt64>(0)
    private let operationCount = Atomic<UInt64>(0)
    private let commitTime = Atomic<UInt64>(0)
    private let checkpointCount = Atomic<UInt64>(0)
    private let failureCount = Atomic<UInt64>(0)
    private let snapshotCount = Atomic<UInt64>(0)
    private let lastFailure = Locked("")
    private let stepBack = Atomic<Int64>(0)
    private let sizes = Locked([UInt64](repeating: 0, count: groupSizeBounds.count + 1))

    /// The upper bounds of the buckets of `groupSizes`, in operations per group.
    package static let groupSizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    /// Creates counters that start at zero.
    package init() {}

    /// The number of groups by number of operations. There is one count per bound, and one for larger groups.
    package var groupSizes: [UInt64] { sizes.withLock { $0 } }

    /// The number of committed groups.
    package var commits: UInt64 { commitCount.load(ordering: .relaxed) }
    /// The number of requests in committed groups, including failed ones.
    package var writes: UInt64 { writeCount.load(ordering: .relaxed) }
    /// The number of operations in committed groups.
    package var operations: UInt64 { operationCount.load(ordering: .relaxed) }
    /// The total time from BEGIN to the end of COMMIT of all groups, in nanoseconds.
    package var commitNanoseconds: UInt64 { commitTime.load(ordering: .relaxed) }
    /// The number of checkpoints.
    package var checkpoints: UInt64 { checkpointCount.load(ordering: .relaxed) }
    /// The number of snapshots that readers have opened.
    package var snapshots: UInt64 { snapshotCount.load(ordering: .relaxed) }
    /// The number of failures of the store.
    package var failures: UInt64 { failureCount.load(ordering: .relaxed) }
    /// The text of the last failure of the store, for the operator's log.
    package var lastFailureText: String { lastFailure.withLock { $0 } }

    func didCommit(writes: Int, operations: Int, nanoseconds: UInt64) {
        commitCount.add(1, ordering: .relaxed)
        writeCount.add(UInt64(writes), ordering: .relaxed)
        operationCount.add(UInt64(operations), ordering: .relaxed)
        commitTime.add(nanoseconds, ordering: .relaxed)
        let bucket = Self.groupSizeBounds.firstIndex { operations <= $0 } ?? Self.groupSizeBounds.count
        sizes.withLock { $0[bucket] += 1 }
    }

    func didOpenSnapshot() {
        snapshotCount.add(1, ordering: .relaxed)
    }

    /// Keeps how far the system clock went back.
    package func didStepBack(_ milliseconds: Int64) {
        stepBack.store(milliseconds, ordering: .relaxed)
    }

    /// Returns how far the system clock was last behind the last change, in milliseconds, when the store followed it;
    /// `nil` if the store has not followed it back since the last call.
    package func takeStepBack() -> Int64? {
        let milliseconds = stepBack.exchange(0, ordering: .relaxed)
        return milliseconds > 0 ? milliseconds : nil
    }

    /// Counts a checkpoint.
    package func didCheckpoint() {
        checkpointCount.add(1, ordering: .relaxed)
    }

    /// Counts a failure of the store and keeps its text.
    package func didFail(_ text: String) {
        failureCount.add(1, ordering: .relaxed)
        lastFailure.withLock { $0 = text }
    }
}
