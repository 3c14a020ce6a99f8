package import RecordModel

/// A stored entry of the audit log.
package struct AuditRow: Hashable, Sendable {
    /// The entry's ID; 0 before the entry is stored.
    package var id: Int64
    /// When the action happened, in milliseconds since 1970.
    package var at: Int64
    /// The kind of the actor.
    package var actorKind: String
    /// The actor's name.
    package var actor: String
    /// The name of the action.
    package var action: String
    /// The object of the action.
    package var target: String
    /// The outcome; `refused` for a rejected action.
    package var outcome: String
    /// The address of the client; empty if there is no client.
    package var address: String
    /// The ID of the request, as in the access log; empty if there is no request.
    package var request: String
    /// Details as a JSON object; `nil` for none.
    package var detail: String?

    /// Creates a row to store, or a row that was read.
    package init(
        id: Int64 = 0, at: Int64, actorKind: String, actor: String, action: String, target: String, outcome: String,
        address: String, request: String, detail: String?
    ) {
        self.id = id
        self.at = at
        self.actorKind = actorKind
        self.actor = actor
        self.action = action
        self.target = target
        self.outcome = outcome
        self.address = address
        self.request = request
        self.detail = detail
    }
}

/// A filter for entries of the audit log.
package struct AuditFilter: Hashable, Sendable {
    /// The earliest time of an entry, inclusive, in milliseconds since 1970.
    package var since: Int64 = .min
    /// The latest time of an entry, inclusive, in milliseconds since 1970.
    package var until: Int64 = .max
    /// Only entries of this actor; `nil` for all.
    package var actor: String?
    /// Only entries with this action; `nil` for all.
    package var action: String?

    /// Creates a filter for all entries.
    package init() {}
}

