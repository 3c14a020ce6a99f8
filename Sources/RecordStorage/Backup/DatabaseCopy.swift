internal import CSQLite

/// A copy of a database file, made in steps while its writer continues (SQLite's online backup API).
///
/// The source is the writer's own connection. SQLite applies commits between two steps to the copied pages too, so no
/// write restarts the copy. The copy needs no snapshot, so the WAL can be restarted meanwhile. After the last step the
/// copy equals the source's last commit. All calls are made on the source's thread, outside of transactions.
package final class DatabaseCopy {
    private let source: Connection
    private let target: OpaquePointer
    private var backup: OpaquePointer?
    private let path: String

    /// Starts a copy.
    ///
    /// - Parameter path: The path of the new file. No other connection may open the file before `end`.
    /// - Throws: `BackupProblem` if the file cannot be created; `StoreFailure`.
    package init(of source: Connection, to path: String) throws {
        // The file is created here with mode 0600, because SQLite would use the process's default mode.
        try BackupFiles.write([], to: path)
        self.source = source
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // Without file locks (unix-none), this process can open, sync and close the file while SQLite has it open.
        let code = sqlite3_open_v2(path, &opened, flags, "unix-none")
        guard code == SQLITE_OK, let target = opened else {
            sqlite3_close_v2(opened)
            throw StoreFailure(code: code, message: "cannot open the copy", sql: "backup")
        }
        self.target = target
        // The file is synced at the end, before any reader opens it. The cache is small, so that SQLite writes pages
        // early.
        let pragmas = """
            PRAGMA page_size = \(Connection.pageBytes); PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
            PRAGMA cache_size = -1024; PRAGMA temp_store = MEMORY
            """
        guard sqlite3_exec(target, pragmas, nil, nil, nil) == SQLITE_OK,
            let backup = sqlite3_backup_init(target, "main", source.handle, "main")
        else {
            let error = Self.error(sqlite3_extended_errcode(target), target)
            sqlite3_close_v2(target)
            throw error
        }
        self.backup = backup
    }

    /// Starts a copy of a file that no server has open.
    ///
    /// - Parameter directory: The directory of the file.
    /// - Throws: `BackupProblem` if the new file cannot be created; `StoreFailure`.
    package convenience init(ofFileIn directory: String, to path: String) throws {
        try self.init(of: Connection(path: DataDirectory.databasePath(in: directory), role: .scanner), to: path)
    }

    deinit {
        end()
        sqlite3_close_v2(target)
    }

    /// Copies the next pages.
    ///
    /// - Returns: Whether the copy is complete.
    /// - Throws: A failure of the source or the copy. The copy is then unusable.
    package func step(pages: Int) throws(StoreFailure) -> Bool {
        guard let backup else { throw StoreFailure(code: SQLITE_MISUSE, message: "the copy has ended", sql: "backup") }
        let code = sqlite3_backup_step(backup, Int32(clamping: pages))
        switch code & 0xFF {
        case SQLITE_DONE: return true
        // Another connection is opening or recovering the file.
        case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
        default: throw Self.error(code, target)
        }
    }

    /// The number of pages of the source at the last step, and the number of pages that are not copied yet.
    package var pages: (total: Int, remaining: Int) {
        guard let backup else { return (0, 0) }
        return (Int(sqlite3_backup_pagecount(backup)), Int(sqlite3_backup_remaining(backup)))
    }

    /// Ends the copy, complete or not, and releases the source.
    package func end() {
        sqlite3_backup_finish(backup)
        backup = nil
    }

    private static func error(_ code: Int32, _ target: OpaquePointer) -> StoreFailure {
        let isIO = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        return StoreFailure(
            code: code, message: String(cString: sqlite3_errmsg(target)), sql: "backup",
            systemError: isIO ? sqlite3_system_errno(target) : 0)
    }
}
