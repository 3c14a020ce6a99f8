internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for queries, bulk updates and bulk deletes.
enum QueryRoutes {
    /// The query parameters that define a query and select the fields of its results.
    static let parameters = [
        "where", "arg", "sort", "limit", "fields", "cursor", "before", "count", "total", "syncToken", "explain",
        "expand", "strict", "highlight", "highlightLength", "aggregate", "groupBy", "distinct", "having", "timeZone",
        "as",
    ]

    private static let setParameters = ["where", "arg", "all", "dryRun", "maxAffected"]

    private static let pages: [Route.Response] = [
        .json(200, "QueryAnswer", "A page, or the groups of an aggregate; with what was asked for besides"),
        .error(503, "An index is being built: ask again after retryAfter"),
    ]

    private static let changes: [Route.Response] = [
        .json(200, "SetAnswer", "How many records matched and what became of them"),
        .json(202, "Job", "A job does the work; Location is its path"),
        .error(409, "More records match than maxAffected allows; none was touched"),
    ]

    static let routes: [Route] = [
        Route(
            "GET /query/{type}", "queryRecords", .queries,
            "Finds records of a type by condition, sorted, a page at a time", rate: .read, options: .typeInPath,
            query: parameters, responses: pages
        ) { call in try await find(call) },
        Route(
            "POST /query", "queryRecordsByBody", .queries, "The same with the query in the body; nothing is written",
            rate: .read, query: ["as"], body: .json("Query"), responses: pages
        ) { call in try await findByBody(&call) },
        Route(
            "DELETE /query/{type}", "deleteSet", .queries, "Deletes the records that meet a condition", rate: .write,
            options: .typeInPath, query: setParameters,
            headers: ["idempotencyKey", "prefer"],
            responses: changes
        ) { call in try await deleteAll(&call) },
        Route(
            "PATCH /query/{type}", "changeSet", .queries, "Changes fields of the records that meet a condition",
            rate: .write, options: .typeInPath, query: setParameters,
            headers: ["idempotencyKey", "prefer"], body: .json("SetChange"),
            responses: changes
        ) { call in try await changeAll(&call) },
    ]

    /// `GET /query/{type}`: returns a page of the records that match a predicate, in the requested order.
    static func find(_ call: RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        var input = try call.query.condition(on: type)
        input.aggregate = try call.query.aggregate()
        if input.aggregate == nil {
            if let sort = call.query["sort"] { input.sort = try QueryInput.sort(sort) }
            input.limit = try call.query.limit(call.database.limits)
        }
        input.fields = try call.query.fields()
        input.cursor = call.query["cursor"]
        input.before = call.query["before"]
        input.count = try call.query.word("count")
        input.wantsSyncToken = try call.query.word("syncToken")
        input.explain = try call.query.word("explain")
        input.strict = try call.query.word("strict")
        input.expand = try call.query.expand()
        input.highlight = try call.query.names("highlight") ?? []
        input.highlightLength = try call.query.count("highlightLength")
        input.estimatesTotal = try QueryInput.estimatesTotal(call.query["total"])
        try input.checkAggregate(hasSort: false)
        var request = QueryRequest(
            caller: call.caller, address: try call.address(), typeName: type, input: input, opening: Envelope.records)
        request.network = call.network
        return .json(try await run(request, call))
    }

    /// Runs a query, and returns the body of the response with the sync token that the request asks for.
    ///
    /// Every change that a walk through the pages misses is in the feed after the token of the first page, because the
    /// token is from before that page.
    private static func run(_ request: QueryRequest, _ call: RecordCall) async throws -> [UInt8] {
        let token =
            request.input.wantsSyncToken
            ? try call.reader.feed.currentToken(in: request.address, for: request.caller) : nil
        return try await call.reader.queries.run(request).json(syncToken: token)
    }

