internal import Calendars
package import RecordModel
package import RecordStorage
internal import Threads

/// The backup that an administrator can download. It is a directory inside the data directory, made like every other
/// backup, and deleted after some hours: a backup is to be kept elsewhere. It is tested as soon as it is made.
package final class BackupArchive: Sendable {
    /// The state of the archive.
    package enum State: Sendable {
        case none
        case running(BackupProgress)
        /// The archive can be downloaded.
        ///
        /// - Parameters:
        ///   - bytes: The size of the file to download.
        ///   - created: In milliseconds since 1970, like `expires`.
        case done(bytes: Int, created: Int64, expires: Int64)
        case failed(BackupProblem)
    }

    private let dataPath: String
    private let backups: Backups
    private let administrators: Administrators?
    private let tester = BackupTester()
    /// Held while a backup starts, while the directory is listed, and while it is deleted: nobody deletes the directory of
    /// a backup that has just started, or lists a part of a directory.
    private let files = Locked(())
    /// The size of the archive that was made at a time, because listing many files takes long.
    private let size = Locked<(created: Int64, bytes: Int)?>(nil)

    /// How long an archive can be downloaded, in milliseconds.
    package static let lifetime: Int64 = 6 * 3_600_000

    init(dataPath: String, _ backups: Backups, administrators: Administrators?) {
        self.dataPath = dataPath
        self.backups = backups
        self.administrators = administrators
    }

    private var directory: String { dataPath + "/.archive" }
    private var path: String { (BackupFiles.resolve(directory) ?? directory) + "/backup" }

    /// Starts a backup that replaces the archive, and returns at once.
    ///
    /// - Parameter version: The version of Fogbase, for the manifest.
    /// - Returns: `false` if another backup is running.
    /// - Throws: INTERNAL_ERROR if the directory cannot be made.
    package func start(version: String, of registry: DatabaseRegistry) throws(RecordError) -> Bool {
        try files.withLock { _ throws(RecordError) in
            if case .running = backups.state { return false }
            tester.cancel()
            try Self.reported { () throws(BackupProblem) in
                try BackupFiles.removeTree(directory)
                try BackupFiles.makeDirectory(directory)
            }
            var request = BackupRequest(path: path, copiesAssets: false, version: version)
            request.isInDataDirectory = true
            return backups.start(request, of: registry)
        }
    }

    /// The state at a time in milliseconds since 1970. Reads files, so call it on a thread that may block.
    package func state(at now: Int64) -> State { files.withLock { _ in listedState(at: now) } }

    /// The state, while `files` is held.
    private func listedState(at now: Int64) -> State {
        let (state, path) = backups.current
        if path == self.path {
            switch state {
            case .running(let progress): return .running(progress)
            case .failed(let problem): return .failed(problem)
            case .none, .done: break
            }
        }
        guard let created = (try? BackupManifest(of: self.path))?.created, created + Self.lifetime > now,
            let bytes = try? bytes(of: created)
        else { return .none }
        return .done(bytes: bytes, created: created, expires: created + Self.lifetime)
    }

    private func bytes(of created: Int64) throws(BackupProblem) -> Int {
        if let known = size.withLock({ $0 }), known.created == created { return known.bytes }
        let bytes = try DirectoryArchive(of: path, as: Self.name(created)).size
        size.withLock { $0 = (created, bytes) }
        return bytes
    }

    /// Opens the archive to read it. Reads files, so call it on a thread that may block.
    ///
    /// - Returns: `nil` if there is no archive.
    /// - Throws: INTERNAL_ERROR if it cannot be read.
    package func open(at now: Int64) throws(RecordError) -> BackupDownload? {
        try files.withLock { _ throws(RecordError) in
            guard case .done(_, let created, _) = listedState(at: now) else { return nil }
            let name = Self.name(created)
            return try Self.reported { () throws(BackupProblem) in
                BackupDownload(try DirectoryArchive(of: path, as: name), name: name + ".tar", created: created)
            }
        }
    }

    private static func reported<Value>(_ body: () throws(BackupProblem) -> Value) throws(RecordError) -> Value {
        do throws(BackupProblem) { return try body() } catch { throw RecordError(.internalError, "\(error)") }
    }

    /// Returns the name of the archive's file without its extension.
    static func name(_ created: Int64) -> String {
        let date = CivilDate(days: Int((Double(created) / 86_400_000).rounded(.down)))
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "fogbase-\(date.year)-\(digits(date.month))-\(digits(date.day))"
    }

    /// Ends the backup of the archive and its test, if they are running.
    package func cancel() async {
        if isRunning { await backups.cancel() }
        await tester.end()
    }

    /// Deletes the archive, unless another backup has started since `cancel`. Deletes files, so call it on a thread that
    /// may block.
    ///
    /// - Throws: INTERNAL_ERROR if it cannot be deleted.
    package func delete() throws(RecordError) {
        try files.withLock { _ throws(RecordError) in
            // Another backup may have started since, and has deleted the archive. It is later than this request.
            guard !isRunning else { return }
            tester.cancel()
            backups.forget(path)
            try Self.reported { () throws(BackupProblem) in try BackupFiles.removeTree(directory) }
        }
    }

    /// Whether the archive is being made.
    private var isRunning: Bool {
        if case (.running, let path) = backups.current { path == self.path } else { false }
    }

    /// Deletes an archive that has expired, or that an earlier run of the server has left.
    package func removeExpired(at now: Int64) throws(BackupProblem) {
        guard DirectoryInspection.exists(directory) else { return }
        try files.withLock { _ throws(BackupProblem) in
            switch listedState(at: now) {
            case .running, .done: return
            case .none, .failed:
                tester.cancel()
                try BackupFiles.removeTree(directory)
            }
        }
    }

    // MARK: The test

    /// Tests an archive that was just made, in the background. It can be downloaded meanwhile.
    func startTest(of manifest: BackupManifest, by registry: DatabaseRegistry) {
        tester.start(path, created: manifest.created) { test in await registry.remember(test, of: manifest.created) }
    }

    /// Returns the progress or the result of the test of an archive.
    package func test(of created: Int64) -> BackupTester.State {
        if let state = tester.state(of: created) { return state }
        // An archive from before the last start.
        let test = administrators?.backups.first { $0.created == created }?.test
        return test.map(BackupTester.State.done) ?? .none
    }

    /// Cancels the test, and starts no other.
    func close() async { await tester.close() }
}

