internal import Foundation
internal import RecordModel
internal import RecordWire

/// Which route a request is for.
extension InMemoryDatabase {
    mutating func answer(_ request: InMemoryRequest) -> TransportResponse {
        defer { forgetJournal() }
        do {
            let caller = try caller(bearing: try request.token)
            switch (request.method, request.path.first ?? "", request.path.count) {
            case ("GET", "limits", 1): return TransportResponse(json: limits.document)
            case ("GET", "assets", 2...3) where request.path[1] != "uploads": return try files.read(request)
            case (_, "users", _), (_, "sessions", _):
                return try InMemoryAccountRoutes(request: request, caller: caller).answer(in: &self)
            default: break
            }
            let scope = try scope(of: request, for: caller)
            let call = InMemoryCall(request: request, caller: caller, scope: scope, fields: request.shownFields)
            return try answer(call)
        } catch {
            return .refusing(error)
        }
    }

    private mutating func answer(_ call: InMemoryCall) throws -> TransportResponse {
        let request = call.request
        switch (request.method, request.path.first ?? "", request.path.count) {
        case ("GET", "records", 2): return try list(call)
        case ("GET", "records", 3): return try read(call)
        case ("GET", "records", 4): return try readField(call)
        case ("POST", "records", 1):
            return try remembering(call) { database throws in try database.performBatch(call) }
        case ("POST", "records", 2):
            return try remembering(call) { database throws in try database.performOne(.create, call) }
        case ("PUT", "records", 3):
            return try remembering(call) { database throws in
                try database.performOne(.modify(createsMissing: true, replacesAll: true), call)
            }
        case ("PATCH", "records", 3):
            return try remembering(call) { database throws in
                try database.performOne(.modify(createsMissing: false, replacesAll: false), call)
            }
        case ("DELETE", "records", 3):
            return try remembering(call) { database throws in
                try database.performOne(.delete(forgivesMissing: false), call)
            }
        case ("GET", "query", 2), ("POST", "query", 1): return try query(call)
        case ("DELETE", "query", 2), ("PATCH", "query", 2):
            if try request.word("dryRun") { return try changeSet(call) }
            return try remembering(call) { database throws in try database.changeSet(call) }
        case ("GET", "changes", 1): return try changes(call)
        case ("POST", "assets", 1): return try files.upload(call, schema: schema)
        case (_, "assets", 2...): throw InMemoryRefusal.notThere("resumable uploads; send at most 8 MiB")
        case (_, "schema", _), (_, "grants", _), (_, "roles", _), (_, "keys", _), (_, "invitations", _),
            (_, "explain", _), (_, "administrators", _), (_, "audit", _):
            throw InMemoryRefusal.notThere("administration")
        default:
            throw RecordError(.notFound, "No route of the double has this path", cause: .unknownRoute)
        }
    }

