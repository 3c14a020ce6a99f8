package import RecordModel

/// An entry of the audit log as stored.
package struct AuditRow: Hashable, Sendable {
    package var id: Int64
    /// Milliseconds since 1970.
    package var at: Int64
    package var actorKind: String
    package var actor: String
    package var action: String
    package var target: String
    package var outcome: String
    /// The client's address; empty if it had none.
    package var address: String
    /// The request's id, as the access log has it; empty for none.
    package var request: String
    /// A JSON object.
    package var detail: String?

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

/// Which entries of the audit log are meant.
package struct AuditFilter: Hashable, Sendable {
    /// The first and the last millisecond.
    package var since: Int64 = .min
    package var until: Int64 = .max
    package var actor: String?
    package var action: String?

    package init() {}
}

/// The audit log of a file: rows come and stay.
package final class AuditTable {
    private let connection: Connection
    private let insert: Statement

    private static let columns = "id, at, actor_kind, actor, action, target, outcome, address, request, detail"

    /// - Parameter isReader: Its connection cannot write.
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

    package func append(_ row: AuditRow) throws(RecordError) {
        try insert
            .with(row.at, row.actorKind, row.actor, row.action, row.target, row.outcome, row.address)
            .with(from: 8, row.request, row.detail).run()
        try connection.prepare(
            "INSERT INTO audit_count VALUES (?1, 1) ON CONFLICT (outcome) DO UPDATE SET entries = entries + 1"
        ).with(row.outcome).run()
    }

    /// A page of entries, the newest first.
    ///
    /// - Parameter position: The moment and number of the last entry of the page before.
    package func list(
        _ filter: AuditFilter, before position: (at: Int64, id: Int64)?, limit: Int
    ) throws(RecordError) -> [AuditRow] {
        var sql = "SELECT \(Self.columns) FROM audit WHERE at BETWEEN ?1 AND ?2"
        if filter.actor != nil { sql += " AND actor = ?3" }
        if filter.action != nil { sql += " AND action = ?4" }
        if position != nil { sql += " AND (at, id) < (?5, ?6)" }
        let statement = connection.prepare(SQL(sql + " ORDER BY at DESC, id DESC LIMIT ?7"))
        statement.with(filter.since)
        // As the upper bound of the index's range, so that a page begins where the one before ended.
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

    /// Takes away entries that are older than a moment, and the oldest beyond a number. Refusals, which anybody causes, push
    /// out no deeds: they have half of the number at most, and no more than the deeds leave; but a twentieth always.
    ///
    /// - Returns: How many went; fewer than `limit` means that none are left to go.
    package func purge(before moment: Int64, keeping count: Int, limit: Int) throws(RecordError) -> Int {
        let deeds = try connection.integer("SELECT sum(entries) FROM audit_count WHERE outcome <> 'refused'") ?? 0
        let refusals = try purgeRefusals(keeping: min(count / 2, max(count / 20, count - Int(deeds))), limit: limit)
        guard let first = try connection.integer("SELECT min(id) FROM audit"),
            let newest = try connection.integer("SELECT max(id) FROM audit")
        else { return refusals }
        let young = try number("SELECT id FROM audit WHERE at >= ?1 ORDER BY at, id LIMIT 1", moment)
        let firstYoung = young ?? newest + 1
        let surplus = try (connection.integer("SELECT sum(entries) FROM audit_count") ?? 0) - Int64(count)
        let oldest: SQL = "SELECT id FROM audit ORDER BY id LIMIT 1 OFFSET ?1"
        let firstKept = surplus > 0 ? try number(oldest, min(surplus, Int64(limit))) ?? newest + 1 : first
        let end = min(max(firstYoung, firstKept), try number(oldest, Int64(limit)) ?? newest + 1)
        guard end > first else { return refusals }
        try run("UPDATE audit_retention SET before = max(before, ?1)", end)
        // A clock that was set back has left young entries among the old: they stay until they are old.
        let gone: [String] = try connection.prepare(
            "DELETE FROM audit WHERE id < ?1 AND (at < ?2 OR id < ?3) RETURNING outcome"
        ).with(end, moment, firstKept).rows { $0.next() }
        for (outcome, entries) in Dictionary(grouping: gone, by: \.self) {
            try uncount(entries.count, outcome)
        }
        return refusals + gone.count
    }

    private func purgeRefusals(keeping count: Int, limit: Int) throws(RecordError) -> Int {
        let there = try connection.integer("SELECT entries FROM audit_count WHERE outcome = 'refused'") ?? 0
        let surplus = there - Int64(count)
        guard surplus > 0 else { return 0 }
        let refused = "FROM audit INDEXED BY audit_refused WHERE outcome = 'refused'"
        let found = try number("SELECT id \(refused) ORDER BY id LIMIT 1 OFFSET ?1", min(surplus, Int64(limit)))
        let newest = try connection.integer("SELECT max(id) FROM audit") ?? 0
        let end = found ?? newest + 1
        try run("UPDATE audit_retention SET refused_before = max(refused_before, ?1)", end)
        let gone = try connection.prepare("DELETE \(refused) AND id < ?1").with(end).changedRows()
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
