internal import RecordModel

extension RecordDatabase {
    /// Runs `work` on the writer's thread between two groups of writes, outside of any transaction. It waits in the queue
    /// like a write, and runs after the commit of the group that it was taken with.
    ///
    /// - Throws: What `work` throws; `RecordError.writerOverloaded` or `.databaseUnavailable` if the queue did not take it.
    nonisolated func betweenGroups<Value: Sendable>(
        _ work: @escaping @Sendable (isolated RecordDatabase) throws -> Value
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { submit(WorkBetweenGroups(self, work, $0)) }
    }
}

/// An entry of the queue that is no write: its `finish` is its work.
///
/// Unchecked: see `PendingWrite`.
private final class WorkBetweenGroups<Value: Sendable>: PendingWrite, @unchecked Sendable {
    private let database: RecordDatabase
    private let work: @Sendable (isolated RecordDatabase) throws -> Value
    private let continuation: UnsafeContinuation<Value, any Error>

    init(
        _ database: RecordDatabase, _ work: @escaping @Sendable (isolated RecordDatabase) throws -> Value,
        _ continuation: UnsafeContinuation<Value, any Error>
    ) {
        self.database = database
        self.work = work
        self.continuation = continuation
        super.init(operations: 0, weight: 0, isAlone: false, startsLazily: true)
    }

    override var isBetweenGroups: Bool { true }

    override func finish(_ failure: RecordError?) {
        // Not taken; on any thread.
        if let failure { return continuation.resume(throwing: failure) }
        continuation.resume(with: Result { try database.assumeIsolated(work) })
    }
}
