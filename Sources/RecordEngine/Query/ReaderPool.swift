internal import RecordModel
internal import Synchronization
internal import Threads

/// Threads for reads that are too long for an event loop: scans, large sorts, counts of many.
///
/// Each piece of work opens a reader of its own and lets go of it at its end, so that nothing is kept of a database that
/// nobody asks much of; opening one costs a part of a millisecond, and what comes here takes several.
package final class ReaderPool: Sendable {
    private struct State {
        var executors: [ThreadExecutor] = []
        var isClosed = false
        var next = 0
    }

    private let state = Locked(State())
    private let waiting = Atomic<Int>(0)
    private let threads: Int
    private let queueLength: Int

    /// - Parameters:
    ///   - threads: How many reads run at once.
    ///   - queueLength: Beyond so many that run or wait, reads are refused with 503.
    init(threads: Int = 2, queueLength: Int = 64) {
        self.threads = threads
        self.queueLength = queueLength
    }

    deinit {
        for executor in state.withLock({ $0.executors }) { executor.shutdown() }
    }

    /// The reads that run or wait.
    package var depth: Int { waiting.load(ordering: .relaxed) }

    /// Runs `work` with a fresh reader on a thread of the pool.
    func read<Value: Sendable>(
        _ database: RecordDatabase, _ work: @escaping @Sendable (RecordReader) throws(RecordError) -> Value
    ) async throws(RecordError) -> Value {
        guard waiting.add(1, ordering: .relaxed).newValue <= queueLength else {
            waiting.subtract(1, ordering: .relaxed)
            throw .poolOverloaded
        }
        defer { waiting.subtract(1, ordering: .relaxed) }
        guard let executor = nextExecutor() else { throw .databaseUnavailable }
        let result: Result<Value, RecordError> = await withUnsafeContinuation { continuation in
            Task.detached(executorPreference: executor) {
                continuation.resume(returning: Self.run(database, work))
            }
        }
        return try result.get()
    }

    private static func run<Value: Sendable>(
        _ database: RecordDatabase, _ work: (RecordReader) throws(RecordError) -> Value
    ) -> Result<Value, RecordError> {
        let reader: RecordReader
        do { reader = try database.makeReader() } catch { return .failure(.databaseUnavailable) }
        defer { reader.rest() }
        do throws(RecordError) {
            try reader.refresh()
            return .success(try work(reader))
        } catch {
            return .failure(error)
        }
    }

    private func nextExecutor() -> ThreadExecutor? {
        let number: Int? = state.withLock { state in
            if state.isClosed { return nil }
            state.next += 1
            return state.next
        }
        guard let number else { return nil }
        return state.withLock { state in
            if state.executors.count < threads {
                let executor = ThreadExecutor(name: "fog-query-\(state.executors.count)")
                state.executors.append(executor)
                return executor
            }
            return state.executors[number % state.executors.count]
        }
    }

    /// Takes no more work and waits for what runs.
    func close() async {
        let executors = state.withLock { state in
            state.isClosed = true
            defer { state.executors = [] }
            return state.executors
        }
        for executor in executors { await executor.end() }
    }
}

extension RecordError {
    static let poolOverloaded = RecordError(
        .tryAgainLater, "More long queries are waiting than the server can hold. Try again shortly",
        cause: .unavailable, retryAfter: 1)
}
