internal import RecordModel
internal import RecordStorage

/// Where a database stood when a copy of it was complete.
package struct CopyMark: Hashable, Sendable {
    /// The last number of the one sequence that is in the copy.
    package var sequence: Int64
    /// The epoch that the copy begins: no token that the database gives later bears it.
    package var epoch: Int64
}

/// How far a copy is.
package struct CopyProgress: Hashable, Sendable {
    package var pages: Int
    package var remaining: Int
    /// Set when the copy is complete.
    package var mark: CopyMark?
}

/// Makes copies of a database's file, one at a time.
package struct Copies: Sendable {
    let database: RecordDatabase

    /// Copies the file while writers go on, in time slices on the writer's thread between groups of writes.
    ///
    /// - Parameters:
    ///   - path: Of the new file.
    ///   - progress: Called between slices, on the caller's thread.
    /// - Returns: What the copy holds: exactly the commits up to there.
    /// - Throws: `BackupProblem`; a `StoreFailure` of either file. The copy is worth nothing then.
    package func make(
        at path: String, progress: (CopyProgress) throws -> Void
    ) async throws -> CopyMark {
        do {
            while true {
                let slice: CopyProgress
                do {
                    slice = try await database.betweenGroups { try Self.slice(to: path, of: $0) }
                } catch let error as RecordError where error == .writerOverloaded {
                    // Those who write go first.
                    try await Task.sleep(for: .milliseconds(100))
                    continue
                }
                try progress(slice)
                if let mark = slice.mark { return mark }
                // The disk gets what was written at once. Later it would be in the way of a commit's sync.
                try AssetFolder.flush(path)
            }
        } catch {
            await Self.end(in: database)
            throw error
        }
    }

    /// Copies for one time slice, outside of any transaction: SQLite copies nothing inside of one.
    private static func slice(to path: String, of database: isolated RecordDatabase) throws -> CopyProgress {
        guard let transaction = database.transaction, database.isHealthy else {
            throw BackupProblem("The database is closed or does not accept writes.")
        }
        let copy = try database.copying ?? transaction.store.copy(to: path)
        database.copying = copy
        var budget = SliceBudget(.background, in: transaction, waiting: database.queueDepth)
        budget.limit(to: pagesPerSlice)
        var isDone = false
        repeat {
            isDone = try copy.step(pages: pagesPerStep)
            budget.spend(pagesPerStep)
        } while !isDone && budget.hasMore
        let pages = copy.pages
        guard isDone else { return CopyProgress(pages: pages.total, remaining: pages.remaining) }
        let mark = CopyMark(sequence: transaction.lastSequence, epoch: .random(in: 1 ... .max))
        end(in: database)
        return CopyProgress(pages: pages.total, remaining: 0, mark: mark)
    }

    /// Lets go of a copy that is complete or was given up.
    static func end(in database: isolated RecordDatabase) {
        database.copying?.end()
        database.copying = nil
    }

    /// A few microseconds for each page.
    private static let pagesPerStep = 16
    /// What is given to the disk at once, also where there is time for more: 1 MiB.
    private static let pagesPerSlice = 256
}

extension Administrators {
    /// Copies the file. It is small, and few wait for it.
    ///
    /// - Throws: A `StoreFailure`; `BackupProblem` after a failed sync.
    package func copyFile(to path: String) throws {
        guard let store else { throw BackupProblem("The administrators' database does not accept writes.") }
        try store.copy(to: path)
    }
}
