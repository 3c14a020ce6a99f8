internal import HTTP
internal import RecordEngine
internal import RecordWire

extension RecordAPI {
    /// `POST /records/{type}`: makes a record; the server names it unless `recordName` is given.
    func createRecord(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let address = try call.address()
        let body = try await call.body()
        let input = try call.recordInput(body, type: type, name: nil)
        let operation = RecordOperation(
            .create, typeName: type, isTypeInPath: true, recordName: input.recordName, input: input)
        return call.response(to: try await call.perform(operation, at: address, body: body), type: type)
    }
}
