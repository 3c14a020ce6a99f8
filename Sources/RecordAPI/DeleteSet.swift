internal import HTTP
internal import RecordEngine
internal import RecordModel

extension RecordAPI {
    /// `DELETE /query/{type}`: deletes the records that meet a condition.
    func deleteSet(_ call: inout RecordCall) async throws -> HTTPResponse {
        // Who sends the condition as a body means fewer records than `all=true` would take.
        guard case .empty = call.request.body else {
            throw RecordError.badRequest(
                "DELETE takes no body. The condition is the query parameter 'where'")
        }
        let request = try call.setRequest(.delete, key: try call.idempotencyKey([]))
        return call.response(toSet: try await call.changeSet(request))
    }
}
