internal import RecordModel
internal import RecordStorage
internal import Threads

/// The position of a complete copy in the history of the copied database.
package struct CopyPosition: Hashable, Sendable {
    /// The last sequence number in the copy.
    package var sequence: Int64
    /// The epoch of the copy. The copied database itself never issues sync tokens with this epoch.
    package var epoch: Int64
}

/// The progress of a copy.
package struct CopyProgress: Hashable, Sendable {
    /// The total number of pages.
    package var pages: Int
    /// The number of pages that are not copied yet.
    package var remaining: Int
    /// The position of the copy; `nil` until the copy is complete.
    package var mark: CopyPosition?
}

/// The identity of a copy.
final class CopyID: Sendable {}

/// Copies the file of a database. Only one copy runs at a time.
package struct Copies: Sendable {
    let database: RecordDatabase

    /// Copies the database file while writes continue, in time slices on the writer's thread between groups of writes.
    ///
    /// - Parameters:
    ///   - path: The path of the new file.
    ///   - isBackup: Whether a job of the server shows the copy.
    ///   - progress: Called between slices, on the caller's thread.
    /// - Returns: The position of the copy, which contains all commits up to this position and no later commits.
    /// - Throws: `BackupProblem`, or `StoreFailure` of either file. After an error, the new file is unusable.
    package func make(
        at path: String, isBackup: Bool = true, progress: (CopyProgress) throws -> Void
    ) async throws -> CopyPosition {
        let id = CopyID()
        var shown = Deadline.after(.zero)
        do {
            while true {
                let slice: CopyProgress
                do {
                    guard let next = try await database.betweenGroups({ try Self.slice(id, to: path, of: $0) }) else {
                        // Another copy is in progress.
                        try await Task.sleep(for: .milliseconds(100))
                        continue
                    }
                    slice = next
                } catch let error as RecordError where error == .writerOverloaded {
                    // Wait, since writes go first.
                    try await Task.sleep(for: .milliseconds(100))
                    continue
                }
                try progress(slice)
                if isBackup, shown.hasPassed() {
                    await database.jobs.showBackup(done: slice.pages - slice.remaining, total: slice.pages)
                    shown = .after(.seconds(1))
                }
                if let mark = slice.mark { return mark }
                // Start writing to the disk now, so that it does not delay the fsync of a later commit.
                try AssetDirectory.flush(path)
            }
        } catch {
            await Self.end(id, in: database)
            throw error
        }
    }

    /// Copies pages for one time slice, outside of any transaction: SQLite copies nothing inside a transaction.
    ///
    /// - Returns: The progress; `nil` while another copy is in progress.
    private static func slice(
        _ id: CopyID, to path: String, of database: isolated RecordDatabase
    ) throws -> CopyProgress? {
        guard let transaction = database.transaction, database.isHealthy else {
            throw BackupProblem("The database is closed or does not accept writes.")
        }
        if let running = database.copying, running.id !== id { return nil }
        let copy = try database.copying?.copy ?? transaction.store.copy(to: path)
        database.copying = (id, copy)
        var budget = SliceBudget(.background, in: transaction, waiting: database.queueDepth)
        budget.limit(to: pagesPerSlice)
        var isDone = false
        repeat {
            isDone = try copy.step(pages: pagesPerStep)
            budget.spend(pagesPerStep)
        } while !isDone && budget.hasMore
        let pages = copy.pages
        guard isDone else { return CopyProgress(pages: pages.total, remaining: pages.remaining) }
        let mark = CopyPosition(sequence: transaction.lastSequence, epoch: .random(in: 1 ... .max))
        end(id, in: database)
        return CopyProgress(pages: pages.total, remaining: 0, mark: mark)
    }

    /// Ends a copy that is complete or canceled.
    private static func end(_ id: CopyID, in database: isolated RecordDatabase) {
        guard database.copying?.id === id else { return }
        endAll(in: database)
    }

    /// Ends the copy that is in progress, if there is one.
    static func endAll(in database: isolated RecordDatabase) {
        database.copying?.copy.end()
        database.copying = nil
    }

    /// The number of pages to copy between two checks of the time budget. Copying a page takes a few microseconds.
    private static let pagesPerStep = 16
    /// The maximum number of pages per time slice: 1 MiB. A larger slice could flush too much data to the disk at once.
    private static let pagesPerSlice = 256
}

extension Administrators {
    /// Copies the administrators' file. The file is small, so the copy blocks the actor only briefly.
    ///
    /// - Throws: `StoreFailure`, or `BackupProblem` after a failed fsync.
    package func copyFile(to path: String) throws {
        guard let store else { throw BackupProblem("The administrators' database does not accept writes.") }
        try store.copy(to: path)
    }
}
