internal import HTTP
internal import RecordEngine
internal import RecordWire

extension RecordAPI {
    /// `GET /records/{type}/{name}`: the hot path. One array for the body, two for the fields, no suspension.
    func readRecord(_ call: RecordCall) throws -> HTTPResponse {
        var body: [UInt8] = []
        let version = try call.reader.lookUp(
            try call.recordName(), type: try call.typeName(), in: try call.address(), for: call.caller,
            fields: try call.query.fields(), to: &body)
        if let short = try answerOnCondition(call.request, version) { return short }
        var fields = HTTPFields.json
        fields.appendEntityTag(version)
        return HTTPResponse(.ok, fields: fields, body: .bytes(body))
    }

    /// 304 or 412, if the request has a condition that decides so (RFC 9110 §13).
    ///
    /// If-Match takes the change tag as well, whatever of the record the caller sees.
    func answerOnCondition(_ request: HTTPRequest, _ version: RecordVersion) throws -> HTTPResponse? {
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
        case .failed: throw APIError.conditionFailed
        case .malformed: throw APIError.malformedCondition
        }
    }
}
