internal import Containers
internal import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// A worker pool for reads that take too long for an event loop: scans, large sorts, large counts.
///
/// Users take turns (`PoolUser`): each free thread takes the oldest read of the next user. So a user with many long
/// queries delays another user by at most one of them. A user may have only a part of the reads that run or wait.
///
/// The pool keeps idle readers for two seconds. Another long query often follows, and a warm cache halves its cost. The
/// pool then closes idle readers, so that an idle database keeps none open.
package final class ReaderPool: Sendable {
    private struct State {
        var isClosed = false
        var idle: [IdleReader] = []
        /// Whether a task is waiting to close idle readers.
        var isWatched = false
        /// The reads that wait for a thread.
        var queue = FairQueue<PoolUser, PooledRead>()
        /// The number of reads of each user that run or wait.
        var shares: [PoolUser: Int] = [:]
        /// The threads without work.
        var freeThreads: [ThreadExecutor] = []
        /// The number of threads that were started.
        var startedThreads = 0
        /// Calls of `close` that wait for the end of all reads.
        var closers: [CheckedContinuation<Void, Never>] = []
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
    private let threads: Int
    private let length: SnapshotLifetime
    private let queueLength: Int
    private let userLength: Int

    /// Creates the pool.
    ///
    /// - Parameters:
    ///   - name: The prefix of the thread names; a number follows.
    ///   - length: How long one read may hold its snapshot.
    ///   - threads: The maximum number of reads that run at once.
    ///   - queueLength: The maximum number of reads that run or wait. The pool rejects further reads with 503.
    ///   - userLength: The maximum number of reads of one user that run or wait. The server itself has no such limit.
    init(
        name: String, length: SnapshotLifetime = .query, threads: Int = 2, queueLength: Int = 128, userLength: Int = 16
    ) {
        pool = WorkerPool(name: name, threads: threads, niceness: SystemThread.longWork)
        self.threads = threads
        self.length = length
        self.queueLength = queueLength
        self.userLength = userLength
    }

    /// The number of reads that run or wait.
    package var depth: Int { waiting.load(ordering: .relaxed) }

    /// The number of reads that wait for a thread.
    var queued: Int { state.withLock { $0.queue.count } }

    /// Whether the pool rejects new reads.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The number of reads that the pool has accepted since it was created.
    package var reads: Int { count.load(ordering: .relaxed) }

    /// Runs `work` on a pool thread. The reader that `work` receives has a current snapshot.
    ///
    /// - Parameters:
    ///   - user: Whose turn the read takes.
    ///   - isForCaller: Whether only the calling task needs the result. If true, cancelling the task (for example when
    ///     the client disconnects) drops queued work and cancels running work.
    /// - Throws: TRY_AGAIN_LATER if too many reads wait, of the user or of all users, or the database is closing;
    ///   TRY_AGAIN_LATER with cause REQUEST_ABANDONED for dropped work; the errors of `work`.
    func read<Value: Sendable>(
        _ database: RecordDatabase, for user: PoolUser = .server, isForCaller: Bool = false,
        _ work: @escaping @Sendable (RecordReader) throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        try admit(user)
        defer { leave(user) }
        count.add(1, ordering: .relaxed)
        let cancellation = PooledReadCancellation()
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Result<Value, RecordError>, Never>) in
                let start = { @Sendable (thread: ThreadExecutor) in
                    let task = Task.detached(executorPreference: thread) {
                        // Not in a constant, which would keep a reference: the caller would copy a page to end it.
                        continuation.resume(returning: self.run(database, on: thread, work))
                    }
                    cancellation.begin(task)
                }
                let read = PooledRead(
                    start: start, drop: { continuation.resume(returning: .failure(.requestAbandoned)) },
                    cancellation: cancellation)
                enqueue(read, for: user)
            }
        } onCancel: {
            if isForCaller { cancel(cancellation, of: user) }
        }
        return try result.get()
    }

    // MARK: Turns

    private func admit(_ user: PoolUser) throws(RecordError) {
        guard waiting.add(1, ordering: .relaxed).newValue <= queueLength else {
            waiting.subtract(1, ordering: .relaxed)
            throw .poolOverloaded
        }
        let refusal: RecordError? = state.withLock { state in
            if state.isClosed { return .databaseUnavailable }
            let share = state.shares[user, default: 0]
            if share >= userLength, user != .server { return shareUsed }
            state.shares[user] = share + 1
            return nil
        }
        guard let refusal else { return }
        waiting.subtract(1, ordering: .relaxed)
        throw refusal
    }

    private var shareUsed: RecordError {
        RecordError(
            .tryAgainLater,
            "Too many of your long queries are running or waiting. Wait for some of them before you send the next one",
            cause: .unavailable, details: [("limit", .number(Int64(userLength)))], retryAfter: 1)
    }

    private func leave(_ user: PoolUser) {
        waiting.subtract(1, ordering: .relaxed)
        let closers = state.withLock { state in
            if let index = state.shares.index(forKey: user) {
                state.shares.values[index] -= 1
                if state.shares.values[index] == 0 { state.shares.remove(at: index) }
            }
            guard state.shares.isEmpty else { return [CheckedContinuation<Void, Never>]() }
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    private func enqueue(_ read: PooledRead, for user: PoolUser) {
        let thread: ThreadExecutor? = state.withLock { state in
            if let thread = state.freeThreads.popLast() { return thread }
            // The first calls of `next` start the threads.
            if state.startedThreads < threads, let thread = pool.next() {
                state.startedThreads += 1
                return thread
            }
            state.queue.append(read, for: user)
            return nil
        }
        if let thread { read.start(thread) }
    }

    /// Gives a thread to the read whose turn it is.
    private func hand(_ thread: ThreadExecutor) {
        let next = state.withLock { state in
            let next = state.queue.isEmpty ? nil : state.queue.popFirst()
            if next == nil { state.freeThreads.append(thread) }
            return next
        }
        next?.start(thread)
    }

    private func cancel(_ cancellation: PooledReadCancellation, of user: PoolUser) {
        let queued = state.withLock { state in
            state.queue.remove(for: user) { $0.cancellation === cancellation }
        }
        if let queued { queued.drop() } else { cancellation.cancel() }
    }

    /// Runs `work`, and then gives the thread to the next read.
    private func run<Value: Sendable>(
        _ database: RecordDatabase, on thread: ThreadExecutor, _ work: (RecordReader) throws(RecordError) -> Value
    ) -> Result<Value, RecordError> {
        defer { hand(thread) }
        return run(database, work)
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

    /// Rejects new work and waits for work that was accepted.
    func close() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isClosed = true
                let isIdle = state.shares.isEmpty
                if !isIdle { state.closers.append(continuation) }
                return isIdle
            }
            if isIdle { continuation.resume() }
        }
        await pool.close()
        state.withLock { $0.idle = [] }
    }
}

extension RecordError {
    static let poolOverloaded = RecordError(
        .tryAgainLater, "More long queries are waiting than the server can hold. Try again shortly",
        cause: .unavailable, retryAfter: 1)
}
