internal import HTTP
internal import RecordEngine
internal import RecordWire

extension RecordAPI {
    /// `GET /records/{type}/{name}`: the hot path. One array for the body, two for the fields, no suspension.
    func readRecord(_ call: RecordCall) throws -> HTTPResponse {
        var body: [UInt8] = []
        let revision = try call.reader.lookUp(
            try call.recordName(), type: try call.typeName(), in: try call.address(), for: call.caller,
            fields: try call.query.fields(), to: &body)
        if let short = try answerOnCondition(call.request, revision: revision) { return short }
        var fields = HTTPFields.json
        fields.appendEntityTag(revision)
        return HTTPResponse(.ok, fields: fields, body: .bytes(body))
    }

    /// 304 or 412, if the request has a condition that decides so (RFC 9110 §13).
    func answerOnCondition(_ request: HTTPRequest, revision: Int64) throws -> HTTPResponse? {
        guard request.fields.contains(.ifNoneMatch) || request.fields.contains(.ifMatch) else { return nil }
        let tag = EntityTag(opaque: RecordTag.text(revision))
        switch Preconditions.evaluate(request.fields, method: request.method, entityTag: tag) {
        case .proceed: return nil
        case .notModified:
            var fields = HTTPFields.bodyless
            fields.appendEntityTag(revision)
            return HTTPResponse(.notModified, fields: fields)
        case .failed: throw APIError.conditionFailed
        case .malformed: throw APIError.malformedCondition
        }
    }
}
