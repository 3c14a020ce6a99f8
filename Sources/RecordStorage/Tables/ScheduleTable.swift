package import RecordModel

/// A stored schedule: a task that becomes a job at certain times.
package struct ScheduleRow: Hashable, Sendable {
    /// The number of the schedule; 0 for a new one.
    package var id = ScheduleID(rawValue: 0)
    /// The name.
    package var name: String
    /// Who the jobs run as.
    package var caller: StoredCaller
    /// The zone on which the jobs work.
    package var address: StoredAddress
    /// What the jobs do, as a JSON object.
    package var task: [UInt8]
    /// When the jobs start, as a cron expression.
    package var cron: String
    /// The name of the time zone of `cron`.
    package var timeZone: String
    /// When the schedule was created, in milliseconds since 1970.
    package var created: Int64
    /// When a caller last changed the schedule, in milliseconds since 1970.
    package var modified: Int64
    /// When the next job starts, in milliseconds since 1970; `nil` while the schedule is paused.
    package var next: Int64?
    /// Why the server has paused the schedule; `nil` if it has not.
    package var problem: String?
    /// The last time at which no job was started because the one before had not ended; `nil` for none.
    package var skipped: Int64?

    /// Creates a schedule that is paused.
    package init(
        name: String, caller: StoredCaller, address: StoredAddress, task: [UInt8], cron: String, timeZone: String,
        created: Int64
    ) {
        self.name = name
        self.caller = caller
        self.address = address
        self.task = task
        self.cron = cron
        self.timeZone = timeZone
        self.created = created
        modified = created
    }
}

/// The schedules. Each reader and the writer have their own `ScheduleTable` on their own connection.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class ScheduleTable {
    private let connection: Connection

    private static let columns =
        "id, name, caller_kind, caller, actor_kind, actor, scope, owner, zone, task, cron, time_zone, created, modified, next, problem, skipped"

    /// Uses `connection`.
    package init(_ connection: Connection) { self.connection = connection }

    /// Returns the schedule with a name; `nil` if there is none.
    package func find(name: String) throws(RecordError) -> ScheduleRow? {
        try connection.prepare("SELECT \(Self.columns) FROM schedule WHERE name = ?1").with(name).row(read)
    }

    /// Returns a schedule; `nil` if there is none.
    package func find(_ id: ScheduleID) throws(RecordError) -> ScheduleRow? {
        try connection.prepare("SELECT \(Self.columns) FROM schedule WHERE id = ?1").with(id).row(read)
    }

    /// Returns the schedules in the order of their names.
    package func list(limit: Int) throws(RecordError) -> [ScheduleRow] {
        try connection.prepare("SELECT \(Self.columns) FROM schedule ORDER BY name LIMIT ?1").with(limit).rows(read)
    }

    /// Returns the schedules whose next job is due at `now` (milliseconds since 1970), the longest due first.
    package func due(at now: Int64) throws(RecordError) -> [ScheduleID] {
        try connection.prepare("SELECT id FROM schedule WHERE next <= ?1 ORDER BY next").with(now).rows { $0.next() }
    }

    /// Returns the number of schedules.
    package func count() throws(RecordError) -> Int {
        try connection.prepare("SELECT count(*) FROM schedule").row { $0.next() } ?? 0
    }

    private func read(_ row: inout Columns) -> ScheduleRow {
        let id: ScheduleID = row.next()
        let name: String = row.next()
        let caller = StoredCaller(kind: row.next(), number: row.next(), actorKind: row.next(), actor: row.next())
        let address = StoredAddress(scope: row.next(), owner: row.next(), zone: row.next())
        var schedule = ScheduleRow(
            name: name, caller: caller, address: address, task: row.next(), cron: row.next(), timeZone: row.next(),
            created: row.next())
        schedule.id = id
        schedule.modified = row.next()
        (schedule.next, schedule.problem, schedule.skipped) = (row.next(), row.next(), row.next())
        return schedule
    }

    // MARK: Writing

    /// Adds a schedule, or replaces the one with its name, which keeps its number.
    ///
    /// - Returns: The number.
    package func put(_ row: ScheduleRow) throws(RecordError) -> ScheduleID {
        let (caller, address) = (row.caller, row.address)
        let put = connection.prepare(
            """
            INSERT INTO schedule (
                name, caller_kind, caller, actor_kind, actor, scope, owner, zone, task, cron, time_zone, created,
                modified, next, problem, skipped)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
            ON CONFLICT (name) DO UPDATE SET
                caller_kind = ?2, caller = ?3, actor_kind = ?4, actor = ?5, scope = ?6, owner = ?7, zone = ?8,
                task = ?9, cron = ?10, time_zone = ?11, modified = ?13, next = ?14, problem = ?15, skipped = ?16
            RETURNING id
            """)
        put.with(row.name, caller.kind, caller.number, caller.actorKind, caller.actor, address.scope)
            .with(from: 7, address.owner, address.zone, row.task, row.cron, row.timeZone)
            .with(from: 12, row.created, row.modified, row.next, row.problem, row.skipped)
        return try put.returnedID()
    }

    /// Deletes a schedule. Its jobs stay.
    package func remove(_ id: ScheduleID) throws(RecordError) {
        try connection.prepare("DELETE FROM schedule WHERE id = ?1").with(id).run()
    }
}
