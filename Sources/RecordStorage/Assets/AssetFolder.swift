internal import Glibc
internal import Threads

/// The folder `assets/` of a database: the files of assets, and of uploads that are under way.
///
/// ```
/// assets/3f/<62 hex digits>.<16 hex digits>   an asset (`AssetFileName`)
/// assets/uploads/<name>                       an upload that is not complete
/// assets/thumbnails/                          made from assets, never missed
/// ```
package struct AssetFolder: Sendable {
    package let path: String
    /// The folders whose entries this process has made durable.
    private let durable = Locked<Set<String>>([])

    package init(database folder: String) {
        path = folder + "/assets"
    }

    /// The same folder by its absolute path, for those who work elsewhere. The database's folder must be there.
    package var absolute: AssetFolder {
        guard let resolved = realpath(String(path.dropLast("/assets".utf8.count)), nil) else { return self }
        defer { free(resolved) }
        return AssetFolder(database: String(cString: resolved))
    }

    package var uploadsPath: String { path + "/uploads" }
    package var thumbnailsPath: String { path + "/thumbnails" }

    package func path(of name: AssetFileName) -> String {
        path + "/" + name.folder + "/" + name.text
    }

    package func path(ofUpload name: String) -> String {
        uploadsPath + "/" + name
    }

    /// Makes the folders that uploads need.
    package func prepare() throws(AssetFileError) {
        for folder in [path, uploadsPath] { try makeFolder(folder) }
    }

    /// Opens an asset's file for reading; `nil` if it is not there.
    package func open(_ name: AssetFileName) throws(AssetFileError) -> OpenAssetFile? {
        let descriptor = Glibc.open(path(of: name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw AssetFileError.last("open")
        }
        return OpenAssetFile(descriptor)
    }

    /// Takes an asset's file away, after the commit that took its row away.
    package func remove(_ name: AssetFileName) {
        unlink(path(of: name))
    }

    package func removeUpload(_ name: String) {
        unlink(path(ofUpload: name))
    }

    /// Bytes that are free for the server on this disk. Before the first file is made there is the database's folder alone;
    /// afterwards `assets/` may be a disk of its own. What cannot be found out is no room.
    package var freeBytes: Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 || statvfs(String(path.dropLast("/assets".utf8.count)), &status) == 0 else {
            return 0
        }
        return Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).0)
    }

    /// Makes a folder, so that it is there after a power cut.
    ///
    /// One that is there need not be durable yet: another upload may have made it a moment ago, or a process that was
    /// killed before it could sync.
    func makeFolder(_ path: String) throws(AssetFileError) {
        if durable.withLock({ $0.contains(path) }) { return }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw AssetFileError.last("mkdir") }
        try Self.sync(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        durable.withLock { _ = $0.insert(path) }
    }

    /// Has the system write a file's bytes to the disk now.
    package static func flush(_ file: String) throws(AssetFileError) {
        let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AssetFileError.last("open") }
        defer { close(descriptor) }
        guard fdatasync(descriptor) == 0 else { throw AssetFileError.last("fdatasync") }
    }

    /// Makes what was made, renamed or taken away in a folder durable.
    static func sync(_ folder: String) throws(AssetFileError) {
        let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw AssetFileError.last("open") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw AssetFileError.last("fsync") }
    }

    // MARK: What is there

    /// The names in a folder below `assets/`; none if it is not there.
    package func names(in folder: String) -> [String] {
        Self.names(in: path + "/" + folder)
    }

    /// The folders with assets.
    package var folders: [String] {
        Self.names(in: path).filter { name in
            name.utf8.count == 2 && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
    }

    /// The length of an asset's file; `nil` if it is not there.
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

/// A failure of a file of the asset store.
package struct AssetFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var call: String
    package var code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    static func last(_ call: String) -> AssetFileError {
        AssetFileError(call: call, code: errno)
    }

    /// A file has fewer bytes than were acknowledged.
    static let cutShort = AssetFileError(call: "reading the end", code: ENODATA)

    /// Whether the file is not there, or not as much of it as was acknowledged.
    package var isMissing: Bool { code == ENOENT || self == .cutShort }

    /// Whether there is no room on the disk, for the server's user or at all.
    package var isStorageFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }

    package var description: String { "\(call) of an asset's file: \(String(cString: strerror(code)))" }
}

/// An asset's file, open for reading and closed with the last reference.
package final class OpenAssetFile: Sendable {
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
