internal import HTTP
internal import RecordEngine
internal import RecordModel

extension RecordAPI {
    /// `PUT /records/{type}/{name}`: makes a record, or gives it these fields and no others.
    func replaceRecord(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let name = try call.recordName()
        let address = try call.address()
        let writeGuard = try call.writeGuard()
        let answer = try await call.perform(
            .modify(createsMissing: true, replacesAll: true), writeGuard: writeGuard, type: type, name: name,
            at: address)
        return call.response(to: answer, type: type)
    }
}
