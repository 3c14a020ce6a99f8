package import Cryptography
internal import Glibc

/// The file system's part of backups: what is made is the owner's alone, and what fails is said with the path.
package enum BackupFiles {
    // MARK: Making

    /// Makes a directory, 0700, whose parent is there.
    package static func makeDirectory(_ path: String) throws(BackupProblem) {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
    }

    /// Gives a file a second name, or, on another file system or where asked to, copies it.
    ///
    /// - Returns: The bytes that were copied; `nil` for a link.
    @discardableResult
    package static func linkOrCopy(_ source: String, to target: String, copies: Bool) throws(BackupProblem) -> Int? {
        if !copies {
            if link(source, target) == 0 { return nil }
            guard [EXDEV, EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) else { throw failure("link", source) }
        }
        return try copy(source, to: target).size
    }

    /// Copies a file, 0600, and syncs it.
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

    /// The digest and the length of a file.
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

    /// The bytes of a file.
    ///
    /// - Parameter limit: The most bytes that it may have.
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

    /// Writes a new file, 0600, and syncs it.
    package static func write(_ bytes: [UInt8], to path: String) throws(BackupProblem) {
        let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("write", path) }
        defer { close(output) }
        let count = bytes.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw failure("write", path) }
        guard fsync(output) == 0 else { throw failure("sync", path) }
    }

    /// Syncs a file or a directory that nobody else writes.
    package static func sync(_ path: String) throws(BackupProblem) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", path) }
    }

    /// Renames a file or a directory, and syncs both parents.
    package static func move(_ source: String, to target: String) throws(BackupProblem) {
        guard rename(source, target) == 0 else { throw failure("rename", source) }
        for parent in Set([parent(of: source), parent(of: target)]) { try sync(parent) }
    }

    /// Deletes a directory with all that is in it. What is not there is no failure.
    package static func removeTree(_ path: String) throws(BackupProblem) {
        for name in FolderInspection.names(in: path) {
            let inner = path + "/" + name
            // A link to a directory is a file here: nothing outside is deleted.
            if unlink(inner) != 0, errno == EISDIR || errno == EPERM { try removeTree(inner) }
        }
        guard rmdir(path) == 0 || errno == ENOENT else { throw failure("delete", path) }
    }

    /// Holds a directory against others who would write a backup there, until the result is closed.
    ///
    /// - Returns: `nil` if somebody holds it.
    package static func lock(_ directory: String) throws(BackupProblem) -> Int32? {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", directory) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        close(descriptor)
        return nil
    }

    package static func unlock(_ descriptor: Int32) { close(descriptor) }

    // MARK: Names

    /// The absolute path of what is there, without symbolic links.
    package static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    package static func name(of path: String) -> String {
        String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// Whether two paths are on one file system, so that a file of one can be linked into the other.
    package static func areOnOneDisk(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        return stat(first, &one) == 0 && stat(second, &other) == 0 && one.st_dev == other.st_dev
    }

    private static func failure(_ verb: String, _ path: String) -> BackupProblem {
        let code = errno
        let hint = [ENOSPC, EDQUOT].contains(code) ? " Free disk space there, or choose another directory." : ""
        return BackupProblem("Cannot \(verb) \(path): \(String(cString: strerror(code))).\(hint)")
    }
}

extension BackupProblem {
    /// Somebody has ended the work.
    package static let cancelled = BackupProblem("The work was cancelled.")
}
