internal import Encodings
internal import RecordModel
internal import RecordStorage
internal import RecordWire

/// Creates and changes jobs in a transaction.
struct JobWriter {
    let transaction: WriteTransaction

    private var table: JobTable { transaction.store.jobs }

    /// The maximum number of unfinished jobs of one caller, and of all callers together.
    static let mostPerCaller = 20
    private static let most = 1_000

    /// Returns a caller in the form of the store, with its permanent name.
    ///
    /// - Throws: AUTHENTICATION_REQUIRED for an anonymous caller.
    func stored(_ caller: Caller) throws(RecordError) -> StoredCaller {
        let (kind, name) = try transaction.auditLog.name(of: AuditActor(caller: caller))
        guard let stored = StoredCaller(caller, actorKind: kind, actor: name) else {
            throw RecordError(.authenticationRequired, "A job belongs to the caller that starts it. Sign in first")
        }
        return stored
    }

    /// Adds a job of a caller.
    ///
    /// - Parameters:
    ///   - schedule: The schedule that starts the job; `nil` for none.
    ///   - failure: Why the job cannot run; `nil` if it can.
    ///   - name: The job's public name; `nil` for a new one.
    /// - Throws: TRY_AGAIN_LATER if too many jobs are unfinished; QUOTA_EXCEEDED if the files of the caller's jobs take too
    ///   much room.
    func create(
        _ task: JobTask, for caller: StoredCaller, in address: StoredAddress, total: Int?,
        schedule: ScheduleID? = nil, failure: RecordError? = nil, name: String? = nil
    ) throws(RecordError) -> JobRow {
        let count = try table.unfinishedCount(of: caller)
        guard count.caller < Self.mostPerCaller, count.all < Self.most else {
            let isOfCaller = count.caller >= Self.mostPerCaller
            throw RecordError(
                .tryAgainLater,
                isOfCaller
                    ? "You have \(count.caller) unfinished jobs. Wait for one to end, or cancel one"
                    : "Too many jobs are unfinished. Try again later",
                details: [("limit", .number(Int64(isOfCaller ? Self.mostPerCaller : Self.most)))], retryAfter: 30)
        }
        var row = JobRow(
            name: name ?? SecretToken.makePublicID(), kind: task.kind, state: .queued, caller: caller, address: address,
            task: task.json.bytes, created: transaction.now)
        row.progress.total = total.map(Int64.init)
        if task.kind.isBulkChange {
            // Records that are created from now on have greater numbers.
            row.progress.last = RecordNumber(rawValue: transaction.store.head.sequence)
        } else {
            row.progress.last = RecordNumber(rawValue: task.fileBytes)
            try Self.checkFiles(try table.fileBytes(of: caller), adding: task.fileBytes, transaction.limits)
        }
        row.schedule = schedule
        if let failure {
            (row.state, row.ended, row.error) = (.failed, transaction.now, Self.json(failure))
        }
        row.id = try table.add(row)
        return row
    }

    /// Checks that a caller's jobs may have more bytes in files.
    ///
    /// - Parameter held: The bytes that they have.
    /// - Throws: QUOTA_EXCEEDED.
    static func checkFiles(_ held: Int64, adding bytes: Int64, _ limits: DatabaseLimits) throws(RecordError) {
        let limit = Int64(limits.unreferencedAssetBytes)
        guard held + bytes > limit else { return }
        throw RecordError(
            .quotaExceeded,
            "The files of your imports and exports take as much room as they may. Delete the jobs of exports that you no longer need, or narrow the export",
            cause: .tooLarge,
            details: [
                ("held", .number(held)), ("limit", .number(limit)), ("setting", .text("assets.unreferenced_bytes")),
            ])
    }

    /// Returns the error of a failed job as a JSON object.
    static func json(_ error: RecordError) -> [UInt8] {
        var json: [UInt8] = []
        ErrorComposer.append(error, uuid: nil, recordName: nil, to: &json)
        return json
    }

    /// Whether jobs wait that were there when the database was closed.
    func areWaiting() throws(RecordError) -> Bool {
        for kind in JobKind.allCases where kind.isOfCallers || kind == .backup {
            if try !table.unfinished(kind).isEmpty { return true }
        }
        return false
    }

    /// Marks backups up to `last` as failed: they ended with the process that ran them.
    func endInterruptedBackups(through last: JobID) throws(RecordError) {
        for row in try table.unfinished(.backup) where row.id <= last {
            let error = RecordError(.tryAgainLater, "The server ended before the backup was complete")
            try table.set(.failed, of: row.id, now: transaction.now, error: Self.json(error))
        }
    }

    /// Returns the oldest job of callers that waits to run, and marks it as running.
    ///
    /// - Parameter running: The jobs that run already.
    func claim(except running: Set<JobID>) throws(RecordError) -> JobID? {
        var oldest: JobID?
        for kind in JobKind.allCases where kind.isOfCallers {
            for row in try table.unfinished(kind) where row.state != .paused && !running.contains(row.id) {
                oldest = min(oldest ?? row.id, row.id)
                break
            }
        }
        if let oldest { try table.set(.running, of: oldest, now: transaction.now) }
        return oldest
    }

    // MARK: Work of the server

    /// Updates the jobs that show work of the server. Call it in each slice of the work.
    ///
    /// - Parameters:
    ///   - kind: The kind of work.
    ///   - left: The work that is left, by the number of its index or account. Work without a job gets one.
    ///   - task: Returns the task of a new job.
    ///   - ended: Returns the final state of work that is not left.
    ///   - error: The error of work that has failed, as a JSON object.
    func show(
        _ kind: JobKind, left: [Int64: (done: Int64, total: Int64?)],
        task: (Int64) -> JSONValue = { _ in .object(JSONObject()) },
        ended: (Int64) -> JobState = { _ in .succeeded }, error: [UInt8]? = nil
    ) throws(RecordError) {
        let now = transaction.now
        var left = left
        for row in try table.unfinished(kind) {
            var progress = row.progress
            progress.worked = max(0, now - (row.started ?? now))
            if let work = left.removeValue(forKey: row.subject) {
                // Most slices of a build do not change the number of records in the index.
                if work == (progress.done, progress.total) { continue }
                (progress.done, progress.total) = work
                try table.advance(row.id, progress)
            } else {
                try table.advance(row.id, progress)
                try table.set(ended(row.subject), of: row.id, now: now, error: error)
            }
        }
        for (subject, work) in left.sorted(by: { $0.key < $1.key }) {
            var row = JobRow(
                name: SecretToken.makePublicID(), kind: kind, state: .running, caller: .server,
                address: StoredAddress(.publicDefault), task: task(subject).bytes, created: now)
            row.subject = subject
            row.started = now
            (row.progress.done, row.progress.total) = work
            _ = try table.add(row)
        }
    }
}
