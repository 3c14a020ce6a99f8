internal import RecordModel
internal import RecordStorage

/// Checks a data directory without changing it. A server may use the directory meanwhile.
///
/// A check ends soon after its task is cancelled. Its report is then incomplete.
package struct Doctor {
    /// The progress of a check.
    package struct Progress: Hashable, Sendable {
        /// The current activity, for example `iCloud.org.example.Forum/development: records`.
        package var activity: String
        /// The number of rows checked so far.
        package var done: Int
        /// The total number of rows to check; 0 if unknown.
        package var total: Int
    }

    let isQuick: Bool
    private let examinesSpace: Bool
    private let progress: (Progress) -> Void

    /// Creates a doctor for the selected checks.
    ///
    /// - Parameters:
    ///   - isQuick: Whether to skip the checks of each record and of SQLite's indexes.
    ///   - examinesSpace: Whether to check the free disk space. A backup does not need this check.
    ///   - progress: Called regularly with the current progress.
    package init(
        isQuick: Bool = false, examinesSpace: Bool = true, progress: @escaping (Progress) -> Void = { _ in }
    ) {
        self.isQuick = isQuick
        self.examinesSpace = examinesSpace
        self.progress = progress
    }

    /// Reports the progress.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func report(_ now: Progress) throws {
        try Task.checkCancellation()
        progress(now)
    }

    /// Checks the whole data directory and returns the findings.
    package func examine(dataPath: String) -> DoctorReport {
        var found = DoctorReport(dataPath: dataPath)
        guard DirectoryInspection.isDirectory(dataPath) else {
            found.problem(
                "There is no directory \(dataPath).",
                remedy: "Set the data directory with --data, or start the server once to create it.", sort: "folder")
            return found
        }
        if examinesSpace { examineSpace(dataPath, &found) }
        examinePermissions(of: dataPath, isDirectory: true, &found)
        let administrator = dataPath + "/administrator"
        if DirectoryInspection.exists(administrator) {
            examinePermissions(of: administrator, isDirectory: false, &found)
        }
        var isServerFileReadable = true
        for name in DirectoryInspection.files(in: dataPath)
        where name.hasPrefix(ServerFile.name) || ["operator.json", "lock", StartReserve.name].contains(name) {
            let isUsable = examinePermissions(of: dataPath + "/" + name, isDirectory: false, &found)
            if name.hasPrefix(ServerFile.name), !isUsable { isServerFileReadable = false }
        }
        if isServerFileReadable { examineServerFile(ServerFile.path(in: dataPath), &found) }
        for container in DirectoryInspection.directories(in: dataPath) {
            guard let name = ContainerName(container) else { continue }
            let path = dataPath + "/" + container
            examinePermissions(of: path, isDirectory: true, &found)
            for environment in RecordEnvironment.allCases where !Task.isCancelled {
                let directory = path + "/" + environment.rawValue
                guard DirectoryInspection.isDirectory(directory) else { continue }
                examine(directory, container: name, environment: environment, &found)
            }
        }
        if let unfinished = DataDirectory.unfinishedRestore(in: dataPath) {
            found.problem(
                unfinished.sentence + " No server starts on this directory.", remedy: unfinished.remedy, sort: "restore"
            )
        }
        if found.databases.isEmpty, !found.hasUnreadableFiles {
            found.notice("\(dataPath) contains no database yet.")
        }
        return found
    }

    private func examine(
        _ directory: String, container: ContainerName, environment: RecordEnvironment, _ found: inout DoctorReport
    ) {
        var database = DoctorReport.Database(
            container: container.text, environment: environment.rawValue, path: directory,
            isInUse: DataDirectory.isInUse(directory))
        let file = DataDirectory.databasePath(in: directory)
        database.databaseBytes = DataDirectory.size(of: file)
        database.walBytes = DataDirectory.size(of: file + "-wal")
        guard examinePermissions(of: directory, isDirectory: true, &found) else { return }
        var isReadable = true
        for name in DirectoryInspection.files(in: directory) {
            let isUsable = examinePermissions(of: directory + "/" + name, isDirectory: false, &found)
            if (directory + "/" + name).hasPrefix(file), !isUsable { isReadable = false }
        }
        if DataDirectory.size(of: directory + "/secret") != 32 {
            found.problem(
                "\(directory)/secret is missing or damaged: it must hold 32 bytes.",
                remedy:
                    "Restore it from a backup. Without it, all sync tokens and cursors of this database are invalid.",
                sort: directory + " secret")
        }
        if database.databaseBytes == 0 {
            found.problem(
                "\(file) is missing or empty.", remedy: "Restore the directory from a backup, or delete the directory.",
                sort: directory + " file")
        } else if isReadable {
            do {
                let store = try StoreInspector(in: directory)
                try store.explaining {
                    var examination = try DatabaseCheck(
                        store, directory: directory, isInUse: database.isInUse,
                        label: container.text + "/" + environment.rawValue, doctor: self)
                    try examination.run(&database, &found)
                }
            } catch {
                Self.report(error, of: file, copy: "directory", sort: directory + " file", &found)
            }
        }
        found.databases.append(database)
    }

    // MARK: The directory

    /// Checks the server's administrators, their sessions and the server's audit log.
    private func examineServerFile(_ file: String, _ found: inout DoctorReport) {
        guard DirectoryInspection.exists(file) else { return }
        do {
            try report(Progress(activity: ServerFile.name, done: 0, total: 0))
            let store = try ServerInspector(file: file)
            try store.explaining { try examineServerFile(store, file, &found) }
        } catch {
            Self.report(error, of: file, copy: "file", sort: "server file", &found)
        }
    }

    private func examineServerFile(
        _ store: ServerInspector, _ file: String, _ found: inout DoctorReport
    ) throws {
        let state = try store.migrationState()
        if state.unknown > 0 {
            found.problem(
                "\(file) was written by a newer version of Fogbase.",
                remedy: "Use that version, or restore a backup from before.", sort: "server migration")
        } else if state.missing > 0 {
            found.notice("\(file): The next start of the server migrates the tables.")
        }
        for line in try store.integrityProblems(isQuick: isQuick) {
            found.problem(
                "\(StoreLibrary.name) finds \(file) damaged: \(line).",
                remedy: "Stop the server, keep a copy of the file as it is, and restore it from a backup.",
                sort: "server integrity")
        }
        guard state.missing == 0, state.unknown == 0 else { return }
        for line in try store.oddities(roles: AdministratorRole.allCases.map(\.rawValue)) {
            found.problem(
                "\(file): \(line).",
                remedy: "Remove the administrator and add it again; until then it cannot sign in.",
                sort: "server administrators")
        }
    }

    /// Reports a database that could not be checked. If disk space was missing, the report does not advise a restore.
    private static func report(
        _ error: any Error, of file: String, copy: String, sort: String, _ found: inout DoctorReport
    ) {
        if let error = error as? StoreFailure, error.isStorageFull {
            found.problem(
                "\(file) could not be checked: \(error).", remedy: "Free disk space, then run the doctor again.",
                sort: sort)
            return
        }
        found.problem(
            "\(file) cannot be read: \(error).",
            remedy: "Stop the server, keep a copy of the \(copy) as it is, and restore it from a backup.", sort: sort)
    }

    private func examineSpace(_ path: String, _ found: inout DoctorReport) {
        found.freeBytes = DirectoryInspection.freeBytes(path)
        if found.freeBytes < 256 << 20 {
            found.problem(
                "The disk of \(path) has only \(found.freeBytes >> 20) MiB left.",
                remedy: "Free disk space: on a full disk writes fail, and a checkpoint needs as much space as the WAL.",
                sort: "space")
        }
    }

    /// Returns whether this user can read and write a file or a directory.
    @discardableResult
    private func examinePermissions(of path: String, isDirectory: Bool, _ found: inout DoctorReport) -> Bool {
        guard let status = DirectoryInspection.status(of: path) else { return true }
        if status.permissions & 0o077 != 0 {
            let wanted = isDirectory ? "0700" : "0600"
            let now = "0" + String(status.permissions, radix: 8)
            found.problem(
                "\(path) is open to other users of this machine: its mode is \(now).",
                remedy: "Run: chmod \(wanted) '\(path)'", sort: "mode")
        }
        guard let obstacle = FileOwnership.obstacle(to: path) else { return true }
        found.problem(
            obstacle.sentence,
            remedy: "Run the doctor and the server as the user who owns the directory. \(obstacle.remedy)",
            sort: DoctorReport.owner)
        return false
    }
}
