package import RecordModel

/// The caller as which a job runs, in the form of the store.
package struct StoredCaller: Hashable, Sendable {
    /// The kind of caller; the engine defines the values.
    package var kind: Int64
    /// The number of the account or administrator.
    package var number: Int64
    /// The kind of actor, as in the audit log.
    package var actorKind: String
    /// The permanent name of the actor, as in the audit log.
    package var actor: String

    /// Creates a caller from its columns.
    package init(kind: Int64, number: Int64, actorKind: String, actor: String) {
        self.kind = kind
        self.number = number
        self.actorKind = actorKind
        self.actor = actor
    }
}

/// The zone on which a job works, in the form of the store.
package struct StoredAddress: Hashable, Sendable {
    /// 0 public, 1 private.
    package var scope: Int64
    /// The owner of a private database, else 0.
    package var owner: UserID
    /// The name of the zone.
    package var zone: String

    /// Creates an address from its columns.
    package init(scope: Int64, owner: UserID, zone: String) {
        self.scope = scope
        self.owner = owner
        self.zone = zone
    }
}

/// The progress of a job.
package struct StoredProgress: Hashable, Sendable {
    /// How long the job has run, in milliseconds.
    package var worked: Int64 = 0
    /// The number of items; `nil` if unknown.
    package var total: Int64?
    /// The number of items done.
    package var done: Int64 = 0
    /// The number of items that were left unchanged.
    package var skipped: Int64 = 0
    /// Why items were skipped, as a JSON list; `nil` for none.
    package var skips: [UInt8]?
    /// All records up to this one are done.
    package var position = RecordNumber(rawValue: 0)
    /// The last record that belongs to the job.
    package var last = RecordNumber(rawValue: 0)

    /// A job that has done nothing.
    package init() {}
}

/// A row of a file that a job could not import.
package struct RejectedRow: Hashable, Sendable {
    /// The line of the file on which the row begins, from 1.
    package let line: Int64
    /// The error as a JSON object.
    package let error: [UInt8]
}

/// A stored job.
package struct JobRow: Hashable, Sendable {
    /// The number of the job; 0 for a new job.
    package var id = JobID(rawValue: 0)
    /// The public name, which is random.
    package var name: String
    /// The kind of work.
    package var kind: JobKind
    /// The state.
    package var state: JobState
    /// Who the job runs as.
    package var caller: StoredCaller
    /// The zone on which the job works.
    package var address: StoredAddress
    /// What to do, as a JSON object.
    package var task: [UInt8]
    /// The number of the index or account of the server's own work, else 0.
    package var subject: Int64 = 0
    /// The schedule that started the job; `nil` for none.
    package var schedule: ScheduleID?
    /// The name of the schedule; `nil` for none, or a deleted one.
    package var scheduleName: String?
    /// When the job was created, in milliseconds since 1970.
    package var created: Int64
    /// When the job first ran; `nil` if it has not.
    package var started: Int64?
    /// When the job ended; `nil` if it has not.
    package var ended: Int64?
    /// The progress.
    package var progress = StoredProgress()
    /// The error that ended the job, as a JSON object; `nil` for none.
    package var error: [UInt8]?

    /// Creates a job that has not run.
    package init(
        name: String, kind: JobKind, state: JobState, caller: StoredCaller, address: StoredAddress, task: [UInt8],
        created: Int64
    ) {
        self.name = name
        self.kind = kind
        self.state = state
        self.caller = caller
        self.address = address
        self.task = task
        self.created = created
    }
}

