internal import RecordModel
package import RecordStorage
internal import Threads

/// Whether writes are possible.
extension RecordDatabase {
    /// Why the database takes no writes; `nil` if it does. Looks at the disk if that is due. On any thread.
    ///
    /// - Parameter looks: Looks at the disk in any case.
    package nonisolated func writeObstacle(looks: Bool = false) async -> WriteObstacle? {
        if status.hasFailedForGood { return .failedSync }
        guard isHealthy else { return .closed }
        if looks || status.isLookDue(freeBytes: { FolderInspection.freeBytes(folderPath) }) {
            try? await betweenGroups { database in
                if database.isHealthy { database.transaction?.store.probe() }
            }
        }
        return status.obstacle
    }
}
