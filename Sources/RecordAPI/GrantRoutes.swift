internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Who may do what with the records of a type. Administrators.
extension RecordAPI {
    /// `GET /grants`: `{"grants":{"Post":{"_world":["READ"]}}}`.
    func listGrants(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readRights)
        var types = JSONObject()
        for type in call.reader.schema.types.values.sorted(by: { $0.name.text < $1.name.text }) {
            types[type.name.text] = GrantsDocument.json(type.grants)
        }
        return .json(["grants": .object(types)])
    }

    /// `GET /grants/{type}`: `{"grants":{"_world":["READ"]}}`.
    func readGrants(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readRights)
        let grants = GrantsDocument.json(try call.type().grants)
        return try call.answer(["grants": grants], tag: DocumentTag.text(of: grants))
    }

    /// `PUT /grants/{type}` with the same document replaces them.
    func putGrants(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.changeRights)
        let name = try call.typeName()
        let writeGuard = try call.documentGuard()
        let grants = try await call.object(keys: ["grants"]) { object throws(RecordError) in
            guard let document = object["grants"] else {
                throw RecordError.badRequest("The body needs 'grants'", details: [("path", .text("grants"))])
            }
            return try GrantsDocument.read(document, path: "grants")
        }
        try call.require(.changeRights)
        try await call.database.setGrants(grants, of: name, if: writeGuard, by: call.actor)
        let answer = GrantsDocument.json(grants)
        return .document(["grants": answer], tag: DocumentTag.text(of: answer))
    }
}
