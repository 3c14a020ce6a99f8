internal import RecordStorage
internal import Synchronization
internal import Threads

/// Counters of one database's writer, read by `/metrics` from any thread.
package final class WriterStatistics: StoreObserver {
    private let commitCount = Atomic<UInt64>(0)
    private let writeCount = Atomic<UInt64>(0)
    private let operationCount = Atomic<UInt64>(0)
    private let commitTime = Atomic<UInt64>(0)
    private let checkpointCount = Atomic<UInt64>(0)
    private let failureCount = Atomic<UInt64>(0)
    private let snapshotCount = Atomic<UInt64>(0)
    private let lastFailure = Locked("")
    private let sizes = Locked([UInt64](repeating: 0, count: groupSizeBounds.count + 1))

    /// The upper bounds of the buckets of `groupSizes`, in operations.
    package static let groupSizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    package init() {}

    /// How many groups had so many operations: one count per bound, and one for those above all.
    package var groupSizes: [UInt64] { sizes.withLock { $0 } }

    package var commits: UInt64 { commitCount.load(ordering: .relaxed) }
    /// Requests that were committed, or refused inside a group that was.
    package var writes: UInt64 { writeCount.load(ordering: .relaxed) }
    package var operations: UInt64 { operationCount.load(ordering: .relaxed) }
    /// Time in groups, from BEGIN to the end of COMMIT.
    package var commitNanoseconds: UInt64 { commitTime.load(ordering: .relaxed) }
    package var checkpoints: UInt64 { checkpointCount.load(ordering: .relaxed) }
    /// Snapshots that readers have opened.
    package var snapshots: UInt64 { snapshotCount.load(ordering: .relaxed) }
    /// Failures of the store.
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

    package func didCheckpoint() {
        checkpointCount.add(1, ordering: .relaxed)
    }

    package func didFail(_ text: String) {
        failureCount.add(1, ordering: .relaxed)
        lastFailure.withLock { $0 = text }
    }
}
