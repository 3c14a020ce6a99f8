internal import CSQLite
internal import Glibc
package import RecordModel
internal import Threads

/// One connection to a database file, confined to one thread.
///
/// It is not `Sendable` and has no lock: the writer's belongs to the database actor, a reader's to its event loop or
/// pool thread.
package final class Connection {
    /// What a connection may do, which decides its flags and pragmas.
    package enum Role {
        /// The only connection that writes and checkpoints.
        case writer
        case reader
        /// A reader for scans, which profit from a larger cache of pages.
        case scanner
        /// The only connection to a copy that nobody else uses, which leaves no log behind.
        case copy
    }

    let handle: OpaquePointer
    package let path: String
    /// Runs the statements in SQLite's place; `nil` for SQLite itself.
    package var driver: (any StoreDriver)?
    /// The last failure of the store on this connection. A `RecordError` that its functions threw tells clients less.
    package private(set) var failure: StoreFailure?
    /// Told of each failure.
    package var observer: ((StoreFailure) -> Void)?
    private var logFrames: UnsafeMutablePointer<Int32>
    /// Lent by SQLite until the connection is closed.
    private var logIndex: UnsafeRawPointer?
    private let deadline: UnsafeMutablePointer<UInt64>

    /// Opens a file and sets the connection's pragmas.
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

    /// Global settings, made once before the first connection: no counters behind a global lock.
    private static let configureLibrary: Void = {
        _ = fogbase_sqlite_config_memstatus(0)
        _ = fogbase_sqlite_config_multithread()
    }()

    /// SQLite's version, such as `3.40.1`.
    package static var libraryVersion: String {
        String(cString: sqlite3_libversion())
    }

    /// Whether the library has the fix for the WAL-reset bug (3.51.3). Before it, two connections that write or
    /// checkpoint at the same moment can corrupt the file; here only one ever does either.
    package static var hasWALResetFix: Bool {
        sqlite3_libversion_number() >= 3_051_003
    }

    /// The length of a page of the file, and of what a page takes in the log but for its head.
    package static let pageBytes = 4_096

    /// Every pragma of every connection, with its reason.
    private func setPragmas(_ role: Role) throws(RecordError) {
        // Nobody defines functions or tables through the schema, and nobody rewrites it by hand.
        _ = fogbase_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = fogbase_sqlite_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // Double-quoted text is an identifier and nothing else.
        _ = fogbase_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0)
        _ = fogbase_sqlite_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0)
        // Sorting and subqueries never touch a temporary file: a full disk must not break a read.
        try execute("PRAGMA temp_store = MEMORY")
        // Pages come from the page cache of the operating system; the private cache stays small.
        try execute("PRAGMA mmap_size = 2147418112")
        switch role {
        case .writer:
            // Closing a connection copies the log and takes it away, even after a checkpoint has failed (see `checkpoint`),
            // and also where the log could not be opened.
            _ = fogbase_sqlite_no_checkpoint_on_close(handle, 1)
            try execute("PRAGMA page_size = \(Self.pageBytes)")
            try execute("PRAGMA journal_mode = WAL")
            // A commit returns after its frames are on disk: what is acknowledged is durable.
            try execute("PRAGMA synchronous = FULL")
            // Checkpoints happen when the database asks for them, never inside somebody's commit.
            try execute("PRAGMA wal_autocheckpoint = 0")
            try execute("PRAGMA journal_size_limit = 67108864")
            try execute("PRAGMA cache_size = -8192")
            // Dirty pages are not spilled into the log in the middle of a group.
            try execute("PRAGMA cache_spill = OFF")
            try execute("PRAGMA foreign_keys = OFF")
            sqlite3_wal_hook(
                handle,
                { context, _, _, frames in
                    context?.assumingMemoryBound(to: Int32.self).pointee = frames
                    return SQLITE_OK
                }, logFrames)
        case .copy:
            // The index of the log stays in memory, and what is copied can be read where nothing can be written.
            try execute("PRAGMA locking_mode = EXCLUSIVE")
            try execute("PRAGMA journal_mode = DELETE")
            // The maker of the copy syncs it.
            try execute("PRAGMA synchronous = OFF")
        case .reader, .scanner:
            try execute("PRAGMA query_only = ON")
            try execute(role == .scanner ? "PRAGMA cache_size = -8192" : "PRAGMA cache_size = -1024")
            // Only the writer checkpoints (see `hasWALResetFix`).
            _ = fogbase_sqlite_no_checkpoint_on_close(handle, 1)
        }
        sqlite3_busy_timeout(handle, Self.busyMilliseconds)
        // Requests bind values and never bring SQL; these bound what a mistake of ours could cost.
        sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_limit(handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)
    }

    /// The locks that readers and the writer share are held for moments; waiting beats failing.
    private static let busyMilliseconds: Int32 = 5_000

    /// Runs statements that return nothing of interest.
    package func execute(_ sql: SQL) throws(RecordError) {
        if let driver { try driver.execute(sql) } else { try executeDirectly(sql) }
    }

    /// As `execute`, by SQLite in any case.
    package func executeDirectly(_ sql: SQL) throws(RecordError) {
        let code = sqlite3_exec(handle, sql.text, nil, nil, nil)
        guard code == SQLITE_OK else { throw failed(code, sql.text) }
    }

    /// Makes a statement that will be run many times. SQLite compiles it when it is first used.
    package func prepare(_ sql: SQL) -> Statement {
        Statement(sql.text, self, driven: driver?.prepare(sql))
    }

    /// As `prepare`, for SQLite in any case.
    package func prepareDirectly(_ sql: SQL) -> Statement {
        Statement(sql.text, self, driven: nil)
    }

    func compile(_ sql: String) throws(RecordError) -> OpaquePointer {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let pointer = prepared else { throw failed(code, sql) }
        return pointer
    }

    /// The first column of the first row; `nil` without a row or for NULL.
    package func integer(_ sql: SQL) throws(RecordError) -> Int64? {
        let statement = prepare(sql)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// Ends statements that still run at a moment of `MonotonicClock`, or when the task that runs them is cancelled: they
    /// fail as interrupted. For single steps that may take long, such as a count.
    ///
    /// - Parameter moment: `nil` lets statements run to their end, which is the rule.
    package func setDeadline(_ moment: UInt64?) {
        guard let moment else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            return
        }
        deadline.pointee = moment
        // A few thousand instructions are a small part of a millisecond.
        sqlite3_progress_handler(
            handle, 4_000,
            { context in
                let deadline = context?.assumingMemoryBound(to: UInt64.self).pointee ?? .max
                return MonotonicClock.now > deadline || Task.isCancelled ? 1 : 0
            }, deadline)
    }

    /// Whether a transaction is open. SQLite may roll one back by itself (full disk, I/O error): ask after each error.
    package var isInTransaction: Bool {
        sqlite3_get_autocommit(handle) == 0
    }

    /// The pages in the write-ahead log after the last commit.
    package var framesInLog: Int {
        Int(logFrames.pointee)
    }

    /// Rows that the last statement changed.
    package var changes: Int {
        Int(sqlite3_changes64(handle))
    }

    /// How thorough a checkpoint is.
    package enum CheckpointMode {
        /// Copies what no reader needs any more and never waits.
        case passive
        /// Also makes the next writer start the log from its beginning; needs readers to let go.
        case restart
        /// Also cuts the log file to nothing.
        case truncate
    }

    /// Copies the log into the database file.
    ///
    /// After a failure the log stays where it is when the connection closes, for the next start, which copies all of it
    /// anew: SQLite copies a page once and syncs later, and Linux takes pages for clean once a sync of them has failed. So
    /// what an earlier checkpoint had copied in part is lost with the first failed sync, whatever a second one says.
    ///
    /// - Returns: Whether everything was copied.
    @discardableResult
    package func checkpoint(_ mode: CheckpointMode) throws(RecordError) -> Bool {
        if let driver { return try driver.checkpoint(mode) }
        return try checkpointDirectly(mode)
    }

    /// As `checkpoint`, by SQLite in any case.
    package func checkpointDirectly(_ mode: CheckpointMode) throws(RecordError) -> Bool {
        let flag =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var inLog: Int32 = 0
        var copied: Int32 = 0
        // Those who read in another process, such as the doctor, may do so for minutes, while writers and loops wait here.
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
        // Nothing is in a log that was cut: only then may it go with the connection.
        if inLog == copied, mode == .truncate { _ = fogbase_sqlite_no_checkpoint_on_close(handle, 0) }
        return inLog == copied
    }

    /// A number that changes in the moment in which a commit becomes visible to those who begin to read; `nil` before the
    /// connection's first read.
    var logChange: UInt32? {
        if logIndex == nil { logIndex = fogbase_sqlite_log_index(handle) }
        return logIndex.map { fogbase_sqlite_log_change($0) }
    }

    /// The frames of the log that are committed, and the pages that the database has with them; `nil` before the first
    /// read. On the writer's thread alone: a commit changes both.
    private var logState: (frames: Int, pages: Int)? {
        if logIndex == nil { logIndex = fogbase_sqlite_log_index(handle) }
        return logIndex.map { (Int(fogbase_sqlite_log_frames($0)), Int(fogbase_sqlite_log_pages($0))) }
    }

    /// Whether the log has frames.
    package var hasLog: Bool { (logState?.frames ?? 0) > 0 }

    /// Gives back to the disk what lies behind the last commit in the log: what commits have left that failed, and what the
    /// log was longer before it was restarted. On the writer's thread, outside of transactions.
    package func cutLog() {
        guard !isInTransaction, let logState else { return }
        let bytes = logState.frames == 0 ? 0 : 32 + logState.frames * (Self.pageBytes + 24)
        // The log is a file of its own: opening and closing it drops none of the locks on the database.
        if DataFolder.size(of: path + "-wal") > bytes { Glibc.truncate(path + "-wal", bytes) }
    }

    /// The room that the database has on its disk. On the writer's thread, outside of transactions.
    package func diskRoom() -> DiskRoom {
        let file = DataFolder.size(of: path)
        var pages = file / Self.pageBytes
        if let logState, logState.frames > 0 { pages = max(pages, logState.pages) }
        return DiskRoom(
            disk: FolderInspection.space(of: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])),
            logBytes: DataFolder.size(of: path + "-wal"), fileBytes: file, pages: pages)
    }

    /// The pages inside the file that later writes take before the file grows.
    package func freePages() throws(RecordError) -> Int {
        Int(try integer("PRAGMA freelist_count") ?? 0)
    }

    /// Lets the database have so many pages and no more: a statement that needs another one fails as if the disk were full.
    ///
    /// - Parameter pages: `nil` for no bound but SQLite's own.
    package func limitPages(_ pages: Int?) throws(RecordError) {
        try execute("PRAGMA max_page_count = \(pages ?? 1_073_741_823)")
    }

    // MARK: Failures

    /// Notes a failure of SQLite.
    ///
    /// - Returns: What is thrown.
    @inline(never)
    func failed(_ code: Int32, _ sql: String) -> RecordError {
        let hasSystemError = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        return failed(
            StoreFailure(
                code: code, message: String(cString: sqlite3_errmsg(handle)), sql: sql,
                systemError: hasSystemError ? sqlite3_system_errno(handle) : 0))
    }

    /// Notes a failure.
    ///
    /// - Returns: What is thrown.
    package func failed(_ failure: StoreFailure) -> RecordError {
        self.failure = failure
        observer?(failure)
        return RecordError(failure)
    }

    /// Runs what cleans up behind a failure, such as a rollback: it leaves that failure as the last one.
    package func cleanUp(_ body: () throws(RecordError) -> Void) throws(RecordError) {
        let (first, watcher) = (failure, observer)
        observer = nil
        defer { (failure, observer) = (first ?? failure, watcher) }
        try body()
    }

    /// Forgets the last failure, before something that is to be judged by its own.
    package func forgetFailure() {
        failure = nil
    }

    /// Runs `body` for the operator, who gets the failure itself instead of what a client would be told.
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
