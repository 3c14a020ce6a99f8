internal import Calendars
package import RecordModel
internal import RecordStorage
package import RecordWire
internal import Threads

/// The schedules of a database: tasks that become jobs at certain times.
///
/// A job of a schedule runs as the caller that has put the schedule, with the rights that this caller has then. Times
/// that the server has missed lead to one job. While a job of the schedule has not ended, no other starts.
package struct Schedules: Sendable {
    let database: RecordDatabase

    /// The maximum number of schedules.
    package static var most: Int { 100 }
    /// The number of runs that are kept and shown for each schedule.
    package static var shownRuns: Int { 10 }

    /// Creates or replaces a schedule, which runs as the caller.
    ///
    /// If neither the times nor `paused` change, the next job starts when it would have.
    ///
    /// - Parameters:
    ///   - address: The zone on which the jobs work.
    ///   - reader: A reader of the database.
    /// - Returns: The schedule, and whether it is new.
    /// - Throws: BAD_REQUEST with cause TOO_LARGE if there are too many schedules; ACCESS_DENIED if the caller may not
    ///   manage schedules; the errors of `BulkChanges.check` for the task.
    package func put(
        _ name: ScheduleName, _ input: ScheduleInput, in address: DatabaseAddress, by actor: AuditActor,
        _ reader: RecordReader
    ) async throws(RecordError) -> (schedule: ScheduleInfo, isNew: Bool) {
        try await reader.bulkChanges.check(input.task.request(for: actor.caller, in: address))
        return try await database.write { transaction throws(RecordError) in
            try transaction.schedules.put(name, input, in: StoredAddress(address), by: actor)
        }
    }

    /// Deletes a schedule. Its jobs go on.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage schedules.
    package func delete(_ name: ScheduleName, by actor: AuditActor) async throws(RecordError) {
        try await database.write { transaction throws(RecordError) in
            let row = try transaction.schedules.find(name, for: actor)
            try transaction.store.schedules.remove(row.id)
            try transaction.auditLog.append(.scheduleDelete, name.text, by: actor, detail: row.auditDetail)
        }
    }

    /// Starts a job of a schedule now, also if the schedule is paused.
    ///
    /// - Throws: NOT_FOUND; ACCESS_DENIED if the caller may not manage schedules; CONFLICT if the last job has not
    ///   ended; TRY_AGAIN_LATER if too many jobs are unfinished.
    package func run(_ name: ScheduleName, by actor: AuditActor) async throws(RecordError) -> JobInfo {
        let job = try await database.write { transaction throws(RecordError) in
            let row = try transaction.schedules.find(name, for: actor)
            if let job = try transaction.schedules.unfinishedJob(of: row) {
                throw RecordError(
                    .conflict, "The last job of the schedule has not ended", details: [("job", .text(job.name))])
            }
            try transaction.auditLog.append(.scheduleRun, name.text, by: actor)
            return try JobInfo(try transaction.schedules.start(row), transaction.store.accounts)
        }
        database.jobs.start()
        return job
    }

    /// The time after which the times of all schedules are checked again, in milliseconds.
    private static let checkMilliseconds: Int64 = 60_000

    /// Starts the jobs that are due.
    ///
    /// Times that the clock or the rules of a time zone have made wrong are corrected first: after the start, when the
    /// clock went back, and once a minute.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    /// - Returns: Sentences for the operator about the schedules that had to be paused.
    /// - Throws: The first error that does not pass by itself. A schedule whose job could not be started stays due.
    @discardableResult
    package func runDue(at now: Int64) async throws(RecordError) -> [String] {
        let last = database.schedulesChecked.withLock { $0 }
        if last.map({ now < $0 || now - $0 >= Self.checkMilliseconds }) ?? true {
            try await correctTimes(at: now)
            database.schedulesChecked.withLock { $0 = now }
        }
        let due = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try reader.store.schedules.due(at: now)
        }
        guard !due.isEmpty else { return [] }
        var pauses: [String] = []
        var problem: RecordError?
        for id in due {
            do throws(RecordError) {
                let pause = try await database.write { transaction throws(RecordError) in
                    try transaction.schedules.runDue(id, at: now)
                }
                if let pause { pauses.append(pause) }
            } catch {
                // With too many unfinished jobs, or on a full disk, the next call tries again.
                if error.code != .tryAgainLater { problem = problem ?? error }
            }
        }
        database.jobs.start()
        if let problem { throw problem }
        return pauses
    }

    /// Sets the next times again that are not the next ones after `now`. A time that is due stays.
    private func correctTimes(at now: Int64) async throws(RecordError) {
        let wrong = try await database.queries.pool.read(database) { reader throws(RecordError) in
            try reader.store.schedules.list(limit: Self.most).compactMap { $0.corrected(at: now) }
        }
        guard !wrong.isEmpty else { return }
        try await database.write { transaction throws(RecordError) in
            let table = transaction.store.schedules
            for id in wrong.map(\.id) {
                guard let row = try table.find(id)?.corrected(at: now) else { continue }
                _ = try table.put(row)
            }
        }
    }
}

