internal import CSQLite
internal import Glibc

extension StoreFailure {
    /// Creates a failure of SQLite.
    ///
    /// - Parameters:
    ///   - code: SQLite's extended result code.
    ///   - message: SQLite's message.
    ///   - sql: The statement's text, with placeholders.
    ///   - systemError: The `errno` of an I/O error; 0 for all others.
    package init(code: Int32, message: String, sql: String = "", systemError: Int32 = 0) {
        let place = sql.isEmpty ? "" : " in \(sql)"
        self.init(Self.kind(code, systemError), "SQLite \(code): \(message)\(place)")
    }

    private static func kind(_ code: Int32, _ systemError: Int32) -> Kind {
        let primaryCode = code & 0xFF
        // SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC, SQLITE_IOERR_TRUNCATE
        if code == 1034 || code == 1290 || code == 1546 { return .syncFailed }
        if primaryCode == SQLITE_IOERR, systemError == EDQUOT || systemError == EFBIG { return .quotaUsedUp }
        // SQLITE_IOERR_SHMSIZE: no space for the WAL index. SQLite reports only ENOSPC as SQLITE_FULL.
        if primaryCode == SQLITE_FULL || code == 4874 { return .full }
        // Not SQLITE_READONLY_DBMOVED: the file was moved, which is a different problem.
        if primaryCode == SQLITE_READONLY && code != 1032 || systemError == EROFS { return .readOnly }
        return primaryCode == SQLITE_INTERRUPT ? .interrupted : .other
    }
}
