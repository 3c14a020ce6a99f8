internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Record types, fields, indexes and grants as one document. Administrators.
extension RecordAPI {
    func readSchema(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readSchema)
        return .json(SchemaDocument(call.reader.schema, built: call.database.indexProgress.building).json)
    }

    func putSchema(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.changeSchema)
        let document = try SchemaDocument.read(try await call.body())
        try call.require(.changeSchema)
        try await call.database.putSchema(document, by: call.actor)
        return .json(SchemaDocument(call.database.schema, built: call.database.indexProgress.building).json)
    }

    func readType(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readSchema)
        return .json(
            SchemaDocument.TypeEntry(try call.type(), built: call.database.indexProgress.building).json)
    }

    /// `GET /schema/advice`: which queries of late cost the most, and which index would help each.
    func readAdvice(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readSchema)
        return .json(call.database.queryAdvice)
    }
}

extension RecordCall {
    /// The type in the path, as the schema has it.
    func type() throws(RecordError) -> RecordTypeDefinition {
        let name = try typeName()
        guard let type = reader.schema[name] else {
            throw RecordError(
                .notFound, "Unknown record type", cause: .unknownName, details: [("recordType", .text(name.text))])
        }
        return type
    }

    /// A body that is an object with no keys but these.
    ///
    /// - Parameter isOptional: An empty body stands for an empty object.
    mutating func object(
        keys: [String], upTo limit: Int = .max, isOptional: Bool = false
    ) async throws -> JSONObject {
        let bytes = try await body(upTo: limit)
        if isOptional, bytes.isEmpty { return JSONObject() }
        let value: JSONValue
        do { value = try JSONValue.parse(bytes) } catch {
            throw RecordError(error)
        }
        guard let object = value.object else { throw RecordError.badRequest("The body must be a JSON object") }
        if let unknown = object.keys.first(where: { !keys.contains($0) }) {
            throw RecordError.badRequest(
                "Unknown key '\(unknown.prefix(64))'. This route takes \(keys.joined(separator: ", "))",
                details: [("key", .text(String(unknown.prefix(64))))])
        }
        return object
    }
}
