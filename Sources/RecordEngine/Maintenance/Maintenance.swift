package import RecordModel
internal import RecordStorage
internal import Threads

/// The number of rows that one run of maintenance has deleted, by kind.
package struct MaintenanceReport: Hashable, Sendable {
    /// The number of tombstones.
    package var tombstones = 0
    /// The number of sessions.
    package var sessions = 0
    /// The number of responses stored for idempotency keys.
    package var responses = 0
    /// The number of audit log entries.
    package var entries = 0
    /// The number of API keys.
    package var keys = 0
    /// The number of invitations.
    package var invitations = 0
    /// The number of ended jobs, and of the rows that they had rejected.
    package var jobs = 0

    /// Whether nothing was deleted.
    package var isEmpty: Bool { self == MaintenanceReport() }
}

/// Deletes expired rows. The server runs maintenance periodically.
package struct Maintenance: Sendable {
    let database: RecordDatabase

    /// How long lists still show a revoked or expired API key, in milliseconds.
    private static let endedKeyMilliseconds: Int64 = 90 * 86_400_000
    /// How long lists still show a used or expired invitation, in milliseconds.
    private static let endedInvitationMilliseconds: Int64 = 7 * 86_400_000

    /// How long ended jobs are kept, in milliseconds.
    private static let endedJobMilliseconds: Int64 = 7 * 86_400_000

    /// The maximum number of rows of each kind that one slice deletes. Other writes run between slices.
    private static let perSlice = 500

    /// Deletes tombstones when the disk is full. If the deleted records were small, their tombstones use most of the
    /// space that the records used. Clients that have not received these deletions must read the change feed from its
    /// beginning.
    ///
    /// - Parameter seconds: The minimum age of the tombstones to delete.
    /// - Returns: The number of deleted tombstones.
    /// - Throws: TRY_AGAIN_LATER if the database accepts no writes.
    @discardableResult
    package func forgetDeletions(olderThan seconds: Int64) async throws(RecordError) -> Int {
        var forgotten = 0
        while true {
            let limit = Self.tombstonesOnFullDisk
            let done = try await database.write(operations: limit, isAlone: true, frees: true) {
                transaction throws(RecordError) in
                let oldest = transaction.now - seconds * 1_000
                return try transaction.tombstones.purge(before: oldest, limit: limit)
            }
            forgotten += done
            if done < limit { return forgotten }
        }
    }

    /// The number of tombstones that one slice deletes. This many deletions fit in the WAL on a nearly full disk.
    private static let tombstonesOnFullDisk = 50

    /// Deletes expired rows: tombstones, sessions, stored responses, audit log entries, unused tokens of devices, and API
    /// keys, invitations, jobs and subscriptions whose retention time has passed. Runs in slices; each slice is a separate write.
    ///
    /// - Throws: TRY_AGAIN_LATER if the database accepts no writes.
    package func run() async throws(RecordError) -> MaintenanceReport {
        database.indexes.build()
        database.accounts.finishRemovals()
        database.zones.finishRemovals()
        // Jobs whose start failed, such as on a full disk.
        database.jobs.start()
        var report = MaintenanceReport()
        let slice = Self.perSlice
        let limits = database.limits
        let kept = limits.tombstones
        let surplus = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try reader.newestTombstone(beyond: kept)
        }
        while true {
            let tombstoneAge = limits.tombstoneSeconds * 1_000
            let responseAge = limits.idempotencySeconds * 1_000
            let done = try await database.write(operations: slice, isAlone: true, frees: true) {
                transaction throws(RecordError) in
                let now = transaction.now
                return (
                    try transaction.tombstones.purge(
                        before: max(now - tombstoneAge, surplus.map { $0 + 1 } ?? .min), limit: slice),
                    try transaction.store.sessions.removeExpired(before: now, limit: slice),
                    try transaction.store.lostZones.purge(before: now - tombstoneAge, limit: slice),
                    try transaction.idempotency.removeExpired(before: now - responseAge, limit: slice),
                    try transaction.store.keys.removeEnded(before: now - Self.endedKeyMilliseconds, limit: slice),
                    try transaction.store.invitations.removeEnded(
                        before: now - Self.endedInvitationMilliseconds, limit: slice),
                    try transaction.store.jobs.removeEnded(
                        before: now - Self.endedJobMilliseconds, keepingRuns: Schedules.shownRuns, limit: slice),
                    try transaction.store.subscriptions.removeFired(
                        before: now - NotificationTokens.lifetime, limit: slice),
                    try transaction.store.notificationTokens.removeUnused(
                        before: now - NotificationTokens.lifetime, limit: slice)
                )
            }
            report.tombstones += done.0
            report.sessions += done.1
            report.responses += done.3
            report.keys += done.4
            report.invitations += done.5
            report.jobs += done.6
            if max(done.0, done.1, done.2, done.3, done.4, done.5, done.6, done.7, done.8) < slice { break }
        }
        try await database.jobs.sweepFiles()
        while true {
            let done = try await database.auditLog.purge(limit: slice)
            report.entries += done
            if done < slice { return report }
        }
    }
}
