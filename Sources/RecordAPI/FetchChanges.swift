internal import HTTP
internal import RecordEngine

extension RecordAPI {
    /// `GET /changes`: what changed in a zone since a token.
    func fetchChanges(_ call: RecordCall) throws -> HTTPResponse {
        var body: [UInt8] = []
        try call.reader.changes(
            in: try call.address(), for: call.caller, since: call.query["since"],
            limit: try call.query.limit(call.database.limits), fields: try call.query.fields(), to: &body)
        return .json(body)
    }
}
