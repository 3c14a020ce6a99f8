internal import RecordStorage
internal import Threads

/// What the store needs between writes. All of it on the writer's thread.
extension RecordDatabase {
    /// Has the store tidied up once nothing is written any more, without holding the database up from its end.
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

    /// Copies the log into the file, for tests and before a backup.
    package func checkpoint() throws {
        try transaction?.store.upkeep.checkpoint()
    }
}
