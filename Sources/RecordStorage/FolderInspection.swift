internal import Glibc

/// What the doctor asks the file system. It looks at names and modes only: opening and closing `records.sqlite` would
/// drop SQLite's locks on it.
package enum FolderInspection {
    package struct Status: Hashable, Sendable {
        /// The lowest nine bits of the mode.
        package var permissions: UInt32
        /// Whether this process may read and write it.
        package var isOursOrReadable: Bool
    }

    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    /// The mode and reach of a file; `nil` if it is gone.
    package static func status(of path: String) -> Status? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Status(permissions: status.st_mode & 0o777, isOursOrReadable: access(path, R_OK | W_OK) == 0)
    }

    /// The names of the folders in a folder, sorted.
    package static func folders(in path: String) -> [String] {
        names(in: path).filter { isFolder(path + "/" + $0) }
    }

    /// The names of what else is in a folder, sorted.
    package static func files(in path: String) -> [String] {
        names(in: path).filter { !isFolder(path + "/" + $0) }
    }

    /// The bytes that an ordinary user may still write on the disk of a folder.
    package static func freeBytes(_ path: String) -> Int { space(of: path).free }

    /// What a disk has.
    package struct Space: Hashable, Sendable {
        /// Bytes that an ordinary user may still write.
        package var free: Int
        /// Bytes in all.
        package var total: Int
        /// The file system was mounted without writing.
        package var isReadOnly: Bool

        package init(free: Int, total: Int, isReadOnly: Bool = false) {
            self.free = free
            self.total = total
            self.isReadOnly = isReadOnly
        }
    }

    /// The space on the disk of a folder; none if that cannot be found out.
    package static func space(of path: String) -> Space {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return Space(free: 0, total: 0) }
        func bytes(_ blocks: UInt64) -> Int {
            Int(clamping: blocks.multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
        }
        // ST_RDONLY.
        return Space(
            free: bytes(UInt64(status.f_bavail)), total: bytes(UInt64(status.f_blocks)),
            isReadOnly: status.f_flag & 1 != 0)
    }

    /// Writes so many bytes into a new file, syncs it and deletes it.
    ///
    /// - Returns: Whether the disk took them. Quotas are known to nothing but a write.
    package static func takes(bytes: Int, in folder: String) -> Bool {
        let file = folder + "/.probe"
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

    /// The names of everything in a folder, sorted.
    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
