internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes of schedules, which start jobs at certain times. For administrators with the role developer or owner, and
/// keys with the right `manageSchedules`.
enum ScheduleRoutes {
    static let routes: [Route] = [
        Route(
            "GET /schedules", "listSchedules", .jobs, "Lists the schedules with their last run (right manageSchedules)",
            rate: .administer, right: .manageSchedules, responses: [.json(200, "Schedules", "All schedules")]
        ) { call in
            .json(["schedules": .array(try call.reader.schedules.list().map { $0.json(for: call.caller) })])
        },
        Route(
            "GET /schedules/{name}", "readSchedule", .jobs,
            "Shows a schedule with its last ten runs (right manageSchedules)", rate: .administer,
            right: .manageSchedules, responses: [.json(200, "Schedule", "The schedule")]
        ) { call in .json(try call.reader.schedules.find(try name(call)).json(for: call.caller)) },
        Route(
            "PUT /schedules/{name}", "putSchedule", .jobs,
            "Creates or replaces a schedule, whose jobs run as the caller (right manageSchedules)", rate: .administer,
            right: .manageSchedules, body: .json("NewSchedule"),
            responses: [.json(200, "Schedule", "The schedule"), .json(201, "Schedule", "The new schedule")]
        ) { call in try await put(&call) },
        Route(
            "DELETE /schedules/{name}", "deleteSchedule", .jobs,
            "Deletes a schedule; its jobs go on (right manageSchedules)", rate: .administer, right: .manageSchedules,
            responses: [.empty(204, "Deleted")]
        ) { call in
            try await call.database.schedules.delete(try name(call), by: call.actor)
            return HTTPResponse(.noContent)
        },
        Route(
            "POST /schedules/{name}/run", "runSchedule", .jobs, "Starts a schedule's job now (right manageSchedules)",
            rate: .administer, right: .manageSchedules,
            responses: [
                .json(202, "Job", "The job; Location is its path"), .error(409, "The last job has not ended"),
            ]
        ) { call in
            let job = try await call.database.schedules.run(try name(call), by: call.actor)
            var response = HTTPResponse.json(job.json(for: call.caller), status: .accepted)
            response.fields.append(.location, call.location(of: "/jobs/\(job.name)"))
            return response
        },
    ]

    private static let maxBodyBytes = 1_048_576

    private static func name(_ call: RecordCall) throws(RecordError) -> ScheduleName {
        try ScheduleName(call.parameters[0])
    }

    /// `PUT /schedules/{name}`. The scope parameters select the database.
    private static func put(_ call: inout RecordCall) async throws -> HTTPResponse {
        let name = try name(call)
        let input = try await call.object(keys: ScheduleInput.keys, upTo: maxBodyBytes) {
            object throws(RecordError) in try ScheduleInput(object)
        }
        let (schedule, isNew) = try await call.database.schedules.put(
            name, input, in: try call.address(), by: call.actor, call.reader)
        return .json(schedule.json(for: call.caller), status: isNew ? .created : .ok)
    }

    static let schemas: StaticString = #"""
        "NewSchedule":{"type":"object","required":["cron","task"],"additionalProperties":false,"properties":{
        "cron":{"type":"string","maxLength":256,
        "description":"Minute, hour, day of the month, month, day of the week; or @hourly, @daily, @weekly, @monthly"},
        "timeZone":{"type":"string","maxLength":64,"default":"UTC","description":"A name of the IANA database"},
        "task":{"$ref":"#/components/schemas/JobTask"},"paused":{"type":"boolean","default":false}}},
        "Schedule":{"type":"object",
        "required":["name","cron","timeZone","task","database","by","created","modified","paused","runs"],"properties":{
        "name":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,64}$"},"cron":{"type":"string"},
        "timeZone":{"type":"string"},"task":{"$ref":"#/components/schemas/JobTask"},
        "database":{"type":"string","enum":["public","private"]},
        "owner":{"type":"string","description":"The record name of the private database's owner"},
        "zone":{"type":"string","description":"Absent for the default zone"},
        "by":{"type":"object","description":"Who its jobs run as","properties":{
        "kind":{"type":"string"},"name":{"type":"string"}}},
        "created":{"type":"integer"},"modified":{"type":"integer"},"paused":{"type":"boolean"},
        "next":{"type":"integer","description":"When the next job starts; milliseconds since 1970"},
        "problem":{"type":"string","description":"Why the server has paused it"},
        "skipped":{"type":"integer","description":"The last time at which the job before had not ended"},
        "runs":{"type":"array","items":{"$ref":"#/components/schemas/Job"},"description":"The newest first"}}},
        "Schedules":{"type":"object","required":["schedules"],"properties":{
        "schedules":{"type":"array","items":{"$ref":"#/components/schemas/Schedule"}}}}
        """#
}
