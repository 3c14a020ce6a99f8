import CLinux
import RecordEngine
import RecordModel
import RecordStorage
import Threads

/// What happens beside the requests: old rows are taken away, and failures of the store come into the operator's log.
final class Maintenance: Sendable {
    private let task: Task<Void, Never>

    private static let interval = Duration.seconds(3_600)
    /// The first round comes soon, for servers that are started every day.
    private static let firstInterval = Duration.seconds(60)
    /// How often failures are looked for.
    private static let watchInterval = Duration.seconds(5)
    /// How often memory that large answers left behind goes back to the system: the allocator keeps it otherwise. It takes
    /// some milliseconds at most, and what is needed again soon costs a few thousand page faults.
    private static let trimInterval = Duration.seconds(10)

    /// When room for the next start, which could not be had, is asked for again.
    private static let reserveInterval = Duration.seconds(300)

    init(_ registry: DatabaseRegistry) {
        // Of what is kept for minutes, an hour would be too late.
        let grace = registry.configuration.limits.unreferencedAssetSeconds
        let collection = Duration.seconds(min(3_600, max(1, grace / 4)))
        task = Task.detached {
            var swept: Set<DatabaseID> = []
            var collect = Deadline.after(min(collection, Self.firstInterval))
            var reported: [DatabaseID: UInt64] = [:]
            var due = Deadline.after(Self.firstInterval)
            var obstacles: [DatabaseID: WriteObstacle] = [:]
            var trim = Deadline.after(Self.trimInterval)
            var reserve = Deadline.after(.zero)
            while !Task.isCancelled {
                Self.reportFailures(in: registry, &reported)
                await Self.watchDisk(of: registry, &obstacles)
                if reserve.hasPassed(), !(await registry.keepStartReserves()) {
                    reserve = .after(Self.reserveInterval)
                }
                for (_, database) in registry.openDatabases { database.auditLog.writeNotes() }
                await registry.configuration.administrators?.writeAuditNotes()
                await Self.refreshStatistics(of: registry)
                if due.hasPassed() {
                    await Self.clean(registry)
                    due = .after(Self.interval)
                }
                for (id, database) in registry.openDatabases where swept.insert(id).inserted {
                    Self.reportLookAlikes(id, database)
                    // What a crash has left.
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
                // Cancelled: the loop ends by itself.
                try? await Task.sleep(for: min(Self.watchInterval, collection))
            }
            Self.reportFailures(in: registry, &reported)
        }
    }

    /// Ends after the slice that is under way.
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

    /// How long clients have to see a deletion that is then forgotten for want of room.
    private static let deletionSeconds: Int64 = 60

    /// Looks whether the databases can write. While a disk is full, files that no record has any more go at once, and what
    /// is left of deleted records after a minute: what was deleted makes room.
    private static func watchDisk(of registry: DatabaseRegistry, _ known: inout [DatabaseID: WriteObstacle]) async {
        for (id, database) in registry.openDatabases where !Task.isCancelled {
            let obstacle = await database.writeObstacle(looks: true)
            if obstacle == .full || obstacle == .quota {
                await attempt(id) { () throws(RecordError) in
                    try await database.maintenance.forgetDeletions(olderThan: Self.deletionSeconds)
                    try await database.assets.collect(unusedFor: 0, sparesUploads: true)
                }
            }
            guard obstacle != known[id], obstacle != .closed else { continue }
            known[id] = obstacle
            let sentence = obstacle.map { $0.error.reason } ?? "The disk accepts writes again"
            Terminal.complain("fogbase: \(id.container)/\(id.environment.rawValue): \(sentence).")
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
                    "fogbase: \(id.container)/\(id.environment.rawValue): deleted \(report.tombstones) old tombstones, \(report.sessions) ended sessions, \(report.answers) stored responses, \(report.keys) ended keys, \(report.invitations) ended invitations and \(report.entries) audit log entries."
                )
            } catch {
                Terminal.complain("fogbase: \(id.container)/\(id.environment.rawValue): \(error.reason).")
            }
        }
    }

    /// Planners weigh by old figures until the next time; a failure comes into the log by itself.
    private static func refreshStatistics(of registry: DatabaseRegistry) async {
        for (_, database) in registry.openDatabases where !Task.isCancelled {
            _ = try? await database.plannerStatistics.refresh()
        }
    }

    private static func reportLookAlikes(_ id: DatabaseID, _ database: RecordDatabase) {
        guard let first = database.lookAlikes.first else { return }
        Terminal.complain(
            "fogbase: \(id.container)/\(id.environment.rawValue): \(database.lookAlikes.count) account names exist in more than one spelling, such as \(first.joined(separator: ", ")); each signs in with its exact spelling only. `fogbase doctor` lists them all."
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
