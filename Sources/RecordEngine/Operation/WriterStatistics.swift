internal import Synchronization
internal import Threads

/// Counters of one database's writer, read by `/metrics` from any thread.
package final class WriterStatistics: Sendable {
    private let commitCount = Atomic<UInt64>(0)
    private let writeCount = Atomic<UInt64>(0)
    private let operationCount = Atomic<UInt64>(0)
    private let commitTime = Atomic<UInt64>(0)
    private let checkpointCount = Atomic<UInt64>(0)
    private let failureCount = Atomic<UInt64>(0)
    private let snapshotCount = Atomic<UInt64>(0)
    private let lastFailure = Locked("")

    package init() {}

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
    }

    func didOpenSnapshot() {
        snapshotCount.add(1, ordering: .relaxed)
    }

    func didCheckpoint() {
        checkpointCount.add(1, ordering: .relaxed)
    }

    func didFail(_ text: String) {
        failureCount.add(1, ordering: .relaxed)
        lastFailure.withLock { $0 = text }
    }
}
