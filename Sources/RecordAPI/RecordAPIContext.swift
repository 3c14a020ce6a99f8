public import HTTP
internal import RecordEngine
internal import Threads

/// The state of one event loop: one reader for each database that the loop's requests have named.
///
/// Unchecked: a context is used only on the thread of its loop. The transport calls `respond` and `loopWillBlock` on
/// that thread, and a suspended `respond` resumes on it. Tests use a context from one task at a time.
public final class RecordAPIContext: HTTPLoopContext, @unchecked Sendable {
    let api: RecordAPI
    private var defaultReader: RecordReader?
    /// The only reader that may hold a snapshot.
    private var current: RecordReader?
    /// The readers of all other databases.
    private var readers: [DatabaseID: RecordReader] = [:]
    /// The watchers that wake the event streams of this context.
    private var watchers: [DatabaseID: (database: RecordDatabase, watcher: CommitWatcher)] = [:]
    /// The executor of the context's thread; `nil` in tests, which use any thread.
    private let executor: (any TaskExecutor)?
    /// Whether the thread is a worker of a loop, so that event streams must switch to it.
    private let isWorker: Bool
    /// The latest requests of this context.
    let requests: RequestLog.Ring
    /// The threads that handle requests if readers block; otherwise empty.
    private let workers: [Worker]
    private var nextWorker = 0

    /// A thread that may block, with its own state.
    struct Worker {
        let executor: ThreadExecutor
        let context: RecordAPIContext
    }

    /// Creates a context without open readers.
    ///
    /// - Parameters:
    ///   - executor: The executor of the context's thread.
    ///   - readerThreads: See `RecordAPIConfiguration`.
    init(_ api: RecordAPI, on executor: (any TaskExecutor)?, readerThreads: Int = 0, isWorker: Bool = false) {
        self.api = api
        self.executor = executor
        self.isWorker = isWorker
        requests = api.requests.makeRing()
        workers = (0..<readerThreads).map { number in
            let executor = ThreadExecutor(name: "fog-read-\(number)")
            return Worker(executor: executor, context: RecordAPIContext(api, on: executor, isWorker: true))
        }
    }

    deinit {
        endWorkers()
    }

    /// Returns the worker for the next request; `nil` if the loop handles requests itself.
    func worker() -> Worker? {
        guard !workers.isEmpty else { return nil }
        defer { nextWorker = (nextWorker + 1) % workers.count }
        return workers[nextWorker]
    }

    private func endWorkers() {
        for worker in workers { worker.executor.shutdown() }
    }

    private var defaultDatabase: DatabaseID { api.configuration.defaultDatabase }

    /// Returns the reader of a database if it is open. The previously used reader releases its snapshot. On a loop that
    /// is never idle, that snapshot would otherwise prevent the WAL of its database from being reset.
    func reader(_ id: DatabaseID?) -> RecordReader? {
        let reader: RecordReader? =
            if let id, id != defaultDatabase { readers[id] } else { defaultReader }
        if reader !== current {
            current?.rest()
            current = reader
        }
        return reader
    }

    /// Opens the reader of a database.
    ///
    /// - Parameter id: `nil` for the default database.
    /// - Throws: NOT_FOUND for an unknown container; TRY_AGAIN_LATER if the database cannot be opened.
    func openReader(_ id: DatabaseID?) async throws -> RecordReader {
        let database = try await api.registry.database(id ?? defaultDatabase)
        // Another request of this loop may have opened the reader in the meantime.
        if let reader = reader(id) { return reader }
        let reader: RecordReader
        do { reader = try database.makeReader() } catch { throw APIError.databaseClosed }
        if let id, id != defaultDatabase { readers[id] = reader } else { defaultReader = reader }
        return self.reader(id) ?? reader
    }

    /// Runs `body` on the context's thread, with the reader of a database.
    ///
    /// - Throws: The errors of `openReader` and of `body`.
    func reading<Value: Sendable>(
        _ id: DatabaseID?, _ body: @Sendable (RecordReader) async throws -> Value
    ) async throws -> Value {
        guard isWorker, let executor else {
            return try await body(try await reader(opening: id))
        }
        return try await withTaskExecutorPreference(executor) {
            defer { loopWillBlock() }
            return try await body(try await reader(opening: id))
        }
    }

    /// Returns the reader of a database, and opens it if needed.
    ///
    /// - Throws: The errors of `openReader`.
    func reader(opening id: DatabaseID?) async throws -> RecordReader {
        if let open = reader(id) { return open }
        return try await openReader(id)
    }

    /// Returns the watcher that wakes the event streams of a database on this context's thread.
    func watcher(_ database: RecordDatabase, _ id: DatabaseID?) -> CommitWatcher {
        let id = id ?? defaultDatabase
        if let known = watchers[id] { return known.watcher }
        let watcher = database.commitBroadcast.makeWatcher(executor)
        watchers[id] = (database, watcher)
        return watcher
    }

    /// Releases all snapshots while the loop waits: the snapshot of an idle reader would prevent the WAL from being
    /// reset.
    public func loopWillBlock() {
        defaultReader?.rest()
        for reader in readers.values { reader.rest() }
    }

    /// Closes all readers. Call this before the databases are closed.
    package func closeReaders() {
        endWorkers()
        api.requests.remove(requests)
        for worker in workers { worker.context.closeReaders() }
        loopWillBlock()
        for (database, watcher) in watchers.values { database.commitBroadcast.remove(watcher) }
        watchers = [:]
        current = nil
        defaultReader = nil
        readers.removeAll()
    }
}
