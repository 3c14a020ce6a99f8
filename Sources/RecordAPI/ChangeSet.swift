internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `PATCH /query/{type}` with `{"fields":{…},"acl"?}`: changes fields, or the access list, of the records that meet a
    /// condition.
    func changeSet(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        // What the address says is judged before the body crosses the network.
        _ = try call.setRequest(.delete, key: try call.idempotencyKey([]))
        let body = try await call.body()
        let (input, key) = try await call.recordInput(ofSet: body, type: type)
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
        let request = try call.setRequest(.modify(input), key: key)
        return call.response(toSet: try await call.changeSet(request))
    }
}

extension RecordCall {
    /// The fields that a set is given, and the idempotency key; a long body is read on another thread.
    fileprivate mutating func recordInput(
        ofSet body: [UInt8], type: RecordTypeName
    ) async throws -> (RecordInput, IdempotencyKey?) {
        guard body.count >= InputWorker.minimumBytes else {
            return (try Self.recordInput(body, type: type, name: nil), try idempotencyKey(body))
        }
        let request = request
        return try await readElsewhere(body.count) { () throws(RecordError) in
            (try Self.recordInput(body, type: type, name: nil), try Self.idempotencyKey(of: request, body))
        }
    }
}
