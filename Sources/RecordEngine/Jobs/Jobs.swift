package import RecordModel
internal import RecordStorage
package import RecordWire
internal import Threads

/// Work that outlives its request. Jobs of callers change many records; jobs of the server show its own long work.
package struct Jobs: Sendable {
    let database: RecordDatabase

    /// What to do with a job.
    package enum Command: String, Sendable, CaseIterable {
        /// Stops the job until it is resumed. Changes that are done stay.
        case pause
        case resume
        /// Ends the job. Changes that are done stay.
        case cancel

        fileprivate var state: JobState {
            switch self {
            case .pause: .paused
            case .resume: .queued
            case .cancel: .cancelled
            }
        }

        fileprivate var action: AuditAction {
            switch self {
            case .pause: .jobPause
            case .resume: .jobResume
            case .cancel: .jobCancel
            }
        }
    }

    /// Which jobs to list.
    package struct Filter: Sendable {
        /// Whether to leave out the jobs that have ended.
        package var isUnfinished: Bool
        /// The last job of the page before; `nil` for the first page.
        package var after: String?
        /// The maximum number of jobs.
        package var limit: Int

        /// Creates a filter from its parts.
        package init(isUnfinished: Bool = false, after: String? = nil, limit: Int) {
            self.isUnfinished = isUnfinished
            self.after = after
            self.limit = limit
        }
    }

    /// Starts waiting jobs, in the order of their creation. Returns immediately.
    package func start() {
        database.jobRunner.start(in: database)
    }

    /// Deletes the files of imports that have ended, those of jobs that do not exist any more, and those of deleted
    /// accounts.
    func sweepFiles() async throws(RecordError) {
        let (store, files) = (database.assetStore, database.assetStore.jobFiles)
        let names = files.jobs.filter { !store.isInProgress($0) }
        guard !names.isEmpty, database.isHealthy else { return }
        let unneeded = try await database.queries.pool.read(database) { reader throws(RecordError) in
            var unneeded: [String] = []
            for name in names {
                if let row = try reader.store.jobs.find(name: name),
                    try row.caller.account.map({ account throws(RecordError) in
                        try reader.store.accounts.find(id: account) != nil
                    }) ?? true
                {
                    let isNeeded = !row.state.isFinal || row.kind == .exportRecords && row.state == .succeeded
                    if isNeeded { continue }
                }
                unneeded.append(name)
            }
            return unneeded
        }
        for name in unneeded { files.remove(name) }
    }

    /// Continues after the database was opened, and returns immediately.
    ///
    /// - Parameter last: The last job that was there when it was opened.
    func resume(after last: JobID) {
        let database = database
        Task.detached {
            try? await database.write { transaction throws(RecordError) in
                try transaction.jobs.endInterruptedBackups(through: last)
            }
            database.jobs.start()
        }
    }

    /// Shows the progress of a backup of the database. A failure to write it does not concern the backup.
    ///
    /// - Parameter total: The number of pages; `nil` if unknown.
    func showBackup(done: Int = 0, total: Int? = nil) async {
        try? await database.write { transaction throws(RecordError) in
            try transaction.jobs.show(.backup, left: [0: (Int64(done), total.map(Int64.init))])
        }
    }

    /// Ends the job that shows the backup.
    ///
    /// - Parameter problem: Why the backup has failed; `nil` if it has not.
    func endBackup(_ problem: BackupProblem? = nil) async {
        try? await database.write { transaction throws(RecordError) in
            let error = problem.map { RecordError(.internalError, "\($0)") }
            try transaction.jobs.show(
                .backup, left: [:],
                ended: { _ in problem == nil ? .succeeded : problem == .cancelled ? .cancelled : .failed },
                error: problem == .cancelled ? nil : error.map(JobWriter.json))
        }
    }

    /// Pauses, resumes or cancels a job. A slice that is being committed ends first.
    ///
    /// - Returns: The job in its new state.
    /// - Throws: NOT_FOUND for an unknown job, or one of another caller that is no administrator; ACCESS_DENIED if an
    ///   administrator lacks the right; CONFLICT if the job has ended or its kind cannot be stopped.
    package func perform(_ command: Command, on name: String, by actor: AuditActor) async throws(RecordError) -> JobInfo
    {
        let job = try await database.write { transaction throws(RecordError) in
            let row = try Self.find(name, toChangeBy: actor, in: transaction)
            if row.state.isFinal {
                if command == .cancel, row.state == .cancelled { return try JobInfo(row, transaction.store.accounts) }
                throw RecordError(
                    .conflict, "The job has ended", details: [("state", .text(row.state.rawValue))])
            }
            // A running job needs no resumption.
            if command == .resume, row.state != .paused { return try JobInfo(row, transaction.store.accounts) }
            try transaction.store.jobs.set(command.state, of: row.id, now: transaction.now)
            try Self.audit(command.action, of: row, by: actor, in: transaction)
            return try JobInfo(try transaction.store.jobs.find(row.id) ?? row, transaction.store.accounts)
        }
        if command == .resume { start() }
        return job
    }

    /// Deletes a job that has ended, the rows that it has rejected, and its files.
    ///
    /// - Throws: NOT_FOUND and ACCESS_DENIED as `perform`; CONFLICT if the job has not ended, or the server started it by
    ///   itself.
    package func delete(_ name: String, by actor: AuditActor) async throws(RecordError) {
        var isFirst = true
        while true {
            let (audits, limit) = (isFirst, Self.rowsPerDeletion)
            let deleted = try await database.write(operations: 1, weight: limit / 8, frees: true) {
                transaction throws(RecordError) in
                // Of two callers that delete the job at the same time, the second finds nothing more to do.
                if !audits, try transaction.store.jobs.find(name: name) == nil { return 0 }
                let row = try Self.find(name, toChangeBy: actor, in: transaction)
                guard row.state.isFinal else {
                    throw RecordError(
                        .conflict, "The job has not ended. Cancel it first",
                        details: [("state", .text(row.state.rawValue))])
                }
                if audits { try Self.audit(.jobDelete, of: row, by: actor, in: transaction) }
                return try transaction.store.jobs.remove(row.id, limit: limit)
            }
            isFirst = false
            if deleted < limit { break }
        }
        let files = database.assetStore.jobFiles
        // If the store is closing, the sweep after the next start deletes them.
        _ = try? await database.assetStore.run { () throws(RecordError) in files.remove(name) }
    }

    /// The maximum number of rows that one write of `delete` deletes. Other writes run between them.
    private static let rowsPerDeletion = 2_000

    /// Finds a job that a caller may change.
    ///
    /// - Throws: NOT_FOUND, ACCESS_DENIED, or CONFLICT for the server's own work.
    private static func find(
        _ name: String, toChangeBy actor: AuditActor, in transaction: WriteTransaction
    ) throws(RecordError) -> JobRow {
        let caller = try transaction.callers.current(actor.caller)
        let row = try transaction.store.jobs.find(name: name)
        guard let row, JobInfo.maySee(row, caller) else { throw RecordError.jobNotFound }
        guard row.caller.belongs(to: caller) || Authorization.authorize(caller, .changeSchema) == .allowed else {
            throw RecordError(
                .accessDenied, "This job belongs to another caller. Changing it takes the right changeSchema",
                details: [("right", .text(AdministratorOperation.changeSchema.rawValue))])
        }
        guard row.kind.isOfCallers else {
            throw RecordError(
                .conflict, "The server does this work by itself, and it cannot be paused or canceled",
                details: [("kind", .text(row.kind.rawValue))])
        }
        return row
    }

    /// Writes an audit entry if the job is another caller's.
    private static func audit(
        _ action: AuditAction, of row: JobRow, by actor: AuditActor, in transaction: WriteTransaction
    ) throws(RecordError) {
        guard !row.caller.belongs(to: actor.caller) else { return }
        try transaction.auditLog.append(action, row.name, by: actor)
    }

    /// Adds a job.
    ///
    /// - Parameters:
    ///   - total: The number of matches; `nil` if unknown.
    ///   - key: The idempotency key of the request. A request that is repeated gets the same job.
    ///   - name: The job's public name; `nil` for a new one.
    ///   - note: Writes more in the same transaction.
    /// - Throws: AUTHENTICATION_REQUIRED for an anonymous caller; TRY_AGAIN_LATER if too many jobs are unfinished;
    ///   QUOTA_EXCEEDED if the files of the caller's jobs take too much room.
    func create(
        _ task: JobTask, for caller: Caller, in address: DatabaseAddress, total: Int?, key: IdempotencyKey?,
        name: String? = nil, note: @escaping @Sendable (WriteTransaction) throws(RecordError) -> Void = { _ in }
    ) async throws(RecordError) -> JobInfo {
        let job = try await database.write { transaction throws(RecordError) in
            let jobs = transaction.jobs
            let row = try jobs.create(
                task, for: try jobs.stored(caller), in: StoredAddress(address), total: total, name: name)
            try note(transaction)
            if let key { try transaction.remember(WriteResponse(outcome: .job, name: row.name), key, for: caller) }
            return try JobInfo(row, transaction.store.accounts)
        }
        start()
        return job
    }
}

