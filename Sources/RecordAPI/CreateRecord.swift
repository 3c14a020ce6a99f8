internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `POST /records/{type}`: makes a record; the server names it unless `recordName` is given.
    func createRecord(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let address = try call.address()
        let answer = try await call.perform(.create, type: type, name: nil, at: address)
        return call.response(to: answer, type: type)
    }
}
