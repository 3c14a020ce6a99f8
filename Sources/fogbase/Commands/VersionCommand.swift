import Compression
import Cryptography
import RecordStorage

/// `fogbase version`: prints the versions of Fogbase and its libraries.
enum VersionCommand {
    static func run() {
        for line in lines { Terminal.say(line) }
    }

    static var lines: [String] {
        Terminal.table([
            ["Fogbase", Version.text],
            ["Swift", Version.swift],
            [StoreLibrary.name, StoreLibrary.version],
            ["OpenSSL", openSSL],
            ["zlib", CompressionLibrary.version],
        ]) + ["", StoreLibrary.walResetNote]
    }

    /// The version of OpenSSL, such as `3.0.19 27 Jan 2026`, without the name of the library.
    private static var openSSL: String {
        let text = LibraryVersion.openSSL
        return text.hasPrefix("OpenSSL ") ? String(text.dropFirst(8)) : text
    }
}