    /// `POST /query`: does the same as `GET /query/{type}`, for queries that are too long for a URL or that use
    /// CloudKit's dictionaries. Changes nothing.
    static func findByBody(_ call: inout RecordCall) async throws -> HTTPResponse {
        let address = try call.address()
        // The text of a predicate is short, but a list of values can be long. The limit is needed because anyone may
        // call this route.
        var input = try await call.readersDocument(upTo: 1 << 20, QueryInput.read)
        guard let type = input.recordType else {
            throw RecordError.badRequest(
                "The body needs 'recordType', the type whose records are asked for",
                details: [("path", .text("recordType"))])
        }
        if input.aggregate == nil { input.limit = try pageLength(input.limit, call.database.limits) }
        var request = QueryRequest(
            caller: call.caller, address: address, typeName: type, input: input, opening: Envelope.records)
        request.network = call.network
        return .json(try await run(request, call))
    }

    /// Returns the page length that the body states, or the default.
    ///
    /// - Throws: BAD_REQUEST for a number out of range.
    private static func pageLength(_ stated: Int?, _ limits: DatabaseLimits) throws(RecordError) -> Int {
        guard let stated else { return min(limits.defaultPageSize, limits.pageSize) }
        guard (1...limits.pageSize).contains(stated) else {
            throw .badRequest(
                "'limit' is a number from 1 to \(limits.pageSize)", details: [("path", .text("limit"))])
        }
        return stated
    }

    /// `DELETE /query/{type}`: deletes the records that match a predicate.
    static func deleteAll(_ call: inout RecordCall) async throws -> HTTPResponse {
        // A caller that sends a predicate as a body does not intend to delete all records.
        guard case .empty = call.request.body else {
            throw RecordError.badRequest(
                "DELETE takes no body. The condition is the query parameter 'where'")
        }
        let request = try setRequest(call, .delete, key: try call.idempotencyKey([]))
        return try await write(request, &call)
    }

    /// `PATCH /query/{type}`: changes fields or the access list of the records that match a predicate.
    static func changeAll(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        // Check the URL and the header fields before receiving the body.
        _ = try setRequest(call, .delete, key: try call.idempotencyKey([]))
        let body = try await call.body()
        let (input, key) = try await recordInput(&call, body, type: type)
        if let name = input.recordName {
            throw RecordError.badRequest(
                "A change by condition concerns many records; leave 'recordName' out, or use PATCH /records",
                details: [("recordName", .text(name.text))])
        }
        guard !input.fields.isEmpty || input.hasACL else {
            throw RecordError.badRequest(
                "The body names nothing to change: {\"fields\":{…}}", details: [("path", .text("fields"))])
        }
        // Reject an invalid access list even if no record matches.
        _ = try input.accessChange()
        let request = try setRequest(call, .modify(input), key: key)
        return try await write(request, &call)
    }

    /// Returns the fields of a bulk update, and the idempotency key. A long body is parsed on another thread.
    private static func recordInput(
        _ call: inout RecordCall, _ body: [UInt8], type: RecordTypeName
    ) async throws -> (RecordInput, IdempotencyKey?) {
        guard body.count >= BodyParserThread.minimumBytes else {
            return (try RecordCall.recordInput(body, type: type, name: nil), try call.idempotencyKey(body))
        }
        let request = call.request
        return try await call.readElsewhere(body.count) { () throws(RecordError) in
            (try RecordCall.recordInput(body, type: type, name: nil), try RecordCall.idempotencyKey(of: request, body))
        }
    }

