internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The route of the log of requests.
enum RequestLogRoutes {
    static let routes: [Route] = [
        Route(
            "GET /requests", "readRequests", .administration,
            "Reads the latest requests, the newest first (owners and developers)", rate: .read, right: .readRequests,
            options: .unlogged,
            query: ["status", "actor", "path", "request", "after", "limit", "cursor"],
            responses: [.json(200, "Requests", "A page of requests")]
        ) { call in try read(call) }
    ]

    /// `GET /requests`: returns the latest requests to the request's database, and those that reached no database.
    static func read(_ call: RecordCall) throws -> HTTPResponse {
        let log = call.api.requests
        guard log.isOn else {
            throw RecordError(
                .notFound, "This server keeps no requests. The setting log.requests tells how many it keeps")
        }
        let limit = try call.query.limit(call.database.limits)
        let filter = try Filter(call)
        let latest = log.latest
        var before = Int.max
        if let cursor = call.query["cursor"] {
            guard let number = Int(cursor) else {
                throw RecordError.badRequest(
                    "The cursor is none of this log. Ask for the first page again", cause: .tokenInvalid)
            }
            before = number
        }
        var entries: [RequestLog.Entry] = []
        for entry in log.entries(after: try call.query.count("after") ?? 0) where entry.number < before {
            guard try filter.matches(entry) else { continue }
            entries.append(entry)
            if entries.count > limit { break }
        }
        var page = JSONObject([
            (
                "requests",
                .array(try entries.prefix(limit).map { try json($0, call.reader, showsPrivate: filter.showsPrivate) })
            ),
            ("latest", .integer(Int64(latest))),
        ])
        if entries.count > limit { page["cursor"] = .string("\(entries[limit - 1].number)") }
        var response = HTTPResponse.json(.object(page))
        response.fields.set(.cacheControl, "no-store")
        return response
    }

    /// The conditions of a request for log entries.
    private struct Filter {
        let call: RecordCall
        let database: DatabaseID
        var statuses = 0...999
        let actor: String?
        let user: UserID?
        /// Whether the caller may see names in the paths of private databases.
        let showsPrivate: Bool

        init(_ call: RecordCall) throws {
            self.call = call
            showsPrivate = Authorization.privatePermitted(of: call.caller) == .all
            database =
                try call.query.databaseID(default: call.api.configuration.defaultDatabase)
                ?? call.api.configuration.defaultDatabase
            actor = call.query["actor"]
            user = try actor.flatMap(UserRecordName.init).map { try call.reader.accounts.id(of: $0) } ?? nil
            guard let text = call.query["status"] else { return }
            let isClass = text.utf8.count == 3 && text.hasSuffix("xx")
            guard let first = Int(isClass ? String(text.prefix(1)) : text), isClass || (100...599).contains(first),
                !isClass || (1...5).contains(first)
            else {
                throw RequestQuery.invalid("status", "'status' is a status such as 403, or a class such as 4xx")
            }
            statuses = isClass ? first * 100...first * 100 + 99 : first...first
        }

        func matches(_ entry: RequestLog.Entry) throws -> Bool {
            guard entry.database == nil || entry.database == database, statuses.contains(Int(entry.status.code)) else {
                return false
            }
            if let path = call.query["path"], !entry.path(showsPrivate: showsPrivate).contains(path) { return false }
            if let request = call.query["request"], entry.request != request { return false }
            guard let actor else { return true }
            guard let caller = entry.caller else { return false }
            if case .user(let id, _) = caller { return id == user }
            return try call.reader.auditLog.actor(caller).name == actor
        }
    }

    private static func json(
        _ entry: RequestLog.Entry, _ reader: RecordReader, showsPrivate: Bool
    ) throws -> JSONValue {
        var object = JSONObject([
            ("id", .integer(Int64(entry.number))), ("timestamp", .integer(entry.timestamp)),
            ("milliseconds", .double(Double(entry.nanoseconds / 1_000) / 1_000)),
            ("method", .string(entry.method.text)), ("path", .string(entry.path(showsPrivate: showsPrivate))),
            ("route", .string("\(entry.route)")),
            ("status", .integer(Int64(entry.status.code))), ("request", .string(entry.request)),
            ("address", .string(entry.address)),
        ])
        if let caller = entry.caller {
            let actor = try reader.auditLog.actor(caller)
            object["actor"] = ["kind": .string(actor.kind), "name": .string(actor.name)]
        }
        if let code = entry.code {
            var error = JSONObject([("serverErrorCode", .string(code.rawValue))])
            if let reason = entry.reason(showsPrivate: showsPrivate) { error["reason"] = .string(reason) }
            object["error"] = .object(error)
        }
        return .object(object)
    }

    static let schemas: StaticString = #"""
        "Requests":{"type":"object","required":["requests","latest"],"properties":{"cursor":{"type":"string"},
        "latest":{"type":"integer","description":"The number of the latest request, for 'after'"},
        "requests":{"type":"array","items":{"type":"object",
        "required":["id","timestamp","milliseconds","method","path","route","status","request","address"],
        "properties":{"id":{"type":"integer"},"timestamp":{"type":"integer"},"milliseconds":{"type":"number"},
        "method":{"type":"string"},"path":{"type":"string"},"route":{"type":"string"},"status":{"type":"integer"},
        "request":{"type":"string"},"address":{"type":"string"},
        "actor":{"type":"object","properties":{"kind":{"type":"string",
        "enum":["anonymous","user","key","administrator"]},"name":{"type":"string"}}},
        "error":{"type":"object","properties":{"serverErrorCode":{"$ref":"#/components/schemas/Code"},
        "reason":{"type":"string","description":"Absent where it may name what is in a private database"}}}}}}}}
        """#
}
