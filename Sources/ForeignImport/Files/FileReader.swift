internal import Glibc

/// A regular file that is read from its start to its end.
final class FileReader {
    let path: String
    /// The size at the time of opening, in bytes.
    let size: Int64
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Parameter followsLinks: Whether the path may be a symbolic link.
    /// - Throws: `ConversionError` if it cannot be opened, or is no regular file.
    init(_ path: String, followsLinks: Bool = true) throws(ConversionError) {
        self.path = path
        // A pipe must not block before it is recognized.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
        descriptor = open(path, flags)
        guard descriptor >= 0 else { throw ConversionError(path, "The file cannot be opened: \(Self.systemError)") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ConversionError(path, "This is no regular file")
        }
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Returns the next bytes, at most `count`; empty at the end.
    func read(_ count: Int) throws(ConversionError) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            while used < count {
                let got = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: used), count - used)
                if got < 0, errno == EINTR { continue }
                failed = got < 0
                if got <= 0 { break }
                used += got
            }
        }
        if failed { throw ConversionError(path, "The file cannot be read: \(Self.systemError)") }
        return bytes
    }

    /// Goes back to the start.
    func rewind() {
        lseek(descriptor, 0, SEEK_SET)
    }

    /// The text of `errno`.
    static var systemError: String { String(cString: strerror(errno)) }
}

/// Names of files in a directory.
enum Directory {
    /// Whether there is a directory at a path.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether there is anything at a path.
    static func hasFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0
    }

    /// Returns the names in a directory, sorted.
    static func names(in path: String) throws(ConversionError) -> [String] {
        guard let directory = opendir(path) else {
            throw ConversionError(path, "The directory cannot be read: \(FileReader.systemError)")
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether a name from a data set is the name of a file in a directory, and leads nowhere else.
    static func isFileName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255 && !name.utf8.contains(UInt8(ascii: "/"))
            && !name.utf8.contains(0)
    }
}
