package import RecordModel
internal import RecordStorage
internal import Threads

/// A backup that the server remembers, and the result of its last test.
package struct RememberedBackup: Hashable, Sendable {
    /// What became of the copy.
    package enum Kind: String, Hashable, Sendable {
        /// A file that administrators download.
        case archive
        /// A directory on the server's machine, made by the operator's command.
        case directory
    }

    /// The result of a test.
    package struct Test: Hashable, Sendable {
        /// When the backup was tested, in milliseconds since 1970.
        package var tested: Int64
        /// The number of problems; 0 for a complete backup.
        package var problems: Int
        /// The first problem as a sentence; `nil` if there is none.
        package var problem: String?

        /// The maximum length of the stored sentence in characters.
        private static let maxLength = 500

        /// Records a result.
        package init(tested: Int64, problems: Int, problem: String?) {
            self.tested = tested
            self.problems = problems
            self.problem = problems == 0 ? nil : problem.map { String($0.prefix(Self.maxLength)) }
        }

        /// Records the problems that a verification has found in a directory. All roles of administrators can read the
        /// first one, so it contains no path of the server's machine.
        package init(tested: Int64, problems: [String], in directory: String) {
            let problem = problems.first?.replacing(directory + "/", with: "")
                .replacing(directory, with: BackupFiles.name(of: directory))
            self.init(tested: tested, problems: problems.count, problem: problem)
        }
    }

    /// When the backup began, in milliseconds since 1970. The manifest has the same time.
    package let created: Int64
    /// The kind of backup.
    package let kind: Kind
    /// The name of the directory or of the downloaded file.
    package let name: String
    /// The size of all files in bytes.
    package let bytes: Int64
    /// The result of the last test; `nil` if the backup was not tested.
    package var test: Test?

    /// Describes a backup that is complete.
    init(_ manifest: BackupManifest, _ request: BackupRequest) {
        created = manifest.created
        kind = request.isInDataDirectory ? .archive : .directory
        name =
            request.isInDataDirectory
            ? BackupArchive.name(manifest.created) + ".tar" : BackupFiles.name(of: request.path)
        bytes = Int64(manifest.fileBytes) + manifest.assetBytes
    }

    init(_ row: BackupRow) {
        created = row.created
        kind = Kind(rawValue: row.kind) ?? .directory
        name = row.name
        bytes = row.bytes
        test = row.tested.map { Test(tested: $0, problems: Int(row.problems), problem: row.problem) }
    }

    var row: BackupRow {
        BackupRow(
            created: created, kind: kind.rawValue, name: name, bytes: bytes, tested: test?.tested,
            problems: Int64(test?.problems ?? 0), problem: test?.problem)
    }
}

extension Administrators {
    /// The number of backups that the server remembers.
    private static let rememberedBackups = 50

    /// The last backups, newest first.
    package nonisolated var backups: [RememberedBackup] {
        snapshot.withLock { $0.backups }.map(RememberedBackup.init)
    }

    /// Adds a backup to the list, and removes the oldest one if there are too many.
    ///
    /// - Throws: TRY_AGAIN_LATER after `close` or a failed fsync; INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func remember(_ backup: RememberedBackup) throws(RecordError) {
        try put(backup.row)
    }

    /// Remembers the result of a test.
    ///
    /// - Returns: The backup; `nil` if the server does not know it.
    /// - Throws: The errors of `remember`.
    package func remember(
        _ test: RememberedBackup.Test, of created: Int64
    ) throws(RecordError) -> RememberedBackup? {
        guard var backup = backups.first(where: { $0.created == created }) else { return nil }
        backup.test = test
        try put(backup.row)
        return backup
    }

    private func put(_ row: BackupRow) throws(RecordError) {
        let rows = try write { store throws(RecordError) in
            try store.backups.put(row)
            try store.backups.keep(Self.rememberedBackups)
            return try store.backups.all()
        }
        snapshot.withLock { $0.backups = rows }
    }
}

extension DatabaseRegistry {
    /// Adds a backup to the list of a server with named administrators. The backup itself does not depend on that.
    nonisolated func remember(_ backup: RememberedBackup) async {
        do throws(RecordError) {
            try await configuration.administrators?.remember(backup)
        } catch {
            configuration.report("The backup \(backup.name) is missing in the list of backups: \(error.reason).")
        }
    }

    /// Remembers the result of a test. Reports damage to the operator too, because nobody may look at the list.
    ///
    /// - Returns: The backup; `nil` if the server does not know it.
    @discardableResult
    package nonisolated func remember(_ test: RememberedBackup.Test, of created: Int64) async -> RememberedBackup? {
        var backup: RememberedBackup?
        do throws(RecordError) {
            backup = try await configuration.administrators?.remember(test, of: created)
        } catch {
            configuration.report("The result of a backup's test could not be saved: \(error.reason).")
        }
        if test.problems > 0 {
            let name = backup.map { "The backup \($0.name)" } ?? "A backup"
            configuration.report(
                "\(name) is DAMAGED, and cannot be relied on: \(test.problem ?? "") Make another one, and check the disk."
            )
        }
        return backup
    }
}
