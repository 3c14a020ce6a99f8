internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `GET /query/{type}`: the records that meet a condition, sorted, a page at a time.
    func queryRecords(_ call: RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        var input = try call.query.condition(on: type)
        if let sort = call.query["sort"] { input.sort = try QueryInput.sort(sort) }
        input.limit = try call.query.limit(call.database.limits)
        input.fields = try call.query.fields()
        input.cursor = call.query["cursor"]
        input.count = try call.query.word("count")
        input.explain = try call.query.word("explain")
        let request = QueryRequest(
            caller: call.caller, address: try call.address(), typeName: type, input: input)
        return .json(try await call.reader.query(request))
    }
}
