internal import CSQLite
internal import Glibc
package import RecordModel
internal import Threads

/// A connection to a database file, confined to one thread.
///
/// A connection is not `Sendable` and has no lock. The writer's connection belongs to the database actor. A reader's
/// connection belongs to its event loop or pool thread.
///
/// Functions that throw a `RecordError` throw INTERNAL_ERROR or TRY_AGAIN_LATER for a failure of SQLite
/// (`RecordError.init(_:)`).
package final class Connection {
    /// The use of a connection, which determines its flags and pragmas.
    package enum Role {
        /// The only connection that writes and checkpoints.
        case writer
        case reader
        /// A reader for scans, with a larger page cache.
        case scanner
        /// The only connection to a database copy. Closing it leaves no WAL.
        case copy
    }

    let handle: OpaquePointer
    /// The path of the database file.
    package let path: String
    /// The driver that runs the statements instead of SQLite; `nil` for SQLite.
    package var driver: (any StoreDriver)?
    /// The last failure on this connection, with more details than the `RecordError` for clients; `nil` for none.
    package private(set) var failure: StoreFailure?
    /// Called with each failure.
    package var observer: ((StoreFailure) -> Void)?
    private var logFrames: UnsafeMutablePointer<Int32>
    /// The WAL index in SQLite's memory, valid until the connection is closed.
    private var logIndex: UnsafeRawPointer?
    private let deadline: UnsafeMutablePointer<UInt64>

    /// Opens a file and sets the connection's pragmas.
    ///
    /// - Throws: `StoreFailure` if SQLite cannot open the file or run a pragma.
    package init(path: String, role: Role) throws(StoreFailure) {
        Self.configureLibrary
        let flags =
            switch role {
            case .writer: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            case .copy: SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
            case .reader, .scanner: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
            }
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle = opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw StoreFailure(code: code, message: message, sql: "open")
        }
        self.handle = handle
        self.path = path
        logFrames = .allocate(capacity: 1)
        logFrames.initialize(to: 0)
        deadline = .allocate(capacity: 1)
        deadline.initialize(to: .max)
        do throws(RecordError) {
            try setPragmas(role)
        } catch {
            throw failure ?? StoreFailure(.other, error.reason)
        }
    }

    deinit {
        sqlite3_close_v2(handle)
        logFrames.deallocate()
        deadline.deallocate()
    }

    /// Sets SQLite's global settings once, before the first connection. Turns off memory counters, which need a global
    /// lock.
    private static let configureLibrary: Void = {
        _ = fogbase_sqlite_config_memstatus(0)
        _ = fogbase_sqlite_config_multithread()
    }()

    /// SQLite's version, such as `3.40.1`.
    package static var libraryVersion: String {
        String(cString: sqlite3_libversion())
    }

    /// Whether SQLite has the fix for the WAL-reset bug (3.51.3). Without the fix, two connections that write or
    /// checkpoint at the same time can corrupt the file. In this server only one connection per file writes and
    /// checkpoints.
    package static var hasWALResetFix: Bool {
        sqlite3_libversion_number() >= 3_051_003
    }

    /// The size of a page in the file. A WAL frame has a page and a header of 24 bytes.
    package static let pageBytes = 4_096

    /// Sets the pragmas of a connection.
    private func setPragmas(_ role: Role) throws(RecordError) {
        // No functions or tables are defined through the schema, and the schema is never edited by hand.
        _ = fogbase_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = fogbase_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Double-quoted text is always an identifier.
        _ = fogbase_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = fogbase_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        // Sorting and subqueries use no temporary files: a full disk must not break a read.
        try execute("PRAGMA temp_store = MEMORY")
        // Pages come from the operating system's page cache; the private cache stays small.
        try execute("PRAGMA mmap_size = 2147418112")
        switch role {
        case .writer:
            // Closing a connection would checkpoint and delete the WAL, even after a failed checkpoint (see
            // `checkpoint`) and if the WAL could not be opened.
            _ = fogbase_sqlite_no_checkpoint_on_close(handle, 1)
            try execute("PRAGMA page_size = \(Self.pageBytes)")
            try execute("PRAGMA journal_mode = WAL")
            // A commit returns when its frames are on disk.
            try execute("PRAGMA synchronous = FULL")
            // The database decides when to checkpoint. A client's commit never includes a checkpoint.
            try execute("PRAGMA wal_autocheckpoint = 0")
            try execute("PRAGMA journal_size_limit = 67108864")
            try execute("PRAGMA cache_size = -8192")
            // Dirty pages are not written to the WAL in the middle of a group commit.
            try execute("PRAGMA cache_spill = OFF")
            try execute("PRAGMA foreign_keys = OFF")
            sqlite3_wal_hook(
                handle,
                { context, _, _, frames in
                    context?.assumingMemoryBound(to: Int32.self).pointee = frames
                    return SQLITE_OK
                }, logFrames)
        case .copy:
            // The WAL index stays in memory, and the copy is readable on a read-only file system.
            try execute("PRAGMA locking_mode = EXCLUSIVE")
            try execute("PRAGMA journal_mode = DELETE")
            // The code that makes the copy also syncs the file.
            try execute("PRAGMA synchronous = OFF")
        case .reader, .scanner:
            try execute("PRAGMA query_only = ON")
            try execute(role == .scanner ? "PRAGMA cache_size = -8192" : "PRAGMA cache_size = -1024")
            // Only the writer checkpoints (see `hasWALResetFix`).
            _ = fogbase_sqlite_no_checkpoint_on_close(handle, 1)
        }
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
        // Requests only bind values and contain no SQL. These limits restrict the effect of a bug.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)
    }

    /// SQLite's busy timeout. Readers and the writer hold shared locks only briefly, so waiting is better than failing.
    private static let busyMilliseconds: Int32 = 5_000

    /// Runs statements without a result.
    package func execute(_ sql: SQL) throws(RecordError) {
        if let driver { try driver.execute(sql) } else { try executeDirectly(sql) }
    }

    /// Runs statements with SQLite even if there is a driver.
    package func executeDirectly(_ sql: SQL) throws(RecordError) {
        let code = sqlite3_exec(handle, sql.text, nil, nil, nil)
        guard code == SQLITE_OK else { throw failed(code, sql.text) }
    }

    /// Creates a statement. SQLite compiles the statement on first use.
    package func prepare(_ sql: SQL) -> Statement {
        Statement(sql.text, self, driven: driver?.prepare(sql))
    }

    /// Creates a statement for SQLite even if there is a driver.
    package func prepareDirectly(_ sql: SQL) -> Statement {
        Statement(sql.text, self, driven: nil)
    }

    func compile(_ sql: String) throws(RecordError) -> OpaquePointer {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let pointer = prepared else { throw failed(code, sql) }
        return pointer
    }

    /// Returns the first column of the first row; `nil` without a row or for NULL.
    package func integer(_ sql: SQL) throws(RecordError) -> Int64? {
        let statement = prepare(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// Sets the time at which running statements are interrupted. With a deadline, statements are also interrupted if
    /// their task is canceled. Use it for single steps that can take long, such as a count.
    ///
    /// - Parameter moment: A time on `MonotonicClock`; `nil`, the default state, for no limit.
    package func setDeadline(_ moment: UInt64?) {
        guard let moment else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            return
        }
        deadline.pointee = moment
        // 4,000 instructions take a small part of a millisecond.
        sqlite3_progress_handler(
            handle, 4_000,
            { context in
                let deadline = context?.assumingMemoryBound(to: UInt64.self).pointee ?? .max
                return MonotonicClock.now > deadline || Task.isCancelled ? 1 : 0
            }, deadline)
    }

    /// Whether a transaction is open. Check this property after each error: SQLite may roll back a transaction itself
    /// (full disk, I/O error).
    package var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    /// The number of frames in the WAL after the last commit.
    package var walFrames: Int {
        Int(logFrames.pointee)
    }

    /// The number of rows that the last statement changed.
    package var changes: Int {
        Int(sqlite3_changes64(handle))
    }

    /// The number of rows that all statements have changed. It never falls. `nil` if a driver runs the statements.
    package var totalChanges: Int64? {
        driver == nil ? sqlite3_total_changes64(handle) : nil
    }

    /// The extent of a checkpoint.
    package enum CheckpointMode {
        /// Copies as many frames as open snapshots allow. Never waits.
        case passive
        /// Copies all frames and makes the next write start at the beginning of the WAL. No reader may use the WAL.
        case restart
        /// Does the same as `restart` and truncates the WAL file to zero bytes.
        case truncate
    }

    /// Copies the WAL into the database file.
    ///
    /// After a failure, closing the connection keeps the WAL, and the next start copies all of it again. SQLite copies
    /// a page once and syncs later, and Linux marks pages clean after a failed sync. So pages that an earlier
    /// checkpoint has copied can be lost after the first failed sync, even if a second sync succeeds.
    ///
    /// - Returns: Whether all frames were copied.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode) throws(RecordError) -> Bool {
        if let driver { return try driver.checkpoint(mode) }
        return try checkpointDirectly(mode)
    }

    /// Checkpoints with SQLite even if there is a driver.
    package func checkpointDirectly(_ mode: CheckpointMode) throws(RecordError) -> Bool {
        let flag =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var inLog: Int32 = 0
        var copied: Int32 = 0
        // Readers in other processes, such as the doctor, can take minutes. With a busy timeout, the writer and the
        // event loops would wait for these readers.
        if mode != .passive { sqlite3_busy_timeout(handle, 0) }
        defer { if mode != .passive { sqlite3_busy_timeout(handle, Self.busyMilliseconds) } }
        let code = sqlite3_wal_checkpoint_v2(handle, nil, flag, &inLog, &copied)
        if code & 0xFF == SQLITE_BUSY { return false }
        guard code == SQLITE_OK else {
            let error = failed(code, "checkpoint")
            _ = fogbase_sqlite_no_checkpoint_on_close(handle, 1)
            throw error
        }
        if inLog == copied, mode != .passive { logFrames.pointee = 0 }
        // Only an empty WAL may be deleted when the connection closes.
        if inLog == copied, mode == .truncate { _ = fogbase_sqlite_no_checkpoint_on_close(handle, 0) }
        return inLog == copied
    }

    /// A number that changes at the moment a commit becomes visible to new snapshots; `nil` before the connection's
    /// first read.
    var walChange: UInt32? {
        if logIndex == nil { logIndex = fogbase_sqlite_log_index(handle) }
        return logIndex.map { fogbase_sqlite_log_change($0) }
    }

    /// The number of committed frames in the WAL, and the database size in pages including these frames; `nil` before
    /// the first read. Use it on the writer's thread only, because a commit changes both numbers.
    private var logState: (frames: Int, pages: Int)? {
        if logIndex == nil { logIndex = fogbase_sqlite_log_index(handle) }
        return logIndex.map { (Int(fogbase_sqlite_log_frames($0)), Int(fogbase_sqlite_log_pages($0))) }
    }

    /// Whether the WAL has committed frames.
    package var hasWALFrames: Bool { (logState?.frames ?? 0) > 0 }

    /// Truncates the WAL file after the last committed frame. This frees the space of failed commits, and of frames
    /// from before a restart of the WAL. Call it on the writer's thread, outside of transactions.
    ///
    /// ```
    /// WAL file: header, 32 bytes | frames of 24 + 4,096 bytes
    /// ```
    package func truncateWAL() {
        guard !isInTransaction, let logState else { return }
        let bytes = logState.frames == 0 ? 0 : 32 + logState.frames * (Self.pageBytes + 24)
        // The WAL is a separate file: opening and closing the WAL drops none of SQLite's locks on the database.
        if DataDirectory.size(of: path + "-wal") > bytes { Glibc.truncate(path + "-wal", bytes) }
    }

    /// Returns the space of the database on its disk. Call it on the writer's thread, outside of transactions.
    package func diskSpace() -> DiskSpace {
        let file = DataDirectory.size(of: path)
        var pages = file / Self.pageBytes
        if let logState, logState.frames > 0 { pages = max(pages, logState.pages) }
        return DiskSpace(
            disk: DirectoryInspection.space(of: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])),
            walBytes: DataDirectory.size(of: path + "-wal"), fileBytes: file, pages: pages)
    }

    /// Returns the number of free pages in the file, which later writes use before the file grows.
    package func freePages() throws(RecordError) -> Int {
        Int(try integer("PRAGMA freelist_count") ?? 0)
    }

    /// Limits the number of pages of the database. A statement that needs more pages fails as if the disk were full.
    ///
    /// - Parameter pages: `nil` for SQLite's own limit.
    package func limitPages(_ pages: Int?) throws(RecordError) {
        try execute("PRAGMA max_page_count = \(pages ?? 1_073_741_823)")
    }

    // MARK: Failures

    /// Stores a failure of SQLite in `failure`, and passes it to the observer.
    ///
    /// - Returns: The error that the caller should throw.
    @inline(never)
    func failed(_ code: Int32, _ sql: String) -> RecordError {
        let hasSystemError = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        return failed(
            StoreFailure(
                code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql,
                systemError: hasSystemError ? sqlite3_system_errno(handle) : 0))
    }

    /// Stores a failure in `failure`, and passes it to the observer.
    ///
    /// - Returns: The error that the caller should throw.
    package func failed(_ failure: StoreFailure) -> RecordError {
        self.failure = failure
        observer?(failure)
        return RecordError(failure)
    }

    /// Runs cleanup after a failure, such as a rollback. A failure of the cleanup does not replace the first failure.
    package func cleanUp(_ body: () throws(RecordError) -> Void) throws(RecordError) {
        let (first, watcher) = (failure, observer)
        observer = nil
        defer { (failure, observer) = (first ?? failure, watcher) }
        try body()
    }

    /// Clears `failure`. Call it before an operation, so that `failure` afterwards is a failure of this operation.
    package func forgetFailure() {
        failure = nil
    }

    /// Runs `body`. If the store fails, throws the detailed `StoreFailure` for the operator instead of the error for
    /// clients.
    ///
    /// - Throws: `StoreFailure`, or the error of `body`.
    package func explaining<Value>(_ body: () throws -> Value) throws -> Value {
        failure = nil
        do {
            return try body()
        } catch let error as RecordError {
            if let failure { throw failure }
            throw error
        }
    }
}
