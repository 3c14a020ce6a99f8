internal import CLinux
package import Cryptography
internal import Glibc
internal import RecordModel

/// The directory of one container and environment. The directory contains all data, so a
/// copy of the directory is a backup if the server is stopped during the copy.
///
/// ```
/// records.sqlite   records, schema, accounts, sequence
/// secret           32 bytes from which keys for tokens and cursors are derived
/// lock             held by the process that has the directory open
/// .reserve         disk space for the next start if the disk is full; can be missing
/// assets/          content-addressed files
/// ```
package struct DataDirectory: ~Copyable {
    /// The path of the directory.
    package let path: String
    private let lock: Int32

    /// The reason why a directory cannot be used, as a sentence for the operator.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// Returns the path where a restore puts files before it moves them. While this path exists, no server starts.
    package static func restoringPath(in directory: String) -> String { directory + "/.restoring" }

    /// Returns the path of a file that exists while a restore moves files. Then the data directory is incomplete.
    package static func movingPath(in directory: String) -> String { directory + "/.moving" }

    /// Why no server may start on a directory, and what to do; `nil` if no restore is in progress or was interrupted.
    package static func unfinishedRestore(in directory: String) -> (sentence: String, remedy: String)? {
        if DirectoryInspection.exists(movingPath(in: directory)) {
            return (
                "A restore to \(directory) is in progress, or was interrupted while it moved files.",
                "Run 'fogbase backup restore' again with --replace."
            )
        }
        let restoring = restoringPath(in: directory)
        guard DirectoryInspection.exists(restoring) else { return nil }
        return (
            "A restore to \(directory) is in progress, or was interrupted before it changed anything.",
            "Run 'fogbase backup restore' again, or go on with the data that is there by deleting \(restoring)."
        )
    }

    /// Returns the path of the database file.
    package static func databasePath(in directory: String) -> String { directory + "/records.sqlite" }

    /// Locks the directory against other processes. Creates a missing directory, accessible to its owner only.
    ///
    /// The lock is a separate file, because closing any descriptor of `records.sqlite` would drop SQLite's locks.
    ///
    /// - Parameter forRestoring: Whether to also open a directory whose restore was interrupted.
    /// - Throws: A `Problem` if the directory cannot be used, is in use, or has an interrupted restore.
    package init(opening path: String, forRestoring: Bool = false) throws(Problem) {
        try Self.makeDirectory(path)
        if !forRestoring, let unfinished = Self.unfinishedRestore(in: path) {
            throw Problem(unfinished.sentence + " " + unfinished.remedy)
        }
        let descriptor = open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Self.failure("open", path + "/lock", " Check the owner and permissions of the directory.")
        }
        // `isInUse` in another process holds the lock for a moment, so try again.
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

    /// Returns whether a process has the directory open.
    package static func isInUse(_ path: String) -> Bool {
        let descriptor = open(path + "/lock", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    /// Returns the directory's secret. The first call creates the secret.
    ///
    /// - Throws: A `Problem` if the file is damaged, or cannot be read or written.
    package func secret() throws(Problem) -> SecretKey {
        try Self.secret(at: path + "/secret", directory: path)
    }

    private static func secret(at file: String, directory: String) throws(Problem) -> SecretKey {
        if let bytes = try read(file) {
            guard let key = SecretKey(bytes) else {
                throw Problem("\(file) is damaged: it must hold 32 bytes. Restore it from a backup.")
            }
            return key
        }
        let bytes = RandomBytes.make(32)
        try writeDurably(bytes, to: file, in: directory)
        guard let key = SecretKey(bytes) else { throw Problem("Cannot create \(file)") }
        return key
    }

    /// Syncs the WAL, so that frames of a crashed process are durable before a client sees their content. SQLite also
    /// reads frames that were written but not synced.
    ///
    /// The WAL is a separate file, so opening and closing the WAL drops none of SQLite's locks on `records.sqlite`.
    ///
    /// - Parameter file: The name of the database file.
    /// - Throws: A `Problem` if the WAL cannot be read, written or synced.
    package func syncWAL(of file: String = "records.sqlite") throws(Problem) {
        for (name, flags) in [("/\(file)-wal", O_RDWR), ("", O_RDONLY | O_DIRECTORY)] {
            let file = path + name
            let descriptor = open(file, flags | O_CLOEXEC)
            guard descriptor >= 0 else {
                if errno == ENOENT { continue }
                throw Self.failure("open", file)
            }
            defer { close(descriptor) }
            if !name.isEmpty { try Self.writeBack(descriptor, file) }
            guard fsync(descriptor) == 0 else {
                throw Problem("Cannot sync \(file): \(errorText()). Check the disk before starting again.")
            }
        }
    }

    /// Writes the bytes of a file over themselves, so that the next sync writes all of them to the disk.
    ///
    /// After a failed sync Linux marks the pages clean: programs still read them, but no later sync writes them. After
    /// a power failure the WAL would have a gap, and all commits after the gap would be lost, even acknowledged ones.
    /// This process cannot know whether the previous process had a failed sync.
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

    /// Creates a directory and its parents with mode 0700.
    ///
    /// - Throws: A `Problem` if a directory cannot be created, if the path is not a directory, or if this user cannot
    ///   write to the directory.
    package static func makeDirectory(_ path: String) throws(Problem) {
        var built = path.hasPrefix("/") ? "" : "."
        let parts = path.split(separator: "/")
        // The directory of a database is in that of its container, and this one in the data directory.
        let isDatabase = parts.last.flatMap { RecordEnvironment(rawValue: String($0)) } != nil
        for (index, part) in parts.enumerated() {
            let parent = built.isEmpty ? "/" : built
            built += "/" + part
            guard mkdir(built, 0o700) == 0 || errno == EEXIST else {
                if isDatabase, index >= parts.count - 2 { throw failure("create", built) }
                throw Problem("Cannot create the directory \(built): \(errorText()). Choose another one with --data.")
            }
            // Syncs the parent, so that the directory's entry is durable. An existing directory may have been created
            // by a start that was killed before its sync. A parent that this user cannot read was not created by this
            // user.
            if access(parent, R_OK) == 0 { try syncDirectory(parent) }
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Problem("\(path) is not a directory. Choose another one with --data.")
        }
        if let obstacle = FileOwnership.obstacle(to: path) {
            throw Problem("\(obstacle.sentence) \(obstacle.remedy) Or choose another directory.")
        }
        try checkOwnership(of: path)
    }

    /// Checks that this user can write to the files in a directory. SQLite's own error names neither the file nor its
    /// owner, and a file that is found later would end a start that has already changed others.
    private static func checkOwnership(of path: String) throws(Problem) {
        let databases = [databasePath(in: path), ServerFile.path(in: path)].flatMap { [$0, $0 + "-wal", $0 + "-shm"] }
        for file in databases + ["/lock", "/secret", "/administrator"].map({ path + $0 }) {
            guard let obstacle = FileOwnership.obstacle(to: file) else { continue }
            throw Problem("\(obstacle.sentence) \(obstacle.remedy)")
        }
    }

    /// Returns the problem of a system call that has just failed for a path, with the owner and the command if
    /// permissions are the reason.
    ///
    /// - Parameter advice: What to do for any other reason: a sentence after a space.
    private static func failure(_ verb: String, _ path: String, _ advice: String = "") -> Problem {
        let code = errno
        if [EACCES, EPERM].contains(code),
            let obstacle = FileOwnership.obstacle(to: path)
                ?? FileOwnership.obstacle(to: BackupFiles.parent(of: path))
        {
            return Problem("\(obstacle.sentence) \(obstacle.remedy)")
        }
        let sentence = "Cannot \(verb) \(path): \(String(cString: strerror(code)))"
        return Problem(advice.isEmpty ? sentence : "\(sentence).\(advice)")
    }

    /// Returns the bytes of a small file (at most 4,096 bytes); `nil` if the file does not exist.
    ///
    /// - Throws: A `Problem` if the file cannot be read.
    package static func read(_ file: String) throws(Problem) -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read", file)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw Problem("Cannot read \(file): \(errorText())") }
        return Array(bytes.prefix(count))
    }

    /// Returns the length of a file in bytes without opening the file; 0 if the file does not exist.
    package static func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns a number for a file itself rather than its content: a copy has another number. 0 if the file does not exist.
    package static func identity(of file: String) -> Int64 { fogbase_file_identity(file) }

    /// Writes a small file atomically: after a crash the file has either the old content or the new content.
    ///
    /// - Throws: A `Problem` if the file cannot be written or synced.
    package static func writeDurably(_ bytes: [UInt8], to file: String, in directory: String) throws(Problem) {
        let temporary = file + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("write", temporary) }
        let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        let synced = fsync(descriptor)
        close(descriptor)
        guard written == bytes.count, synced == 0, rename(temporary, file) == 0 else {
            throw Problem("Cannot write \(file): \(errorText())")
        }
        try syncDirectory(directory)
    }

    private static func syncDirectory(_ directory: String) throws(Problem) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Problem("Cannot sync \(directory): \(errorText())") }
    }
}

private func errorText() -> String {
    String(cString: strerror(errno))
}

extension DataDirectory {
    /// Returns whether the database of a directory has something to do without a request: schedules, unfinished jobs or
    /// webhooks. Does not open it for writing. Also false for a missing file, or one of an older version.
    package static func hasWork(in directory: String, includingWebhooks: Bool) -> Bool {
        let path = databasePath(in: directory)
        guard DirectoryInspection.exists(path), let connection = try? Connection(path: path, role: .reader) else {
            return false
        }
        let count = try? connection.integer(
            """
            SELECT EXISTS (SELECT 1 FROM schedule WHERE next IS NOT NULL) + EXISTS (SELECT 1 FROM job WHERE ended IS NULL)
            """)
        return count ?? 0 > 0 || (includingWebhooks && WebhookTable.isUsed(in: directory))
    }
}
