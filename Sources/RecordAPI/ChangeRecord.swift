internal import HTTP
internal import RecordEngine
internal import RecordModel

extension RecordAPI {
    /// `PATCH /records/{type}/{name}`: changes the fields that are given; `null` removes one.
    func changeRecord(_ call: inout RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let name = try call.recordName()
        let address = try call.address()
        let writeGuard = try call.writeGuard()
        let answer = try await call.perform(
            .modify(createsMissing: false, replacesAll: false), writeGuard: writeGuard, type: type, name: name,
            at: address)
        return call.response(to: answer, type: type)
    }
}
