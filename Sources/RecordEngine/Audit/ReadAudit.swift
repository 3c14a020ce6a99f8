package import RecordModel
internal import RecordStorage
internal import RecordWire

/// Entries of a log, as a request asks for them.
package struct AuditRequest: Sendable {
    /// The first and the last millisecond.
    package var since: Int64?
    package var until: Int64?
    /// Whose, by the name that the log has.
    package var actor: String?
    package var action: AuditAction?
    package var limit: Int
    /// Where the page before ended.
    package var cursor: String?

    package init(action: AuditAction? = nil, limit: Int = 100, cursor: String? = nil) {
        self.action = action
        self.limit = limit
        self.cursor = cursor
    }

    var filter: AuditFilter {
        var filter = AuditFilter()
        filter.since = since ?? .min
        filter.until = until ?? .max
        filter.actor = actor
        filter.action = action?.rawValue
        return filter
    }

    /// The moment and number in the cursor: `at.id`. Who may read the log may read all of it, so there is nothing to hide
    /// in one.
    func position() throws(RecordError) -> (at: Int64, id: Int64)? {
        guard let cursor else { return nil }
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(parts[0]), let id = Int64(parts[1]) else {
            throw .badRequest("The cursor is none of this log. Ask for the first page again", cause: .tokenInvalid)
        }
        return (at, id)
    }
}

/// A page of a log: `{"entries":[…],"cursor"?}`.
enum AuditPage {
    /// - Parameter read: Gives entries behind a position, at most as many as it is told.
    static func compose(
        _ request: AuditRequest,
        _ read: (_ position: (at: Int64, id: Int64)?, _ limit: Int) throws(RecordError) -> [AuditRow]
    ) throws(RecordError) -> [UInt8] {
        let rows = try read(try request.position(), request.limit + 1)
        var page = JSONObject([("entries", .array(rows.prefix(request.limit).map(json)))])
        if rows.count > request.limit, let last = rows.prefix(request.limit).last {
            page["cursor"] = .string("\(last.at).\(last.id)")
        }
        return JSONValue.object(page).bytes
    }

    private static func json(_ row: AuditRow) -> JSONValue {
        var entry: [(String, JSONValue)] = [
            ("id", .integer(row.id)), ("timestamp", .integer(row.at)),
            ("actor", ["kind": .string(row.actorKind), "name": .string(row.actor)]),
            ("action", .string(row.action)), ("target", .string(row.target)), ("outcome", .string(row.outcome)),
        ]
        if !row.address.isEmpty { entry.append(("address", .string(row.address))) }
        if !row.request.isEmpty { entry.append(("request", .string(row.request))) }
        if let detail = row.detail, let value = try? JSONValue.parse(Array(detail.utf8)) {
            entry.append(("detail", value))
        }
        return .object(JSONObject(entry))
    }
}

extension AuditLog {
    /// A page of the database's log, the newest entry first, on a thread of the pool.
    package func page(_ request: AuditRequest) async throws(RecordError) -> [UInt8] {
        try await writeAllNotes()
        return try await database.queries.pool.read(database) { reader throws(RecordError) in
            let table = reader.store.audit
            return try AuditPage.compose(request) { position, limit throws(RecordError) in
                try table.list(request.filter, before: position, limit: limit)
            }
        }
    }
}
