internal import CSQLite

/// A copy of a database file that is made in steps while its writer goes on (SQLite's online backup API).
///
/// The source is the writer's own connection: what that connection commits between two steps is put into the copied pages at
/// once, so no write makes the copy start again, and no snapshot keeps the log from being reused. After the last step the
/// copy is the source's last commit, exactly. All calls are made on the thread of the source, outside of transactions.
package final class DatabaseCopy {
    private let source: Connection
    private let target: OpaquePointer
    private var backup: OpaquePointer?
    private let path: String

    /// Begins a copy.
    ///
    /// - Parameter path: Of the new file, which nobody else opens until `end`.
    /// - Throws: `BackupProblem` if the file cannot be made; `StoreFailure`.
    package init(of source: Connection, to path: String) throws {
        // SQLite would make it with the mode that the process has for all files.
        try BackupFiles.write([], to: path)
        self.source = source
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // Without locks of files: the file may be opened and closed beside this to be synced.
        let code = sqlite3_open_v2(path, &opened, flags, "unix-none")
        guard code == SQLITE_OK, let target = opened else {
            sqlite3_close_v2(opened)
            throw StoreFailure(code: code, message: "cannot open the copy", sql: "backup")
        }
        self.target = target
        // Readers of the file wait for the end, which syncs it. A small cache, so that pages go to the system early.
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

    /// Begins a copy of a file that no server has open.
    ///
    /// - Parameter folder: Of the file.
    package convenience init(ofFileIn folder: String, to path: String) throws {
        try self.init(of: Connection(path: DataFolder.databasePath(in: folder), role: .scanner), to: path)
    }

    deinit {
        end()
        sqlite3_close_v2(target)
    }

    /// Copies pages.
    ///
    /// - Returns: Whether the copy is complete.
    /// - Throws: The failure of either file; the copy is worth nothing then.
    package func step(pages: Int) throws(StoreFailure) -> Bool {
        guard let backup else { throw StoreFailure(code: SQLITE_MISUSE, message: "the copy has ended", sql: "backup") }
        let code = sqlite3_backup_step(backup, Int32(clamping: pages))
        switch code & 0xFF {
        case SQLITE_DONE: return true
        // Somebody opens or recovers the file at this moment.
        case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
        default: throw Self.error(code, target)
        }
    }

    /// The pages of the source at the last step, and those of them that are still to be copied.
    package var pages: (total: Int, remaining: Int) {
        guard let backup else { return (0, 0) }
        return (Int(sqlite3_backup_pagecount(backup)), Int(sqlite3_backup_remaining(backup)))
    }

    /// Lets go of the source.
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
