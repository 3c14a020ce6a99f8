internal import Glibc

/// Reads names, modes and free space for the doctor. The functions open no file in use, because opening and closing
/// `records.sqlite` would drop SQLite's locks on this file.
package enum DirectoryInspection {
    /// The mode of a file.
    package struct Status: Hashable, Sendable {
        /// The lowest nine bits of the mode.
        package var permissions: UInt32
    }

    /// Returns whether the path is a directory.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns whether the path exists.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    /// Returns the size of a file in bytes; `nil` if the file does not exist.
    package static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Returns the mode of a file; `nil` if the file does not exist.
    package static func status(of path: String) -> Status? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Status(permissions: status.st_mode & 0o777)
    }

    /// Returns the names of the directories in a directory, sorted.
    package static func directories(in path: String) -> [String] {
        names(in: path).filter { isDirectory(path + "/" + $0) }
    }

    /// Returns the names of all entries of a directory that are not directories, sorted.
    package static func files(in path: String) -> [String] {
        names(in: path).filter { !isDirectory(path + "/" + $0) }
    }

    /// Returns the bytes that an ordinary user can still write on a directory's disk.
    package static func freeBytes(_ path: String) -> Int { space(of: path).free }

    /// The space on a disk.
    package struct Space: Hashable, Sendable {
        /// The bytes that an ordinary user can still write.
        package var free: Int
        /// The size of the disk in bytes.
        package var total: Int
        /// Whether the file system is mounted read-only.
        package var isReadOnly: Bool

        /// Creates the space of a disk from measured or test values.
        package init(free: Int, total: Int, isReadOnly: Bool = false) {
            self.free = free
            self.total = total
            self.isReadOnly = isReadOnly
        }
    }

    /// Returns the space on a directory's disk; zeros if the system does not report the space.
    package static func space(of path: String) -> Space {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return Space(free: 0, total: 0) }
        func bytes(_ blocks: UInt64) -> Int {
            Int(clamping: blocks.multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
        }
        // The flag 1 is ST_RDONLY.
        return Space(
            free: bytes(UInt64(status.f_bavail)), total: bytes(UInt64(status.f_blocks)),
            isReadOnly: status.f_flag & 1 != 0)
    }

    /// Writes `bytes` bytes to a new file, syncs the file and deletes the file.
    ///
    /// Use this function to detect a disk quota, which the reported free space does not show.
    ///
    /// - Returns: Whether writing and syncing succeeded.
    package static func takes(bytes: Int, in directory: String) -> Bool {
        let file = directory + "/.probe"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer {
            close(descriptor)
            unlink(file)
        }
        let piece = [UInt8](repeating: 0x5A, count: 64 << 10)
        for start in stride(from: 0, to: bytes, by: piece.count) {
            let count = piece.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, start) }
            guard count == piece.count else { return false }
        }
        return fsync(descriptor) == 0
    }

    /// Returns the names of all entries of a directory, sorted.
    package static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
