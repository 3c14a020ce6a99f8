package import RecordStorage
internal import Threads

/// What a backup is asked for.
package struct BackupRequest: Hashable, Sendable {
    /// The absolute path of the new directory.
    package var path: String
    /// Copies files of assets, also where they could be linked.
    package var copiesAssets: Bool
    /// The version of Fogbase that makes it.
    package var version: String

    package init(path: String, copiesAssets: Bool, version: String) {
        self.path = path
        self.copiesAssets = copiesAssets
        self.version = version
    }
}

/// How far a backup is.
package struct BackupProgress: Hashable, Sendable {
    /// The database that is being copied.
    package var activity = ""
    package var done = 0
    /// Zero if unknown.
    package var total = 0
    /// What is counted: `pages` or `assets`.
    package var unit = ""
}

/// The backups of one server: one at a time.
package final class Backups: Sendable {
    package enum State: Hashable, Sendable {
        case none
        case running(BackupProgress)
        case done(path: String, BackupManifest)
        case failed(BackupProblem)
    }

    private struct Current {
        var state = State.none
        var task: Task<Void, Never>?
        var isClosed = false
    }

    private let current = Locked(Current())

    package init() {}

    /// The backup that is under way, or what has become of the last one.
    package var state: State { current.withLock { $0.state } }

    /// Begins a backup.
    ///
    /// - Returns: `false` if one is under way.
    package func start(_ request: BackupRequest, of registry: DatabaseRegistry) -> Bool {
        current.withLock { current in
            if case .running = current.state { return false }
            guard !current.isClosed else { return false }
            current.state = .running(BackupProgress())
            // A thread of its own, which may block.
            let executor = ThreadExecutor(name: "fog-backup", niceness: 5)
            current.task = Task.detached(executorPreference: executor) { [self] in
                let job = BackupJob(registry: registry, request: request) { progress in
                    self.current.withLock { $0.state = .running(progress) }
                }
                let state: State
                do throws(BackupProblem) {
                    state = .done(path: request.path, try await job.run())
                } catch {
                    state = .failed(error)
                }
                self.current.withLock { current in
                    current.state = state
                    current.task = nil
                }
                executor.shutdown()
            }
            return true
        }
    }

    /// Ends the backup that is under way, if one is, and returns when nothing is left of it.
    package func cancel() async {
        let task = current.withLock { $0.task }
        task?.cancel()
        await task?.value
    }

    /// Ends the backup that is under way, and begins no more.
    func close() async {
        current.withLock { $0.isClosed = true }
        await cancel()
    }
}
