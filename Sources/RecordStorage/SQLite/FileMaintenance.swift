package import RecordModel
internal import Threads

/// Maintenance of a database file between writes: checkpoints and disk space. Call its functions on the writer's
/// thread, outside of transactions.
package final class FileMaintenance {
    let connection: Connection
    let directory: String
    let status: StoreStatus
    private var checkpoints: Checkpoints
    var room = DiskSpaceState()

    /// Creates the maintenance of one file.
    ///
    /// - Parameter longestQuery: The time limit of queries.
    init(
        _ connection: Connection, directory: String, status: StoreStatus, rules: CheckpointPolicy,
        longestQuery: Duration
    ) {
        self.connection = connection
        self.directory = directory
        self.status = status
        checkpoints = Checkpoints(rules, longestQuery: longestQuery)
    }

    /// Reports the last failure to the observer. After a failed sync the store rejects all writes until a
    /// restart.
    func noteFailure() {
        guard let failure = connection.failure else { return }
        status.observer?.didFail(failure.description)
        if failure.kind == .syncFailed { status.failPermanently() }
    }

    // MARK: Checkpoints

    /// Checkpoints if the WAL has grown enough. Delays readers and writers only briefly.
    ///
    /// - Returns: Whether there was a checkpoint, which delayed writers.
    package func afterCommit() -> Bool {
        if keepSpaceForWAL() { return true }
        return checkpoint { checkpoints throws(RecordError) in
            try checkpoints.copyIfDue(on: connection, status.clock)
        }
    }

    /// Returns the time to wait before calling `whenIdle`; `nil` if there is nothing to copy or another caller waits.
    package func timeUntilIdle() -> Duration? {
        checkpoints.watch(connection) ? checkpoints.rules.idleTime : nil
    }

    /// Checkpoints if the writer is idle.
    ///
    /// - Returns: The time to wait before the next call, if there was a write meanwhile or a reader delays the restart
    ///   of the WAL; `nil` if no further call is needed.
    package func whenIdle() -> Duration? {
        let time = checkpoints.timeToIdle
        guard time <= .zero else { return time }
        _ = checkpoint { checkpoints throws(RecordError) in
            try checkpoints.copyWhenIdle(on: connection, status.clock)
        }
        return checkpoints.timeToNextLook
    }

    private func checkpoint(_ copy: (inout Checkpoints) throws(RecordError) -> Bool) -> Bool {
        guard !status.hasFailedPermanently else {
            checkpoints.giveUp(status.clock)
            return false
        }
        do throws(RecordError) {
            guard try copy(&checkpoints) else { return false }
            status.observer?.didCheckpoint()
            return true
        } catch {
            noteFailure()
            checkpoints.giveUp(status.clock)
            return true
        }
    }

    /// Makes a passive checkpoint, which never waits for readers. For tests and before a backup.
    ///
    /// - Throws: INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
    package func checkpoint() throws(RecordError) {
        try connection.checkpoint(.passive)
    }
}
