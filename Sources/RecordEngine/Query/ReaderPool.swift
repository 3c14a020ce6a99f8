internal import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// Threads for reads that are too long for an event loop: scans, large sorts, counts of many.
///
/// Readers are kept for a moment after their work, since one long query is often followed by another, and a warm cache
/// halves its cost. Then they are closed, so that nothing is kept of a database that nobody asks much of.
package final class ReaderPool: Sendable {
    private struct State {
        var isClosed = false
        var idle: [IdleReader] = []
        /// Somebody waits to close what has been idle for too long.
        var isWatched = false
    }

    /// A reader that nobody uses.
    ///
    /// Unchecked: a reader is either in here or with the one piece of work that took it out.
    private struct IdleReader: @unchecked Sendable {
        let reader: RecordReader
        let since: UInt64
    }

    private let state = Locked(State())
    private let waiting = Atomic<Int>(0)
    private let count = Atomic<Int>(0)
    private let pool: WorkerPool
    private let length: ViewLength
    private let queueLength: Int

    /// - Parameters:
    ///   - name: Of its threads, each with its number.
    ///   - length: How long one of its reads keeps a view of the file.
    ///   - threads: How many reads run at once.
    ///   - queueLength: Beyond so many that run or wait, reads are refused with 503.
    init(name: String, length: ViewLength = .query, threads: Int = 2, queueLength: Int = 64) {
        pool = WorkerPool(name: name, threads: threads, niceness: SystemThread.longWork)
        self.length = length
        self.queueLength = queueLength
    }

    /// The reads that run or wait.
    package var depth: Int { waiting.load(ordering: .relaxed) }

    /// The reads that were done here.
    package var reads: Int { count.load(ordering: .relaxed) }

    /// Runs `work` with a fresh reader on a thread of the pool.
    ///
    /// - Parameter isForCaller: The result serves nobody but the task that asks. Once that is cancelled, as it is when a
    ///   client has gone, the work is left out, and the task of work that runs is cancelled too.
    /// - Throws: TRY_AGAIN_LATER while too many wait; with cause REQUEST_ABANDONED for what was left out.
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

    /// How long a reader is kept without work.
    private static let patience = Duration.seconds(2)

    private func keep(_ idle: IdleReader) {
        let watches = state.withLock { state in
            guard !state.isClosed else { return false }
            state.idle.append(idle)
            defer { state.isWatched = true }
            return !state.isWatched
        }
        // A reader holds its database, and the database this pool: none may stay for good.
        if watches { watch() }
    }

    private func watch() {
        Task.detached { [weak self] in
            while true {
                try? await Task.sleep(for: Self.patience)
                guard let self, self.closeIdle() else { return }
            }
        }
    }

    /// Closes readers that have been idle for long enough.
    ///
    /// - Returns: Whether others are left.
    private func closeIdle() -> Bool {
        let oldest = MonotonicClock.now &- UInt64(Self.patience.components.seconds) * 1_000_000_000
        let (closed, isAnyLeft) = state.withLock { state in
            let closed = state.idle.filter { $0.since <= oldest }
            state.idle.removeAll { $0.since <= oldest }
            state.isWatched = !state.idle.isEmpty
            return (closed, state.isWatched)
        }
        // Closed here, outside the lock.
        withExtendedLifetime(closed) {}
        return isAnyLeft
    }

    /// Takes no more work and waits for what runs.
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
