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

    /// Whether the WAL-reset bug can matter.
    static var walResetNote: String {
        Connection.hasWALResetFix
            ? "This SQLite has the fix for the WAL-reset bug (3.51.3)."
            : "This SQLite lacks the fix for the WAL-reset bug (fixed in 3.51.3). It is safe here: one connection alone writes and checkpoints, and the bug needs two."
    }
}
