internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Reads and lists records with `expand`, and lists them backward. These run as queries, because following references
/// can take longer than an event loop can spare.
enum ExpandedReads {
    /// `GET /records/{type}` with `expand` or `before`: returns a page of the records of a type in creation order.
    static func list(_ call: RecordCall) async throws -> HTTPResponse {
        let type = try call.typeName()
        var input = QueryInput()
        input.recordType = type
        input.limit = try call.query.limit(call.database.limits)
        input.fields = try call.query.fields()
        input.cursor = call.query["cursor"]
        input.before = call.query["before"]
        input.expand = try call.query.expand()
        var request = QueryRequest(
            caller: call.caller, address: try call.address(), typeName: type, input: input, opening: Envelope.records)
        request.isListing = true
        request.network = call.network
        let token =
            try call.query.word("syncToken")
            ? try call.reader.feed.currentToken(in: request.address, for: call.caller) : nil
        return .json(try await call.reader.queries.run(request).json(syncToken: token))
    }

    /// `GET /records/{type}/{name}` with `expand`: reads a record. The response has no ETag, because the tag of the
    /// record would not change with its targets.
    static func read(_ call: RecordCall) async throws -> HTTPResponse {
        let (type, name, address) = (try call.typeName(), try call.recordName(), try call.address())
        var input = QueryInput()
        input.recordType = type
        input.filters = [
            FilterSyntax(fieldName: "recordName", comparator: "EQUALS", value: .string(name.text))
        ]
        input.limit = 1
        input.fields = try call.query.fields()
        input.expand = try call.query.expand()
        // The lookup makes the errors those of a read without `expand`.
        var record: [UInt8] = []
        _ = try call.reader.lookUp(name, type: type, in: address, for: call.caller, fields: [], to: &record)
        var request = QueryRequest(caller: call.caller, address: address, typeName: type, input: input)
        request.network = call.network
        let page = try await call.reader.queries.run(request)
        // The record may have been deleted since.
        guard page.records.count == 1 else { throw RecordError.recordNotFound }
        return .json(page.recordJSON())
    }
}

extension RecordPage {
    /// Returns the JSON of the page's one record with `expanded` and `notices` as its last members.
    fileprivate consuming func recordJSON() -> [UInt8] {
        records.json.removeLast()
        if let expanded {
            records.json.appendLiteral(",\"expanded\":")
            records.json += expanded
        }
        if !notices.isEmpty {
            records.json.appendLiteral(",\"notices\":")
            JSONValue.array(notices.map(\.json)).write(to: &records.json)
        }
        records.json.append(UInt8(ascii: "}"))
        return records.json
    }
}
