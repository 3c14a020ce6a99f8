package import Cryptography
internal import Glibc

/// The folder of one (container, environment): complete in itself, so that copying it is a backup of a stopped server.
///
/// ```
/// records.sqlite   records, schema, accounts, sequence
/// secret           32 bytes from which keys for tokens and cursors are derived
/// lock             held by the one process that has the folder open
/// .reserve         room for the next start, if the disk is full then; may be missing
/// assets/          content-addressed files
/// ```
package struct DataFolder: ~Copyable {
    package let path: String
    private let lock: Int32

    /// Why a folder cannot be used, as a sentence for the operator.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Where a restore puts files before they take their places. While it is there, the folder is not whole.
    package static func restoringPath(in folder: String) -> String { folder + "/.restoring" }

    package static func databasePath(in folder: String) -> String { folder + "/records.sqlite" }

    /// Makes the folder if it is missing, with access for its owner only, and locks it against a second process.
    ///
    /// The lock is a file of its own: closing any descriptor of `records.sqlite` would drop SQLite's own locks.
    ///
    /// - Parameter forRestoring: Also opens one whose restore was broken off.
    package init(opening path: String, forRestoring: Bool = false) throws(Problem) {
        try Self.makeFolder(path)
        guard forRestoring || access(Self.restoringPath(in: path), F_OK) != 0 else {
            throw Problem(
                "A restore to \(path) was interrupted, or is in progress. Run 'fogbase backup restore' again with --replace."
            )
        }
        let descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Problem("Cannot open \(path)/lock: \(errorText()). Check the owner and permissions of the directory.")
        }
        // Whoever only asks whether the folder is in use holds the lock for a moment.
        var attempts = 10
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            attempts -= 1
            if attempts > 0 {
                usleep(20_000)
                continue
            }
            close(descriptor)
            throw Problem("The data directory \(path) is in use by another Fogbase process. Stop that process first.")
        }
        self.path = path
        self.lock = descriptor
    }

    deinit {
        close(lock)
    }

    /// Whether some process has the folder open.
    package static func isInUse(_ path: String) -> Bool {
        let descriptor = open(path + "/lock", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    /// The folder's secret, made at the first use.
    package func secret() throws(Problem) -> SecretKey {
        try Self.secret(at: path + "/secret", folder: path)
    }

    private static func secret(at file: String, folder: String) throws(Problem) -> SecretKey {
        if let bytes = try read(file) {
            guard let key = SecretKey(bytes) else {
                throw Problem("\(file) is damaged: it must hold 32 bytes. Restore it from a backup.")
            }
            return key
        }
        let bytes = RandomBytes.make(32)
        try writeDurably(bytes, to: file, in: folder)
        guard let key = SecretKey(bytes) else { throw Problem("Cannot create \(file)") }
        return key
    }

    /// Makes sure that what a crashed process left in the log is on disk before anybody is shown it.
    ///
    /// SQLite reads frames that were written and not yet synced. The log is a file of its own, so opening and closing
    /// it drops none of the locks on `records.sqlite`.
    ///
    /// - Parameter file: The name of the file whose log it is.
    package func syncLog(of file: String = "records.sqlite") throws(Problem) {
        for (name, flags) in [("/\(file)-wal", O_RDWR), ("", O_RDONLY | O_DIRECTORY)] {
            let file = path + name
            let descriptor = open(file, flags | O_CLOEXEC)
            guard descriptor >= 0 else {
                if errno == ENOENT { continue }
                throw Problem("Cannot open \(file): \(errorText())")
            }
            defer { close(descriptor) }
            if !name.isEmpty { try Self.writeBack(descriptor, file) }
            guard fsync(descriptor) == 0 else {
                throw Problem("Cannot sync \(file): \(errorText()). Check the disk before starting again.")
            }
        }
    }

    /// Writes the bytes of a file over themselves, so that the next sync takes all of them to the disk.
    ///
    /// Linux takes pages for clean once a sync of them has failed: programs still read them, no later sync writes them,
    /// and what comes behind such a hole in the log is lost with the power, acknowledged or not. Whether the process
    /// before this one has met a failing sync, nobody knows.
    private static func writeBack(_ descriptor: Int32, _ file: String) throws(Problem) {
        let pieceBytes = 1 << 20
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 4_096)
        defer { piece.deallocate() }
        var offset = 0
        while true {
            let count = pread(descriptor, piece.baseAddress, pieceBytes, offset)
            guard count >= 0 else {
                throw Problem("Cannot read \(file): \(errorText()). Check the disk before starting again.")
            }
            guard count > 0 else { return }
            guard pwrite(descriptor, piece.baseAddress, count, offset) == count else {
                throw Problem("Cannot write \(file): \(errorText()). Check the disk before starting again.")
            }
            offset += count
        }
    }

    /// Makes a folder and its parents, 0700.
    package static func makeFolder(_ path: String) throws(Problem) {
        var built = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            let parent = built.isEmpty ? "/" : built
            built += "/" + part
            guard mkdir(built, 0o700) == 0 || errno == EEXIST else {
                throw Problem("Cannot create the directory \(built): \(errorText()). Choose another one with --data.")
            }
            // What is acknowledged later must not go with the entry of the folder that it is in. One that is there may be
            // of a start that was killed before it could sync. What this user cannot read, it has not made.
            if access(parent, R_OK) == 0 { try syncFolder(parent) }
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Problem("\(path) is not a directory. Choose another one with --data.")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw Problem(
                "This user cannot write to the directory \(path). Change its owner or choose another directory.")
        }
    }

    /// The bytes of a small file; `nil` if it does not exist.
    package static func read(_ file: String) throws(Problem) -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw Problem("Cannot read \(file): \(errorText())")
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw Problem("Cannot read \(file): \(errorText())") }
        return Array(bytes.prefix(count))
    }

    /// The length of a file without opening it; 0 if it does not exist.
    package static func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Writes a small file so that after a crash it is there whole or not at all.
    package static func writeDurably(_ bytes: [UInt8], to file: String, in folder: String) throws(Problem) {
        let temporary = file + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Problem("Cannot write \(temporary): \(errorText())") }
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        let synced = fsync(descriptor)
        close(descriptor)
        guard written == bytes.count, synced == 0, rename(temporary, file) == 0 else {
            throw Problem("Cannot write \(file): \(errorText())")
        }
        try syncFolder(folder)
    }

    private static func syncFolder(_ folder: String) throws(Problem) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem("Cannot open \(folder): \(errorText())") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Problem("Cannot sync \(folder): \(errorText())") }
    }
}

private func errorText() -> String {
    String(cString: strerror(errno))
}
