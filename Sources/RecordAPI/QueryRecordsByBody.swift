internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `POST /query`: what `GET /query/{type}` does, for queries that are longer than an address or come as CloudKit's
    /// dictionaries. It reads, although it is a POST.
    func queryRecordsByBody(_ call: inout RecordCall) async throws -> HTTPResponse {
        let address = try call.address()
        // The text of a condition is small; what is long is a list of members. Anyone may send this.
        var input = try await call.readersDocument(upTo: 262_144, QueryInput.read)
        guard let type = input.recordType else {
            throw RecordError.badRequest(
                "The body needs 'recordType', the type whose records are asked for",
                details: [("path", .text("recordType"))])
        }
        input.limit = try call.pageLength(input.limit)
        let request = QueryRequest(caller: call.caller, address: address, typeName: type, input: input)
        return .json(try await call.reader.query(request))
    }
}

extension RecordCall {
    /// The length of a page, as the body has it.
    fileprivate func pageLength(_ stated: Int?) throws(RecordError) -> Int {
        let limits = database.limits
        guard let stated else { return min(limits.defaultPageSize, limits.pageSize) }
        guard (1...limits.pageSize).contains(stated) else {
            throw .badRequest(
                "'limit' is a number from 1 to \(limits.pageSize)", details: [("path", .text("limit"))])
        }
        return stated
    }
}
