internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for single records, for lists of records, and for the content of fields.
enum RecordRoutes {
    static let routes: [Route] = [
        Route(
            "POST /records", "modifyRecords", .records,
            "Performs a batch of operations, all or nothing unless atomic is false", rate: .write,
            options: .readsNoRecords, query: ["fields"], headers: ["idempotencyKey", "prefer"], body: .json("Batch"),
            responses: [.json(200, "BatchAnswer", "A result for each operation, in order")]
        ) { call in try await BatchWrite.perform(&call) },
        Route(
            "POST /records/{type}", "createRecord", .records,
            "Makes a record; the server names it unless recordName is given", rate: .write,
            options: [.readsNoRecords, .typeInPath], query: ["fields", "preserve"],
            headers: ["idempotencyKey", "prefer"], body: .jsonOrForm("RecordInput"),
            responses: [.json(201, "Record", "The record, with Location and ETag")]
        ) { call in try await create(&call) },
        Route(
            "GET /records/{type}", "listRecords", .records, "Lists the records of a type in creation order",
            rate: .read, options: [.typeInPath, .pointsToQueries],
            query: ["limit", "cursor", "before", "fields", "expand", "syncToken", "as"],
            responses: [.json(200, "Page", "A page")]
        ) { call in try await list(call) },
        Route(
            "GET /records/{type}/{name}", "readRecord", .records, "Reads a record", rate: .read, options: .typeInPath,
            query: ["fields", "expand", "as"], headers: ["ifNoneMatch"],
            responses: [.json(200, "Record", "The record, with ETag unless expand is given"), .unchanged],
            respondedBy: .immediateIf(
                { call in call.query["expand"] == nil }, { call in try read(call) },
                else: { call in try await ExpandedReads.read(call) })
        ),
        Route(
            "PUT /records/{type}/{name}", "replaceRecord", .records, "Makes a record, or replaces all of its fields",
            rate: .write, options: [.readsNoRecords, .typeInPath], query: ["fields", "preserve"],
            headers: ["ifMatch", "ifNoneMatch", "idempotencyKey", "prefer"], body: .jsonOrForm("RecordInput"),
            responses: [
                .json(200, "Record", "The record as it is now"), .json(201, "Record", "The new record"),
                .empty(204, "Done; Prefer asked for no more"), .preconditionFailed,
            ]
        ) { call in try await replace(&call) },
        Route(
            "PATCH /records/{type}/{name}", "changeRecord", .records, "Changes the fields given; null removes one",
            rate: .write, options: [.readsNoRecords, .typeInPath], query: ["fields"],
            headers: ["ifMatch", "ifNoneMatch", "idempotencyKey", "prefer"], body: .jsonOrForm("RecordInput"),
            responses: [
                .json(200, "Record", "The record as it is now"), .empty(204, "Done; Prefer asked for no more"),
                .preconditionFailed,
            ]
        ) { call in try await change(&call) },
        Route(
            "DELETE /records/{type}/{name}", "deleteRecord", .records, "Deletes a record", rate: .write,
            options: [.readsNoRecords, .typeInPath], headers: ["ifMatch", "idempotencyKey"],
            responses: [.empty(204, "Deleted"), .preconditionFailed]
        ) { call in try await delete(&call) },
        Route(
            "GET /records/{type}/{name}/{field}", "readField", .records,
            "Reads the content of a BYTES or ASSET field, ranges of it, or a smaller picture", rate: .read,
            options: .typeInPath, query: ["index", "as"] + ServedContent.parameters, headers: ServedContent.headers,
            responses: ServedContent.responses
        ) { call in try await readField(call) },
    ]

    /// `POST /records/{type}`: creates a record. The server chooses the record name unless the body has `recordName`.
    static func create(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let address = try call.address()
        let response = try await call.perform(.create, type: type, name: nil, at: address)
        return call.response(to: response, type: type)
    }

    /// `GET /records/{type}`: returns a page of the records of a type in creation order.
    static func list(_ call: RecordCall) async throws -> HTTPResponse {
        if call.query["expand"] != nil || call.query["before"] != nil { return try await ExpandedReads.list(call) }
        var request = ListRequest(
            type: try call.typeName(), in: try call.address(), for: call.caller, fields: try call.query.fields(),
            limit: try call.query.limit(call.database.limits), cursor: call.query["cursor"], opening: Envelope.records)
        request.network = call.network
        let token =
            try call.query.word("syncToken")
            ? try call.reader.feed.currentToken(in: try call.address(), for: call.caller) : nil
        return .json(try await call.reader.list(request).json(syncToken: token))
    }

