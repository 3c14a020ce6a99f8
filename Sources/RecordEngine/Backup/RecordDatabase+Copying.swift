internal import RecordModel
internal import RecordStorage
internal import Threads

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

extension RecordDatabase {
    /// Copies the file while writers go on, in time slices on the writer's thread between groups of writes.
    ///
    /// - Parameters:
    ///   - path: Of the new file.
    ///   - progress: Called between slices, on the caller's thread.
    /// - Returns: What the copy holds: exactly the commits up to there.
    /// - Throws: `BackupProblem`; a `StoreFailure` of either file. The copy is worth nothing then.
    package nonisolated func copyFile(
        to path: String, progress: (CopyProgress) throws -> Void
    ) async throws -> CopyMark {
        do {
            while true {
                let slice: CopyProgress
                do {
                    slice = try await withUnsafeThrowingContinuation { submit(CopySlice(self, to: path, $0)) }
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
            await endCopy()
            throw error
        }
    }

    /// Copies for one time slice.
    fileprivate func copySlice(to path: String, isBusy: Bool) throws -> CopyProgress {
        guard let transaction, isHealthy else { throw BackupProblem("The database is closed, or takes no writes.") }
        let copy = try copying ?? transaction.store.copy(to: path)
        copying = copy
        let building = transaction.indexBuilding
        let time = isBusy ? building.busyNanoseconds : building.idleNanoseconds
        let started = MonotonicClock.now
        var isDone = false
        var left = Self.pagesPerSlice
        repeat {
            let pages = min(Self.pagesPerStep, left)
            isDone = try copy.step(pages: pages)
            left -= pages
        } while !isDone && left > 0 && MonotonicClock.now &- started < time
        let pages = copy.pages
        guard isDone else { return CopyProgress(pages: pages.total, remaining: pages.remaining) }
        let mark = CopyMark(sequence: transaction.lastSequence, epoch: .random(in: 1 ... .max))
        endCopy()
        return CopyProgress(pages: pages.total, remaining: 0, mark: mark)
    }

    /// Lets go of a copy that is complete or was given up.
    func endCopy() {
        copying?.end()
        copying = nil
    }

    /// A few microseconds for each page.
    private static let pagesPerStep = 16
    /// What is given to the disk at once, also where there is time for more: 1 MiB.
    private static let pagesPerSlice = 256
}

/// One time slice of a copy. It comes in its turn among the writes, and copies after the commit of its group: a copy cannot be
/// made inside a transaction.
///
/// Unchecked: see `PendingWrite`.
private final class CopySlice: PendingWrite, @unchecked Sendable {
    private let database: RecordDatabase
    private let path: String
    private let continuation: UnsafeContinuation<CopyProgress, any Error>
    private var isBusy = false

    init(_ database: RecordDatabase, to path: String, _ continuation: UnsafeContinuation<CopyProgress, any Error>) {
        self.database = database
        self.path = path
        self.continuation = continuation
        super.init(operations: 0, weight: 0, isAlone: false, startsLazily: true)
    }

    /// So that a group of this alone is rolled back and costs no sync.
    override func run(_ transaction: WriteTransaction) throws(RecordError) {
        isBusy = transaction.groupSize > 1
        throw .databaseUnavailable
    }

    override func finish(_ failure: RecordError?) {
        // On any thread where the write was not taken.
        guard database.isOnWriter else { return continuation.resume(throwing: failure ?? .databaseUnavailable) }
        let (path, isBusy) = (path, isBusy || database.queueDepth > 0)
        continuation.resume(
            with: Result { try database.assumeIsolated { try $0.copySlice(to: path, isBusy: isBusy) } })
    }
}

extension Administrators {
    /// Copies the file. It is small, and few wait for it.
    ///
    /// - Throws: A `StoreFailure`; `BackupProblem` after a failed sync.
    package func copyFile(to path: String) throws {
        guard let store else { throw BackupProblem("The administrators' file takes no writes.") }
        try store.copy(to: path)
    }
}