/// Reads jobs in a reader's snapshot.
package struct JobReader {
    let reader: RecordReader

    private var table: JobTable { reader.store.jobs }

    /// Returns a job that the caller may see: its own, and all jobs for administrators.
    ///
    /// - Throws: NOT_FOUND.
    package func find(_ name: String, for caller: Caller) throws(RecordError) -> JobInfo {
        guard let row = try table.find(name: name), JobInfo.maySee(row, caller) else { throw .jobNotFound }
        return try JobInfo(row, reader.store.accounts)
    }

    /// Returns a job of a kind whose content the caller may see.
    ///
    /// - Throws: NOT_FOUND.
    func own(_ name: String, _ kind: JobKind, for caller: Caller) throws(RecordError) -> JobRow {
        guard let row = try table.find(name: name), row.kind == kind,
            JobInfo.showsAll(of: row.caller, in: row.address, row.task, to: caller)
        else { throw .jobNotFound }
        return row
    }

    /// Returns the jobs that the caller may see, newest first.
    ///
    /// - Returns: The jobs, and whether there are more.
    /// - Throws: AUTHENTICATION_REQUIRED for an anonymous caller; BAD_REQUEST for an unknown `after`.
    package func list(_ filter: Jobs.Filter, for caller: Caller) throws(RecordError) -> (jobs: [JobInfo], hasMore: Bool)
    {
        guard let stored = StoredCaller(caller, actorKind: "", actor: "") else {
            throw RecordError(.authenticationRequired, "Jobs belong to callers. Sign in first")
        }
        let position = try filter.after.map { name throws(RecordError) in
            guard let row = try table.find(name: name) else {
                throw RecordError.badRequest("'cursor' is the id of a job", details: [("parameter", .text("cursor"))])
            }
            return row.id
        }
        let rows = try table.list(
            of: JobInfo.maySeeAll(caller) ? nil : (stored.kind, stored.number),
            isUnfinished: filter.isUnfinished, before: position, limit: filter.limit + 1)
        let jobs = try rows.prefix(filter.limit).map { row throws(RecordError) in
            try JobInfo(row, reader.store.accounts)
        }
        return (jobs, rows.count > filter.limit)
    }
}