    /// `GET /records/{type}/{name}`: reads a record. This is the hot path: it allocates one array for the body and two
    /// for the fields, and does not suspend.
    static func read(_ call: RecordCall) throws -> HTTPResponse {
        var body: [UInt8] = []
        let version = try call.reader.lookUp(
            try call.recordName(), type: try call.typeName(), in: try call.address(), for: call.caller,
            fields: try call.query.fields(), to: &body)
        if let short = try respondOnCondition(call.request, version) { return short }
        var fields = HTTPFields.json
        fields.appendEntityTag(version)
        return HTTPResponse(.ok, fields: fields, body: .bytes(body))
    }

    /// Returns a 304 response. Returns `nil` if the request's preconditions allow a full response (RFC 9110 §13).
    ///
    /// If-Match also accepts the change tag, independently of the fields that the caller may read.
    ///
    /// - Throws: `APIError` with status 412 or 400.
    private static func respondOnCondition(_ request: HTTPRequest, _ version: RecordVersion) throws -> HTTPResponse? {
        guard request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifMatch) else { return nil }
        var outcome = Preconditions.evaluate(
            request.fields, method: request.method, entityTag: EntityTag(opaque: version.text))
        if outcome == .failed {
            let changeTag = EntityTag(opaque: RecordTag.text(version.revision))
            let holds = Preconditions.evaluate(request.fields, method: request.method, entityTag: changeTag) != .failed
            if holds { outcome = .proceed }
        }
        switch outcome {
        case .proceed: return nil
        case .notModified:
            var fields = HTTPFields.bodyless
            fields.appendEntityTag(version)
            return HTTPResponse(.notModified, fields: fields)
        case .failed: throw APIError.preconditionFailed
        case .malformed: throw APIError.malformedPrecondition
        }
    }

    /// `PUT /records/{type}/{name}`: creates a record, or replaces all its fields.
    static func replace(_ call: inout RecordCall) async throws -> HTTPResponse {
        try await modify(&call, .modify(createsMissing: true, replacesAll: true))
    }

    /// `PATCH /records/{type}/{name}`: changes only the given fields; a field with the value `null` is removed.
    static func change(_ call: inout RecordCall) async throws -> HTTPResponse {
        try await modify(&call, .modify(createsMissing: false, replacesAll: false))
    }

    private static func modify(
        _ call: inout RecordCall, _ verb: RecordOperation.Verb
    ) async throws -> HTTPResponse {
        let type = try call.typeName()
        let name = try call.recordName()
        let address = try call.address()
        let precondition = try call.precondition()
        let response = try await call.perform(verb, precondition: precondition, type: type, name: name, at: address)
        return call.response(to: response, type: type)
    }

    /// `DELETE /records/{type}/{name}`: deletes a record. A request body is ignored.
    static func delete(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let operation = RecordOperation(
            .delete(ignoresMissing: false), precondition: try call.precondition(), typeName: type, isTypeInPath: true,
            recordName: try call.recordName(), input: RecordInput())
        let response = try await call.perform(operation, at: try call.address(), key: try call.idempotencyKey([]))
        return call.response(to: response, type: type)
    }

    /// `GET /records/{type}/{name}/{field}`: reads the content of a field with the caller's current permissions.
    static func readField(_ call: RecordCall) async throws -> HTTPResponse {
        let content = try call.reader.content(
            of: call.parameters[2], index: try call.query.count("index") ?? 0, in: try call.recordName(),
            type: try call.typeName(), at: try call.address(), for: call.caller)
        switch content {
        case .asset(let asset):
            var content = try await ServedContent(asset, for: call)
            if content.size > HTTPFileBody.pieceBytes { content.receiver = try TransferSender(call) }
            return try content.response(to: call.request)
        case .bytes(let bytes, let revision):
            return try ServedContent(bytes: bytes, entityTag: EntityTag(opaque: RecordTag.text(revision)))
                .response(to: call.request)
        }
    }

    static let schemas: StaticString = #"""
        "FieldType":{"type":"string","enum":["STRING","INT64","DOUBLE","TIMESTAMP","BYTES","REFERENCE","ASSET",
        "ASSETID","LOCATION","STRING_LIST","INT64_LIST","DOUBLE_LIST","TIMESTAMP_LIST","BYTES_LIST",
        "REFERENCE_LIST","ASSET_LIST","ASSETID_LIST","LOCATION_LIST"]},
        "Value":{"type":"object","required":["value","type"],"properties":{
        "value":{},"type":{"$ref":"#/components/schemas/FieldType"}}},
        "Moment":{"type":"object","required":["timestamp","userRecordName"],"properties":{
        "timestamp":{"type":"integer","description":"Milliseconds since 1970"},
        "userRecordName":{"type":"string"},"deviceID":{"type":"string"}}},
        "Record":{"type":"object","required":["recordName","recordType"],"properties":{
        "recordName":{"type":"string"},"recordType":{"type":"string"},
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Value"}},
        "pluginFields":{"type":"object"},"recordChangeTag":{"type":"string"},
        "created":{"$ref":"#/components/schemas/Moment"},"modified":{"$ref":"#/components/schemas/Moment"},
        "acl":{"$ref":"#/components/schemas/AccessList"},"deleted":{"type":"boolean"},
        "notices":{"$ref":"#/components/schemas/WriteNotices"},
        "expanded":{"$ref":"#/components/schemas/Expanded"}}},
        "WriteNotices":{"type":"array","description":"Only in the response to a write","items":{"type":"object","properties":{
        "code":{"type":"string","enum":["NUMBER_ROUNDED","STORED_AS_STRING","TIME_IN_SECONDS"]},"recordType":{"type":"string"},
        "recordName":{"type":"string"},"field":{"type":"string"},"reason":{"type":"string"}}}},
        "AccessList":{"type":["object","null"],"maxProperties":100,
        "description":"By principal: *, a user's record name, role: and a role's name; shown to callers that can write the record",
        "additionalProperties":{"type":"array","items":{"type":"string","enum":["read","write"]}}},
        "RecordInput":{"type":"object","additionalProperties":false,"properties":{
        "recordName":{"type":"string"},"recordType":{"type":"string"},
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/FieldInput"}},
        "acl":{"$ref":"#/components/schemas/AccessList"},
        "created":{"$ref":"#/components/schemas/MomentInput"},"modified":{"$ref":"#/components/schemas/MomentInput"}}},
        "MomentInput":{"type":"object","description":"With preserve","properties":{
        "timestamp":{"type":["integer","string"]},"userRecordName":{"type":"string"}}},
        "FieldInput":{"description":"A bare JSON value; {value, type}; or one of the field operations",
        "anyOf":[{"type":["string","number","boolean","array","null"]},
        {"type":"object","properties":{"value":{},"type":{"$ref":"#/components/schemas/FieldType"},
        "increment":{"type":"number"},"append":{"type":"array"},"appendUnique":{"type":"array"},
        "remove":{"type":"array"},"setIfAbsent":{},"serverTime":{"const":true},
        "copy":{"type":"string","description":"Another field of the record"}}}]},
        "Batch":{"type":"object","required":["operations"],"properties":{
        "operations":{"type":"array","items":{"type":"object","required":["operationType","record"],"properties":{
        "operationType":{"type":"string","enum":["create","update","forceUpdate","replace","forceReplace","delete",
        "forceDelete"]},
        "record":{"type":"object","properties":{"recordName":{"type":"string"},"recordType":{"type":"string"},
        "recordChangeTag":{"type":"string"},
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/FieldInput"}}}}}}},
        "atomic":{"type":"boolean","default":true},
        "desiredKeys":{"type":"array","items":{"type":"string"}},
        "preserve":{"type":"array","items":{"type":"string","enum":["created","modified"]}}}},
        "Deletion":{"type":"object","required":["recordName","deleted"],"properties":{
        "recordName":{"type":"string"},"recordType":{"type":"string"},"deleted":{"const":true}}},
        "ItemError":{"type":"object","required":["serverErrorCode","reason"],"properties":{
        "recordName":{"type":"string"},"serverErrorCode":{"$ref":"#/components/schemas/Code"},
        "reason":{"type":"string"},"details":{"type":"object"},
        "serverRecord":{"$ref":"#/components/schemas/Record"}}},
        "BatchAnswer":{"type":"object","required":["records"],"properties":{"records":{"type":"array","items":{
        "anyOf":[{"$ref":"#/components/schemas/Record"},{"$ref":"#/components/schemas/Deletion"},
        {"$ref":"#/components/schemas/ItemError"}]}},"notices":{"$ref":"#/components/schemas/WriteNotices"}}},
        "Page":{"type":"object","required":["records"],"properties":{
        "records":{"type":"array","items":{"$ref":"#/components/schemas/Record"}},
        "cursor":{"type":"string","description":"Absent at the end"},
        "previousCursor":{"type":"string","description":"For before. Absent at the beginning"},
        "expanded":{"$ref":"#/components/schemas/Expanded"}}},
        "Expanded":{"type":"object","required":["records"],"description":"With expand","properties":{
        "records":{"type":"array","description":"Each target once, if the caller can read it",
        "items":{"$ref":"#/components/schemas/Record"}},
        "backward":{"type":"object","description":"By path, such as Comment.post, then by the name of the page's record",
        "additionalProperties":{"type":"object","additionalProperties":{"type":"object","properties":{
        "recordNames":{"type":"array","items":{"type":"string"}},"moreComing":{"type":"boolean"}}}}}}}
        """#
}
