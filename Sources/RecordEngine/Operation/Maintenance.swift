package import RecordModel
internal import RecordStorage
internal import Threads

/// What one round of maintenance took away.
package struct MaintenanceReport: Hashable, Sendable {
    package var tombstones = 0
    package var sessions = 0
    package var answers = 0
    /// Entries of the audit log.
    package var entries = 0
    package var keys = 0
    package var invitations = 0

    package var isEmpty: Bool { self == MaintenanceReport() }
}

/// Deletes rows that are past their time.
package struct Maintenance: Sendable {
    let database: RecordDatabase

    /// How long lists show a key that was revoked or has expired, in milliseconds.
    private static let endedKeyMilliseconds: Int64 = 90 * 86_400_000
    /// How long lists show an invitation that was used up or has expired.
    private static let endedInvitationMilliseconds: Int64 = 7 * 86_400_000

    /// Rows that one slice takes away before it lets other writers through.
    private static let perSlice = 500

    /// Forgets deletions on a full disk: what is left of small records is most of them, and takes room inside the file.
    /// Clients that have not seen these deletions read the change feed from its beginning.
    ///
    /// - Parameter seconds: How old a deletion must be.
    /// - Returns: How many were forgotten.
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

    /// As many as a small disk's log has room for.
    private static let tombstonesOnFullDisk = 50

    /// Takes away what is past its time: tombstones, sessions, remembered answers, keys and invitations that ended a while
    /// ago, entries of the audit log. In slices, each a write among others.
    package func run() async throws(RecordError) -> MaintenanceReport {
        database.indexes.build()
        database.accounts.finishRemovals()
        var report = MaintenanceReport()
        let slice = Self.perSlice
        let limits = database.limits
        let kept = limits.tombstones
        let surplus = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try reader.newestTombstone(beyond: kept)
        }
        while true {
            let tombstoneAge = limits.tombstoneSeconds * 1_000
            let answerAge = limits.idempotencySeconds * 1_000
            let done = try await database.write(operations: slice, isAlone: true, frees: true) {
                transaction throws(RecordError) in
                let now = transaction.now
                return (
                    try transaction.tombstones.purge(
                        before: max(now - tombstoneAge, surplus.map { $0 + 1 } ?? .min), limit: slice),
                    try transaction.store.sessions.removeExpired(before: now, limit: slice),
                    try transaction.idempotency.removeExpired(before: now - answerAge, limit: slice),
                    try transaction.store.keys.removeEnded(before: now - Self.endedKeyMilliseconds, limit: slice),
                    try transaction.store.invitations.removeEnded(
                        before: now - Self.endedInvitationMilliseconds, limit: slice)
                )
            }
            report.tombstones += done.0
            report.sessions += done.1
            report.answers += done.2
            report.keys += done.3
            report.invitations += done.4
            if max(done.0, done.1, done.2, done.3, done.4) < slice { break }
        }
        while true {
            let done = try await database.auditLog.purge(limit: slice)
            report.entries += done
            if done < slice { return report }
        }
    }
}
