internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The route of the audit log.
enum AuditRoutes {
    static let routes: [Route] = [
        Route(
            "GET /audit", "readAudit", .administration, "Reads the audit log, the newest entry first (owners)",
            rate: .administer, right: .readAudit,
            query: ["since", "until", "actor", "action", "limit", "cursor", "scope"],
            responses: [.json(200, "Audit", "A page of entries")]
        ) { call in try await read(call) }
    ]

    /// `GET /audit`: returns changes of permissions, newest first. The log is the log of the request's database. With
    /// `scope=server`, it is the log of the whole server.
    static func read(_ call: RecordCall) async throws -> HTTPResponse {
        var request = AuditRequest(limit: try call.query.limit(call.database.limits), cursor: call.query["cursor"])
        request.since = try call.query.moment("since")
        request.until = try call.query.moment("until")
        request.actor = call.query["actor"]
        if let word = call.query["action"] {
            guard let action = AuditAction(rawValue: word) else {
                throw RequestQuery.invalid(
                    "action", "'action' is one of \(AuditAction.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            request.action = action
        }
        switch call.query["scope"] {
        case nil, "database": return .json(try await call.database.auditLog.page(request))
        case "server": return .json(try await call.administrators().auditLog(request))
        default: throw RequestQuery.invalid("scope", "'scope' is database or server")
        }
    }

    static let schemas: StaticString = #"""
        "Audit":{"type":"object","required":["entries"],"properties":{"cursor":{"type":"string"},
        "entries":{"type":"array","items":{"type":"object",
        "required":["id","timestamp","actor","action","target","outcome"],"properties":{
        "id":{"type":"integer"},"timestamp":{"type":"integer"},
        "actor":{"type":"object","properties":{"kind":{"type":"string",
        "enum":["anonymous","user","key","administrator","operator"]},"name":{"type":"string"}}},
        "action":{"type":"string"},"target":{"type":"string"},"outcome":{"type":"string","enum":["done","refused"]},
        "address":{"type":"string"},"request":{"type":"string"},"detail":{"type":"object"}}}}}}
        """#
}

extension RequestQuery {
    /// Returns a timestamp parameter in milliseconds since 1970; `nil` if it is absent.
    ///
    /// - Throws: BAD_REQUEST for an invalid timestamp.
    fileprivate func moment(_ name: String) throws(RecordError) -> Int64? {
        guard let text = self[name] else { return nil }
        return try WireTimestamp.read(text, name, takesDates: true)
    }
}
