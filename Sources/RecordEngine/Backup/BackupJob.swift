internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// Creates one backup: a directory in the form of a data directory, with a manifest.
///
/// The directory is built under a temporary name next to the final name, and renamed after all files are synced.
/// Therefore an interrupted backup never looks complete. The next backup with the same name deletes the remains of an
/// interrupted backup.
struct BackupJob {
    let registry: DatabaseRegistry
    let request: BackupRequest
    /// Called with the progress of the backup.
    let report: @Sendable (BackupProgress) -> Void

    /// The path of the directory under construction: the final path followed by `.partial`.
    private var partial: String { request.path + ".partial" }
    private var dataPath: String { registry.configuration.dataPath }

    /// The free space in bytes that a backup needs in addition to the copied bytes.
    private static let spareBytes = 16 << 20

    /// Creates the backup under the temporary name, then renames the directory to its final name.
    ///
    /// - Returns: The manifest.
    /// - Throws: `BackupProblem`, after deleting the partial backup.
    func run() async throws(BackupProblem) -> BackupManifest {
        try check()
        let lock = try begin()
        defer { BackupFiles.unlock(lock) }
        do {
            let manifest = try await fill()
            try BackupFiles.write(manifest.json, to: partial + "/" + BackupManifest.fileName)
            try BackupFiles.sync(partial)
            try checkCancellation()
            try check()
            try BackupFiles.move(partial, to: request.path)
            return manifest
        } catch {
            try? BackupFiles.removeTree(partial)
            throw BackupProblem(error, to: request.path)
        }
    }

    private func check() throws(BackupProblem) {
        if !request.isInDataDirectory { try Self.check(request.path, dataPath: dataPath) }
    }

    /// Checks that a backup can be created at a path.
    static func check(_ path: String, dataPath: String) throws(BackupProblem) {
        guard path.hasPrefix("/"), path.utf8.count < 4_000, !BackupFiles.name(of: path).isEmpty,
            ![".", ".."].contains(BackupFiles.name(of: path))
        else { throw BackupProblem("'\(path)' is not an absolute path of a new directory.") }
        guard !DirectoryInspection.exists(path) else {
            throw BackupProblem("\(path) exists. A backup is a new directory: choose another name, or delete that one.")
        }
        guard let parent = BackupFiles.resolve(BackupFiles.parent(of: path)), DirectoryInspection.isDirectory(parent)
        else {
            let parent = BackupFiles.parent(of: path)
            if let obstacle = FileOwnership.obstacle(to: parent, isRecursive: false) {
                throw BackupProblem("\(obstacle.sentence) \(obstacle.remedy) Or choose another directory.")
            }
            throw BackupProblem("There is no directory \(parent). Create it first.")
        }
        let data = BackupFiles.resolve(dataPath) ?? dataPath
        guard parent != data, !parent.hasPrefix(data + "/") else {
            throw BackupProblem(
                "\(path) is inside the data directory \(data), and would be lost with it. Choose another directory, ideally on another disk."
            )
        }
    }

    private func begin() throws(BackupProblem) -> Int32 {
        if DirectoryInspection.exists(partial) {
            guard let lock = try BackupFiles.lock(partial) else {
                throw BackupProblem(
                    "Another backup to \(request.path) is in progress. Wait for it, or choose another name.")
            }
            BackupFiles.unlock(lock)
            try BackupFiles.removeTree(partial)
        }
        try BackupFiles.makeDirectory(partial)
        guard let lock = try BackupFiles.lock(partial) else {
            throw BackupProblem(
                "Another backup to \(request.path) is in progress. Wait for it, or choose another name.")
        }
        return lock
    }

    private func checkCancellation() throws(BackupProblem) {
        if Task.isCancelled { throw .cancelled }
    }

    // MARK: Contents

    private func fill() async throws -> BackupManifest {
        var manifest = BackupManifest(version: request.version, created: WallClock.milliseconds)
        let directories = Self.databases(in: dataPath)
        guard !directories.isEmpty else { throw BackupProblem("\(dataPath) contains no database yet.") }
        try checkRoom(directories)
        for directory in directories { try await copy(directory, into: &manifest) }
        if let administrators = registry.configuration.administrators {
            let path = partial + "/" + ServerFile.name
            try await administrators.copyFile(to: path)
            try CopiedDatabase.close(path)
            try add(ServerFile.name, to: &manifest)
        }
        let token = "administrator"
        if DirectoryInspection.exists(dataPath + "/" + token) {
            try BackupFiles.copy(dataPath + "/" + token, to: partial + "/" + token)
            try add(token, to: &manifest)
        }
        return manifest
    }

    /// Returns all databases in a data directory, including databases that the server does not serve.
    static func databases(in dataPath: String) -> [(container: String, environment: RecordEnvironment)] {
        DirectoryInspection.directories(in: dataPath).flatMap { container in
            RecordEnvironment.allCases.filter {
                ContainerName(container) != nil
                    && DataDirectory.size(of: DataDirectory.databasePath(in: "\(dataPath)/\(container)/\($0.rawValue)"))
                        > 0
            }.map { (container, $0) }
        }
    }

