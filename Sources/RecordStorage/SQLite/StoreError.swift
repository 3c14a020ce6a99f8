internal import CSQLite

/// A failure of SQLite. It never carries bound values, so it may be logged as it is.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code.
    package let code: Int32
    /// SQLite's message, or ours where the code came from a fault plan.
    package let message: String
    /// The statement's text, with placeholders.
    package let sql: String

    package init(code: Int32, message: String, sql: String = "") {
        self.code = code
        self.message = message
        self.sql = sql
    }

    /// The code without its extension.
    package var primaryCode: Int32 { code & 0xFF }

    package var description: String {
        let place = sql.isEmpty ? "" : " in \(sql)"
        return isStorageFull
            ? "The disk is full (SQLite \(code): \(message)\(place))" : "SQLite \(code): \(message)\(place)"
    }

    /// A UNIQUE or PRIMARY KEY constraint refused a row.
    package var isUniqueViolation: Bool {
        code == 2067 || code == 1555 || code == 2579
    }

    /// The disk or the file-size limit is full.
    package var isStorageFull: Bool {
        // SQLITE_IOERR_SHMSIZE: there is no room for the index of the log.
        primaryCode == SQLITE_FULL || code == 4874
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
