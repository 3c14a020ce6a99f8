internal import HTTP
internal import RecordEngine

extension RecordAPI {
    /// `PATCH /records/{type}/{name}`: changes the fields that are given; `null` removes one.
    func changeRecord(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let name = try call.recordName()
        let address = try call.address()
        let writeGuard = try call.writeGuard()
        let body = try await call.body()
        let operation = RecordOperation(
            .modify(createsMissing: false, replacesAll: false), writeGuard: writeGuard, typeName: type,
            isTypeInPath: true, recordName: name, input: try call.recordInput(body, type: type, name: name))
        return call.response(to: try await call.perform(operation, at: address, body: body), type: type)
    }
}