/// The jobs. Each reader and the writer have their own `JobTable` on their own connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class JobTable {
    private let connection: Connection
    private let findByID: Statement
    private let advance: Statement

    private static let columns =
        "id, name, kind, state, caller_kind, caller, actor_kind, actor, scope, owner, zone, task, subject, created, started, ended, worked, total, done, skipped, skips, position, last, error, schedule, (SELECT schedule.name FROM schedule WHERE schedule.id = job.schedule)"

    /// Prepares the SQL statements on `connection`.
    package init(_ connection: Connection) {
        self.connection = connection
        findByID = connection.prepare("SELECT \(Self.columns) FROM job WHERE id = ?1")
        advance = connection.prepare(
            """
            UPDATE job SET worked = ?2, total = ?3, done = ?4, skipped = ?5, skips = ?6, position = ?7, last = ?8
            WHERE id = ?1
            """)
    }

    /// Returns a job; `nil` if there is none.
    package func find(_ id: JobID) throws(RecordError) -> JobRow? { try findByID.with(id).row(read) }

    /// Returns the job with a public name; `nil` if there is none.
    package func find(name: String) throws(RecordError) -> JobRow? {
        try connection.prepare("SELECT \(Self.columns) FROM job WHERE name = ?1").with(name).row(read)
    }

    /// Returns jobs, newest first.
    ///
    /// - Parameters:
    ///   - caller: The caller whose jobs to return; `nil` for the jobs of all.
    ///   - isUnfinished: Whether to leave out the jobs that have ended.
    ///   - position: Only jobs before this one; `nil` for the newest.
    package func list(
        of caller: (kind: Int64, number: Int64)?, isUnfinished: Bool, before position: JobID?, limit: Int
    ) throws(RecordError) -> [JobRow] {
        try connection.prepare(
            """
            SELECT \(Self.columns) FROM job
            WHERE id < ?1 AND (?2 IS NULL OR (caller_kind = ?2 AND caller = ?3))
                AND (NOT ?4 OR ended IS NULL)
            ORDER BY id DESC LIMIT ?5
            """
        ).with(position?.rawValue ?? .max, caller?.kind, caller?.number, isUnfinished, limit).rows(read)
    }

    /// Returns the newest job; `nil` if there is none.
    package func last() throws(RecordError) -> JobID? {
        try connection.prepare("SELECT id FROM job ORDER BY id DESC LIMIT 1").row { $0.next() }
    }

    /// Returns the unfinished jobs of a kind, oldest first.
    package func unfinished(_ kind: JobKind) throws(RecordError) -> [JobRow] {
        try connection.prepare(
            "SELECT \(Self.columns) FROM job WHERE kind = ?1 AND ended IS NULL ORDER BY id"
        ).with(kind.rawValue).rows(read)
    }

    /// Returns the last jobs of a schedule, newest first.
    package func runs(of schedule: ScheduleID, limit: Int) throws(RecordError) -> [JobRow] {
        try connection.prepare(
            "SELECT \(Self.columns) FROM job WHERE schedule = ?1 ORDER BY id DESC LIMIT ?2"
        ).with(schedule, limit).rows(read)
    }

    /// Returns the number of unfinished jobs, of all callers and of one.
    package func unfinishedCount(of caller: StoredCaller) throws(RecordError) -> (all: Int, caller: Int) {
        try connection.prepare(
            """
            SELECT count(*), coalesce(sum(caller_kind = ?1 AND caller = ?2), 0) FROM job
            WHERE ended IS NULL AND caller_kind > 0
            """
        ).with(caller.kind, caller.number).row { ($0.next(), $0.next()) } ?? (0, 0)
    }

    /// Returns the bytes of the files of a caller's jobs: the files of unfinished imports and exports, and those that
    /// exports have written. A file counts at least a block of the disk.
    package func fileBytes(of caller: StoredCaller) throws(RecordError) -> Int64 {
        try connection.prepare(
            """
            SELECT coalesce(sum(max(last, 4096)), 0) FROM job
            WHERE caller_kind = ?1 AND caller = ?2
                AND (kind = ?3 AND ended IS NULL OR kind = ?4 AND (ended IS NULL OR state = ?5))
            """
        ).with(
            caller.kind, caller.number, JobKind.importRecords.rawValue, JobKind.exportRecords.rawValue,
            JobState.succeeded.rawValue
        ).row { $0.next() } ?? 0
    }

    private func read(_ row: inout Columns) -> JobRow {
        let id: JobID = row.next()
        let name: String = row.next()
        let (kind, state): (String, String) = (row.next(), row.next())
        let caller = StoredCaller(kind: row.next(), number: row.next(), actorKind: row.next(), actor: row.next())
        let address = StoredAddress(scope: row.next(), owner: row.next(), zone: row.next())
        let task: [UInt8] = row.next()
        let subject: Int64 = row.next()
        var job = JobRow(
            name: name, kind: JobKind(rawValue: kind) ?? .updateRecords, state: JobState(rawValue: state) ?? .failed,
            caller: caller, address: address, task: task, created: row.next())
        (job.id, job.subject) = (id, subject)
        (job.started, job.ended) = (row.next(), row.next())
        job.progress.worked = row.next()
        job.progress.total = row.next()
        (job.progress.done, job.progress.skipped, job.progress.skips) = (row.next(), row.next(), row.next())
        (job.progress.position, job.progress.last) = (row.next(), row.next())
        job.error = row.next()
        (job.schedule, job.scheduleName) = (row.next(), row.next())
        return job
    }

    // MARK: Writing

    /// Adds a job, and returns its number.
    package func add(_ job: JobRow) throws(RecordError) -> JobID {
        let (caller, address, progress) = (job.caller, job.address, job.progress)
        let insert = connection.prepare(
            """
            INSERT INTO job (
                name, kind, state, caller_kind, caller, actor_kind, actor, scope, owner, zone, task, subject,
                created, started, ended, worked, total, done, last, schedule, error)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
            RETURNING id
            """)
        insert.with(job.name, job.kind.rawValue, job.state.rawValue, caller.kind, caller.number, caller.actorKind)
            .with(from: 7, caller.actor, address.scope, address.owner, address.zone, job.task, job.subject)
            .with(from: 13, job.created, job.started, job.ended, progress.worked, progress.total)
            .with(from: 18, progress.done, progress.last, job.schedule, job.error)
        return try insert.returnedID()
    }

    /// Stores the progress of a job.
    package func advance(_ id: JobID, _ progress: StoredProgress) throws(RecordError) {
        try advance.with(id, progress.worked, progress.total, progress.done, progress.skipped, progress.skips)
            .with(from: 7, progress.position, progress.last).run()
    }

    /// Changes the state of a job that has not ended.
    ///
    /// - Parameters:
    ///   - now: The time in milliseconds since 1970.
    ///   - error: The error that ended the job, as a JSON object.
    package func set(
        _ state: JobState, of id: JobID, now: Int64, error: [UInt8]? = nil
    ) throws(RecordError) {
        try connection.prepare(
            """
            UPDATE job SET state = ?2, started = CASE WHEN ?3 THEN coalesce(started, ?4) ELSE started END,
                ended = CASE WHEN ?5 THEN ?4 END, error = ?6
            WHERE id = ?1 AND ended IS NULL
            """
        ).with(id, state.rawValue, state == .running, now, state.isFinal, error).run()
    }

    // MARK: Rejected rows

    /// Stores why a job could not import the row that begins on a line.
    ///
    /// - Parameter error: The error as a JSON object.
    package func reject(line: Int64, of job: JobID, error: [UInt8]) throws(RecordError) {
        try connection.prepare("INSERT OR REPLACE INTO job_rejection (job, line, error) VALUES (?1, ?2, ?3)")
            .with(job, line, error).run()
    }

    /// Returns rejected rows of a job in the order of the file.
    ///
    /// - Parameter line: Only rows after this line.
    package func rejections(of job: JobID, after line: Int64, limit: Int) throws(RecordError) -> [RejectedRow] {
        try connection.prepare(
            "SELECT line, error FROM job_rejection WHERE job = ?1 AND line > ?2 ORDER BY line LIMIT ?3"
        ).with(job, line, limit).rows { row in RejectedRow(line: row.next(), error: row.next()) }
    }

    /// Deletes jobs that ended before `moment` (milliseconds since 1970). The last runs of schedules stay.
    ///
    /// - Parameters:
    ///   - runs: The number of runs that stay for each schedule.
    ///   - limit: The maximum number of jobs and rejected rows to delete.
    /// - Returns: The number of deleted jobs and rejected rows.
    package func removeEnded(before moment: Int64, keepingRuns runs: Int, limit: Int) throws(RecordError) -> Int {
        let ended: [JobID] = try connection.prepare(
            """
            SELECT id FROM job WHERE ended < ?1 AND (
                schedule IS NULL OR NOT EXISTS (SELECT 1 FROM schedule WHERE schedule.id = job.schedule)
                OR id < (
                    SELECT newer.id FROM job AS newer WHERE newer.schedule = job.schedule
                    ORDER BY newer.id DESC LIMIT 1 OFFSET ?3 - 1))
            LIMIT ?2
            """
        ).with(moment, limit, runs).rows { $0.next() }
        var left = limit
        for job in ended where left > 0 { left -= try remove(job, limit: left) }
        return limit - left
    }

    /// Deletes rejected rows of a job, and the job itself once it has no more of them.
    ///
    /// - Parameter limit: The maximum number of rows to delete, the job's own included; at least 1.
    /// - Returns: The number of deleted rows; less than `limit` if the job is deleted. The job may also be deleted if it
    ///   is equal.
    package func remove(_ job: JobID, limit: Int) throws(RecordError) -> Int {
        // Of the rows of one job only, which are beside each other.
        let rejections: [Int64] = try connection.prepare(
            """
            DELETE FROM job_rejection WHERE job = ?1 AND line <= (
                SELECT max(line) FROM (SELECT line FROM job_rejection WHERE job = ?1 ORDER BY line LIMIT ?2))
            RETURNING line
            """
        ).with(job, limit).rows { $0.next() }
        guard rejections.count < limit else { return limit }
        try connection.prepare("DELETE FROM job WHERE id = ?1").with(job).run()
        return rejections.count + 1
    }
}
