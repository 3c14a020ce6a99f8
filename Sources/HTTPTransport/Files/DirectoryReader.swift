import Glibc
import Sockets

/// Reads a small tree of files into memory.
enum DirectoryReader {
    struct Found {
        /// Relative to the directory, with `/` between its parts.
        var path: String
        var bytes: [UInt8]
    }

    /// All regular files below `directory` whose type is served.
    static func files(below directory: String, limits: StaticFiles.Limits) throws(StaticFiles.LoadError) -> [Found] {
        var found: [Found] = []
        var total = 0
        var folders = [""]
        while let folder = folders.popLast() {
            for name in try names(in: folder.isEmpty ? directory : "\(directory)/\(folder)") {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                let full = "\(directory)/\(path)"
                var status = stat()
                guard lstat(full, &status) == 0 else { throw .unreadable(path: full) }
                if status.st_mode & S_IFMT == S_IFDIR {
                    folders.append(path)
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

    private static func names(in folder: String) throws(StaticFiles.LoadError) -> [String] {
        guard let stream = opendir(folder) else { throw .unreadable(path: folder) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // Also "." and "..".
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// The first `size` bytes, or fewer if the file has shrunk meanwhile.
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
