internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `GET /records/{type}/{name}/{field}`: the content of a field, under the rights that the caller has now.
    func readField(_ call: RecordCall) async throws -> HTTPResponse {
        let content = try call.reader.content(
            of: call.parameters[2], index: try call.query.count("index") ?? 0, in: try call.recordName(),
            type: try call.typeName(), at: try call.address(), for: call.caller)
        switch content {
        case .asset(let asset): return try await send(asset, for: call)
        case .bytes(let bytes, let revision):
            return try ServedContent(bytes: bytes, entityTag: EntityTag(opaque: RecordTag.text(revision)))
                .response(to: call.request)
        }
    }
}
