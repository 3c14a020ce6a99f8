internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `PATCH /query/{type}` with `{"fields":{…}}`: changes fields of the records that meet a condition.
    func changeSet(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        // What the address says is judged before the body crosses the network.
        _ = try call.setRequest(.delete, body: [])
        let body = try await call.body()
        let input = try call.recordInput(body, type: type, name: nil)
        if let name = input.recordName {
            throw RecordError.badRequest(
                "A change by condition concerns many records; leave 'recordName' out, or use PATCH /records",
                details: [("recordName", .text(name.text))])
        }
        guard !input.fields.isEmpty else {
            throw RecordError.badRequest(
                "The body names no field to change: {\"fields\":{…}}", details: [("path", .text("fields"))])
        }
        let request = try call.setRequest(.modify(input), body: body)
        return call.response(toSet: try await call.reader.changeSet(request))
    }
}
