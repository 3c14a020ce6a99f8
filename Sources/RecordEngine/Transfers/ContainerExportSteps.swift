internal import Glibc
internal import RecordModel
internal import RecordStorage
internal import RecordWire
internal import Threads

/// The steps of a job that exports a whole container.
///
/// The first round copies the database file, so that all lines are of one moment. Each further round appends lines to the
/// file of the job. An export that was interrupted by the end of the process begins again, since nobody has seen its file.
///
/// Unchecked `Sendable`: see `JobSteps`.
final class ContainerExportSteps: JobSteps, @unchecked Sendable {
    private var export: Export?
    private var isComplete = false
    /// Why the export cannot go on; `nil` if it can.
    private var failure: RecordError?
    /// Whether the stored progress has the records of the last round.
    private var isNoted = true

    /// An export in progress. Until it ends, the files of assets stay.
    private final class Export: @unchecked Sendable {
        let file: JobOutputFile
        let content: ContainerExport
        private let assets: AssetStore

        init(_ directory: String, _ name: String, _ database: RecordDatabase) throws {
            content = try ContainerExport(of: directory, database)
            file = try JobOutputFile(.result, of: name, in: database.assetStore.jobFiles)
            assets = database.assetStore
            assets.holdCollection()
        }

        deinit { assets.releaseCollection() }
    }

    /// A round ends after this time. Its records are in the stored progress then.
    private static let roundTime = Duration.milliseconds(500)

    var needsRound: Bool { isNoted && !isComplete }

    func prepareRound(of job: JobID, in database: RecordDatabase) async throws(RecordError) {
        isNoted = false
        do throws(RecordError) {
            let export = if let export { export } else { try await begin(job, in: database) }
            self.export = export
            isComplete = try await Self.round(of: export, in: database)
        } catch {
            // Another attempt would write the file from its beginning, up to the same end.
            guard error.cause == .storageFull else { throw error }
            failure = error
        }
    }

    private static func round(of export: Export, in database: RecordDatabase) async throws(RecordError) -> Bool {
        try await database.assetStore.run { () throws(RecordError) in
            let deadline = Deadline.after(Self.roundTime)
            var isLast = false
            repeat {
                var lines: [UInt8] = []
                isLast = try export.content.write(until: deadline, to: &lines)
                try database.assetStore.append(lines, to: export.file, limits: database.limits)
            } while !isLast && !deadline.hasPassed()
            guard isLast else { return false }
            do throws(AssetFileError) { try export.file.keep() } catch { throw database.assets.failure(error) }
            return true
        }
    }

    /// Copies the database, and opens the copy and the file of the job.
    private func begin(_ job: JobID, in database: RecordDatabase) async throws(RecordError) -> Export {
        let name = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try reader.store.jobs.find(job)?.name
        }
        guard let name else { throw .databaseUnavailable }
        let files = database.assetStore.jobFiles
        // No asset of the copy is deleted between the copy and the export.
        database.assetStore.holdCollection()
        defer { database.assetStore.releaseCollection() }
        let bytes = DirectoryInspection.size(of: DataDirectory.databasePath(in: database.directoryPath)) ?? 0
        try database.assetStore.reserveSpace(bytes, limits: database.limits)
        defer { database.assetStore.releaseSpace(bytes) }
        do {
            let directory = try files.makeCopyDirectory(of: name)
            let path = DataDirectory.databasePath(in: directory)
            _ = try await database.copies.make(at: path, isBackup: false) { _ in }
            try CopiedDatabase.close(path)
            let export = try Export(directory, name, database)
            // The open connection keeps the content. The name would remain after the end of the process.
            files.removeCopy(of: name)
            return export
        } catch let error as RecordError {
            throw error
        } catch let error as AssetFileError {
            throw database.assets.failure(error)
        } catch {
            database.statistics.didFail("\(error)")
            throw RecordError(
                .internalError, "The database could not be copied. The server's log has the cause")
        }
    }

    func perform(
        _ job: JobID, in transaction: WriteTransaction, _ budget: inout SliceBudget, _ progress: inout StoredProgress
    ) throws(RecordError) -> JobPart {
        if let failure { return .failed(failure) }
        guard let export else { return .notLast }
        progress.done = export.content.counts.records
        progress.last = RecordNumber(rawValue: export.file.size)
        progress.total = nil
        budget.spend(1)
        return isComplete ? .last : .notLast
    }

    func didCommit() { isNoted = true }
}
