internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

extension RecordAPI {
    /// `POST /schema/types/{type}/indexes` with `{"fields":["threadname","-timestamp"],"unique"?}` adds one index, and
    /// leaves everything else in the schema as it is. Administrators.
    func addIndex(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.changeSchema)
        try call.refuseConditions()
        let index = try await call.object(keys: ["fields", "unique"], upTo: 65_536)
        try call.require(.changeSchema)
        let type = try call.type()
        let shape = try Self.shape(index, of: type)
        let added = try await call.database.addIndexes(
            IndexWish(indexes: [shape]), to: type.name, by: call.actor)
        guard let type = call.database.schema[type.name], let index = added.all.first else {
            throw RecordError(.conflict, "The type was taken away meanwhile")
        }
        let entry = SchemaDocument.IndexEntry(
            index, of: type, built: call.database.indexProgress.building, namesRecords: call.readsRecords(of: type))
        return .json(entry.json, status: added.new.contains(index.id) ? .created : .ok)
    }

    /// What the schema's document would make of the index.
    private static func shape(
        _ index: JSONObject, of type: RecordTypeDefinition
    ) throws(RecordError) -> IndexWish.Shape {
        var document = JSONObject()
        document["fields"] = SchemaDocument.TypeEntry(type).json["fields"]
        document["indexes"] = .array([.object(index)])
        let read = try SchemaDocument.TypeEntry(name: type.name, .object(document), path: "types.\(type.name)")
        guard let entry = read.indexes?.first else { return IndexWish.Shape(kind: .ordered, columns: []) }
        return try entry.shape(in: type)
    }
}
