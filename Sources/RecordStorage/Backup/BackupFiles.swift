package import Cryptography
internal import Glibc

/// File operations for backups. Created files and directories are accessible to their owner only.
///
/// Functions throw a `BackupProblem` that names the operation, the path and the system's error.
package enum BackupFiles {
    // MARK: Creating

    /// Creates a directory with mode 0700. Its parent must exist.
    package static func makeDirectory(_ path: String) throws(BackupProblem) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
    }

    /// Links a file under a second name. Copies the file instead if `copies` is true, or if a link is
    /// impossible, for example across file systems.
    ///
    /// - Returns: The number of copied bytes; `nil` for a link.
    @discardableResult
    package static func linkOrCopy(_ source: String, to target: String, copies: Bool) throws(BackupProblem) -> Int? {
        if !copies {
            if link(source, target) == 0 { return nil }
            guard [EXDEV, EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw failure("link", source) }
        }
        return try copy(source, to: target).size
    }

    /// Copies a file and syncs the copy, which has mode 0600.
    ///
    /// - Throws: `BackupProblem.cancelled` once `isCancelled` returns true.
    @discardableResult
    package static func copy(
        _ source: String, to target: String, isCancelled: () -> Bool = { false }
    ) throws(BackupProblem) -> (digest: Digest, size: Int) {
        let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("write", target) }
        defer { close(output) }
        let read = try scan(source, isCancelled: isCancelled) { piece throws(BackupProblem) in
            var rest = piece
            while !rest.isEmpty {
                let count = Glibc.write(output, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure("write", target) }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
        guard fsync(output) == 0 else { throw failure("sync", target) }
        return read
    }

    /// Returns the SHA-256 and the length in bytes of a file.
    ///
    /// - Throws: `BackupProblem.cancelled` once `isCancelled` returns true.
    package static func digest(
        of path: String, isCancelled: () -> Bool = { false }
    ) throws(BackupProblem) -> (digest: Digest, size: Int) {
        try scan(path, isCancelled: isCancelled) { _ throws(BackupProblem) in }
    }

    private static func scan(
        _ path: String, isCancelled: () -> Bool, _ body: (UnsafeRawBufferPointer) throws(BackupProblem) -> Void
    ) throws(BackupProblem) -> (digest: Digest, size: Int) {
        let input = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard input >= 0 else { throw failure("read", path) }
        defer { close(input) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4_096)
        defer { piece.deallocate() }
        let hasher = SHA256Hasher()
        var size = 0
        while true {
            if isCancelled() { throw .cancelled }
            let count = Glibc.read(input, piece.baseAddress, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            guard count > 0 else { return (hasher.finalize(), size) }
            let bytes = UnsafeRawBufferPointer(rebasing: piece[..<count])
            hasher.update(bytes)
            try body(bytes)
            size += count
        }
    }

    /// Returns the bytes of a file.
    ///
    /// - Parameter limit: The maximum length in bytes. A longer file counts as damaged.
    package static func read(_ path: String, upTo limit: Int) throws(BackupProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try scan(path, isCancelled: { false }) { piece throws(BackupProblem) in
            guard bytes.count + piece.count <= limit else {
                throw BackupProblem("\(path) has more than \(limit) bytes, and so is damaged.")
            }
            bytes += piece
        }
        return bytes
    }

    /// Writes a new file with mode 0600 and syncs the file.
    package static func write(_ bytes: [UInt8], to path: String) throws(BackupProblem) {
        let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("write", path) }
        defer { close(output) }
        let count = bytes.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw failure("write", path) }
        guard fsync(output) == 0 else { throw failure("sync", path) }
    }

    /// Syncs a file or a directory.
    package static func sync(_ path: String) throws(BackupProblem) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", path) }
    }

    /// Renames a file or a directory and syncs both parents.
    package static func move(_ source: String, to target: String) throws(BackupProblem) {
        guard rename(source, target) == 0 else { throw failure("rename", source) }
        for parent in Set([parent(of: source), parent(of: target)]) { try sync(parent) }
    }

    /// Deletes a file. Does nothing if the file does not exist.
    package static func remove(_ path: String) throws(BackupProblem) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("delete", path) }
    }

    /// Deletes a directory with its content. Does nothing if the directory does not exist.
    package static func removeTree(_ path: String) throws(BackupProblem) {
        for name in DirectoryInspection.names(in: path) {
            let inner = path + "/" + name
            // unlink deletes a symbolic link itself, so nothing outside of the directory is deleted.
            if unlink(inner) != 0, errno == EISDIR || errno == EPERM { try removeTree(inner) }
        }
        guard rmdir(path) == 0 || errno == ENOENT else { throw failure("delete", path) }
    }

    /// Locks a directory against other backups until `unlock` is called.
    ///
    /// - Returns: The descriptor to pass to `unlock`; `nil` if another process holds the lock.
    package static func lock(_ directory: String) throws(BackupProblem) -> Int32? {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", directory) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    /// Releases a lock from `lock`.
    package static func unlock(_ descriptor: Int32) { close(descriptor) }

    // MARK: Names

    /// Returns the absolute path of an existing file, without symbolic links; `nil` if the file does not
    /// exist.
    package static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Returns the path of the parent directory.
    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the last component of a path.
    package static func name(of path: String) -> String {
        String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// Returns whether two paths are on one file system, so that files can be linked between them.
    package static func areOnOneDisk(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        return stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev
    }

    private static func failure(_ verb: String, _ path: String) -> BackupProblem {
        let code = errno
        if [EACCES, EPERM].contains(code) {
            // What is to be made may have no obstacle but its parent.
            if verb != "make", let obstacle = FileOwnership.obstacle(to: path, isRecursive: false) {
                return BackupProblem("\(obstacle.sentence) \(obstacle.remedy)")
            }
            if let obstacle = FileOwnership.obstacle(to: parent(of: path), isRecursive: false) {
                return BackupProblem("\(obstacle.sentence) \(obstacle.remedy) Or choose another directory.")
            }
        }
        let hint = [ENOSPC, EDQUOT].contains(code) ? " Free disk space there, or choose another directory." : ""
        return BackupProblem("Cannot \(verb) \(path): \(String(cString: strerror(code))).\(hint)")
    }
}

extension BackupProblem {
    /// The problem that functions throw after `isCancelled` returned true.
    package static let cancelled = BackupProblem("The work was cancelled.")
}
