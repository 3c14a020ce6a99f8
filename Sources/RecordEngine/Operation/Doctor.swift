internal import RecordModel
internal import RecordStorage

/// Examines a data folder without changing anything, also while a server uses it.
package struct Doctor {
    /// What is being done, for those who wait.
    package struct Progress: Hashable, Sendable {
        /// Such as `iCloud.org.example.Forum/development: records`.
        package var activity: String
        package var done: Int
        /// Zero if unknown.
        package var total: Int
    }

    let isQuick: Bool
    private let examinesSpace: Bool
    let report: (Progress) -> Void

    /// - Parameters:
    ///   - isQuick: Leave out the examination of each record, and of SQLite's indexes.
    ///   - examinesSpace: Look whether the disk has room, of which a backup needs none.
    ///   - progress: Called now and then.
    package init(
        isQuick: Bool = false, examinesSpace: Bool = true, progress: @escaping (Progress) -> Void = { _ in }
    ) {
        self.isQuick = isQuick
        self.examinesSpace = examinesSpace
        self.report = progress
    }

    /// Examines everything below a data folder.
    package func examine(dataPath: String) -> DoctorReport {
        var found = DoctorReport(dataPath: dataPath)
        guard FolderInspection.isFolder(dataPath) else {
            found.problem(
                "There is no directory \(dataPath).",
                remedy: "Set the data directory with --data, or start the server once to create it.", sort: "folder")
            return found
        }
        if examinesSpace { examineSpace(dataPath, &found) }
        examinePermissions(of: dataPath, isFolder: true, &found)
        let administrator = dataPath + "/administrator"
        if FolderInspection.exists(administrator) { examinePermissions(of: administrator, isFolder: false, &found) }
        for name in FolderInspection.files(in: dataPath)
        where name.hasPrefix(ServerFile.name) || ["operator.json", "lock", StartReserve.name].contains(name) {
            examinePermissions(of: dataPath + "/" + name, isFolder: false, &found)
        }
        examineServerFile(ServerFile.path(in: dataPath), &found)
        for container in FolderInspection.folders(in: dataPath) {
            guard let name = ContainerName(container) else { continue }
            let path = dataPath + "/" + container
            examinePermissions(of: path, isFolder: true, &found)
            for environment in RecordEnvironment.allCases {
                let folder = path + "/" + environment.rawValue
                guard FolderInspection.isFolder(folder) else { continue }
                examine(folder, container: name, environment: environment, &found)
            }
        }
        if FolderInspection.exists(DataFolder.restoringPath(in: dataPath)) {
            found.problem(
                "A restore to \(dataPath) was interrupted. No server starts on this directory.",
                remedy: "Run 'fogbase backup restore' again, with --replace.", sort: "restore")
        }
        if found.databases.isEmpty {
            found.notice("\(dataPath) contains no database yet.")
        }
        return found
    }

    private func examine(
        _ folder: String, container: ContainerName, environment: RecordEnvironment, _ found: inout DoctorReport
    ) {
        var database = DoctorReport.Database(
            container: container.text, environment: environment.rawValue, path: folder,
            isInUse: DataFolder.isInUse(folder))
        let file = DataFolder.databasePath(in: folder)
        database.databaseBytes = DataFolder.size(of: file)
        database.logBytes = DataFolder.size(of: file + "-wal")
        examinePermissions(of: folder, isFolder: true, &found)
        for name in FolderInspection.files(in: folder) {
            examinePermissions(of: folder + "/" + name, isFolder: false, &found)
        }
        if DataFolder.size(of: folder + "/secret") != 32 {
            found.problem(
                "\(folder)/secret is missing or damaged: it must hold 32 bytes.",
                remedy:
                    "Restore it from a backup. Without it, all sync tokens and cursors of this database are invalid.",
                sort: folder + " secret")
        }
        if database.databaseBytes == 0 {
            found.problem(
                "\(file) is missing or empty.", remedy: "Restore the directory from a backup, or delete the directory.",
                sort: folder + " file")
        } else {
            do {
                let store = try StoreInspector(in: folder)
                try store.explaining {
                    var examination = try DatabaseExamination(
                        store, folder: folder, isInUse: database.isInUse,
                        label: container.text + "/" + environment.rawValue, doctor: self)
                    try examination.run(&database, &found)
                }
            } catch {
                Self.report(error, of: file, copy: "directory", sort: folder + " file", &found)
            }
        }
        found.databases.append(database)
    }

    // MARK: The folder

    /// Administrators, their sessions and the server's log.
    private func examineServerFile(_ file: String, _ found: inout DoctorReport) {
        guard FolderInspection.exists(file) else { return }
        report(Progress(activity: ServerFile.name, done: 0, total: 0))
        do {
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

    /// A database that could not be examined. For want of room nobody must restore what is whole.
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
        found.freeBytes = FolderInspection.freeBytes(path)
        if found.freeBytes < 256 << 20 {
            found.problem(
                "The disk of \(path) has only \(found.freeBytes >> 20) MiB left.",
                remedy: "Free disk space: on a full disk writes fail, and a checkpoint needs as much space as the WAL.",
                sort: "space")
        }
    }

    private func examinePermissions(of path: String, isFolder: Bool, _ found: inout DoctorReport) {
        guard let status = FolderInspection.status(of: path) else { return }
        if status.permissions & 0o077 != 0 {
            let wanted = isFolder ? "0700" : "0600"
            let now = "0" + String(status.permissions, radix: 8)
            found.problem(
                "\(path) is open to other users of this machine: its mode is \(now).",
                remedy: "Run: chmod \(wanted) '\(path)'", sort: "mode")
        }
        if !status.isOursOrReadable {
            found.problem(
                "\(path) cannot be read and written by this user.",
                remedy: "Run the doctor and the server as the user who owns the directory.", sort: "owner")
        }
    }
}
