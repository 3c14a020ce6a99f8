internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `PATCH /schema/types/{type}/fields/{field}` with `{"type":"DOUBLE"}` gives one field another type, and leaves
    /// everything else in the schema as it is. Administrators.
    func changeField(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.changeSchema)
        try call.refuseConditions()
        let object = try await call.object(keys: ["type"], upTo: 65_536)
        try call.require(.changeSchema)
        let typeName = try call.typeName()
        guard let tag = object["type"]?.string, let wanted = FieldType(tag: tag) else {
            throw RecordError.badRequest(
                "The body is {\"type\":…}, such as {\"type\":\"DOUBLE\"}. \(FieldType.rule)",
                details: [("path", .text("type"))])
        }
        guard let name = FieldName(call.parameters[1]) else {
            throw RecordError(.notFound, "No field has such a name", cause: .unknownName)
        }
        try await call.database.changeField(name, of: typeName, to: wanted, by: call.actor)
        // A caller that can write the schema and not read it learns that it was done, and no more.
        guard Authorization.authorize(call.caller, .readSchema) == .allowed else { return HTTPResponse(.noContent) }
        guard let type = call.database.schema[typeName] else { throw RecordError.unknownType(typeName) }
        let entry = SchemaDocument.TypeEntry(
            type, built: call.database.indexProgress.building, namesRecords: call.readsRecords(of: type))
        guard let field = entry.fields.first(where: { $0.name == name }) else {
            throw RecordError(.conflict, "The field was removed meanwhile")
        }
        // What it becomes later is not done yet.
        return .json(field.json, status: field.widening == nil ? .ok : .accepted)
    }
}
