package import RecordModel
internal import RecordStorage
internal import RecordWire

/// A request for entries of an audit log.
package struct AuditRequest: Sendable {
    /// The earliest time of an entry, in milliseconds since 1970; `nil` for no limit.
    package var since: Int64?
    /// The latest time of an entry, in milliseconds since 1970; `nil` for no limit.
    package var until: Int64?
    /// The name of the actor in the log; `nil` for any actor.
    package var actor: String?
    /// The action of the entries; `nil` for any action.
    package var action: AuditAction?
    /// The maximum number of entries in the page.
    package var limit: Int
    /// The cursor from the previous page; `nil` for the first page.
    package var cursor: String?

    /// Requests a page of entries. Without arguments, the first page of all entries.
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

    /// Parses the cursor, which has the form `at.id`: milliseconds since 1970 and the number of the entry. The cursor
    /// is not sealed, since callers that may read the log may read all entries.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a malformed cursor.
    func position() throws(RecordError) -> (at: Int64, id: Int64)? {
        guard let cursor else { return nil }
        let parts = cursor.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let at = Int64(parts[0]), let id = Int64(parts[1]) else {
            throw .badRequest("The cursor is none of this log. Ask for the first page again", cause: .tokenInvalid)
        }
        return (at, id)
    }
}

/// Composes a page of an audit log: `{"entries":[…],"cursor"?}`.
enum AuditPage {
    /// Returns a page as JSON.
    ///
    /// - Parameter read: Returns the newest entries before a position, up to a maximum number.
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
    /// Returns a page of the database's audit log as JSON, the newest entry first. Reads on a thread of the reader
    /// pool.
    ///
    /// - Throws: BAD_REQUEST with cause TOKEN_INVALID for a malformed cursor; TRY_AGAIN_LATER if the database accepts
    ///   no writes.
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
