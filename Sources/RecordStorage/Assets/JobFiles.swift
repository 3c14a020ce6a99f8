internal import Glibc

/// The files of jobs that import and export, in `assets/jobs/`: a directory for each job, with the name of the job.
///
/// They are beside the assets, so that the file of an import is a hard link to the upload.
package struct JobFiles: Sendable {
    /// The files that a job can have. The raw values are their names.
    package enum Kind: String, Sendable, CaseIterable {
        /// The file that the job imports, as it was uploaded.
        case source
        /// The text of the source in UTF-8, if the source has another encoding.
        case text
        /// The file that the job exports.
        case result
    }

    private let assets: AssetDirectory

    /// Creates the value for the assets of a database. Creates nothing on disk.
    package init(_ assets: AssetDirectory) { self.assets = assets }

    private var path: String { assets.path + "/jobs" }

    fileprivate func directory(of job: String) -> String { path + "/" + job }

    /// The path of a file of a job.
    package func path(_ kind: Kind, of job: String) -> String { directory(of: job) + "/" + kind.rawValue }

    /// Creates the directory of a job durably.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    fileprivate func makeDirectory(of job: String) throws(AssetFileError) {
        for directory in [assets.path, path, directory(of: job)] { try assets.makeDirectory(directory) }
    }

    /// Keeps an asset's file as the file that a job imports, also after the asset is deleted.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    package func keep(_ file: AssetFileName, for job: String) throws(AssetFileError) {
        try makeDirectory(of: job)
        guard link(assets.path(of: file), path(.source, of: job)) == 0 else { throw AssetFileError.last("link") }
        try AssetDirectory.sync(directory(of: job))
    }

    /// Opens a file of a job for reading.
    ///
    /// - Returns: The open file; `nil` if it does not exist.
    /// - Throws: An `AssetFileError` with the system call that failed.
    package func open(_ kind: Kind, of job: String) throws(AssetFileError) -> OpenAssetFile? {
        let descriptor = Glibc.open(path(kind, of: job), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw AssetFileError.last("open")
        }
        return OpenAssetFile(descriptor)
    }

    /// Creates the directory in which a job copies the database, and deletes what an interrupted attempt has left.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    package func makeCopyDirectory(of job: String) throws(AssetFileError) -> String {
        try makeDirectory(of: job)
        removeCopy(of: job)
        let copy = copyDirectory(of: job)
        guard mkdir(copy, 0o700) == 0 else { throw AssetFileError.last("mkdir") }
        return copy
    }

    /// Deletes the copy of the database that a job has made.
    package func removeCopy(of job: String) {
        let copy = copyDirectory(of: job)
        let path = DataDirectory.databasePath(in: copy)
        for ending in ["", "-journal", "-wal", "-shm"] { unlink(path + ending) }
        rmdir(copy)
    }

    private func copyDirectory(of job: String) -> String { directory(of: job) + "/copy" }

    /// Deletes the files of a job.
    package func remove(_ job: String) {
        removeCopy(of: job)
        for kind in Kind.allCases {
            unlink(path(kind, of: job))
            unlink(JobOutputFile.partial(path(kind, of: job)))
        }
        rmdir(directory(of: job))
        assets.forget(directory(of: job))
    }

    /// The names of the jobs that have files.
    package var jobs: [String] { assets.names(in: "jobs") }
}

/// A file of a job while it is written. It gets its name when it is complete.
///
/// Unchecked `Sendable`: callers never overlap their calls.
package final class JobOutputFile: @unchecked Sendable {
    private let path: String
    private let directory: String
    private let descriptor: Int32
    /// The number of bytes written.
    package private(set) var size: Int64 = 0

    fileprivate static func partial(_ path: String) -> String { path + ".partial" }

    /// Creates a file of a job, and deletes what an interrupted attempt has left.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    package init(_ kind: JobFiles.Kind, of job: String, in files: JobFiles) throws(AssetFileError) {
        try files.makeDirectory(of: job)
        path = files.path(kind, of: job)
        directory = files.directory(of: job)
        descriptor = open(Self.partial(path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AssetFileError.last("open") }
    }

    /// Appends bytes.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    package func append(_ bytes: [UInt8]) throws(AssetFileError) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw AssetFileError.last("write") }
            written += count
        }
        size += Int64(bytes.count)
    }

    /// Deletes the incomplete file.
    package func discard() { unlink(Self.partial(path)) }

    /// Makes the bytes durable, and gives the file its name.
    ///
    /// - Throws: An `AssetFileError` with the system call that failed.
    package func keep() throws(AssetFileError) {
        guard fdatasync(descriptor) == 0 else { throw AssetFileError.last("fdatasync") }
        guard rename(Self.partial(path), path) == 0 else { throw AssetFileError.last("rename") }
        try AssetDirectory.sync(directory)
    }

    deinit { close(descriptor) }
}
