internal import RecordStorage
internal import Threads

/// Restores a backup to a data directory.
///
/// All files are first copied to `.restoring` in the data directory, compared with their digests, and synced. Then they
/// are moved to their final paths. No server starts while `.restoring` or the marker `.moving` exists, so an interrupted
/// restore never looks complete. The marker tells whether existing data is still whole. `.restoring` is inside the data
/// directory because a data directory may be a mount point, which cannot be renamed.
package struct BackupRestoration {
    let backup: String
    let dataPath: String
    /// Whether to move existing data aside. Otherwise existing data is an error.
    let replaces: Bool

    /// Describes a restore; `run` executes it.
    package init(of backup: String, to dataPath: String, replaces: Bool) {
        self.backup = backup
        self.dataPath = dataPath
        self.replaces = replaces
    }

    private var restoring: String { DataDirectory.restoringPath(in: dataPath) }
    private var moving: String { DataDirectory.movingPath(in: dataPath) }

    /// Restores the backup.
    ///
    /// - Parameter progress: Called before each file.
    /// - Returns: The manifest, and the path to which existing data was moved; `nil` if there was no data.
    /// - Throws: `BackupProblem`, or `DataDirectory.Problem` if a server uses the directory.
    package func run(
        progress: (_ path: String) -> Void = { _ in }
    ) throws -> (manifest: BackupManifest, replaced: String?) {
        let manifest = try BackupManifest(of: backup)
        try checkPlaces(manifest)
        return try Self.restore(self, manifest, DataDirectory(opening: dataPath, forRestoring: true), progress)
    }

    private func checkPlaces(_ manifest: BackupManifest) throws(BackupProblem) {
        let source = BackupFiles.resolve(backup) ?? backup
        let parent = BackupFiles.resolve(BackupFiles.parent(of: dataPath))
        let target = BackupFiles.resolve(dataPath) ?? parent.map { $0 + "/" + BackupFiles.name(of: dataPath) }
        if let target, target == source || target.hasPrefix(source + "/") || source.hasPrefix(target + "/") {
            throw BackupProblem(
                "One of \(backup) and \(dataPath) is inside the other. Choose another data directory.")
        }
        let needed = manifest.fileBytes + Int(clamping: manifest.assetBytes) + (1 << 20)
        let there = DirectoryInspection.exists(dataPath) ? dataPath : BackupFiles.parent(of: dataPath)
        let free = DirectoryInspection.freeBytes(there)
        guard free >= needed || !DirectoryInspection.exists(there) else {
            throw BackupProblem(
                "The disk of \(dataPath) has \(free >> 20) MiB free, and the backup needs \((needed >> 20) + 1) MiB. Free disk space first."
            )
        }
        guard replaces || existing(in: dataPath).isEmpty else {
            throw BackupProblem(
                "\(dataPath) is not empty. Choose an empty or new directory with --data, or move the existing data aside with --replace."
            )
        }
    }

    /// The names that a data directory may contain and still count as empty: entries of the file system, the files of a
    /// lock and of reserved disk space, and the copies of a restore that was interrupted before it moved anything.
    private static let ignored: Set = ["lost+found", "lock", StartReserve.name, ".restoring"]

    private func existing(in directory: String) -> [String] {
        DirectoryInspection.names(in: directory).filter { !Self.ignored.contains($0) }
    }

    /// The borrowed directory is locked during this call, so that no server starts. Taking the lock fails if a server
    /// is running.
    private static func restore(
        _ job: BackupRestoration, _ manifest: BackupManifest, _ directory: borrowing DataDirectory,
        _ progress: (_ path: String) -> Void
    ) throws -> (manifest: BackupManifest, replaced: String?) {
        let (restoring, target) = (job.restoring, directory.path)
        let hasData = !job.existing(in: target).isEmpty
        do {
            try job.copyAll(of: manifest, in: target, progress)
        } catch {
            // Without data, the copies stay: a server would start on an empty directory.
            guard hasData else { throw error }
            try? BackupFiles.removeTree(restoring)
            guard !DirectoryInspection.exists(job.moving) else { throw error }
            throw BackupProblem("\(error) The data in \(target) is unchanged.")
        }
        if !DirectoryInspection.exists(job.moving) { try BackupFiles.write([], to: job.moving) }
        try BackupFiles.sync(target)
        let replaced = try job.setAside(in: target)
        for name in DirectoryInspection.names(in: restoring) {
            try BackupFiles.move(restoring + "/" + name, to: target + "/" + name)
        }
        try BackupFiles.removeTree(restoring)
        try BackupFiles.sync(target)
        try BackupFiles.remove(job.moving)
        try BackupFiles.sync(target)
        return (manifest, replaced)
    }

    /// Copies all files to `.restoring`, and compares them with their digests.
    private func copyAll(of manifest: BackupManifest, in target: String, _ progress: (_ path: String) -> Void) throws {
        try BackupFiles.removeTree(restoring)
        try BackupFiles.makeDirectory(restoring)
        try BackupFiles.sync(target)
        for file in manifest.files {
            progress(file.path)
            try Self.makeParents(of: file.path, in: restoring)
            let copied = try BackupFiles.copy(backup + "/" + file.path, to: restoring + "/" + file.path)
            guard copied.size == file.size, copied.digest == file.digest else {
                throw BackupProblem(
                    "\(backup)/\(file.path) is damaged: its SHA-256 does not match the manifest. Use another backup.")
            }
        }
        for database in manifest.databases {
            try copyAssets(of: database.container + "/" + database.environment, progress)
        }
        try Self.syncAll(restoring)
    }

    private static func makeParents(of path: String, in directory: String) throws(BackupProblem) {
        var built = directory
        for part in path.split(separator: "/").dropLast() {
            built += "/" + part
            try BackupFiles.makeDirectory(built)
        }
    }

    private func copyAssets(of name: String, _ progress: (_ path: String) -> Void) throws {
        let from = AssetDirectory(database: backup + "/" + name)
        let to = AssetDirectory(database: restoring + "/" + name)
        var made: Set<String> = []
        try CopiedDatabase.forEachAsset(in: DataDirectory.databasePath(in: restoring + "/" + name)) { asset, _ in
            guard from.size(of: asset) != nil else { return }
            if made.isEmpty { try BackupFiles.makeDirectory(to.path) }
            if made.insert(asset.directory).inserted { try BackupFiles.makeDirectory(to.path + "/" + asset.directory) }
            progress(name + "/assets/" + asset.directory + "/" + asset.text)
            let copied = try BackupFiles.copy(from.path(of: asset), to: to.path(of: asset))
            guard copied.digest == asset.hash else {
                throw BackupProblem(
                    "\(from.path(of: asset)) is damaged: its SHA-256 does not match its name. Use another backup.")
            }
        }
    }

    /// Moves existing data aside, into a directory that servers ignore.
    private func setAside(in target: String) throws(BackupProblem) -> String? {
        let names = existing(in: target).filter {
            $0 != BackupFiles.name(of: moving) && !$0.hasPrefix(Self.replacedPrefix)
        }
        guard !names.isEmpty else { return nil }
        var time = WallClock.milliseconds
        while DirectoryInspection.exists("\(target)/\(Self.replacedPrefix)\(time)") { time += 1 }
        let aside = "\(target)/\(Self.replacedPrefix)\(time)"
        try BackupFiles.makeDirectory(aside)
        for name in names { try BackupFiles.move(target + "/" + name, to: aside + "/" + name) }
        return aside
    }

    private static let replacedPrefix = ".replaced-"

    private static func syncAll(_ directory: String) throws(BackupProblem) {
        for name in DirectoryInspection.directories(in: directory) { try syncAll(directory + "/" + name) }
        try BackupFiles.sync(directory)
    }
}
