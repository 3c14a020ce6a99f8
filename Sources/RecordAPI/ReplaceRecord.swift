internal import HTTP
internal import RecordEngine

extension RecordAPI {
    /// `PUT /records/{type}/{name}`: makes a record, or gives it these fields and no others.
    func replaceRecord(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let name = try call.recordName()
        let address = try call.address()
        let writeGuard = try call.writeGuard()
        let body = try await call.body()
        let operation = RecordOperation(
            .modify(createsMissing: true, replacesAll: true), writeGuard: writeGuard, typeName: type,
            isTypeInPath: true, recordName: name, input: try call.recordInput(body, type: type, name: name))
        return call.response(to: try await call.perform(operation, at: address, body: body), type: type)
    }
}
