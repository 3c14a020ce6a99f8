internal import HTTP
internal import RecordEngine
internal import RecordWire

extension RecordAPI {
    /// `GET /records/{type}/{name}/{field}`: the bytes of a field, or a range of them.
    ///
    /// Clients made them, so no browser may take them for a page of this server.
    func readField(_ call: RecordCall) throws -> HTTPResponse {
        let (bytes, revision) = try call.reader.bytes(
            of: call.parameters[2], in: try call.recordName(), type: try call.typeName(), at: try call.address(),
            for: call.caller)
        if let short = try answerOnCondition(call.request, revision: revision) { return short }
        var fields = HTTPFields.bodyless
        fields.append(.contentType, literal: "application/octet-stream")
        fields.append(.contentDisposition, literal: "attachment")
        fields.append(.xContentTypeOptions, literal: "nosniff")
        fields.append(.contentSecurityPolicy, literal: "default-src 'none'; sandbox")
        fields.append(.acceptRanges, literal: "bytes")
        fields.appendEntityTag(revision)
        let tag = EntityTag(opaque: RecordTag.text(revision))
        guard call.request.fields.contains(.range), Preconditions.rangeApplies(call.request.fields, entityTag: tag)
        else { return HTTPResponse(.ok, fields: fields, body: .bytes(bytes)) }
        switch ByteRange.parse(call.request.fields, size: bytes.count) {
        case .whole: return HTTPResponse(.ok, fields: fields, body: .bytes(bytes))
        case .range(let range):
            fields.append(.contentRange, ByteRange.contentRange(range, size: bytes.count))
            return HTTPResponse(.partialContent, fields: fields, body: .bytes(Array(bytes[range])))
        case .unsatisfiable: throw APIError.rangeNotSatisfiable(size: bytes.count)
        }
    }
}