/// The tar file of an archive, which is read on a thread of its own.
///
/// Unchecked: only the executor's thread uses the archive.
package final class BackupDownload: @unchecked Sendable {
    private let archive: DirectoryArchive
    private let executor = ThreadExecutor(name: "fog-archive", niceness: 5)
    /// The name of the file.
    package let name: String
    /// The size of the file in bytes.
    package let size: Int
    /// When the backup was made, in milliseconds since 1970. With the size, it tells archives apart.
    package let created: Int64
    private var left: Int

    fileprivate init(_ archive: DirectoryArchive, name: String, created: Int64) {
        self.archive = archive
        self.name = name
        self.created = created
        left = archive.size
        size = archive.size
    }

    deinit { executor.shutdown() }

    /// Limits the download to a range of the file. Call it before `next`.
    package func limit(to range: Range<Int>) {
        archive.skip(to: range.lowerBound)
        left = range.count
    }

    /// Returns the next piece; `nil` at the end.
    ///
    /// - Throws: `BackupProblem` if a file cannot be read.
    package func next() async throws -> [UInt8]? {
        try await withTaskExecutorPreference(executor) { try read() }
    }

    private func read() throws(BackupProblem) -> [UInt8]? {
        guard left > 0, let piece = try archive.next() else { return nil }
        let part = piece.count > left ? Array(piece[..<left]) : piece
        left -= part.count
        return part
    }
}
