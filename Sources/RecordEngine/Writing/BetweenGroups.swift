internal import RecordModel

extension RecordDatabase {
    /// Runs `work` on the writer's thread between two groups of writes, outside of any transaction.
    ///
    /// The work waits in the queue like a write. The writer takes it together with a group, and runs it after the
    /// group's commit.
    ///
    /// - Throws: Any error of `work`; `RecordError.writerOverloaded` or `.databaseUnavailable` if the queue rejects the
    ///   work.
    nonisolated func betweenGroups<Value: Sendable>(
        _ work: @escaping @Sendable (isolated RecordDatabase) throws -> Value
    ) async throws -> Value {
        try await withUnsafeThrowingContinuation { submit(WorkBetweenGroups(self, work, $0)) }
    }
}

/// The queue entry of `betweenGroups`, which writes nothing: `finish` runs the work.
///
/// Unchecked `Sendable`: see `PendingWrite`.
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
        // The queue rejected the entry. This code may run on any thread.
        if let failure { return continuation.resume(throwing: failure) }
        continuation.resume(with: Result { try database.assumeIsolated(work) })
    }
}
