internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `DELETE /records/{type}/{name}`. A body is not looked at.
    func deleteRecord(_ call: RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        let operation = RecordOperation(
            .delete(forgivesMissing: false), writeGuard: try call.writeGuard(), typeName: type, isTypeInPath: true,
            recordName: try call.recordName(), input: RecordInput())
        let answer = try await call.perform(operation, at: try call.address(), key: try call.idempotencyKey([]))
        return call.response(to: answer, type: type)
    }
}
