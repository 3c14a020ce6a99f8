internal import HTTP
internal import RecordEngine

extension RecordAPI {
    /// `GET /records/{type}`: a page of the records of a type, in the order in which they were made.
    func listRecords(_ call: RecordCall) throws -> HTTPResponse {
        var body: [UInt8] = []
        try call.reader.list(
            type: try call.typeName(), in: try call.address(), for: call.caller, fields: try call.query.fields(),
            limit: try call.query.limit(call.database.limits), cursor: call.query["cursor"], to: &body)
        return .json(body)
    }
}
