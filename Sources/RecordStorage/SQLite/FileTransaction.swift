package import RecordModel

/// Why a transaction was not committed.
package enum CommitFailure: Error {
    /// Nothing of it is there.
    case rejected(RecordError, StoreFailure?)
    /// Whether it is there is not known. No more is written to a file that is in this state.
    case unknown(RecordError)
}

/// The transactions of a file that one thread writes.
final class FileTransaction {
    private let connection: Connection
    private let status: StoreStatus
    private let beginning: Statement
    private let committing: Statement
    private let rollingBack: Statement
    private let overwriting: Statement

    /// - Parameter overwriting: Writes a row that nobody reads: see `overwriteFailedCommit`.
    init(_ connection: Connection, status: StoreStatus, overwriting: SQL) {
        self.connection = connection
        self.status = status
        beginning = connection.prepare("BEGIN IMMEDIATE")
        committing = connection.prepare("COMMIT")
        rollingBack = connection.prepare("ROLLBACK")
        self.overwriting = connection.prepare(overwriting)
    }

    /// - Throws: TRY_AGAIN_LATER if what is on the disk is not known any more.
    func begin() throws(RecordError) {
        connection.forgetFailure()
        guard !status.hasFailedForGood else { throw .databaseUnavailable }
        try beginning.run()
    }

    /// Commits; what it returns from is durable. After a failure the transaction is gone.
    ///
    /// - Parameter last: What else is to be written before.
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
                status.failForGood()
                throw .unknown(error)
            }
            throw .rejected(error, failure)
        }
    }

    /// Rolls the transaction back, if it is still there.
    func rollback() {
        guard connection.isInTransaction else { return }
        try? connection.cleanUp { () throws(RecordError) in try rollingBack.run() }
    }

    /// Tells the operator of the last failure. A failed sync ends writing for good.
    func noteFailure() {
        guard let failure = connection.failure else { return }
        status.observer?.didFail(failure.description)
        if failure.kind == .syncFailed { status.failForGood() }
    }

    /// Makes sure that nothing is left of a transaction whose commit has failed: only then may anybody be told that it was
    /// rejected.
    ///
    /// - Returns: Whether that is certain.
    private func forgetFailedCommit() -> Bool {
        do throws(RecordError) {
            try overwriteFailedCommit()
            return true
        } catch {
            noteFailure()
            // Without room for the log's index the pages were overwritten all the same. Without room for the first page of
            // them, that of the failed commit had none either.
            return connection.failure?.isStorageFull ?? false
        }
    }

    /// Writes something else where the pages of a failed commit begin in the log.
    ///
    /// SQLite writes a commit, with its mark, before it makes room for it in the log's index. If that fails the commit has
    /// failed and no reader sees it, but the next start reads it from the log. What stands in its place
    /// breaks the chain of checksums.
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
