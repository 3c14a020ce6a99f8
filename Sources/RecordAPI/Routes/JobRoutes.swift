internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for jobs: work that outlives its request.
enum JobRoutes {
    static let routes: [Route] = [
        Route(
            "GET /jobs", "listJobs", .jobs, "Lists the caller's jobs, newest first; all jobs for administrators",
            rate: .read, query: ["limit", "cursor", "unfinished"],
            responses: [.json(200, "Jobs", "A page of jobs")]
        ) { call in try list(call) },
        Route(
            "GET /jobs/{id}", "readJob", .jobs, "Shows a job, or streams its progress", rate: .read, options: .streams,
            responses: [.jsonOrEvents(200, "Job", "The job; or an event with the job whenever it has changed")]
        ) { call in try read(call) },
        command(.pause, "pauseJob", "POST /jobs/{id}/pause", "Stops a job until it is resumed; what is done stays"),
        command(.resume, "resumeJob", "POST /jobs/{id}/resume", "Lets a paused job go on"),
        command(.cancel, "cancelJob", "POST /jobs/{id}/cancel", "Ends a job; what is done stays"),
        Route(
            "DELETE /jobs/{id}", "deleteJob", .jobs, "Deletes a job that has ended, and its file", rate: .write,
            responses: [.empty(204, "Deleted"), .error(409, "The job has not ended, or it is the server's own")]
        ) { call in
            try await call.database.jobs.delete(call.parameters[0], by: call.actor)
            return HTTPResponse(.noContent)
        },
    ]

    private static func command(
        _ command: Jobs.Command, _ id: StaticString, _ name: StaticString, _ summary: String
    ) -> Route {
        Route(
            name, id, .jobs, summary, rate: .write,
            responses: [.json(200, "Job", "The job"), .error(409, "The job has ended, or it cannot be stopped")]
        ) { call in
            let job = try await call.database.jobs.perform(command, on: call.parameters[0], by: call.actor)
            return .json(job.json(for: call.caller))
        }
    }

    /// `GET /jobs`: lists jobs, newest first.
    static func list(_ call: RecordCall) throws -> HTTPResponse {
        let filter = Jobs.Filter(
            isUnfinished: try call.query.word("unfinished"),
            after: call.query["cursor"], limit: try call.query.limit(call.database.limits))
        let page = try call.reader.jobs.list(filter, for: call.caller)
        var object = JSONObject([("jobs", .array(page.jobs.map { $0.json(for: call.caller) }))])
        if page.hasMore, let last = page.jobs.last { object["cursor"] = .string(last.name) }
        return .json(.object(object))
    }

    /// `GET /jobs/{id}`: returns a job, or streams it.
    static func read(_ call: RecordCall) throws -> HTTPResponse {
        let job = try call.reader.jobs.find(call.parameters[0], for: call.caller)
        guard call.request.fields.acceptsEventStream else {
            try requireJSONAccepted(call.request.fields)
            var response = HTTPResponse.json(job.json(for: call.caller))
            response.fields.append(.vary, literal: "Accept")
            return response
        }
        let id = try call.query.databaseID(default: call.api.configuration.defaultDatabase)
        return .eventStream(JobStream(job, of: call, id: id))
    }

    static let schemas: StaticString = #"""
        "JobTask":{"type":"object","required":["kind","recordType"],"properties":{
        "kind":{"type":"string","enum":["deleteRecords","updateRecords"]},"recordType":{"type":"string"},
        "where":{"type":"string"},"args":{"type":"array","items":{"$ref":"#/components/schemas/Argument"}},
        "all":{"type":"boolean"},"maxAffected":{"type":"integer","minimum":0},
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/FieldInput"}},
        "acl":{"$ref":"#/components/schemas/AccessList"}}},
        "Job":{"type":"object","required":["id","kind","state","by","created","done","skipped"],"properties":{
        "id":{"type":"string"},
        "kind":{"type":"string","enum":["deleteRecords","updateRecords","importRecords","exportRecords","buildIndex",
        "dropIndex","renameFields","removeAccount",
        "collectAssets","backup"]},
        "state":{"type":"string","enum":["queued","running","paused","succeeded","failed","cancelled"]},
        "by":{"type":"object","properties":{"kind":{"type":"string"},"name":{"type":"string"}}},
        "task":{"type":"object"},"schedule":{"type":"string","description":"The schedule that started it"},"database":{"type":"string","enum":["public","private"]},
        "owner":{"type":"string","description":"The record name of the private database's owner, for it and for administrators"},
        "zone":{"type":"string","description":"Absent for the default zone"},
        "created":{"type":"integer","description":"Milliseconds since 1970"},
        "started":{"type":"integer"},"ended":{"type":"integer"},
        "total":{"type":"integer","description":"Absent while it is unknown"},"done":{"type":"integer"},
        "skipped":{"type":"integer","description":"Matched, and could not be changed"},
        "skipReasons":{"type":"array","items":{"type":"object"}},
        "bytes":{"type":"integer","description":"The size of the file of an export"},
        "rate":{"type":"integer","description":"Records per second of running"},"secondsLeft":{"type":"integer"},
        "error":{"$ref":"#/components/schemas/Error"}}},
        "Jobs":{"type":"object","required":["jobs"],"properties":{
        "jobs":{"type":"array","items":{"$ref":"#/components/schemas/Job"}},
        "cursor":{"type":"string","description":"Absent at the end"}}}
        """#
}

extension HTTPResponse {
    /// Creates a response that streams server-sent events.
    static func eventStream(_ source: any HTTPEventSource) -> HTTPResponse { eventStream(.events(source)) }

    /// Returns the response to a client of a stream, which must try again: the error as a comment, and when to try. For a
    /// browser each status but 200 is final, so it would not connect again.
    ///
    /// - Source: WHATWG HTML, "Server-sent events", "Processing model".
    ///
    /// - Parameter error: A response with a JSON body without line breaks.
    /// - Returns: `nil` for an error that a new attempt meets too.
    static func streamRetry(after error: HTTPResponse) -> HTTPResponse? {
        switch error.status {
        case .tooManyRequests, .serviceUnavailable, .internalServerError: break
        default: return nil
        }
        let seconds = error.fields[.retryAfter].flatMap(Int.init)
        let milliseconds = seconds.map { $0 * 1_000 + .random(in: StreamTimes.retrySpread) }
        var text = Array(": ".utf8)
        if case .bytes(let body) = error.body { text += body }
        text += "\n\nretry: \(milliseconds ?? .random(in: StreamTimes.retryAfterEnd))\n\n".utf8
        var response = eventStream(.bytes(text))
        if let after = error.fields[.retryAfter] { response.fields.append(.retryAfter, after) }
        return response
    }

    private static func eventStream(_ body: HTTPResponseBody) -> HTTPResponse {
        var response = HTTPResponse(.ok, body: body)
        response.fields.append(.contentType, literal: "text/event-stream")
        response.fields.append(.xContentTypeOptions, literal: "nosniff")
        response.fields.append(.cacheControl, literal: "no-store")
        response.fields.append(.vary, literal: "Accept")
        // nginx would keep the events in its buffer.
        response.fields.append(.xAccelBuffering, literal: "no")
        return response
    }
}
