internal import RecordModel
package import RecordStorage
internal import Threads

/// Whether the database accepts writes.
extension RecordDatabase {
    /// Returns the reason why the database rejects writes; `nil` if the database accepts writes. May be called on any
    /// thread.
    ///
    /// - Parameter looks: Whether to check the disk now, even if the next periodic check is not due.
    package nonisolated func writeBlocker(looks: Bool = false) async -> WriteBlocker? {
        if status.hasFailedPermanently { return .failedSync }
        guard isHealthy else { return .closed }
        if looks || status.isCheckDue(freeBytes: { DirectoryInspection.freeBytes(directoryPath) }) {
            try? await betweenGroups { database in
                if database.isHealthy { database.transaction?.store.probe() }
            }
        }
        return status.blocker
    }
}
