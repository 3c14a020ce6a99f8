internal import RecordStorage
internal import Threads

/// Puts a backup into a data directory.
///
/// Everything is copied into `.restoring` inside of the directory first, with its digests compared, and synced; then it takes
/// its places. While `.restoring` is there no server starts, so nothing that was broken off looks whole. It works inside
/// because a data directory may be where a volume is mounted, which cannot be renamed.
package struct BackupRestoration {
    let backup: String
    let dataPath: String
    /// Sets aside what the data directory has.
    let replaces: Bool

    package init(of backup: String, to dataPath: String, replaces: Bool) {
        self.backup = backup
        self.dataPath = dataPath
        self.replaces = replaces
    }

    private var restoring: String { DataFolder.restoringPath(in: dataPath) }

    /// - Parameter progress: Called before each file.
    /// - Throws: A sentence: a `BackupProblem`, or a `DataFolder.Problem` if a server uses the directory.
    /// - Returns: What was restored, and where what was there before lies now; `nil` if nothing was.
    package func run(
        progress: (_ path: String) -> Void = { _ in }
    ) throws -> (manifest: BackupManifest, replaced: String?) {
        let manifest = try BackupManifest(of: backup)
        try checkPlaces(manifest)
        return try Self.restore(self, manifest, DataFolder(opening: dataPath, forRestoring: true), progress)
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
        let there = FolderInspection.exists(dataPath) ? dataPath : BackupFiles.parent(of: dataPath)
        let free = FolderInspection.freeBytes(there)
        guard free >= needed || !FolderInspection.exists(there) else {
            throw BackupProblem(
                "The disk of \(dataPath) has \(free >> 20) MiB free, and the backup needs \((needed >> 20) + 1) MiB. Free disk space first."
            )
        }
        let others = FolderInspection.names(in: dataPath).filter { !Self.ignored.contains($0) }
        guard others.isEmpty || replaces else {
            throw BackupProblem(
                others.contains(BackupFiles.name(of: restoring))
                    ? "A restore to \(dataPath) was interrupted. Run it again with --replace, which moves the existing data aside."
                    : "\(dataPath) is not empty. Choose an empty or new directory with --data, or move the existing data aside with --replace."
            )
        }
    }

    /// What an empty data directory may have: what the system puts on a disk, and what a lock leaves.
    private static let ignored: Set = ["lost+found", "lock", StartReserve.name]

    /// The borrowed folder is locked for as long as this runs: no server starts, and a running one is found.
    private static func restore(
        _ job: BackupRestoration, _ manifest: BackupManifest, _ folder: borrowing DataFolder,
        _ progress: (_ path: String) -> Void
    ) throws -> (manifest: BackupManifest, replaced: String?) {
        let (restoring, target) = (job.restoring, folder.path)
        try BackupFiles.removeTree(restoring)
        try BackupFiles.makeDirectory(restoring)
        try BackupFiles.sync(target)
        for file in manifest.files {
            progress(file.path)
            try makeParents(of: file.path, in: restoring)
            let copied = try BackupFiles.copy(job.backup + "/" + file.path, to: restoring + "/" + file.path)
            guard copied.size == file.size, copied.digest == file.digest else {
                throw BackupProblem(
                    "\(job.backup)/\(file.path) is damaged: its SHA-256 does not match the manifest. Use another backup."
                )
            }
        }
        for database in manifest.databases {
            try job.copyAssets(of: database.container + "/" + database.environment, progress)
        }
        try syncAll(restoring)
        let replaced = try job.setAside(in: target)
        for name in FolderInspection.names(in: restoring) {
            try BackupFiles.move(restoring + "/" + name, to: target + "/" + name)
        }
        try BackupFiles.removeTree(restoring)
        try BackupFiles.sync(target)
        return (manifest, replaced)
    }

    private static func makeParents(of path: String, in folder: String) throws(BackupProblem) {
        var built = folder
        for part in path.split(separator: "/").dropLast() {
            built += "/" + part
            try BackupFiles.makeDirectory(built)
        }
    }

    private func copyAssets(of name: String, _ progress: (_ path: String) -> Void) throws {
        let from = AssetFolder(database: backup + "/" + name)
        let to = AssetFolder(database: restoring + "/" + name)
        var made: Set<String> = []
        try CopiedDatabase.forEachAsset(in: DataFolder.databasePath(in: restoring + "/" + name)) { asset, _ in
            guard from.size(of: asset) != nil else { return }
            if made.isEmpty { try BackupFiles.makeDirectory(to.path) }
            if made.insert(asset.folder).inserted { try BackupFiles.makeDirectory(to.path + "/" + asset.folder) }
            progress(name + "/assets/" + asset.folder + "/" + asset.text)
            let copied = try BackupFiles.copy(from.path(of: asset), to: to.path(of: asset))
            guard copied.digest == asset.hash else {
                throw BackupProblem(
                    "\(from.path(of: asset)) is damaged: its SHA-256 does not match its name. Use another backup.")
            }
        }
    }

    /// Moves what is there out of the way, and into a directory that no server looks at.
    private func setAside(in target: String) throws(BackupProblem) -> String? {
        let restoring = BackupFiles.name(of: restoring)
        let names = FolderInspection.names(in: target).filter {
            !Self.ignored.contains($0) && $0 != restoring && !$0.hasPrefix(Self.replacedPrefix)
        }
        guard !names.isEmpty else { return nil }
        var time = WallClock.milliseconds
        while FolderInspection.exists("\(target)/\(Self.replacedPrefix)\(time)") { time += 1 }
        let aside = "\(target)/\(Self.replacedPrefix)\(time)"
        try BackupFiles.makeDirectory(aside)
        for name in names { try BackupFiles.move(target + "/" + name, to: aside + "/" + name) }
        return aside
    }

    private static let replacedPrefix = ".replaced-"

    private static func syncAll(_ folder: String) throws(BackupProblem) {
        for name in FolderInspection.folders(in: folder) { try syncAll(folder + "/" + name) }
        try BackupFiles.sync(folder)
    }
}
