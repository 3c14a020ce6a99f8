internal import RecordStorage
internal import Threads

/// Checkpoints and other upkeep of the store between writes, on the writer's thread.
extension RecordDatabase {
    /// Schedules the store's upkeep for the next idle time of the database. The task does not keep the database alive.
    func awaitIdleness() {
        guard let time = transaction?.store.upkeep.timeUntilIdle() else { return }
        Task.detached(executorPreference: executor) { [weak self] in
            var time: Duration? = time
            while let wait = time {
                try? await Task.sleep(for: wait)
                time = await self?.tidyUp()
            }
        }
    }

    private func tidyUp() -> Duration? {
        transaction?.store.upkeep.whenIdle()
    }

    /// Copies the WAL into the database file (checkpoint), for tests and before a backup.
    ///
    /// - Throws: The store's error.
    package func checkpoint() throws {
        try transaction?.store.upkeep.checkpoint()
    }
}
