internal import RecordModel
internal import RecordStorage
internal import Synchronization
internal import Threads

/// When the log of the database is copied into its file. All of it on the writer's thread.
extension RecordDatabase {
    /// Moves the log into the file when it has grown, without making readers or writers wait for long.
    ///
    /// - Returns: Whether it did.
    func checkpointIfDue() -> Bool {
        if keepRoomForLog() { return true }
        return checkpoint { checkpoints, connection, clock throws(RecordError) in
            try checkpoints.copyIfDue(on: connection, clock)
        }
    }

    /// Moves the log into the file once nothing is written any more, without holding the database up from its end.
    func awaitIdleness() {
        guard let transaction, checkpoints.watch(transaction.connection) else { return }
        let time = checkpoints.rules.idleTime
        Task.detached(executorPreference: executor) { [weak self] in
            var time: Duration? = time
            while let wait = time {
                try? await Task.sleep(for: wait)
                time = await self?.checkpointWhenIdle()
            }
        }
    }

    /// - Returns: How long to wait before asking again, if something was written meanwhile, or somebody still reads.
    private func checkpointWhenIdle() -> Duration? {
        let time = checkpoints.timeToIdle
        guard time <= .zero else { return time }
        _ = checkpoint { checkpoints, connection, clock throws(RecordError) in
            try checkpoints.copyWhenIdle(on: connection, clock)
        }
        return checkpoints.timeToNextLook
    }

    private func checkpoint(
        _ copy: (inout Checkpoints, Connection, CommitClock) throws(RecordError) -> Bool
    ) -> Bool {
        guard let transaction, !hasFailed.load(ordering: .relaxed) else {
            checkpoints.giveUp(clock)
            return false
        }
        do {
            guard try copy(&checkpoints, transaction.connection, clock) else { return false }
            statistics.didCheckpoint()
            return true
        } catch {
            noteFailure()
            checkpoints.giveUp(clock)
            return true
        }
    }

    /// Copies the whole log into the file, for tests and before a backup.
    package func checkpoint() throws {
        _ = try transaction?.connection.checkpoint(.passive)
    }
}
