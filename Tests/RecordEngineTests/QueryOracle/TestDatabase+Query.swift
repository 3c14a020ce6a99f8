import RecordEngine
import RecordModel
import RecordWire
import Testing

/// A page of a query, in a form for tests.
struct QueryPage {
    var json: JSONValue

    var names: [String] { (json["records"]?.array ?? []).compactMap { $0["recordName"]?.string } }
    var cursor: String? { json["cursor"]?.string }
    var count: Int64? { json["count"]?.integer }
    var plan: String { json["plan"]?["text"]?.string ?? "" }
    var examined: Int64? { json["plan"]?["examinedRows"]?.integer }
    var notices: [JSONValue] { json["notices"]?.array ?? [] }
}

extension TestDatabase {
    func query(
        _ condition: String = "", _ arguments: [QueryArgument] = [], sort: String = "", limit: Int? = nil,
        cursor: String? = nil, type: String = "Post", as caller: Caller = .administrator(.bootstrap),
        in address: DatabaseAddress = .publicDefault
    ) async throws -> QueryPage {
        let request = try queryRequest(
            condition, arguments, sort: sort, limit: limit, cursor: cursor, type: type, as: caller, in: address)
        try reader.refresh()
        return QueryPage(json: try await reader.queries.run(request).object)
    }

    func queryRequest(
        _ condition: String, _ arguments: [QueryArgument] = [], sort: String = "", limit: Int? = nil,
        cursor: String? = nil, type: String = "Post", as caller: Caller = .administrator(.bootstrap),
        in address: DatabaseAddress = .publicDefault
    ) throws -> QueryRequest {
        var input = QueryInput()
        input.condition = condition
        input.arguments = arguments
        if !sort.isEmpty { input.sort = try QueryInput.sort(sort) }
        input.limit = limit
        input.cursor = cursor
        input.count = true
        input.explain = true
        let name = try #require(RecordTypeName(type))
        return QueryRequest(caller: caller, address: address, typeName: name, input: input)
    }

    /// The names on all pages.
    func pages(
        _ condition: String = "", _ arguments: [QueryArgument] = [], sort: String = "", limit: Int,
        type: String = "Post", as caller: Caller = .administrator(.bootstrap), between: () async throws -> Void = {}
    ) async throws -> [String] {
        var names: [String] = []
        var cursor: String?
        repeat {
            let page = try await query(
                condition, arguments, sort: sort, limit: limit, cursor: cursor, type: type, as: caller)
            names += page.names
            cursor = page.cursor
            if cursor != nil { try await between() }
        } while cursor != nil
        return names
    }

    /// Puts a schema of one type, given as the JSON of its `fields` and `indexes`.
    func putType(
        _ type: String = "Post", fields: String, indexes: String = "[]", grants: String = #"{"_world":["READ"]}"#
    ) async throws {
        let text = #"{"types":{"\#(type)":{"fields":{\#(fields)},"indexes":\#(indexes),"grants":\#(grants)}}}"#
        try await database.schemas.put(SchemaDocument.read(Array(text.utf8)))
    }

    /// Creates records in one write, in their order.
    func createAll(
        _ records: [(name: String, fields: String)], type: String = "Post", kind: String = "create",
        as caller: Caller = .administrator(.bootstrap),
        in address: DatabaseAddress = .publicDefault
    ) async throws {
        for start in stride(from: 0, to: records.count, by: 200) {
            let items = records[start..<min(start + 200, records.count)].map {
                #"{"operationType":"\#(kind)","record":{"recordName":"\#($0.name)","recordType":"\#(type)","#
                    + #""fields":{\#($0.fields)}}}"#
            }
            let text = #"{"operations":[\#(items.joined(separator: ","))],"atomic":true}"#
            let input = try BatchInput.read(Array(text.utf8), maxOperations: 200)
            let request = WriteRequest(
                caller: caller, address: address, shape: .batch(isAtomic: true),
                operations: try input.operations.map { try RecordOperation($0) }, fields: [])
            _ = try await database.modify(request)
        }
    }
}
