internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Queries, and writes by condition.
enum QueryRoutes {
    /// The query parameters that say which records a query finds, and what of them it shows.
    static let parameters = ["where", "arg", "sort", "limit", "fields", "cursor", "count", "explain"]

    private static let setParameters = ["where", "arg", "all", "dryRun", "maxAffected"]

    private static let pages: [Route.Response] = [
        .json(200, "QueryAnswer", "A page; with what was asked for besides"),
        .error(503, "An index is being built: ask again after retryAfter"),
    ]

    private static let changes: [Route.Response] = [
        .json(200, "SetAnswer", "How many records matched and what became of them"),
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
            rate: .read, body: .json("Query"), responses: pages
        ) { call in try await findByBody(&call) },
        Route(
            "DELETE /query/{type}", "deleteSet", .queries, "Deletes the records that meet a condition", rate: .write,
            options: .typeInPath, query: setParameters,
            headers: ["idempotencyKey"],
            responses: changes
        ) { call in try await deleteAll(&call) },
        Route(
            "PATCH /query/{type}", "changeSet", .queries, "Changes fields of the records that meet a condition",
            rate: .write, options: .typeInPath, query: setParameters,
            headers: ["idempotencyKey"], body: .json("SetChange"),
            responses: changes
        ) { call in try await changeAll(&call) },
    ]

    /// The records that meet a condition, sorted, a page at a time.
    static func find(_ call: RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        var input = try call.query.condition(on: type)
        if let sort = call.query["sort"] { input.sort = try QueryInput.sort(sort) }
        input.limit = try call.query.limit(call.database.limits)
        input.fields = try call.query.fields()
        input.cursor = call.query["cursor"]
        input.count = try call.query.word("count")
        input.explain = try call.query.word("explain")
        let request = QueryRequest(
            caller: call.caller, address: try call.address(), typeName: type, input: input, opening: Envelope.records)
        return .json(try await call.reader.queries.run(request).json())
    }

    /// What `GET /query/{type}` does, for queries that are longer than an address or come as CloudKit's dictionaries.
    /// It reads, although it is a POST.
    static func findByBody(_ call: inout RecordCall) async throws -> HTTPResponse {
        let address = try call.address()
        // The text of a condition is small; what is long is a list of members. Anyone may send this.
        var input = try await call.readersDocument(upTo: 262_144, QueryInput.read)
        guard let type = input.recordType else {
            throw RecordError.badRequest(
                "The body needs 'recordType', the type whose records are asked for",
                details: [("path", .text("recordType"))])
        }
        input.limit = try pageLength(input.limit, call.database.limits)
        let request = QueryRequest(
            caller: call.caller, address: address, typeName: type, input: input, opening: Envelope.records)
        return .json(try await call.reader.queries.run(request).json())
    }

    /// The length of a page, as the body has it.
    private static func pageLength(_ stated: Int?, _ limits: DatabaseLimits) throws(RecordError) -> Int {
        guard let stated else { return min(limits.defaultPageSize, limits.pageSize) }
        guard (1...limits.pageSize).contains(stated) else {
            throw .badRequest(
                "'limit' is a number from 1 to \(limits.pageSize)", details: [("path", .text("limit"))])
        }
        return stated
    }

    /// Deletes the records that meet a condition.
    static func deleteAll(_ call: inout RecordCall) async throws -> HTTPResponse {
        // Who sends the condition as a body means fewer records than `all=true` would take.
        guard case .empty = call.request.body else {
            throw RecordError.badRequest(
                "DELETE takes no body. The condition is the query parameter 'where'")
        }
        let request = try setRequest(call, .delete, key: try call.idempotencyKey([]))
        return try await write(request, &call)
    }

    /// Changes fields, or the access list, of the records that meet a condition.
    static func changeAll(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        // What the address says is judged before the body crosses the network.
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
        // Whether or not a record matches, and so meets the writer.
        _ = try input.accessChange()
        let request = try setRequest(call, .modify(input), key: key)
        return try await write(request, &call)
    }

    /// The fields that a set is given, and the idempotency key; a long body is read on another thread.
    private static func recordInput(
        _ call: inout RecordCall, _ body: [UInt8], type: RecordTypeName
    ) async throws -> (RecordInput, IdempotencyKey?) {
        guard body.count >= InputWorker.minimumBytes else {
            return (try RecordCall.recordInput(body, type: type, name: nil), try call.idempotencyKey(body))
        }
        let request = call.request
        return try await call.readElsewhere(body.count) { () throws(RecordError) in
            (try RecordCall.recordInput(body, type: type, name: nil), try RecordCall.idempotencyKey(of: request, body))
        }
    }

    /// What the address and the header fields ask for.
    ///
    /// - Parameter key: The idempotency key, made with the body as it was received.
    /// - Throws: BAD_REQUEST without a condition unless `all=true` says so, for both, and for conditions on a single
    ///   record's tag, which a set does not have.
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
        return BulkRequest(
            query: QueryRequest(caller: call.caller, address: try call.address(), typeName: type, input: input),
            change: change, isForAll: isForAll, isDryRun: try call.query.word("dryRun"),
            maxAffected: try call.query.count("maxAffected"), idempotency: key)
    }

    /// Changes a set. It counts for one write, and afterwards for one more by every hundred records that it met, which is
    /// about what a slice of it takes of the writer's time: how many there are, nobody knows before. What fails in the
    /// middle has met them too.
    private static func write(_ set: BulkRequest, _ call: inout RecordCall) async throws(RecordError) -> HTTPResponse {
        let answer: WriteAnswer
        do throws(RecordError) {
            answer = try await call.reader.bulkChanges.perform(set)
        } catch {
            // Not where it was refused before the first of them.
            if error.details.contains(where: { $0.key == "changed" }),
                case .number(let matched)? = error.details.first(where: { $0.key == "matched" })?.value
            {
                call.rate.charge(Int(matched) / 100)
            }
            throw error
        }
        if !set.isDryRun, !answer.isReplay,
            case .integer(let matched)? = (try? JSONValue.parse(answer.document))?["matched"]
        {
            call.rate.charge(Int(matched) / 100)
        }
        var response = HTTPResponse.json(answer.document)
        if answer.isReplay, let name = RecordCall.idempotencyReplayed { response.fields.append(name, literal: "true") }
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
        "LIST_CONTAINS_ALL","NOT_LIST_CONTAINS_ALL","LIST_MEMBER_BEGINS_WITH","NOT_LIST_MEMBER_BEGINS_WITH"]},
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
        "cursor":{"type":"string"},"count":{"type":"boolean","default":false},
        "explain":{"type":"boolean","default":false}}},
        "SortDescriptor":{"type":"object","properties":{"fieldName":{"type":"string"},
        "systemFieldName":{"type":"string"},"ascending":{"type":"boolean","default":true}}},
        "Notice":{"type":"object","required":["code","reason"],"properties":{
        "code":{"type":"string","enum":["INDEX_ADDED"]},"recordType":{"type":"string"},
        "index":{"type":"string","description":"Its columns: threadname, -timestamp"},"reason":{"type":"string"}}},
        "Plan":{"type":"object","properties":{"text":{"type":"string"},
        "access":{"type":"array","items":{"type":"object","properties":{"index":{"type":"string"},
        "condition":{"type":"string"},"direction":{"type":"string","enum":["forward","backward"]}}}},
        "residual":{"type":"string","description":"What is tested record by record"},
        "sort":{"type":"string","enum":["index","sorted","none"]},
        "returnedRows":{"type":"integer"},
        "estimatedRows":{"type":"integer","description":"This and the next two are for administrators"},
        "examinedRows":{"type":"integer"},"milliseconds":{"type":"number"},
        "ranOn":{"type":"string","enum":["loop","pool"]}}},
        "QueryAnswer":{"type":"object","required":["records"],"properties":{
        "records":{"type":"array","items":{"$ref":"#/components/schemas/Record"}},
        "cursor":{"type":"string","description":"Absent at the end"},"count":{"type":"integer"},
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
        "description":"Those that the caller may read"}}}},
        "dryRun":{"const":true}}}
        """#
}
