public import HTTP
internal import RecordEngine
internal import Threads

/// What one event loop owns of the interface: its readers, one per database that its requests have named.
///
/// Unchecked: everything here is touched on the thread of the loop that the context was made for, and only there. The
/// transport calls `respond` and `loopWillBlock` on that thread, and a suspended `respond` resumes on it. Tests use a
/// context from one task at a time.
public final class RecordAPIContext: HTTPLoopContext, @unchecked Sendable {
    let api: RecordAPI
    private var defaultReader: RecordReader?
    /// The only reader that may hold a view.
    private var current: RecordReader?
    /// The readers of all other databases.
    private var readers: [DatabaseID: RecordReader] = [:]
    /// Where requests are answered instead, if readers make their thread wait.
    private let workers: [Worker]
    private var nextWorker = 0

    /// A thread that may wait, and what it owns.
    struct Worker {
        let executor: ThreadExecutor
        let context: RecordAPIContext
    }

    /// - Parameter readerThreads: See `RecordAPIConfiguration`.
    init(_ api: RecordAPI, readerThreads: Int = 0) {
        self.api = api
        workers = (0..<readerThreads).map { number in
            Worker(executor: ThreadExecutor(name: "fog-read-\(number)"), context: RecordAPIContext(api))
        }
    }

    deinit {
        endWorkers()
    }

    /// The worker for the next request; `nil` where the loop answers.
    func worker() -> Worker? {
        guard !workers.isEmpty else { return nil }
        defer { nextWorker = (nextWorker + 1) % workers.count }
        return workers[nextWorker]
    }

    private func endWorkers() {
        for worker in workers { worker.executor.shutdown() }
    }

    private var defaultDatabase: DatabaseID { api.configuration.defaultDatabase }

    /// The reader of a database, if it is open. The one that was asked before lets go of its view: on a loop that is
    /// never idle it would keep the log of its database from being emptied.
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
        // Another request of this loop may have opened it meanwhile.
        if let reader = reader(id) { return reader }
        let reader: RecordReader
        do { reader = try database.makeReader() } catch { throw APIError.databaseClosed }
        if let id, id != defaultDatabase { readers[id] = reader } else { defaultReader = reader }
        return self.reader(id) ?? reader
    }

    /// No view of a file is held while the loop waits: an idle reader must not keep the log from being emptied.
    public func loopWillBlock() {
        defaultReader?.rest()
        for reader in readers.values { reader.rest() }
    }

    /// Closes the readers, before their databases close.
    package func closeReaders() {
        endWorkers()
        for worker in workers { worker.context.closeReaders() }
        loopWillBlock()
        current = nil
        defaultReader = nil
        readers.removeAll()
    }
}