    private func checkRoom(_ directories: [(container: String, environment: RecordEnvironment)]) throws(BackupProblem) {
        var needed = Self.spareBytes
        for directory in directories {
            let path = DataDirectory.databasePath(
                in: "\(dataPath)/\(directory.container)/\(directory.environment.rawValue)")
            needed += DataDirectory.size(of: path) + DataDirectory.size(of: path + "-wal")
        }
        let free = DirectoryInspection.freeBytes(partial)
        guard free >= needed else {
            throw BackupProblem(
                "The disk of \(request.path) has \(free >> 20) MiB free, and the databases need up to \(needed >> 20) MiB. Free disk space, or choose another directory."
            )
        }
    }

    private func copy(
        _ directory: (container: String, environment: RecordEnvironment), into manifest: inout BackupManifest
    ) async throws {
        let name = directory.container + "/" + directory.environment.rawValue
        let (source, target) = (dataPath + "/" + name, partial + "/" + name)
        for path in [partial + "/" + directory.container, target] { try BackupFiles.makeDirectory(path) }
        let database = try await database(directory)
        await database?.jobs.showBackup()
        do {
            try await copy(database, directory, from: source, to: target, into: &manifest)
        } catch {
            await database?.jobs.endBackup(BackupProblem(error, to: request.path))
            throw error
        }
        for path in [target, partial + "/" + directory.container] { try BackupFiles.sync(path) }
        await database?.jobs.endBackup()
    }

    /// Copies a database.
    ///
    /// - Parameter database: The open database; `nil` for one that the server does not serve.
    private func copy(
        _ database: RecordDatabase?, _ directory: (container: String, environment: RecordEnvironment),
        from source: String, to target: String, into manifest: inout BackupManifest
    ) async throws {
        let name = directory.container + "/" + directory.environment.rawValue
        let path = DataDirectory.databasePath(in: target)
        // Keep all asset files until they are linked or copied. Every asset file named in the copy exists already or is
        // added during the backup.
        database?.assetStore.holdCollection()
        defer { database?.assetStore.releaseCollection() }
        var mark: CopyPosition?
        let report = report
        if let database {
            mark = try await database.copies.make(at: path) { progress in
                if Task.isCancelled { throw BackupProblem.cancelled }
                report(
                    BackupProgress(
                        activity: name, done: progress.pages - progress.remaining, total: progress.pages,
                        unit: "pages"))
            }
        } else {
            let copy = try DatabaseCopy(ofFileIn: source, to: path)
            while try !copy.step(pages: 1_024) { try checkCancellation() }
            copy.end()
        }
        try CopiedDatabase.seal(path, mark.map { ($0.sequence, $0.epoch) })
        var entry = BackupManifest.Database(
            container: directory.container, environment: directory.environment.rawValue, mark: mark, assets: 0,
            assetBytes: 0)
        try takeAssets(from: source, to: target, name, &entry)
        try BackupFiles.copy(source + "/secret", to: target + "/secret")
        for file in ["records.sqlite", "secret"] { try add(name + "/" + file, to: &manifest) }
        manifest.databases.append(entry)
    }

    /// Returns the opened database if the server serves it. Returns `nil` for other databases, which no process writes.
    private func database(
        _ directory: (container: String, environment: RecordEnvironment)
    ) async throws -> RecordDatabase? {
        guard let container = ContainerName(directory.container), registry.configuration.containers.contains(container)
        else { return nil }
        return try await registry.open(DatabaseID(container: container, environment: directory.environment))
    }

    private func takeAssets(
        from source: String, to target: String, _ name: String, _ entry: inout BackupManifest.Database
    ) throws {
        let (from, to) = (AssetDirectory(database: source), AssetDirectory(database: target))
        let copies = request.copiesAssets || !BackupFiles.areOnOneDisk(source, target)
        var made: Set<String> = []
        try CopiedDatabase.forEachAsset(in: DataDirectory.databasePath(in: target)) { asset, size in
            try checkCancellation()
            if made.isEmpty { try BackupFiles.makeDirectory(to.path) }
            let directory = to.path + "/" + asset.directory
            if made.insert(asset.directory).inserted { try BackupFiles.makeDirectory(directory) }
            // Skip a lost file, which the doctor reports. All other files must be saved.
            guard from.size(of: asset) != nil else { return }
            try BackupFiles.linkOrCopy(from.path(of: asset), to: to.path(of: asset), copies: copies)
            entry.assets += 1
            entry.assetBytes += size
            if entry.assets % 256 == 0 {
                report(BackupProgress(activity: name, done: entry.assets, total: 0, unit: "assets"))
            }
        }
        for directory in made { try BackupFiles.sync(to.path + "/" + directory) }
        if !made.isEmpty { try BackupFiles.sync(to.path) }
    }

    private func add(_ path: String, to manifest: inout BackupManifest) throws(BackupProblem) {
        let whole = partial + "/" + path
        try BackupFiles.sync(whole)
        let read = try BackupFiles.digest(of: whole, isCancelled: { Task.isCancelled })
        manifest.files.append(BackupManifest.File(path: path, size: read.size, digest: read.digest))
    }
}

extension BackupProblem {
    /// Converts an error to a problem with a sentence for the operator.
    fileprivate init(_ error: any Error, to path: String) {
        switch error {
        case let problem as BackupProblem: self = problem
        case is CancellationError: self = .cancelled
        case let error as StoreFailure where error.isStorageFull:
            self.init(
                "There is not enough space for the backup at \(path): \(error). Free disk space, or choose another directory."
            )
        case let error as RecordError: self.init(error.reason + ".")
        default: self.init("The backup to \(path) failed: \(error).")
        }
    }
}