/// The audit log of a file. Entries are never changed. Only `purge` deletes entries.
///
/// Its functions throw INTERNAL_ERROR or TRY_AGAIN_LATER if the store fails.
package final class AuditTable {
    private let connection: Connection
    private let insert: Statement

    private static let columns = "id, at, actor_kind, actor, action, target, outcome, address, request, detail"

    /// Prepares the SQL statements on `connection`.
    ///
    /// - Parameter isReader: Whether the connection is read-only.
    package init(_ connection: Connection, isReader: Bool = false) {
        self.connection = connection
        insert = connection.prepare(
            isReader
                ? "SELECT 1"
                : """
                INSERT INTO audit (at, actor_kind, actor, action, target, outcome, address, request, detail)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                """)
    }

    /// Adds an entry.
    package func append(_ row: AuditRow) throws(RecordError) {
        try insert
            .with(row.at, row.actorKind, row.actor, row.action, row.target, row.outcome, row.address)
            .with(from: 8, row.request, row.detail).run()
        try connection.prepare(
            "INSERT INTO audit_count VALUES (?1, 1) ON CONFLICT (outcome) DO UPDATE SET entries = entries + 1"
        ).with(row.outcome).run()
    }

    /// Returns a page of entries, newest first.
    ///
    /// - Parameter position: The time and ID of the last entry of the previous page.
    package func list(
        _ filter: AuditFilter, before position: (at: Int64, id: Int64)?, limit: Int
    ) throws(RecordError) -> [AuditRow] {
        var sql = "SELECT \(Self.columns) FROM audit WHERE at BETWEEN ?1 AND ?2"
        if filter.actor != nil { sql += " AND actor = ?3" }
        if filter.action != nil { sql += " AND action = ?4" }
        if position != nil { sql += " AND (at, id) < (?5, ?6)" }
        let statement = connection.prepare(SQL(sql + " ORDER BY at DESC, id DESC LIMIT ?7"))
        statement.with(filter.since)
        // The upper bound of the index range, so that a page starts where the previous one ended.
        statement.with(from: 2, min(filter.until, position?.at ?? .max))
        if let actor = filter.actor { statement.with(from: 3, actor) }
        if let action = filter.action { statement.with(from: 4, action) }
        if let position { statement.with(from: 5, position.at, position.id) }
        return try statement.with(from: 7, limit).rows { row in
            AuditRow(
                id: row.next(), at: row.next(), actorKind: row.next(), actor: row.next(), action: row.next(),
                target: row.next(), outcome: row.next(), address: row.next(), request: row.next(),
                detail: row.next())
        }
    }

    /// Deletes entries older than `moment` (milliseconds since 1970). If more than `count` entries are left, also
    /// deletes the oldest entries.
    ///
    /// Any client can cause entries for rejections, and these must not displace entries for actions. So rejections
    /// may use only the share of `count` that actions leave: at least a twentieth and at most half of `count`.
    ///
    /// - Returns: The number of deleted entries. If it is less than `limit`, no more entries can be deleted.
    package func purge(before moment: Int64, keeping count: Int, limit: Int) throws(RecordError) -> Int {
        let actions = try connection.integer("SELECT sum(entries) FROM audit_count WHERE outcome <> 'refused'") ?? 0
        let rejections = try purgeRejections(
            keeping: min(count / 2, max(count / 20, count - Int(actions))), limit: limit)
        guard let first = try connection.integer("SELECT min(id) FROM audit"),
            let newest = try connection.integer("SELECT max(id) FROM audit")
        else { return rejections }
        let young = try number("SELECT id FROM audit WHERE at >= ?1 ORDER BY at, id LIMIT 1", moment)
        let firstYoung = young ?? newest + 1
        let surplus = try (connection.integer("SELECT sum(entries) FROM audit_count") ?? 0) - Int64(count)
        let oldest: SQL = "SELECT id FROM audit ORDER BY id LIMIT 1 OFFSET ?1"
        let firstKept = surplus > 0 ? try number(oldest, min(surplus, Int64(limit))) ?? newest + 1 : first
        let end = min(max(firstYoung, firstKept), try number(oldest, Int64(limit)) ?? newest + 1)
        guard end > first else { return rejections }
        try run("UPDATE audit_retention SET before = max(before, ?1)", end)
        // After the clock was set back, an entry with a small ID can have a recent time. Such an entry stays until
        // its time is before `moment`.
        let gone: [String] = try connection.prepare(
            "DELETE FROM audit WHERE id < ?1 AND (at < ?2 OR id < ?3) RETURNING outcome"
        ).with(end, moment, firstKept).rows { $0.next() }
        for (outcome, entries) in Dictionary(grouping: gone, by: \.self) {
            try uncount(entries.count, outcome)
        }
        return rejections + gone.count
    }

    private func purgeRejections(keeping count: Int, limit: Int) throws(RecordError) -> Int {
        let there = try connection.integer("SELECT entries FROM audit_count WHERE outcome = 'refused'") ?? 0
        let surplus = there - Int64(count)
        guard surplus > 0 else { return 0 }
        let rejected = "FROM audit INDEXED BY audit_refused WHERE outcome = 'refused'"
        let found = try number("SELECT id \(rejected) ORDER BY id LIMIT 1 OFFSET ?1", min(surplus, Int64(limit)))
        let newest = try connection.integer("SELECT max(id) FROM audit") ?? 0
        let end = found ?? newest + 1
        try run("UPDATE audit_retention SET refused_before = max(refused_before, ?1)", end)
        let gone = try connection.prepare("DELETE \(rejected) AND id < ?1").with(end).changedRows()
        try uncount(gone, "refused")
        return gone
    }

    private func uncount(_ entries: Int, _ outcome: String) throws(RecordError) {
        try connection.prepare("UPDATE audit_count SET entries = entries - ?2 WHERE outcome = ?1")
            .with(outcome, entries).run()
    }

    private func number(_ sql: SQL, _ argument: Int64) throws(RecordError) -> Int64? {
        try connection.prepare(sql).with(argument).number()
    }

    private func run(_ sql: SQL, _ argument: Int64) throws(RecordError) {
        try connection.prepare(sql).with(argument).run()
    }
}