/// Changes schedules in a transaction.
struct ScheduleWriter {
    let transaction: WriteTransaction

    private var table: ScheduleTable { transaction.store.schedules }

    fileprivate func find(_ name: ScheduleName, for actor: AuditActor) throws(RecordError) -> ScheduleRow {
        try transaction.callers.require(.manageSchedules, of: actor)
        guard let row = try table.find(name: name.text) else { throw .scheduleNotFound }
        try requireEntry(row, for: actor)
        return row
    }

    /// Denies callers a schedule whose jobs work in a private database that they may not enter: they must not start,
    /// replace or end what its owner has decided.
    private func requireEntry(_ row: ScheduleRow, for actor: AuditActor) throws(RecordError) {
        let caller = try transaction.callers.current(actor.caller)
        guard row.address.scope == 0 || Authorization.mayEnterPrivateDatabase(caller, of: row.address.owner) else {
            throw .rejected(caller, .write, .privateDatabase)
        }
    }

    fileprivate func put(
        _ name: ScheduleName, _ input: ScheduleInput, in address: StoredAddress, by actor: AuditActor
    ) throws(RecordError) -> (schedule: ScheduleInfo, isNew: Bool) {
        try transaction.callers.require(.manageSchedules, of: actor)
        let old = try table.find(name: name.text)
        if let old { try requireEntry(old, for: actor) }
        if old == nil, try table.count() >= Schedules.most {
            throw .badRequest(
                "There is the full number of schedules. Delete some first", cause: .tooLarge,
                details: [("limit", .number(Int64(Schedules.most)))])
        }
        let now = transaction.now
        let times = input.times
        var row = ScheduleRow(
            name: name.text, caller: try transaction.jobs.stored(actor.caller), address: address,
            task: input.task.json.bytes, cron: times.cron.text, timeZone: times.timeZone, created: old?.created ?? now)
        row.modified = now
        row.skipped = old?.skipped
        if !input.isPaused {
            let isSame = old?.cron == row.cron && old?.timeZone == row.timeZone
            let next = times.next(after: now)
            // A time that has passed is due. A later one than the next was set when the clock was ahead.
            row.next = isSame ? [old?.next, next].compactMap { $0 }.min() : next
        }
        row.id = try table.put(row)
        try transaction.auditLog.append(.schedulePut, name.text, by: actor, detail: row.auditDetail)
        let runs = try transaction.store.jobs.runs(of: row.id, limit: Schedules.shownRuns)
        return (try ScheduleInfo(row, runs: runs, transaction.store.accounts), old == nil)
    }

    /// Returns the job of a schedule that has not ended; `nil` if all have.
    fileprivate func unfinishedJob(of row: ScheduleRow) throws(RecordError) -> JobRow? {
        try transaction.store.jobs.runs(of: row.id, limit: 1).first { !$0.state.isFinal }
    }

    /// Starts the job of a schedule that is due, and sets the next time.
    ///
    /// - Returns: A sentence for the operator if the schedule had to be paused.
    fileprivate func runDue(_ id: ScheduleID, at now: Int64) throws(RecordError) -> String? {
        guard var row = try table.find(id), let due = row.next, due <= now else { return nil }
        if try unfinishedJob(of: row) == nil { _ = try start(row) } else { row.skipped = due }
        do throws(RecordError) {
            row.next = try ScheduleTimes(cron: row.cron, timeZone: row.timeZone).next(after: now)
        } catch {
            row.next = nil
            row.problem = error.reason
            try transaction.auditLog.append(
                .schedulePause, row.name, by: .server, detail: JSONObject([("reason", .string(error.reason))]))
        }
        _ = try table.put(row)
        return row.problem.map { "The schedule \(row.name) was paused: \($0)" }
    }

