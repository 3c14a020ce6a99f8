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
    package static func freeBytes(_ path: String) -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return 0 }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    private static func names(in path: String) -> [String] {
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
