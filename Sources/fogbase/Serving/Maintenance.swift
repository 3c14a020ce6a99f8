import CLinux
import RecordEngine
import RecordModel
import RecordStorage
import Threads

/// Runs background work: deletes expired rows, reports failures of the store, and returns unused memory to the system.
final class Maintenance: Sendable {
    private let task: Task<Void, Never>

    private static let interval = Duration.seconds(3_600)
    /// The delay of the first run. It is short for servers that are restarted every day.
    private static let firstInterval = Duration.seconds(60)
    /// The interval between checks for failures of the store.
    private static let watchInterval = Duration.seconds(5)
    /// The interval at which memory left by large responses is returned to the system. The allocator alone would keep
    /// this memory. A call takes a few milliseconds. If the memory is needed again soon, it costs a few thousand page
    /// faults.
    private static let trimInterval = Duration.seconds(10)

    /// The interval between attempts to allocate a start reserve that could not be allocated at startup.
    private static let reserveInterval = Duration.seconds(300)

    init(_ registry: DatabaseRegistry) {
        // If the grace period is short, collecting once an hour would be too late.
        let grace = registry.configuration.limits.unreferencedAssetSeconds
        let collection = Duration.seconds(min(3_600, max(1, grace / 4)))
        task = Task.detached {
            var swept: Set<DatabaseID> = []
            var collect = Deadline.after(min(collection, Self.firstInterval))
            var reported: [DatabaseID: UInt64] = [:]
            var due = Deadline.after(Self.firstInterval)
            var blockers: [DatabaseID: WriteBlocker] = [:]
            var trim = Deadline.after(Self.trimInterval)
            var reserve = Deadline.after(.zero)
            var clock = ClockWatch()
            while !Task.isCancelled {
                Self.reportFailures(in: registry, &reported)
                if let jump = clock.check() { Terminal.complain("fogbase: \(jump)") }
                await Self.followClock(registry, clock)
                await Self.watchDisk(of: registry, &blockers)
                if reserve.hasPassed(), !(await registry.keepStartReserves()) {
                    reserve = .after(Self.reserveInterval)
                }
                for (_, database) in registry.openDatabases { database.auditLog.writeNotes() }
                await registry.configuration.administrators?.writeAuditNotes()
                Self.removeExpiredArchive(of: registry)
                await Self.runSchedules(of: registry)
                await Self.refreshStatistics(of: registry)
                if due.hasPassed() {
                    await Self.clean(registry)
                    due = .after(Self.interval)
                }
                for (id, database) in registry.openDatabases where swept.insert(id).inserted {
                    Self.reportLookAlikes(id, database)
                    // Where the clock has gone back before, or a former start could not do this.
                    await Self.attempt(id) { () throws(RecordError) in try await database.schemas.indexCreationTimes() }
                    // Delete the files that a crash has left behind.
                    await Self.attempt(id) { () throws(RecordError) in try await database.assets.sweep() }
                }
                if collect.hasPassed() {
                    for (id, database) in registry.openDatabases where !Task.isCancelled {
                        await Self.attempt(id) { () throws(RecordError) in try await database.assets.collect() }
                    }
                    collect = .after(collection)
                }
                if trim.hasPassed() {
                    fogbase_trim_memory()
                    trim = .after(Self.trimInterval)
                }
                // A cancelled task ends the loop.
                try? await Task.sleep(for: min(Self.watchInterval, collection))
            }
            Self.reportFailures(in: registry, &reported)
        }
    }

    /// Stops after the current slice.
    func end() async {
        task.cancel()
        await task.value
    }

    private static func attempt(
        _ id: DatabaseID, _ work: () async throws(RecordError) -> Void
    ) async {
        do throws(RecordError) {
            try await work()
        } catch {
            Terminal.complain("fogbase: \(id.container)/\(id.environment.rawValue): \(error.reason).")
        }
    }

    /// How long clients can sync a deletion while the disk is full, in seconds. Its tombstone is deleted afterwards.
    private static let deletionSeconds: Int64 = 60

