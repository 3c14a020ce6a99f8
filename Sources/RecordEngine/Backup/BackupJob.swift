internal import Cryptography
internal import RecordModel
internal import RecordStorage
internal import Threads

/// The making of one backup: a directory in the form of a data directory, with a manifest.
///
/// It is built under another name beside its own and renamed when everything is synced, so that nothing that was broken off
/// looks whole. The next attempt for the same name deletes what a killed one has left.
struct BackupJob {
    let registry: DatabaseRegistry
    let request: BackupRequest
    /// Told how far it is.
    let report: @Sendable (BackupProgress) -> Void

    /// The directory under way: `.partial` behind the name.
    private var partial: String { request.path + ".partial" }
    private var dataPath: String { registry.configuration.dataPath }

    /// A backup needs this much beyond the bytes that it copies.
    private static let spareBytes = 16 << 20

    /// - Returns: What was made.
    /// - Throws: `BackupProblem`, after deleting what was made so far.
    func run() async throws(BackupProblem) -> BackupManifest {
        try Self.check(request.path, dataPath: dataPath)
        let lock = try begin()
        defer { BackupFiles.unlock(lock) }
        do {
            let manifest = try await fill()
            try BackupFiles.write(manifest.json, to: partial + "/" + BackupManifest.fileName)
            try BackupFiles.sync(partial)
            try checkCancellation()
            try Self.check(request.path, dataPath: dataPath)
            try BackupFiles.move(partial, to: request.path)
            return manifest
        } catch {
            try? BackupFiles.removeTree(partial)
            throw BackupProblem(error, to: request.path)
        }
    }

    /// Rejects a place where no backup can be made.
    static func check(_ path: String, dataPath: String) throws(BackupProblem) {
        guard path.hasPrefix("/"), path.utf8.count < 4_000, !BackupFiles.name(of: path).isEmpty,
            ![".", ".."].contains(BackupFiles.name(of: path))
        else { throw BackupProblem("'\(path)' is not an absolute path of a new directory.") }
        guard !FolderInspection.exists(path) else {
            throw BackupProblem("\(path) exists. A backup is a new directory: choose another name, or delete that one.")
        }
        guard let parent = BackupFiles.resolve(BackupFiles.parent(of: path)), FolderInspection.isFolder(parent) else {
            throw BackupProblem("There is no directory \(BackupFiles.parent(of: path)). Create it first.")
        }
        let data = BackupFiles.resolve(dataPath) ?? dataPath
        guard parent != data, !parent.hasPrefix(data + "/") else {
            throw BackupProblem(
                "\(path) is inside the data directory \(data), and would be lost with it. Choose another directory, ideally on another disk."
            )
        }
    }

    private func begin() throws(BackupProblem) -> Int32 {
        if FolderInspection.exists(partial) {
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

    // MARK: What it holds

    private func fill() async throws -> BackupManifest {
        var manifest = BackupManifest(version: request.version, created: WallClock.milliseconds)
        let folders = Self.databases(in: dataPath)
        guard !folders.isEmpty else { throw BackupProblem("\(dataPath) contains no database yet.") }
        try checkRoom(folders)
        for folder in folders { try await copy(folder, into: &manifest) }
        if let administrators = registry.configuration.administrators {
            let path = partial + "/" + ServerFile.name
            try await administrators.copyFile(to: path)
            try CopiedDatabase.close(path)
            try add(ServerFile.name, to: &manifest)
        }
        let token = "administrator"
        if FolderInspection.exists(dataPath + "/" + token) {
            try BackupFiles.copy(dataPath + "/" + token, to: partial + "/" + token)
            try add(token, to: &manifest)
        }
        return manifest
    }

    /// The databases of a data directory, also those that the server does not serve.
    static func databases(in dataPath: String) -> [(container: String, environment: RecordEnvironment)] {
        FolderInspection.folders(in: dataPath).flatMap { container in
            RecordEnvironment.allCases.filter {
                ContainerName(container) != nil
                    && DataFolder.size(of: DataFolder.databasePath(in: "\(dataPath)/\(container)/\($0.rawValue)")) > 0
            }.map { (container, $0) }
        }
    }

    private func checkRoom(_ folders: [(container: String, environment: RecordEnvironment)]) throws(BackupProblem) {
        var needed = Self.spareBytes
        for folder in folders {
            let path = DataFolder.databasePath(in: "\(dataPath)/\(folder.container)/\(folder.environment.rawValue)")
            needed += DataFolder.size(of: path) + DataFolder.size(of: path + "-wal")
        }
        let free = FolderInspection.freeBytes(partial)
        guard free >= needed else {
            throw BackupProblem(
                "The disk of \(request.path) has \(free >> 20) MiB free, and the databases need up to \(needed >> 20) MiB. Free disk space, or choose another directory."
            )
        }
    }

    private func copy(
        _ folder: (container: String, environment: RecordEnvironment), into manifest: inout BackupManifest
    ) async throws {
        let name = folder.container + "/" + folder.environment.rawValue
        let (source, target) = (dataPath + "/" + name, partial + "/" + name)
        for path in [partial + "/" + folder.container, target] { try BackupFiles.makeDirectory(path) }
        let path = DataFolder.databasePath(in: target)
        let database = try await database(folder)
        // Files of assets stay until they have their second name: those that the copy will name are there now or come later.
        database?.assetStore.holdCollection()
        defer { database?.assetStore.releaseCollection() }
        var mark: CopyMark?
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
            container: folder.container, environment: folder.environment.rawValue, mark: mark, assets: 0,
            assetBytes: 0)
        try takeAssets(from: source, to: target, name, &entry)
        try BackupFiles.copy(source + "/secret", to: target + "/secret")
        for file in ["records.sqlite", "secret"] { try add(name + "/" + file, to: &manifest) }
        for path in [target, partial + "/" + folder.container] { try BackupFiles.sync(path) }
        manifest.databases.append(entry)
    }

    /// The database, opened if the server serves it; `nil` for others, which nobody writes.
    private func database(
        _ folder: (container: String, environment: RecordEnvironment)
    ) async throws -> RecordDatabase? {
        guard let container = ContainerName(folder.container), registry.configuration.containers.contains(container)
        else { return nil }
        return try await registry.open(DatabaseID(container: container, environment: folder.environment))
    }

    private func takeAssets(
        from source: String, to target: String, _ name: String, _ entry: inout BackupManifest.Database
    ) throws {
        let (from, to) = (AssetFolder(database: source), AssetFolder(database: target))
        let copies = request.copiesAssets || !BackupFiles.areOnOneDisk(source, target)
        var made: Set<String> = []
        try CopiedDatabase.forEachAsset(in: DataFolder.databasePath(in: target)) { asset, size in
            try checkCancellation()
            if made.isEmpty { try BackupFiles.makeDirectory(to.path) }
            let folder = to.path + "/" + asset.folder
            if made.insert(asset.folder).inserted { try BackupFiles.makeDirectory(folder) }
            // A file that is lost is what the doctor tells of, here as there; all others shall be saved.
            guard from.size(of: asset) != nil else { return }
            try BackupFiles.linkOrCopy(from.path(of: asset), to: to.path(of: asset), copies: copies)
            entry.assets += 1
            entry.assetBytes += size
            if entry.assets % 256 == 0 {
                report(BackupProgress(activity: name, done: entry.assets, total: 0, unit: "assets"))
            }
        }
        for folder in made { try BackupFiles.sync(to.path + "/" + folder) }
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
    /// A failure as a sentence for the operator.
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
