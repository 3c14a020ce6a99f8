internal import RecordModel
internal import RecordWire

/// A job of `InMemoryServer`. Jobs end before the response to the request that creates them.
struct InMemoryJob {
    let id: String
    let owner: UserID
    let document: JSONValue
}

/// The routes of jobs.
struct InMemoryJobs {
    let call: InMemoryCall
    private var request: InMemoryRequest { call.request }

    private var isAdministrator: Bool {
        if case .administrator = call.caller { true } else { false }
    }

    /// Adds a job that has ended, and returns the response of the request that has created it.
    ///
    /// - Parameters:
    ///   - prefersJob: Whether the request prefers a job.
    func add(
        _ kind: JobKind, _ task: JSONObject, matched: Int, done: Int, skips: SkippedRecords, prefersJob: Bool,
        to database: inout InMemoryDatabase
    ) -> TransportResponse {
        let id = RecordNames.make()
        let now = JSONValue.integer(database.now)
        let name = isAdministrator ? "_administrator" : database.accounts.name(of: call.caller.writerID)
        var document = JSONObject([
            ("id", .string(id)), ("kind", .string(kind.rawValue)), ("state", .string(JobState.succeeded.rawValue)),
            ("by", ["kind": .string(isAdministrator ? "administrator" : "user"), "name": .string(name)]),
            ("task", .object(task)), ("created", now),
            ("database", call.scope == .publicDatabase ? "public" : "private"),
            ("started", now), ("ended", now),
            ("total", .integer(Int64(matched))), ("done", .integer(Int64(done))),
            ("skipped", .integer(Int64(skips.count))),
        ])
        if skips.count > 0 { document["skipReasons"] = skips.json }
        database.jobs.append(InMemoryJob(id: id, owner: call.caller.writerID, document: .object(document)))
        var response = TransportResponse(json: .object(document), status: 202)
        response.fields["location"] = "/jobs/" + id
        if prefersJob { response.fields["preference-applied"] = "respond-async" }
        return response
    }

    /// Executes `GET /jobs`, `GET /jobs/{id}` and `POST /jobs/{id}/{command}`.
    func respond(in database: InMemoryDatabase) throws -> TransportResponse {
        let visible = database.jobs.filter { isAdministrator || $0.owner == call.caller.writerID }
        guard request.path.count > 1 else {
            guard call.caller != .anonymous else {
                throw RecordError(.authenticationRequired, "Jobs belong to callers. Sign in first")
            }
            return try list(visible, database.limits)
        }
        guard let job = visible.first(where: { $0.id == request.path[1] }) else {
            throw RecordError(.notFound, "There is no such job. Jobs are kept for a week after their end")
        }
        guard request.method == "POST" else { return TransportResponse(json: job.document) }
        guard ["pause", "resume", "cancel"].contains(request.path[2]) else {
            throw RecordError(.notFound, "No route of the double has this path", cause: .unknownRoute)
        }
        let error = RecordError(
            .conflict, "The job has ended", details: [("state", .text(JobState.succeeded.rawValue))])
        throw InMemoryError(status: 409, error: error)
    }

    private func list(_ jobs: [InMemoryJob], _ limits: DatabaseLimits) throws(RecordError) -> TransportResponse {
        let limit = try request.limit(limits)
        var rest = Array(jobs.reversed())[...]
        if let cursor = request["cursor"] {
            guard let index = rest.firstIndex(where: { $0.id == cursor }) else {
                throw .badRequest("'cursor' is the id of a job", details: [("parameter", .text("cursor"))])
            }
            rest = rest[(index + 1)...]
        }
        // All jobs have ended.
        if try request.word("unfinished") { rest = [] }
        let page = rest.prefix(limit)
        var object = JSONObject([("jobs", .array(page.map(\.document)))])
        if rest.count > page.count, let last = page.last { object["cursor"] = .string(last.id) }
        return TransportResponse(json: .object(object))
    }
}
