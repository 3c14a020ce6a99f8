package import RecordModel
internal import Threads

/// What a database file needs between writes: checkpoints, and room on its disk. On the writer's thread, outside of
/// transactions.
package final class FileUpkeep {
    let connection: Connection
    let folder: String
    let status: StoreStatus
    private var checkpoints: Checkpoints
    var room = RoomState()

    /// - Parameter longestQuery: After which a query is stopped.
    init(_ connection: Connection, folder: String, status: StoreStatus, rules: CheckpointRules, longestQuery: Duration)
    {
        self.connection = connection
        self.folder = folder
        self.status = status
        checkpoints = Checkpoints(rules, longestQuery: longestQuery)
    }

    /// Notes the last failure. A failed sync ends writing for good.
    func noteFailure() {
        guard let failure = connection.failure else { return }
        status.observer?.didFail(failure.description)
        if failure.kind == .syncFailed { status.failForGood() }
    }

    // MARK: Checkpoints

    /// Copies the log into the file when it has grown, without making readers or writers wait for long.
    ///
    /// - Returns: Whether it did, and so held up those who write.
    package func afterCommit() -> Bool {
        if keepRoomForLog() { return true }
        return checkpoint { checkpoints throws(RecordError) in
            try checkpoints.copyIfDue(on: connection, status.clock)
        }
    }

    /// How long to wait until the log may be copied because nobody writes; `nil` if there is no reason to.
    package func timeUntilIdle() -> Duration? {
        checkpoints.watch(connection) ? checkpoints.rules.idleTime : nil
    }

    /// Copies the log into the file if nothing was written for a while.
    ///
    /// - Returns: How long to wait before asking again, if something was written meanwhile, or somebody still reads.
    package func whenIdle() -> Duration? {
        let time = checkpoints.timeToIdle
        guard time <= .zero else { return time }
        _ = checkpoint { checkpoints throws(RecordError) in
            try checkpoints.copyWhenIdle(on: connection, status.clock)
        }
        return checkpoints.timeToNextLook
    }

    private func checkpoint(_ copy: (inout Checkpoints) throws(RecordError) -> Bool) -> Bool {
        guard !status.hasFailedForGood else {
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

    /// Copies what readers do not need any more, for tests and before a backup.
    package func checkpoint() throws(RecordError) {
        try connection.checkpoint(.passive)
    }
}
