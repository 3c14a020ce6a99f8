internal import HTTP
internal import RecordEngine

extension RecordAPI {
    /// `GET /records/{type}`: a page of the records of a type, in the order in which they were made.
    func listRecords(_ call: RecordCall) async throws -> HTTPResponse {
        let request = ListRequest(
            type: try call.typeName(), in: try call.address(), for: call.caller, fields: try call.query.fields(),
            limit: try call.query.limit(call.database.limits), cursor: call.query["cursor"])
        return .json(try await call.reader.list(request))
    }
}
