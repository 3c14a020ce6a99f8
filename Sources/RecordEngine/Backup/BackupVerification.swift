package import RecordStorage

/// The result of verifying a backup.
package struct BackupVerification: Sendable {
    /// The manifest of the backup.
    package let manifest: BackupManifest
    /// The problems as sentences; empty for an intact backup.
    package var problems: [String] = []
    /// The doctor's report on the databases; `nil` if their files are damaged.
    package var report: DoctorReport?

    /// Verifies a backup: compares all files with the manifest, reads all assets, and runs the doctor on the databases.
    ///
    /// - Parameter progress: Called regularly with the progress.
    /// - Throws: `BackupProblem` if the directory is not a backup; `BackupProblem.cancelled` soon after the task is
    ///   cancelled.
    package init(
        of backup: String, progress: @escaping (_ activity: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    ) throws(BackupProblem) {
        manifest = try BackupManifest(of: backup)
        for (number, file) in manifest.files.enumerated() {
            progress(file.path, number, manifest.files.count)
            try examine(file, in: backup)
        }
        guard problems.isEmpty else { return }
        for database in manifest.databases { try examineAssets(of: database, in: backup, progress) }
        let doctor = Doctor(examinesSpace: false) { step in progress(step.activity, step.done, step.total) }
        let report = doctor.examine(dataPath: backup)
        if Task.isCancelled { throw .cancelled }
        problems += report.findings.filter { $0.kind == .problem }.map(\.sentence)
        if report.omitted > 0 { problems.append("… and \(report.omitted) more of this kind.") }
        if report.databases.count != manifest.databases.count {
            problems.append(
                "\(backup) has \(report.databases.count) databases, but its manifest lists \(manifest.databases.count)."
            )
        }
        self.report = report
    }

    private mutating func examine(_ file: BackupManifest.File, in backup: String) throws(BackupProblem) {
        let path = backup + "/" + file.path
        guard DirectoryInspection.exists(path) else {
            problems.append("\(path) is missing.")
            return
        }
        do throws(BackupProblem) {
            let read = try BackupFiles.digest(of: path, isCancelled: { Task.isCancelled })
            if read.size != file.size {
                problems.append("\(path) is damaged: it has \(read.size) bytes instead of \(file.size).")
            } else if read.digest != file.digest {
                problems.append("\(path) is damaged: its SHA-256 does not match the manifest.")
            }
        } catch {
            if error == .cancelled { throw error }
            problems.append(error.description)
        }
    }

    private mutating func examineAssets(
        of database: BackupManifest.Database, in backup: String,
        _ progress: (_ activity: String, _ done: Int, _ total: Int) -> Void
    ) throws(BackupProblem) {
        let directory = backup + "/" + database.container + "/" + database.environment
        let assets = AssetDirectory(database: directory)
        var (count, found) = (0, 0)
        do {
            try CopiedDatabase.forEachAsset(in: DataDirectory.databasePath(in: directory)) { name, _ in
                let path = assets.path(of: name)
                guard assets.size(of: name) != nil else { return }
                found += 1
                // The name of an asset's file is its digest.
                if try BackupFiles.digest(of: path, isCancelled: { Task.isCancelled }).digest != name.hash {
                    problems.append("\(path) is damaged: its SHA-256 does not match its name.")
                }
                count += 1
                if count % 64 == 0 { progress(directory + ": assets", count, database.assets) }
            }
            if found != database.assets {
                problems.append("\(directory) has \(found) asset files instead of \(database.assets).")
            }
        } catch {
            if Task.isCancelled { throw .cancelled }
            problems.append("\(directory): the assets cannot be read: \(error).")
        }
    }
}