    /// Checks whether the databases can write. While a disk is full, unreferenced files are deleted at once, and
    /// tombstones after a minute, so that there is free space.
    private static func watchDisk(of registry: DatabaseRegistry, _ known: inout [DatabaseID: WriteBlocker]) async {
        for (id, database) in registry.openDatabases where !Task.isCancelled {
            let blocker = await database.writeBlocker(looks: true)
            if blocker == .full || blocker == .quota {
                await attempt(id) { () throws(RecordError) in
                    try await database.maintenance.forgetDeletions(olderThan: Self.deletionSeconds)
                    try await database.assets.collect(unusedFor: 0, keepsUnusedUploads: true)
                }
            }
            guard blocker != known[id], blocker != .closed else { continue }
            known[id] = blocker
            let sentence = blocker.map { $0.error.reason } ?? "The disk accepts writes again"
            Terminal.complain("fogbase: \(id.container)/\(id.environment.rawValue): \(sentence).")
        }
    }

    private static func removeExpiredArchive(of registry: DatabaseRegistry) {
        do throws(BackupProblem) {
            try registry.archive.removeExpired(at: WallClock.milliseconds)
        } catch {
            Terminal.complain("fogbase: A backup that was to be downloaded could not be deleted: \(error)")
        }
    }

    private static func clean(_ registry: DatabaseRegistry) async {
        do throws(RecordError) {
            try await registry.configuration.administrators?.maintain()
        } catch {
            Terminal.complain("fogbase: The administrators' database: \(error.reason).")
        }
        for (id, database) in registry.openDatabases where !Task.isCancelled {
            do throws(RecordError) {
                let report = try await database.maintenance.run()
                if report.isEmpty { continue }
                Terminal.complain(
                    "fogbase: \(id.container)/\(id.environment.rawValue): deleted \(report.tombstones) old tombstones, \(report.sessions) ended sessions, \(report.responses) stored responses, \(report.keys) ended keys, \(report.invitations) ended invitations, \(report.jobs) ended jobs and \(report.entries) audit log entries."
                )
            } catch {
                Terminal.complain("fogbase: \(id.container)/\(id.environment.rawValue): \(error.reason).")
            }
        }
    }

    /// Starts the jobs that are due. A schedule whose job could not be started stays due.
    private static func runSchedules(of registry: DatabaseRegistry) async {
        for (id, database) in registry.openDatabases where !Task.isCancelled {
            await attempt(id) { () throws(RecordError) in
                for pause in try await database.schedules.runDue(at: WallClock.milliseconds) {
                    Terminal.complain("fogbase: \(id.container)/\(id.environment.rawValue): \(pause).")
                }
            }
        }
    }

    /// Reports databases whose last changes were made while the system clock was ahead, unless the jump itself was
    /// reported. Adds the indexes that their queries by creation time need since then.
    private static func followClock(_ registry: DatabaseRegistry, _ clock: ClockWatch) async {
        for (id, database) in registry.openDatabases where !Task.isCancelled {
            guard let step = database.statistics.takeStepBack() else { continue }
            if !clock.hasGoneBack {
                Terminal.complain(
                    "fogbase: \(id.container)/\(id.environment.rawValue): The system clock is \(step / 1_000) s behind the last change. New changes get its time, so older records can have later times."
                )
            }
            await attempt(id) { () throws(RecordError) in try await database.schemas.indexCreationTimes() }
        }
    }

    /// Refreshes the planner's statistics. After a failure, the planner uses old statistics until the next run. The
    /// failure is logged separately.
    private static func refreshStatistics(of registry: DatabaseRegistry) async {
        for (_, database) in registry.openDatabases where !Task.isCancelled {
            _ = try? await database.plannerStatistics.refresh()
        }
    }

    private static func reportLookAlikes(_ id: DatabaseID, _ database: RecordDatabase) {
        guard let first = database.confusableNames.first else { return }
        Terminal.complain(
            "fogbase: \(id.container)/\(id.environment.rawValue): \(database.confusableNames.count) account names exist in more than one spelling, such as \(first.joined(separator: ", ")); each signs in with its exact spelling only. `fogbase doctor` lists them all."
        )
    }

    private static func reportFailures(in registry: DatabaseRegistry, _ reported: inout [DatabaseID: UInt64]) {
        for (id, database) in registry.openDatabases {
            let count = database.statistics.failures
            guard count > reported[id, default: 0] else { continue }
            let new = count - reported[id, default: 0]
            reported[id] = count
            Terminal.complain(
                "fogbase: \(id.container)/\(id.environment.rawValue): \(new) \(new == 1 ? "failure" : "failures") of the store, most recently: \(database.statistics.lastFailureText)"
            )
        }
    }
}
