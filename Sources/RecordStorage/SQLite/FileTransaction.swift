package import RecordModel

/// The reason why a transaction was not committed.
package enum CommitFailure: Error {
    /// The transaction is certainly not on disk.
    case rejected(RecordError, StoreFailure?)
    /// It is unknown whether the transaction is on disk. The file accepts no more writes.
    case unknown(RecordError)
}

/// The transactions of a file. Only the thread that writes the file uses them.
final class FileTransaction {
    private let connection: Connection
    private let status: StoreStatus
    private let beginning: Statement
    private let committing: Statement
    private let rollingBack: Statement
    private let overwriting: Statement

    /// Prepares the SQL statements on `connection`.
    ///
    /// - Parameter overwriting: A statement that writes a row that nothing reads; see `overwriteFailedCommit`.
    init(_ connection: Connection, status: StoreStatus, overwriting: SQL) {
        self.connection = connection
        self.status = status
        beginning = connection.prepare("BEGIN IMMEDIATE")
        committing = connection.prepare("COMMIT")
        rollingBack = connection.prepare("ROLLBACK")
        self.overwriting = connection.prepare(overwriting)
    }

    /// Begins a transaction.
    ///
    /// - Throws: TRY_AGAIN_LATER if the state of the disk is unknown; INTERNAL_ERROR or TRY_AGAIN_LATER if the store
    ///   fails.
    func begin() throws(RecordError) {
        connection.forgetFailure()
        guard !status.hasFailedPermanently else { throw .databaseUnavailable }
        try beginning.run()
    }

    /// Commits durably. If the commit fails, rolls the transaction back.
    ///
    /// - Parameter last: Writes that belong to the transaction and run before COMMIT.
    /// - Throws: `CommitFailure`.
    func commit(_ last: () throws(RecordError) -> Void = {}) throws(CommitFailure) {
        do throws(RecordError) {
            connection.forgetFailure()
            try last()
            try committing.run()
        } catch {
            let failure = connection.failure
            noteFailure()
            rollback()
            guard failure?.kind != .syncFailed, forgetFailedCommit() else {
                status.failPermanently()
                throw .unknown(error)
            }
            throw .rejected(error, failure)
        }
    }

    /// Rolls the transaction back, unless SQLite has already done so.
    func rollback() {
        guard connection.isInTransaction else { return }
        try? connection.cleanUp { () throws(RecordError) in try rollingBack.run() }
    }

    /// Reports the last failure to the observer. After a failed sync the store rejects all writes until a
    /// restart.
    func noteFailure() {
        guard let failure = connection.failure else { return }
        status.observer?.didFail(failure.description)
        if failure.kind == .syncFailed { status.failPermanently() }
    }

    /// Makes sure that no frame of a failed commit is left in the WAL. Only then may the server report to clients that
    /// the write was rejected.
    ///
    /// - Returns: Whether the WAL certainly has no frame of the failed commit.
    private func forgetFailedCommit() -> Bool {
        do throws(RecordError) {
            try overwriteFailedCommit()
            return true
        } catch {
            noteFailure()
            // If there was no space for the WAL index, the frames were overwritten nevertheless. If there was no space
            // for the first frame, the failed commit had not written this frame either.
            return connection.failure?.isStorageFull ?? false
        }
    }

    /// Overwrites the frames of a failed commit in the WAL.
    ///
    /// SQLite writes a commit's frames, with the commit mark, before it extends the WAL index. If extending the
    /// index fails, the commit has failed and no reader sees it. But the next start would read the commit from the WAL.
    /// Overwriting breaks the chain of checksums.
    func overwriteFailedCommit() throws(RecordError) {
        do throws(RecordError) {
            try begin()
            try overwriting.run()
            try committing.run()
        } catch {
            rollback()
            throw error
        }
    }
}
