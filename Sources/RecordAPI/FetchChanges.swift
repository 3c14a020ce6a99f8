internal import HTTP
internal import RecordEngine

extension RecordAPI {
    /// `GET /changes`: what changed in a zone since a token.
    func fetchChanges(_ call: RecordCall) async throws -> HTTPResponse {
        let request = ChangesRequest(
            in: try call.address(), for: call.caller, since: call.query["since"],
            limit: try call.query.limit(call.database.limits), fields: try call.query.fields())
        return .json(try await call.reader.changes(request))
    }
}