    /// Performs a write, or answers with what was answered to it before.
    private mutating func remembering(
        _ call: InMemoryCall, _ perform: (inout InMemoryDatabase) throws -> TransportResponse
    ) throws -> TransportResponse {
        let request = call.request
        guard let key = request.field("idempotency-key") else { return try perform(&self) }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw RecordError.badRequest("An Idempotency-Key has 1 to 255 visible ASCII characters and is given once")
        }
        let name = "\(call.caller.writerID) \(key)"
        let summary = "\(request.method) \(request.target)"
        if let known = answers[name] {
            guard known.request == summary, known.body == request.body else {
                throw RecordError(
                    .badRequest, "This Idempotency-Key was used for another request. Use a new key for each request",
                    cause: .idempotencyMismatch)
            }
            var response = known.response
            response.fields["idempotency-replayed"] = "true"
            return response
        }
        let response = try perform(&self)
        answers[name] = RememberedAnswer(request: summary, body: request.body, response: response)
        return response
    }

    // MARK: Writes

    private mutating func performOne(
        _ verb: WriteVerb, _ call: InMemoryCall
    ) throws(RecordError) -> TransportResponse {
        let request = call.request
        let type = try request.typeName
        let name: RecordName? = verb == .create ? nil : try request.recordName
        let isDeletion = verb == .delete(forgivesMissing: false)
        let input = isDeletion ? RecordInput() : try RecordInput.readSingle(request.body)
        guard input.recordType == nil || input.recordType == type,
            name == nil || input.recordName == nil || input.recordName == name
        else { throw .badRequest("The body names another type or record than the path. Leave them out") }
        var operation = InMemoryOperation(verb, type, name ?? input.recordName, input)
        if verb != .create { operation.writeGuard = try request.writeGuard }
        let outcome = try transaction { database throws(RecordError) in
            var writer = InMemoryWriter(call: call)
            let outcome = try writer.perform(operation, position: 0, in: &database)
            if let (_, error) = writer.brokenPromise(in: database) { throw error }
            return outcome
        }
        guard case .saved(let record, let isNew) = outcome else { return TransportResponse(status: 204) }
        var fields = ["etag": "\"\(record.tag)\""]
        if isNew {
            let (type, name) = (Connection.encode(type.text), Connection.encode(record.key.name.text))
            fields["location"] = "/records/\(type)/\(name)"
        }
        if request.field("prefer") == "return=minimal" {
            fields["preference-applied"] = "return=minimal"
            return TransportResponse(status: isNew ? 201 : 204, fields: fields)
        }
        var json: [UInt8] = []
        try append(record, call, to: &json)
        return TransportResponse(json: json, status: isNew ? 201 : 200, fields: fields)
    }

    private mutating func performBatch(_ call: InMemoryCall) throws(RecordError) -> TransportResponse {
        let batch = try BatchInput.read(call.request.body, maxOperations: limits.batchOperations)
        var call = call
        call.fields = call.fields ?? batch.desiredKeys
        let items = try batch.atomic ? performAll(batch.operations, call) : performEach(batch.operations, call)
        var json = Array(#"{"records":["#.utf8)
        for (index, item) in items.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json += item
        }
        return TransportResponse(json: json + Array("]}".utf8))
    }

    /// All or nothing: if one item is refused, it says why, and the others that they went with it.
    private mutating func performAll(
        _ items: [OperationInput], _ call: InMemoryCall
    ) throws(RecordError) -> [[UInt8]] {
        var guilty = 0
        do throws(RecordError) {
            return try transaction { database throws(RecordError) in
                var writer = InMemoryWriter(call: call)
                var answers: [[UInt8]] = []
                for (position, item) in items.enumerated() {
                    guilty = position
                    answers.append(try database.perform(item, position: position, with: &writer))
                }
                if let (position, error) = writer.brokenPromise(in: database) {
                    guilty = position
                    throw error
                }
                return answers
            }
        } catch {
            var error = error
            if error.serverRecord != nil, let name = items[guilty].record.recordName {
                // It may have met what this batch had made of the record, which never was.
                error.serverRecord = try find(name, zone: call.zone).map { record throws(RecordError) in
                    var json: [UInt8] = []
                    try append(record, call, to: &json)
                    return json
                }
            }
            let innocent = RecordError(
                .atomicError, "Another operation of this atomic batch failed, so none was performed")
            return items.enumerated().map { ($0 == guilty ? error : innocent).json(of: $1.record.recordName) }
        }
    }

    private mutating func performEach(
        _ items: [OperationInput], _ call: InMemoryCall
    ) throws(RecordError) -> [[UInt8]] {
        var writer = InMemoryWriter(call: call)
        var answers: [[UInt8]] = []
        for (position, item) in items.enumerated() {
            do throws(RecordError) {
                answers.append(
                    try transaction { database throws(RecordError) in
                        let answer = try database.perform(item, position: position, with: &writer)
                        if let (_, error) = writer.brokenPromise(in: database) { throw error }
                        return answer
                    })
            } catch {
                writer.checks.removeAll()
                answers.append(error.json(of: item.record.recordName))
            }
        }
        return answers
    }

    /// Performs an item of a batch.
    ///
    /// - Returns: What stands for it in the answer.
    private mutating func perform(
        _ item: OperationInput, position: Int, with writer: inout InMemoryWriter
    ) throws(RecordError) -> [UInt8] {
        let operation = try InMemoryOperation(item)
        switch try writer.perform(operation, position: position, in: &self) {
        case .saved(let record, _):
            var json: [UInt8] = []
            try append(record, writer.call, to: &json)
            return json
        case .deleted:
            return JSONValue.object(
                JSONObject([("recordName", .string(operation.recordName?.text ?? "")), ("deleted", true)])
            ).bytes
        }
    }
}

extension RecordError {
    /// What stands for a refused item in the answer to a batch.
    fileprivate func json(of name: RecordName?) -> [UInt8] {
        var text: [UInt8] = []
        ErrorComposer.append(self, uuid: nil, recordName: name?.text, to: &text)
        return text
    }
}

extension DatabaseLimits {
    /// What `GET /limits` shows.
    fileprivate var document: JSONValue {
        let numbers: [(String, Int)] = [
            ("recordBytes", recordBytes), ("batchOperations", batchOperations), ("assetBytes", bodyBytes),
            ("pageSize", pageSize), ("defaultPageSize", defaultPageSize), ("pageBytes", pageBytes),
            ("bodyBytes", bodyBytes), ("cascadeRecords", cascadeRecords), ("setRecords", setRecords),
            ("recordNameBytes", Limits.recordNameBytes), ("identifierBytes", Limits.identifierBytes),
            ("fieldsPerType", Limits.fieldsPerType), ("listMembers", Limits.listMembers),
            ("queryTextBytes", Limits.conditionBytes), ("queryConditions", Limits.conditions),
            ("queryListMembers", Limits.conditionListMembers), ("queryArguments", Limits.queryArguments),
            ("sortTerms", Limits.sortTerms),
        ]
        let rates: JSONValue = .object(JSONObject())
        return .object(JSONObject(numbers.map { ($0, .integer(Int64($1))) } + [("rates", rates)]))
    }
}