    /// Returns the bulk request that the URL and the header fields define.
    ///
    /// - Parameter key: The idempotency key, which depends on the received body.
    /// - Throws: BAD_REQUEST unless there is either a predicate or `all=true`. Also BAD_REQUEST for If-Match and
    ///   If-None-Match, which apply to single records only.
    private static func setRequest(
        _ call: RecordCall, _ change: BulkRequest.Change, key: IdempotencyKey?
    ) throws(RecordError) -> BulkRequest {
        let type = try call.typeName()
        guard !call.request.fields.contains(.ifMatch), !call.request.fields.contains(.ifNoneMatch) else {
            throw .badRequest("If-Match and If-None-Match guard one record. A set takes 'where' alone")
        }
        let input = try call.query.condition(on: type)
        let isForAll = try call.query.word("all")
        let isEmpty = input.condition?.allSatisfy(\.isWhitespace) ?? true
        switch (isEmpty, isForAll) {
        case (true, false):
            throw RequestQuery.invalid(
                "where", "Without 'where' this concerns every record of the type. Say all=true if you mean that")
        case (false, true):
            throw RequestQuery.invalid("all", "'all' goes without 'where'. Leave one of them out")
        case (true, true), (false, false): break
        }
        var request = BulkRequest(
            query: QueryRequest(caller: call.caller, address: try call.address(), typeName: type, input: input),
            change: change, isForAll: isForAll, isDryRun: try call.query.word("dryRun"),
            maxAffected: try call.query.count("maxAffected"), idempotency: key)
        request.query.network = call.network
        request.prefersJob = call.request.fields.prefersAsync
        return request
    }

    /// Executes a bulk request. The request counts as one write. Afterwards, it counts as one more write per hundred
    /// matching records, because their number is not known in advance. A hundred records take about one slice of the
    /// writer's time. A request that fails halfway is counted too.
    private static func write(_ set: BulkRequest, _ call: inout RecordCall) async throws(RecordError) -> HTTPResponse {
        let result: WriteResponse
        do throws(RecordError) {
            switch try await call.reader.bulkChanges.perform(set) {
            case .done(let response): result = response
            case .job(let job, let isReplay): return accepted(job, isReplay: isReplay, set, call)
            }
        } catch {
            // Do not count a request that was rejected before its first record.
            if error.details.contains(where: { $0.key == "changed" }),
                case .number(let matched)? = error.details.first(where: { $0.key == "matched" })?.value
            {
                call.rate.charge(records: Int(matched))
            }
            throw error
        }
        if !set.isDryRun, !result.isReplay,
            case .integer(let matched)? = (try? JSONValue.parse(result.document))?["matched"]
        {
            call.rate.charge(records: Int(matched) + result.followed)
        }
        var response = HTTPResponse.json(result.document)
        if result.isReplay, let name = RecordCall.idempotencyReplayed { response.fields.append(name, literal: "true") }
        return response
    }

    /// Returns the response for a bulk request that a job does.
    private static func accepted(
        _ job: JobInfo, isReplay: Bool, _ set: BulkRequest, _ call: RecordCall
    ) -> HTTPResponse {
        var response = HTTPResponse.json(job.json(for: call.caller), status: .accepted)
        response.fields.append(.location, call.location(of: "/jobs/\(job.name)"))
        if set.prefersJob { response.fields.append(.preferenceApplied, literal: "respond-async") }
        if isReplay, let name = RecordCall.idempotencyReplayed { response.fields.append(name, literal: "true") }
        return response
    }

