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
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                submit(DiskLook(self, continuation))
            }
        }
        return status.obstacle
    }

    fileprivate func probe() {
        transaction?.store.probe()
    }
}

/// A look at the disk between groups of writes. It writes nothing into the group that it comes with.
///
/// Unchecked: see `PendingWrite`.
private final class DiskLook: PendingWrite, @unchecked Sendable {
    private let database: RecordDatabase
    private let continuation: UnsafeContinuation<Void, Never>

    init(_ database: RecordDatabase, _ continuation: UnsafeContinuation<Void, Never>) {
        self.database = database
        self.continuation = continuation
        super.init(operations: 0, weight: 0, isAlone: false, startsLazily: true)
    }

    /// So that a group of looks alone is rolled back.
    override func run(_ transaction: WriteTransaction) throws(RecordError) { throw .databaseUnavailable }

    override func finish(_ failure: RecordError?) {
        // Writes are finished on the writer's thread, after their transaction; those that are not taken, on any.
        if database.isHealthy, database.isOnWriter { database.assumeIsolated { $0.probe() } }
        continuation.resume()
    }
}