/// A job as callers see it.
package struct JobInfo: Hashable, Sendable {
    private let row: JobRow
    private let place: JobPlace

    /// - Throws: The store's error.
    init(_ row: JobRow, _ accounts: AccountTable) throws(RecordError) {
        self.row = row
        place = try JobPlace(row.address, accounts)
    }

    /// The public id.
    package var name: String { row.name }
    /// Whether the job has ended.
    package var isFinal: Bool { row.state.isFinal }

    /// Whether a caller may see the jobs of others.
    static func maySeeAll(_ caller: Caller) -> Bool { Authorization.authorize(caller, .readSchema) == .allowed }

    static func maySee(_ row: JobRow, _ caller: Caller) -> Bool { row.caller.belongs(to: caller) || maySeeAll(caller) }

    /// The job as JSON, for a caller that may see it. Members that do not apply are absent. Other callers than the
    /// job's own do not see conditions, values and record names of a private database; keys never do.
    package func json(for caller: Caller) -> JSONValue {
        let showsAll = Self.showsAll(of: row.caller, in: row.address, row.task, to: caller)
        let progress = row.progress
        var object = JSONObject([
            ("id", .string(row.name)), ("kind", .string(row.kind.rawValue)), ("state", .string(row.state.rawValue)),
            ("by", ["kind": .string(row.caller.actorKind), "name": .string(row.caller.actor)]),
            ("task", Self.task(row.task, isWhole: showsAll || !row.kind.isOfCallers)),
            ("created", .integer(row.created)),
        ])
        if let schedule = row.scheduleName { object["schedule"] = .string(schedule) }
        if row.kind.isOfCallers {
            place.describe(to: &object, of: row.caller, for: caller)
        }
        if let started = row.started { object["started"] = .integer(started) }
        if let ended = row.ended { object["ended"] = .integer(ended) }
        if let total = progress.total { object["total"] = .integer(total) }
        object["done"] = .integer(progress.done)
        if row.kind == .exportRecords, row.state == .succeeded { object["bytes"] = .integer(progress.last.rawValue) }
        object["skipped"] = .integer(progress.skipped)
        if showsAll, let skips = progress.skips, let value = try? JSONValue.parse(skips) {
            object["skipReasons"] = value
        }
        if let rate {
            object["rate"] = .integer(Int64(rate))
            if let total = progress.total, row.state == .running || row.state == .paused {
                let left = max(0, total - progress.done - progress.skipped)
                object["secondsLeft"] = .integer(Int64(Double(left) / rate) + 1)
            }
        }
        if let error = row.error, let value = try? JSONValue.parse(error) {
            // The sentence may name records.
            let code = value["serverErrorCode"].map { JSONValue.object(JSONObject([("serverErrorCode", $0)])) }
            object["error"] = row.caller.belongs(to: caller) || place.mayEnter(caller) ? value : code
        }
        return .object(object)
    }

    /// Whether a caller may see what a job does, and its file. A whole container has private databases and the hashes of
    /// passwords. The caller that has started its job may have lost the right.
    static func showsAll(
        of owner: StoredCaller, in address: StoredAddress, _ task: [UInt8], to caller: Caller
    ) -> Bool {
        if (try? JSONValue.parse(task))?["format"] == "container" {
            return Authorization.authorize(caller, .downloadBackups) == .allowed
        }
        return owner.belongs(to: caller) || (address.scope == 0 && caller.administrator != nil)
    }

    /// Returns the part of a stored task that a caller may see.
    static func task(
        _ task: [UInt8], of owner: StoredCaller, in address: StoredAddress, for caller: Caller
    ) -> JSONValue {
        Self.task(task, isWhole: showsAll(of: owner, in: address, task, to: caller))
    }

    private static func task(_ task: [UInt8], isWhole: Bool) -> JSONValue {
        guard let task = try? JSONValue.parse(task) else { return .null }
        if isWhole { return task }
        return .object(JSONObject(["kind", "recordType"].compactMap { key in task[key].map { (key, $0) } }))
    }

    /// Items per second of running time; `nil` if too little is done to tell.
    private var rate: Double? {
        let items = row.progress.done + row.progress.skipped
        guard row.progress.worked >= 100, items > 0 else { return nil }
        return max(1, Double(items) * 1_000 / Double(row.progress.worked))
    }
}

extension RecordError {
    fileprivate static let jobNotFound = RecordError(
        .notFound, "There is no such job. Jobs are kept for a week after their end")
}
