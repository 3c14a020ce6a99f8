internal import Glibc
internal import Threads

/// The directory `assets/` of a database, with the files of assets and of unfinished uploads.
///
/// ```
/// assets/3f/<62 hex digits>.<16 hex digits>   an asset (`AssetFileName`)
/// assets/uploads/<name>                       an unfinished upload
/// assets/thumbnails/                          made from assets; can be deleted at any time
/// ```
package struct AssetDirectory: Sendable {
    /// The path of the directory.
    package let path: String
    /// The directories whose entry in the parent directory this process has synced.
    private let durable = Locked<Set<String>>([])

    /// Creates the value for a database's directory. Creates nothing on disk.
    package init(database directory: String) {
        path = directory + "/assets"
    }

    /// The same directory with an absolute path, to pass to other processes. The database's directory must exist.
    package var absolute: AssetDirectory {
        guard let resolved = realpath(String(path.dropLast("/assets".utf8.count)), nil) else { return self }
        defer { free(resolved) }
        return AssetDirectory(database: String(cString: resolved))
    }

    /// The path of the directory of unfinished uploads.
    package var uploadsPath: String { path + "/uploads" }
    /// The path of the directory of thumbnails.
    package var thumbnailsPath: String { path + "/thumbnails" }

    /// Returns the path of an asset's file.
    package func path(of name: AssetFileName) -> String {
        path + "/" + name.directory + "/" + name.text
    }

    /// Returns the path of an unfinished upload's file.
    package func path(ofUpload name: String) -> String {
        uploadsPath + "/" + name
    }

    /// Creates the directories that uploads need.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    package func prepare() throws(AssetFileError) {
        for directory in [path, uploadsPath] { try makeDirectory(directory) }
    }

    /// Opens an asset's file for reading.
    ///
    /// - Returns: The open file; `nil` if the file does not exist.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    package func open(_ name: AssetFileName) throws(AssetFileError) -> OpenAssetFile? {
        let descriptor = Glibc.open(path(of: name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw AssetFileError.last("open")
        }
        return OpenAssetFile(descriptor)
    }

    /// Deletes an asset's file. Call it after the commit that deleted the asset's row.
    package func remove(_ name: AssetFileName) {
        unlink(path(of: name))
    }

    /// Deletes the file of an unfinished upload.
    package func removeUpload(_ name: String) {
        unlink(path(ofUpload: name))
    }

    /// The bytes that the server's user can still write on the disk of the assets; 0 if unknown.
    ///
    /// `assets/` can be a disk of its own. Before the first file is created, the disk of the database's directory
    /// counts.
    package var freeBytes: Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 || statvfs(String(path.dropLast("/assets".utf8.count)), &status) == 0 else {
            return 0
        }
        return Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }

    /// Creates a directory durably.
    ///
    /// An existing directory is synced too. Another upload may have created the directory and not synced it yet, or a
    /// process may have been killed before its sync.
    func makeDirectory(_ path: String) throws(AssetFileError) {
        if durable.withLock({ $0.contains(path) }) { return }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw AssetFileError.last("mkdir") }
        try Self.sync(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        durable.withLock { _ = $0.insert(path) }
    }

    /// Notes that a directory was deleted.
    func forget(_ path: String) { durable.withLock { _ = $0.remove(path) } }

    /// Syncs a file's bytes to the disk.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    package static func flush(_ file: String) throws(AssetFileError) {
        let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AssetFileError.last("open") }
        defer { close(descriptor) }
        guard fdatasync(descriptor) == 0 else { throw AssetFileError.last("fdatasync") }
    }

    /// Syncs the entries of a directory, so that created, renamed and deleted files are durable.
    static func sync(_ directory: String) throws(AssetFileError) {
        let descriptor = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AssetFileError.last("open") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw AssetFileError.last("fsync") }
    }

    // MARK: Listing

    /// Returns the names of the entries in a directory below `assets/`; none if the directory does not exist.
    package func names(in directory: String) -> [String] {
        Self.names(in: path + "/" + directory)
    }

    /// The names of the directories that contain assets.
    package var directories: [String] {
        Self.names(in: path).filter { name in
            name.utf8.count == 2 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }

    /// Returns the length of an asset's file in bytes; `nil` if the file does not exist.
    package func size(of name: AssetFileName) -> Int64? {
        var status = stat()
        return stat(path(of: name), &status) == 0 ? Int64(status.st_size) : nil
    }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

/// A system call that failed on a file or directory of assets.
package struct AssetFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the system call.
    package var call: String
    /// The `errno` of the system call.
    package var code: Int32

    /// Creates a failure of `call` with the `errno` `code`.
    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The failure of `call` that `errno` has.
    package static func last(_ call: String) -> AssetFileError {
        AssetFileError(call: call, code: errno)
    }

    /// The error for a file that is shorter than the length that was acknowledged to the client.
    static let cutShort = AssetFileError(call: "reading the end", code: ENODATA)

    /// Whether the file does not exist, or is shorter than the acknowledged length.
    package var isMissing: Bool { code == ENOENT || self == .cutShort }

    /// Whether the disk is full, a disk quota is used up, or the file is too large for the file system.
    package var isStorageFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    package var description: String { "\(call) of an asset's file: \(String(cString: strerror(code)))" }
}

/// An asset's file, open for reading. Releasing the last reference closes the file.
package final class OpenAssetFile: Sendable {
    /// The file descriptor.
    package let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// The length in bytes.
    package var size: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
    }
}
