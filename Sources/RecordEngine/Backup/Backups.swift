package import RecordStorage
internal import Threads

/// A request for a backup.
package struct BackupRequest: Hashable, Sendable {
    /// The absolute path of the new directory.
    package var path: String
    /// Whether to copy asset files even if they could be hard-linked.
    package var copiesAssets: Bool
    /// The version of Fogbase that creates the backup, for the manifest.
    package var version: String

    /// Whether the directory may be inside the data directory.
    var isInDataDirectory = false

    /// Describes a backup to create.
    package init(path: String, copiesAssets: Bool, version: String) {
        self.path = path
        self.copiesAssets = copiesAssets
        self.version = version
    }
}

/// The progress of a backup.
package struct BackupProgress: Hashable, Sendable {
    /// The database that is being copied.
    package var activity = ""
    /// The number of pages or assets (`unit`) that are copied.
    package var done = 0
    /// The total number of pages or assets (`unit`); 0 if unknown.
    package var total = 0
    /// The unit: `pages` or `assets`.
    package var unit = ""
}

/// The backups of one server, one at a time.
package final class Backups: Sendable {
    /// The state of the current or last backup.
    package enum State: Hashable, Sendable {
        /// No backup has run since the start of the server.
        case none
        case running(BackupProgress)
        case done(path: String, BackupManifest)
        case failed(BackupProblem)
    }

    private struct Current {
        var state = State.none
        /// The directory of the current or last backup.
        var path: String?
        var task: Task<Void, Never>?
        var isClosed = false
    }

    private let status = Locked(Current())

    /// The initial state is `none`.
    package init() {}

    /// The state of the running backup, or the result of the last one.
    package var state: State { status.withLock { $0.state } }

    /// The state and the directory of the current or last backup.
    var current: (state: State, path: String?) { status.withLock { ($0.state, $0.path) } }

    /// Forgets the last backup if it was to this directory.
    func forget(_ path: String) {
        status.withLock { current in
            if current.path == path, current.task == nil { (current.state, current.path) = (.none, nil) }
        }
    }

    /// Starts a backup and returns at once.
    ///
    /// - Returns: `false` if another backup is running, or after `close`.
    package func start(_ request: BackupRequest, of registry: DatabaseRegistry) -> Bool {
        status.withLock { current in
            if case .running = current.state { return false }
            guard !current.isClosed else { return false }
            (current.state, current.path) = (.running(BackupProgress()), request.path)
            // Use a separate thread, since a backup blocks its thread.
            let executor = ThreadExecutor(name: "fog-backup", niceness: 5)
            current.task = Task.detached(executorPreference: executor) { [self] in
                let job = BackupJob(registry: registry, request: request) { progress in
                    self.status.withLock { $0.state = .running(progress) }
                }
                let state: State
                do throws(BackupProblem) {
                    let manifest = try await job.run()
                    // First, so that who sees that the backup is done also sees it in the list.
                    await registry.remember(RememberedBackup(manifest, request))
                    if request.isInDataDirectory { registry.archive.startTest(of: manifest, by: registry) }
                    state = .done(path: request.path, manifest)
                } catch {
                    state = .failed(error)
                }
                self.status.withLock { current in
                    current.state = state
                    current.task = nil
                }
                executor.shutdown()
            }
            return true
        }
    }

    /// Cancels the running backup, if any, and returns after its partial directory is deleted.
    package func cancel() async {
        let task = status.withLock { $0.task }
        task?.cancel()
        await task?.value
    }

    /// Cancels the running backup, and rejects new backups.
    func close() async {
        status.withLock { $0.isClosed = true }
        await cancel()
    }
}
