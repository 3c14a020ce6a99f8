internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The steps that all routes for writing one record share.
extension RecordCall {
    /// Returns the precondition of If-Match or If-None-Match for writing a record.
    ///
    /// - Parameter tag: Converts an entity tag to a change tag.
    /// - Throws: BAD_REQUEST for a malformed precondition, for both fields together, and for tags in If-None-Match.
    func precondition(
        tag: (String) -> String = RecordVersion.changeTag
    ) throws(RecordError) -> WritePrecondition {
        let matches = EntityTagPrecondition.ifMatch(request.fields)
        let differs = EntityTagPrecondition.ifNoneMatch(request.fields)
        switch (matches, differs) {
        case (nil, nil): return .none
        case (.any?, nil): return .exists
        // Weak tags match too; see `Preconditions.evaluate`.
        case (.tags(let tags)?, nil): return .tags(tags.map { tag($0.opaque) })
        case (nil, .any?): return .absent
        case (nil, .tags?): throw .badRequest("A write takes If-None-Match: * only, which demands a new record")
        case (.malformed?, _), (_, .malformed?):
            throw .badRequest("If-Match and If-None-Match are * or tags in double quotes, separated by commas")
        case (.any?, .any?), (.any?, .tags?), (.tags?, .any?), (.tags?, .tags?):
            throw .badRequest("Send either If-Match or If-None-Match, not both")
        }
    }

    func idempotencyKey(_ body: [UInt8]) throws(RecordError) -> IdempotencyKey? {
        try Self.idempotencyKey(of: request, body)
    }

    static func idempotencyKey(of request: HTTPRequest, _ body: [UInt8]) throws(RecordError) -> IdempotencyKey? {
        guard let text = request.fields[.idempotencyKey] else { return nil }
        let target = request.target.rawPath + (request.target.rawQuery.map { "?" + $0 } ?? "")
        guard request.fields.count(of: .idempotencyKey) == 1,
            let key = IdempotencyKey(text, method: request.method.text, target: target, body: body)
        else {
            throw .badRequest("An Idempotency-Key has 1 to 255 visible ASCII characters and is given once")
        }
        return key
    }

    /// Parses the record in the body of a write request.
    ///
    /// - Throws: BAD_REQUEST if the body contradicts the path or has unknown keys.
    static func recordInput(
        _ body: [UInt8], type: RecordTypeName, name: RecordName?, takesStamps: Bool = false
    ) throws(RecordError) -> RecordInput {
        let input = try RecordInput.readSingle(body, takesStamps: takesStamps)
        if let stated = input.recordType, stated != type {
            throw .badRequest(
                "The body's recordType is not that of the path. Leave it out or make them the same",
                details: [("recordType", .text(stated.text))])
        }
        if let name, let stated = input.recordName, stated != name {
            throw .badRequest(
                "The body's recordName is not that of the path. Leave it out or make them the same",
                details: [("recordName", .text(stated.text))])
        }
        return input
    }

    /// Executes one operation whose record is in the request's body, and waits until it is durable.
    ///
    /// - Parameter name: The record name in the path; `nil` if the path has none.
    /// - Throws: The errors of `recordInput` or of the operation.
    mutating func perform(
        _ verb: RecordOperation.Verb, precondition: WritePrecondition = .none, type: RecordTypeName, name: RecordName?,
        at address: DatabaseAddress
    ) async throws -> WriteResponse {
        try rejectAnonymousWriters(type, in: address.scope)
        let preserves = try query.preserves()
        let content = try await recordContent(of: type, at: address)
        let single = SingleWrite(
            verb: verb, precondition: precondition, type: type, name: name, content: content,
            takesStamps: !preserves.isEmpty)
        let (request, database) = (request, database)
        let (operation, key) =
            content.body.count < BodyParserThread.minimumBytes
            ? try single.read(for: request, in: database, address.zone, by: reader.schema)
            : try await readElsewhere(content.body.count) { () throws(RecordError) in
                try single.read(for: request, in: database, address.zone, by: database.schema)
            }
        return try await perform(operation, at: address, key: key, preserves: preserves)
    }

    /// Executes one operation and waits until it is durable.
    ///
    /// - Throws: The error of the operation.
    mutating func perform(
        _ operation: consuming RecordOperation, at address: DatabaseAddress, key: IdempotencyKey?,
        preserves: PreservedMetadata = []
    ) async throws(RecordError) -> WriteResponse {
        var write = WriteRequest(
            caller: caller, rightsVersion: rightsVersion, address: address, shape: .single,
            operations: [operation], fields: try query.fields(), idempotency: key)
        if !preserves.isEmpty { (write.preserves, write.actor) = (preserves, actor) }
        return try await database.modify(write) { rate.charge($0, operations: 1) }
    }

    /// Returns the response to a write of one record.
    func response(to result: WriteResponse, type: RecordTypeName) -> HTTPResponse {
        let isMinimal = request.fields.prefersMinimal
        var response: HTTPResponse
        switch result.outcome {
        case .created: response = HTTPResponse(.created)
        case .updated: response = HTTPResponse(isMinimal ? .noContent : .ok)
        case .deleted: response = HTTPResponse(.noContent)
        case .batch, .set, .bulkChangeStarted, .job: response = HTTPResponse(.ok)
        }
        if !isMinimal, !response.status.isBodyless {
            response.fields = .json
            response.body = .bytes(result.json())
        }
        if isMinimal, result.outcome == .created || result.outcome == .updated {
            response.fields.append(.preferenceApplied, literal: "return=minimal")
        }
        if !result.tag.isEmpty { response.fields.append(.etag, "\"\(result.tag)\"") }
        if result.outcome == .created {
            let path = "/records/\(PathSegment.encode(type.text))/\(PathSegment.encode(result.name))"
            response.fields.append(.location, location(of: path))
        }
        if result.isReplay, let name = Self.idempotencyReplayed { response.fields.append(name, literal: "true") }
        return response
    }

    static let idempotencyReplayed = HTTPFieldName("Idempotency-Replayed")
}

/// A write of one record, before its body is parsed.
private struct SingleWrite: Sendable {
    let verb: RecordOperation.Verb
    let precondition: WritePrecondition
    let type: RecordTypeName
    let name: RecordName?
    let content: RecordContent
    let takesStamps: Bool

    func read(
        for request: HTTPRequest, in database: RecordDatabase, _ zone: ZoneName, by schema: Schema
    ) throws(RecordError) -> (RecordOperation, IdempotencyKey?) {
        let input = try RecordCall.recordInput(content.body, type: type, name: name, takesStamps: takesStamps)
        let key = try RecordCall.idempotencyKey(of: request, content.identity ?? content.body)
        var operation = RecordOperation(
            verb, precondition: precondition, typeName: type, isTypeInPath: true, recordName: name ?? input.recordName,
            input: input)
        // The writer reports invalid values, because it checks the caller's permissions first.
        try? operation.prepare(by: schema, in: database, zone: zone)
        return (operation, key)
    }
}