    /// Adds a job of a schedule. If the schedule's caller may no longer manage schedules, the job has failed.
    ///
    /// - Throws: TRY_AGAIN_LATER if too many jobs are unfinished.
    fileprivate func start(_ row: ScheduleRow) throws(RecordError) -> JobRow {
        let task = try JobTask(stored: row.task)
        var failure: RecordError?
        do throws(RecordError) {
            guard let caller = row.caller.caller else { throw .databaseUnavailable }
            try transaction.callers.require(.manageSchedules, of: AuditActor(caller: caller))
        } catch {
            guard [.authenticationFailed, .authenticationRequired, .accessDenied].contains(error.code) else {
                throw error
            }
            failure = RecordError(
                .accessDenied,
                "The caller that has put the schedule no longer has the right manageSchedules. Put it again as another caller"
            )
        }
        return try transaction.jobs.create(
            task, for: row.caller, in: row.address, total: nil, schedule: row.id, failure: failure)
    }
}

/// Reads schedules in a reader's snapshot.
package struct ScheduleReader {
    let reader: RecordReader

    /// Returns all schedules in the order of their names, each with its last run.
    package func list() throws(RecordError) -> [ScheduleInfo] {
        try reader.store.schedules.list(limit: Schedules.most).map { row throws(RecordError) in
            try ScheduleInfo(row, runs: try reader.store.jobs.runs(of: row.id, limit: 1), reader.store.accounts)
        }
    }

    /// Returns a schedule with its last runs.
    ///
    /// - Throws: NOT_FOUND.
    package func find(_ name: ScheduleName) throws(RecordError) -> ScheduleInfo {
        guard let row = try reader.store.schedules.find(name: name.text) else { throw .scheduleNotFound }
        return try ScheduleInfo(
            row, runs: try reader.store.jobs.runs(of: row.id, limit: Schedules.shownRuns), reader.store.accounts)
    }
}

/// A schedule as callers see it.
package struct ScheduleInfo: Sendable {
    private let row: ScheduleRow
    private let runs: [JobInfo]
    private let place: JobPlace

    /// - Throws: The store's error.
    init(_ row: ScheduleRow, runs: [JobRow], _ accounts: AccountTable) throws(RecordError) {
        self.row = row
        self.runs = try runs.map { run throws(RecordError) in try JobInfo(run, accounts) }
        place = try JobPlace(row.address, accounts)
    }

    /// The schedule as JSON, for a caller that may manage schedules. Members that do not apply are absent.
    package func json(for caller: Caller) -> JSONValue {
        var object = JSONObject([
            ("name", .string(row.name)), ("cron", .string(row.cron)), ("timeZone", .string(row.timeZone)),
            ("task", JobInfo.task(row.task, of: row.caller, in: row.address, for: caller)),
            ("by", ["kind": .string(row.caller.actorKind), "name": .string(row.caller.actor)]),
            ("created", .integer(row.created)), ("modified", .integer(row.modified)),
            ("paused", .bool(row.next == nil)),
        ])
        place.describe(to: &object, of: row.caller, for: caller)
        if let next = row.next { object["next"] = .integer(next) }
        if let problem = row.problem { object["problem"] = .string(problem) }
        if let skipped = row.skipped { object["skipped"] = .integer(skipped) }
        object["runs"] = .array(runs.map { $0.json(for: caller) })
        return .object(object)
    }
}

extension ScheduleRow {
    /// The schedule with its next time after `now`; `nil` if it has this time, is due, or is paused.
    fileprivate func corrected(at now: Int64) -> ScheduleRow? {
        guard let next, next > now, let times = try? ScheduleTimes(cron: cron, timeZone: timeZone) else { return nil }
        var row = self
        row.next = times.next(after: now)
        return row.next == nil || row.next == next ? nil : row
    }

    /// The schedule as the audit log shows it.
    fileprivate var auditDetail: JSONObject {
        JSONObject([("cron", .string(cron)), ("timeZone", .string(timeZone)), ("paused", .bool(next == nil))])
    }
}

extension RecordError {
    fileprivate static let scheduleNotFound = RecordError(.notFound, "There is no schedule with this name")
}
