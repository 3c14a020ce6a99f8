internal import CSQLite
internal import Glibc

/// A failure of SQLite. It never carries bound values, so it may be logged as it is.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code.
    package let code: Int32
    /// SQLite's message, or ours where the code came from a fault plan.
    package let message: String
    /// The statement's text, with placeholders.
    package let sql: String
    /// The `errno` behind an I/O error; 0 for all others.
    package let systemError: Int32

    package init(code: Int32, message: String, sql: String = "", systemError: Int32 = 0) {
        self.code = code
        self.message = message
        self.sql = sql
        self.systemError = systemError
    }

    /// The code without its extension.
    package var primaryCode: Int32 { code & 0xFF }

    package var description: String {
        let place = sql.isEmpty ? "" : " in \(sql)"
        let text = "SQLite \(code): \(message)\(place)"
        if isQuotaUsedUp { return "The disk quota is used up (\(text))" }
        if isStorageFull { return "The disk is full (\(text))" }
        return isReadOnly ? "The file system is read-only (\(text))" : text
    }

    /// A UNIQUE or PRIMARY KEY constraint refused a row.
    package var isUniqueViolation: Bool {
        code == 2067 || code == 1555 || code == 2579
    }

    /// The disk, the user's quota of it, or the file-size limit is full.
    package var isStorageFull: Bool {
        // SQLITE_IOERR_SHMSIZE: there is no room for the index of the log. SQLite calls ENOSPC alone "full".
        primaryCode == SQLITE_FULL || code == 4874 || isQuotaUsedUp
    }

    /// A write was refused by the user's disk quota, or by the limit of file sizes.
    package var isQuotaUsedUp: Bool {
        primaryCode == SQLITE_IOERR && !isSyncFailure && (systemError == EDQUOT || systemError == EFBIG)
    }

    /// The file system was mounted read-only, or made so by the kernel after an error.
    package var isReadOnly: Bool {
        // SQLITE_READONLY_DBMOVED: somebody has moved the file, which is another trouble.
        primaryCode == SQLITE_READONLY && code != 1032 || !isSyncFailure && systemError == EROFS
    }

    /// The statement was stopped by the progress handler or `sqlite3_interrupt`.
    package var isInterrupted: Bool {
        primaryCode == SQLITE_INTERRUPT
    }

    /// A sync to the disk failed. Linux marks the pages clean nevertheless, so a later sync that succeeds proves
    /// nothing: the database takes no more writes until it is opened anew.
    package var isSyncFailure: Bool {
        // SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC, SQLITE_IOERR_TRUNCATE
        code == 1034 || code == 1290 || code == 1546
    }
}
