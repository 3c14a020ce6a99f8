import Compression
import Cryptography
import RecordStorage

/// `fogbase version`: what runs here.
enum VersionCommand {
    static func run() {
        for line in lines { Terminal.say(line) }
    }

    static var lines: [String] {
        Terminal.table([
            ["Fogbase", Version.text],
            ["Swift", Version.swift],
            ["SQLite", Connection.libraryVersion],
            ["OpenSSL", openSSL],
            ["zlib", CompressionLibrary.version],
        ]) + ["", walResetNote]
    }

    /// `3.0.19 27 Jan 2026`, without the name that the library puts in front.
    private static var openSSL: String {
        let text = LibraryVersion.openSSL
        return text.hasPrefix("OpenSSL ") ? String(text.dropFirst(8)) : text
    }

    /// Why the WAL-reset bug does not matter, for those who have read of it. The doctor says nothing of it: there is nothing
    /// to do, with any SQLite.
    private static var walResetNote: String {
        Connection.hasWALResetFix
            ? "This SQLite has the fix for the WAL-reset bug (3.51.3)."
            : "Fogbase is not affected by SQLite's WAL-reset bug (fixed in SQLite 3.51.3), which needs two connections that write or checkpoint: here only one ever does. There is nothing to do."
    }
}