    static let schemas: StaticString = #"""
        "Argument":{"description":"A bare JSON value, a list, a reference, or {value, type}",
        "anyOf":[{"type":["string","number","boolean","array","null"]},
        {"type":"object","properties":{"value":{},"type":{"$ref":"#/components/schemas/FieldType"},
        "recordName":{"type":"string"}}}]},
        "Filter":{"type":"object","required":["comparator","fieldValue"],"properties":{
        "fieldName":{"type":"string"},"systemFieldName":{"type":"string"},"comparator":{"type":"string","enum":["EQUALS","NOT_EQUALS","LESS_THAN",
        "LESS_THAN_OR_EQUALS","GREATER_THAN","GREATER_THAN_OR_EQUALS","IN","NOT_IN","BEGINS_WITH",
        "NOT_BEGINS_WITH","LIST_CONTAINS","NOT_LIST_CONTAINS","LIST_CONTAINS_ANY","NOT_LIST_CONTAINS_ANY",
        "LIST_CONTAINS_ALL","NOT_LIST_CONTAINS_ALL","LIST_MEMBER_BEGINS_WITH","NOT_LIST_MEMBER_BEGINS_WITH","NEAR","NOT_NEAR"]},
        "distance":{"type":"number","minimum":0,"description":"The radius of NEAR in meters"},
        "fieldValue":{"$ref":"#/components/schemas/Argument"}}},
        "Query":{"type":"object","required":["recordType"],"additionalProperties":false,"properties":{
        "recordType":{"type":"string"},"where":{"type":"string","maxLength":16384},
        "args":{"type":"array","maxItems":100,"items":{"$ref":"#/components/schemas/Argument"}},
        "vars":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Argument"}},
        "filterBy":{"anyOf":[{"$ref":"#/components/schemas/Filter"},
        {"type":"array","items":{"$ref":"#/components/schemas/Filter"}}]},
        "sort":{"description":"-timestamp,title or [\"-timestamp\",\"title\"]","anyOf":[{"type":"string"},
        {"type":"array","maxItems":8,"items":{"type":"string"}}]},
        "sortBy":{"anyOf":[{"$ref":"#/components/schemas/SortDescriptor"},
        {"type":"array","maxItems":8,"items":{"$ref":"#/components/schemas/SortDescriptor"}}]},
        "limit":{"type":"integer","minimum":1},"fields":{"type":"array","items":{"type":"string"}},
        "cursor":{"type":"string"},"before":{"type":"string"},"count":{"type":"boolean","default":false},
        "syncToken":{"type":"boolean","default":false,"description":"Return the zone's sync token from before the page"},
        "explain":{"type":"boolean","default":false},
        "strict":{"type":"boolean","default":false,"description":"Reject what CloudKit's queries lack"},
        "total":{"const":"estimate"},
        "expand":{"description":"author,comments.author or a list of such texts","anyOf":[{"type":"string"},
        {"type":"array","maxItems":10,"items":{"type":"string"}}]},
        "highlight":{"description":"title,body or [\"title\",\"body\"]","anyOf":[{"type":"string"},
        {"type":"array","items":{"type":"string"}}]},
        "highlightLength":{"type":"integer","minimum":1,"maximum":2000,"default":160},
        "aggregate":{"$ref":"#/components/schemas/Aggregate"}}},
        "AggregateTerms":{"description":"[\"threadname\",\"day(createdTimestamp)\"], or a text with commas; a name comes first: total:sum(likes)",
        "anyOf":[{"type":"string"},{"type":"array","maxItems":16,"items":{"type":"string"}}]},
        "Aggregate":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{
        "groupBy":{"$ref":"#/components/schemas/AggregateTerms"},
        "values":{"$ref":"#/components/schemas/AggregateTerms"},
        "distinct":{"$ref":"#/components/schemas/AggregateTerms"},
        "having":{"type":"string","maxLength":16384,"description":"A condition on the names of the groups: count > 3 AND sum(likes) >= 10"},
        "sort":{"$ref":"#/components/schemas/AggregateTerms"},
        "limit":{"type":"integer","minimum":1,"maximum":10000,"default":1000},
        "timeZone":{"type":"string","description":"Of hour, day, week, month and year: Europe/Berlin","default":"UTC"}}},
        "Group":{"type":"object","required":["key","values"],"properties":{
        "key":{"type":"object","description":"By name; the start of a period in milliseconds","additionalProperties":{"type":["string","number","null"]}},
        "values":{"type":"object","additionalProperties":{"type":["string","number","null"]}}}},
        "SortDescriptor":{"type":"object","properties":{"fieldName":{"type":"string"},
        "systemFieldName":{"type":"string"},"ascending":{"type":"boolean","default":true},
        "relativeLocation":{"description":"Sorts by the distance to this LOCATION","$ref":"#/components/schemas/Argument"}}},
        "Notice":{"type":"object","required":["code","reason"],"properties":{
        "code":{"type":"string","enum":["INDEX_ADDED"]},"recordType":{"type":"string"},
        "index":{"type":"string","description":"Its columns: threadname, -timestamp"},"reason":{"type":"string"}}},
        "Plan":{"type":"object","properties":{"text":{"type":"string"},
        "access":{"type":"array","items":{"type":"object","properties":{"index":{"type":"string"},
        "condition":{"type":"string"},"direction":{"type":"string","enum":["forward","backward"]}}}},
        "residual":{"type":"string","description":"What is tested record by record"},
        "targets":{"type":"array","description":"The tests of other records","items":{"type":"object","properties":{
        "condition":{"type":"string"},"recordTypes":{"type":"array","items":{"type":"string"}},
        "isNegated":{"type":"boolean","description":"The records found fail the test"},"records":{"type":"integer"}}}},
        "sort":{"type":"string","enum":["index","sorted","none"]},
        "returnedRows":{"type":"integer"},
        "estimatedRows":{"type":"integer","description":"This and the next two are for administrators"},
        "examinedRows":{"type":"integer"},"milliseconds":{"type":"number"},
        "ranOn":{"type":"string","enum":["loop","pool"]}}},
        "QueryAnswer":{"type":"object","properties":{
        "records":{"type":"array","items":{"$ref":"#/components/schemas/Record"}},
        "groups":{"type":"array","description":"Instead of records, for an aggregate",
        "items":{"$ref":"#/components/schemas/Group"}},
        "moreGroups":{"const":true,"description":"The limit left out groups"},
        "cursor":{"type":"string","description":"Absent at the end"},
        "previousCursor":{"type":"string","description":"For before. Absent at the beginning"},"count":{"type":"integer"},
        "total":{"type":"object","description":"With total=estimate","properties":{"value":{"type":"integer"},
        "relation":{"type":"string","enum":["exact","atLeast","estimate"]}}},
        "highlights":{"type":"array","description":"With highlight: by field, for each record in their order",
        "items":{"type":"object","additionalProperties":{"type":"object","required":["parts"],"properties":{
        "parts":{"type":"array","items":{"type":"object","required":["text"],"properties":{
        "text":{"type":"string"},"match":{"const":true,"description":"Of a word that was searched"}}}},
        "cutBefore":{"const":true,"description":"The text begins earlier"},
        "cutAfter":{"const":true,"description":"The text goes on"}}}}},
        "expanded":{"$ref":"#/components/schemas/Expanded"},
        "notices":{"type":"array","items":{"$ref":"#/components/schemas/Notice"}},
        "plan":{"$ref":"#/components/schemas/Plan"}}},
        "SetChange":{"type":"object","minProperties":1,"additionalProperties":false,"properties":{
        "recordType":{"type":"string"},
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/FieldInput"}},
        "acl":{"$ref":"#/components/schemas/AccessList"}}}
        """#

    static let setSchemas: StaticString = #"""
        "SetAnswer":{"type":"object","required":["matched","skipped"],"properties":{
        "matched":{"type":"integer"},"deleted":{"type":"integer"},"updated":{"type":"integer"},
        "skipped":{"type":"integer","description":"Matched, and could not be written"},
        "skipReasons":{"type":"array","items":{"type":"object","properties":{
        "serverErrorCode":{"type":"string"},"cause":{"type":"string"},"reason":{"type":"string"},
        "count":{"type":"integer"},"recordNames":{"type":"array","maxItems":10,"items":{"type":"string"},
        "description":"The ones that the caller can read"}}}},
        "dryRun":{"const":true},"notices":{"$ref":"#/components/schemas/WriteNotices"}}}
        """#
}
