internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// What the routes that write one record share.
extension RecordCall {
    /// What If-Match and If-None-Match demand of a record before it is written.
    ///
    /// - Parameter tag: What a condition's tag says of the version that it names.
    /// - Throws: BAD_REQUEST for a malformed condition, for both at once, and for tags in If-None-Match.
    func writeGuard(
        tag: (String) -> String = RecordVersion.changeTag
    ) throws(RecordError) -> WriteGuard {
        let matches = EntityTagCondition.ifMatch(request.fields)
        let differs = EntityTagCondition.ifNoneMatch(request.fields)
        switch (matches, differs) {
        case (nil, nil): return .none
        case (.any?, nil): return .exists
        // Weakly: see `Preconditions.evaluate`.
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

    /// The record in the body of a write.
    ///
    /// - Throws: BAD_REQUEST if it contradicts the path or has what this version does not know.
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

    /// Performs one operation, whose record is in the request's body, and waits until it is durable.
    ///
    /// - Parameter name: The record name in the path, if it has one.
    /// - Throws: As `recordInput`, or the operation's refusal.
    mutating func perform(
        _ verb: RecordOperation.Verb, writeGuard: WriteGuard = .none, type: RecordTypeName, name: RecordName?,
        at address: DatabaseAddress
    ) async throws -> WriteAnswer {
        try refuseStrangers(type, in: address.scope)
        let preserves = try query.preserves()
        let content = try await recordContent(of: type, at: address)
        let single = SingleWrite(
            verb: verb, writeGuard: writeGuard, type: type, name: name, content: content,
            takesStamps: !preserves.isEmpty)
        let (request, database) = (request, database)
        let (operation, key) =
            content.body.count < InputWorker.minimumBytes
            ? try single.read(for: request, in: database, by: reader.schema)
            : try await readElsewhere(content.body.count) { () throws(RecordError) in
                try single.read(for: request, in: database, by: database.schema)
            }
        return try await perform(operation, at: address, key: key, preserves: preserves)
    }

    /// Performs one operation and waits until it is durable.
    func perform(
        _ operation: consuming RecordOperation, at address: DatabaseAddress, key: IdempotencyKey?,
        preserves: PreservedMetadata = []
    ) async throws(RecordError) -> WriteAnswer {
        var write = WriteRequest(
            caller: caller, rightsVersion: rightsVersion, address: address, shape: .single,
            operations: [operation], fields: try query.fields(), idempotency: key)
        if !preserves.isEmpty { (write.preserves, write.actor) = (preserves, actor) }
        return try await database.modify(write)
    }

    /// The answer to a write of one record.
    func response(to answer: WriteAnswer, type: RecordTypeName) -> HTTPResponse {
        let isMinimal = request.fields.prefersMinimal
        var response: HTTPResponse
        switch answer.outcome {
        case .created: response = HTTPResponse(.created)
        case .updated: response = HTTPResponse(isMinimal ? .noContent : .ok)
        case .deleted: response = HTTPResponse(.noContent)
        case .batch, .set, .setBegun: response = HTTPResponse(.ok)
        }
        if !isMinimal, !response.status.isBodyless {
            response.fields = .json
            response.body = .bytes(answer.json())
        }
        if isMinimal, answer.outcome == .created || answer.outcome == .updated {
            response.fields.append(.preferenceApplied, literal: "return=minimal")
        }
        if !answer.tag.isEmpty { response.fields.append(.etag, "\"\(answer.tag)\"") }
        if answer.outcome == .created {
            let path = "/records/\(PathSegment.encode(type.text))/\(PathSegment.encode(answer.name))"
            response.fields.append(.location, location(of: path))
        }
        if answer.isReplay, let name = Self.idempotencyReplayed { response.fields.append(name, literal: "true") }
        return response
    }

    static let idempotencyReplayed = HTTPFieldName("Idempotency-Replayed")
}

/// A write of one record on its way from the body to the operation.
private struct SingleWrite: Sendable {
    let verb: RecordOperation.Verb
    let writeGuard: WriteGuard
    let type: RecordTypeName
    let name: RecordName?
    let content: RecordContent
    let takesStamps: Bool

    func read(
        for request: HTTPRequest, in database: RecordDatabase, by schema: Schema
    ) throws(RecordError) -> (RecordOperation, IdempotencyKey?) {
        let input = try RecordCall.recordInput(content.body, type: type, name: name, takesStamps: takesStamps)
        let key = try RecordCall.idempotencyKey(of: request, content.identity ?? content.body)
        var operation = RecordOperation(
            verb, writeGuard: writeGuard, typeName: type, isTypeInPath: true, recordName: name ?? input.recordName,
            input: input)
        // What is wrong with the values is the writer's to say: it looks at the caller's rights before.
        try? operation.prepare(by: schema, in: database)
        return (operation, key)
    }
}
