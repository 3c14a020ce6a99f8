internal import RecordModel
internal import RecordWire

/// The router: finds the route of a request and executes it.
struct InMemoryRouter {
    let request: InMemoryRequest

    func respond(in database: inout InMemoryDatabase) -> TransportResponse {
        defer { database.forgetJournal() }
        do {
            let caller = try database.caller(bearing: try request.token)
            switch (request.method, request.path.first ?? "", request.path.count) {
            case ("GET", "limits", 1): return TransportResponse(json: database.limits.document)
            case ("GET", "assets", 2...3) where request.path[1] != "uploads": return try database.files.read(request)
            case (_, "users", _), (_, "sessions", _):
                return try InMemoryAccountRoutes(request: request, caller: caller).respond(in: &database)
            case (_, "shares", _):
                return try InMemoryShareRoutes(request: request, caller: caller).respond(in: &database)
            default: return try respond(try InMemoryCall(request, by: caller, in: database), in: &database)
            }
        } catch {
            return .rejecting(error)
        }
    }

    private func respond(_ call: InMemoryCall, in database: inout InMemoryDatabase) throws -> TransportResponse {
        let (reader, writes) = (InMemoryReader(call: call), InMemoryWriteRoutes(call: call))
        switch (request.method, request.path.first ?? "", request.path.count) {
        case ("GET", "records", 2): return try reader.list(in: &database)
        case ("GET", "records", 3): return try reader.read(in: database)
        case ("GET", "records", 4): return try reader.readField(in: database)
        case ("POST", "records", 1): return try executeIdempotently(call, in: &database, writes.performBatch)
        case ("POST", "records", 2):
            return try executeIdempotently(call, in: &database) { try writes.performOne(.create, in: &$0) }
        case ("PUT", "records", 3):
            return try executeIdempotently(call, in: &database) {
                try writes.performOne(.modify(createsMissing: true, replacesAll: true), in: &$0)
            }
        case ("PATCH", "records", 3):
            return try executeIdempotently(call, in: &database) {
                try writes.performOne(.modify(createsMissing: false, replacesAll: false), in: &$0)
            }
        case ("DELETE", "records", 3):
            return try executeIdempotently(call, in: &database) {
                try writes.performOne(.delete(ignoresMissing: false), in: &$0)
            }
        case ("GET", "query", 2), ("POST", "query", 1): return try InMemoryQuery(call: call).respond(in: &database)
        case ("DELETE", "query", 2), ("PATCH", "query", 2):
            let change = InMemoryBulkChange(call: call)
            if try request.word("dryRun") { return try change.respond(in: &database) }
            return try executeIdempotently(call, in: &database, change.respond)
        case ("GET", "jobs", 1...2), ("POST", "jobs", 3): return try InMemoryJobs(call: call).respond(in: database)
        case ("GET", "changes", 1): return try reader.changes(in: &database)
        case ("GET", "changes", 2) where request.path[1] == "zones":
            return try InMemoryZoneRoutes(call: call).changes(in: &database)
        case ("GET", "zones", 1): return try InMemoryZoneRoutes(call: call).list(in: database)
        case (_, "zones", 2): return try InMemoryZoneRoutes(call: call).respond(in: &database)
        case ("POST", "assets", 1): return try database.files.upload(call, schema: database.schema)
        case (_, "assets", 2...): throw InMemoryError.notThere("resumable uploads; send at most 8 MiB")
        case (_, "schema", _), (_, "grants", _), (_, "roles", _), (_, "keys", _), (_, "invitations", _),
            (_, "explain", _), (_, "administrators", _), (_, "audit", _), (_, "requests", _), (_, "settings", _),
            (_, "storage", _), (_, "schedules", _):
            throw InMemoryError.notThere("administration")
        case (_, "subscriptions", _), (_, "notifications", _): throw InMemoryError.notThere("subscriptions")
        default:
            throw RecordError(.notFound, "No route of the double has this path", cause: .unknownRoute)
        }
    }

    /// Executes a write and stores the response. If a response is already stored for the idempotency key, the write is
    /// not executed again.
    private func executeIdempotently(
        _ call: InMemoryCall, in database: inout InMemoryDatabase,
        _ perform: (inout InMemoryDatabase) throws -> TransportResponse
    ) throws -> TransportResponse {
        guard let key = request.field("idempotency-key") else { return try perform(&database) }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw RecordError.badRequest("An Idempotency-Key has 1 to 255 visible ASCII characters and is given once")
        }
        let name = "\(call.caller.writerID) \(key)"
        let summary = "\(request.method) \(request.target)"
        if let known = database.responses[name] {
            guard known.request == summary, known.body == request.body else {
                throw RecordError(
                    .badRequest, "This Idempotency-Key was used for another request. Use a new key for each request",
                    cause: .idempotencyMismatch)
            }
            var response = known.response
            response.fields["idempotency-replayed"] = "true"
            return response
        }
        let response = try perform(&database)
        database.responses[name] = StoredResponse(request: summary, body: request.body, response: response)
        return response
    }
}

/// The stored response of a request with an idempotency key.
struct StoredResponse {
    let request: String
    let body: [UInt8]
    let response: TransportResponse
}

extension DatabaseLimits {
    /// The body of `GET /limits`.
    fileprivate var document: JSONValue {
        let numbers: [(String, Int)] = [
            ("recordBytes", recordBytes), ("batchOperations", batchOperations), ("assetBytes", bodyBytes),
            ("pageSize", pageSize), ("defaultPageSize", defaultPageSize), ("pageBytes", pageBytes),
            ("bodyBytes", bodyBytes), ("cascadeRecords", cascadeRecords), ("setRecords", setRecords),
            ("recordNameBytes", Limits.recordNameBytes), ("identifierBytes", Limits.identifierBytes),
            ("fieldsPerType", Limits.fieldsPerType), ("listMembers", Limits.listMembers),
            ("queryTextBytes", Limits.conditionBytes), ("queryConditions", Limits.conditions),
            ("queryListMembers", Limits.conditionListMembers), ("queryArguments", Limits.queryArguments),
            ("sortTerms", Limits.sortTerms), ("expandPaths", Limits.expandPaths),
            ("expandedRecords", Limits.expandedRecords), ("expandedBackwardRecords", Limits.mostBackwardRecords),
        ]
        let rates: JSONValue = .object(JSONObject())
        return .object(JSONObject(numbers.map { ($0, .integer(Int64($1))) } + [("rates", rates)]))
    }
}
