import Glibc
import Sockets

/// Reads a small directory tree into memory.
enum DirectoryReader {
    struct Found {
        /// The path relative to the directory, with `/` between its parts.
        var path: String
        var bytes: [UInt8]
    }

    /// Returns all regular files below `directory` whose extension has a media type.
    ///
    /// - Throws: `StaticFiles.LoadError` if a file or directory cannot be read, or if a limit is exceeded.
    static func files(below directory: String, limits: StaticFiles.Limits) throws(StaticFiles.LoadError) -> [Found] {
        var found: [Found] = []
        var total = 0
        var subdirectories = [""]
        while let subdirectory = subdirectories.popLast() {
            for name in try names(in: subdirectory.isEmpty ? directory : "\(directory)/\(subdirectory)") {
                let path = subdirectory.isEmpty ? name : "\(subdirectory)/\(name)"
                let full = "\(directory)/\(path)"
                var status = stat()
                guard lstat(full, &status) == 0 else { throw .unreadable(path: full) }
                if status.st_mode & S_IFMT == S_IFDIR {
                    subdirectories.append(path)
                } else if status.st_mode & S_IFMT == S_IFREG, StaticFiles.contentType(ofPath: path) != nil {
                    guard found.count < limits.maxFiles else { throw .tooManyFiles(limit: limits.maxFiles) }
                    guard status.st_size <= limits.maxFileBytes else {
                        throw .fileTooLarge(path: full, limit: limits.maxFileBytes)
                    }
                    let bytes = try contents(of: full, size: Int(status.st_size))
                    total += bytes.count
                    guard total <= limits.maxTotalBytes else { throw .tooManyBytes(limit: limits.maxTotalBytes) }
                    found.append(Found(path: path, bytes: bytes))
                }
            }
        }
        return found
    }

    private static func names(in subdirectory: String) throws(StaticFiles.LoadError) -> [String] {
        guard let stream = opendir(subdirectory) else { throw .unreadable(path: subdirectory) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // Skip hidden files, "." and "..".
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Returns the first `size` bytes of a file, or fewer if the file has shrunk.
    ///
    /// - Throws: `LoadError.unreadable`.
    private static func contents(of path: String, size: Int) throws(StaticFiles.LoadError) -> [UInt8] {
        let raw = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard raw >= 0 else { throw .unreadable(path: path) }
        let file = FileDescriptor(owning: raw)
        var bytes = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let count = bytes.withUnsafeMutableBytes { buffer in
                read(file.raw, buffer.baseAddress.map { $0 + filled }, size - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path: path) }
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(size - filled)
        return bytes
    }
}
