internal import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// A worker pool for reads that take too long for an event loop: scans, large sorts, large counts.
///
/// The pool keeps idle readers for two seconds. Another long query often follows, and a warm cache halves its cost. The
/// pool then closes idle readers, so that an idle database keeps none open.
package final class ReaderPool: Sendable {
    private struct State {
        var isClosed = false
        var idle: [IdleReader] = []
        /// Whether a task is waiting to close idle readers.
        var isWatched = false
    }

    /// A reader that is not in use.
    ///
    /// Unchecked: only one task uses a reader at a time. A reader is either in `idle` or owned by the task that removed
    /// it from there.
    private struct IdleReader: @unchecked Sendable {
        let reader: RecordReader
        let since: UInt64
    }

    private let state = Locked(State())
    private let waiting = Atomic<Int>(0)
    private let count = Atomic<Int>(0)
    private let pool: WorkerPool
    private let length: SnapshotLifetime
    private let queueLength: Int

    /// Creates the pool.
    ///
    /// - Parameters:
    ///   - name: The prefix of the thread names; a number follows.
    ///   - length: How long one read may hold its snapshot.
    ///   - threads: The maximum number of reads that run at once.
    ///   - queueLength: The maximum number of reads that run or wait. The pool rejects further reads with 503.
    init(name: String, length: SnapshotLifetime = .query, threads: Int = 2, queueLength: Int = 64) {
        pool = WorkerPool(name: name, threads: threads, niceness: SystemThread.longWork)
        self.length = length
        self.queueLength = queueLength
    }

    /// The number of reads that run or wait.
    package var depth: Int { waiting.load(ordering: .relaxed) }

    /// The number of reads that the pool has accepted since it was created.
    package var reads: Int { count.load(ordering: .relaxed) }

    /// Runs `work` on a pool thread. The reader that `work` receives has a current snapshot.
    ///
    /// - Parameter isForCaller: Whether only the calling task needs the result. If true, cancelling the task (for
    ///   example when the client disconnects) drops queued work and cancels running work.
    /// - Throws: TRY_AGAIN_LATER if too many reads wait or the database is closing; TRY_AGAIN_LATER with cause
    ///   REQUEST_ABANDONED for dropped work; the errors of `work`.
    func read<Value: Sendable>(
        _ database: RecordDatabase, isForCaller: Bool = false,
        _ work: @escaping @Sendable (RecordReader) throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        guard waiting.add(1, ordering: .relaxed).newValue <= queueLength else {
            waiting.subtract(1, ordering: .relaxed)
            throw .poolOverloaded
        }
        defer { waiting.subtract(1, ordering: .relaxed) }
        count.add(1, ordering: .relaxed)
        guard let executor = pool.next() else { throw .databaseUnavailable }
        let task = Task.detached(executorPreference: executor) { self.run(database, work) }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            if isForCaller { task.cancel() }
        }
        return try result.get()
    }

    private func run<Value: Sendable>(
        _ database: RecordDatabase, _ work: (RecordReader) throws(RecordError) -> Value
    ) -> Result<Value, RecordError> {
        guard !Task.isCancelled else { return .failure(.requestAbandoned) }
        let reader: RecordReader
        if let idle = state.withLock({ $0.idle.popLast() }) {
            reader = idle.reader
        } else {
            do {
                reader = try database.makeReader(length)
            } catch {
                return .failure(.databaseUnavailable)
            }
        }
        defer {
            reader.rest()
            keep(IdleReader(reader: reader, since: MonotonicClock.now))
        }
        do throws(RecordError) {
            try reader.refresh()
            return .success(try work(reader))
        } catch {
            return .failure(error)
        }
    }

    /// How long an idle reader is kept.
    private static let maxWait = Duration.seconds(2)

    private func keep(_ idle: IdleReader) {
        let watches = state.withLock { state in
            guard !state.isClosed else { return false }
            state.idle.append(idle)
            defer { state.isWatched = true }
            return !state.isWatched
        }
        // A reader references its database, and the database references this pool. Closing idle readers breaks the
        // cycle.
        if watches { watch() }
    }

    private func watch() {
        Task.detached { [weak self] in
            while true {
                try? await Task.sleep(for: Self.maxWait)
                guard let self, self.closeIdle() else { return }
            }
        }
    }

    /// Closes readers that have been idle for `maxWait`.
    ///
    /// - Returns: Whether the pool still has idle readers.
    private func closeIdle() -> Bool {
        let oldest = MonotonicClock.now &- UInt64(Self.maxWait.components.seconds) * 1_000_000_000
        let (closed, isAnyLeft) = state.withLock { state in
            let closed = state.idle.filter { $0.since <= oldest }
            state.idle.removeAll { $0.since <= oldest }
            state.isWatched = !state.idle.isEmpty
            return (closed, state.isWatched)
        }
        // The readers are deallocated here, outside the lock.
        withExtendedLifetime(closed) {}
        return isAnyLeft
    }

    /// Rejects new work and waits for running work.
    func close() async {
        state.withLock { $0.isClosed = true }
        await pool.close()
        state.withLock { $0.idle = [] }
    }
}

extension RecordError {
    static let poolOverloaded = RecordError(
        .tryAgainLater, "More long queries are waiting than the server can hold. Try again shortly",
        cause: .unavailable, retryAfter: 1)
}
