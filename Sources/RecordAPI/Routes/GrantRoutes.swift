internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for the grants of record types. For administrators.
enum GrantRoutes {
    static let routes: [Route] = [
        Route(
            "GET /grants", "listGrants", .rights, "Shows the grants of all types (administrators)", rate: .administer,
            right: .readRights, responses: [.json(200, "AllGrants", "The grants by type")]
        ) { call in try list(call) },
        Route(
            "GET /grants/{type}", "readGrants", .rights, "Shows the grants of a type (administrators)",
            rate: .administer, right: .readRights, headers: ["ifNoneMatch"],
            responses: [.json(200, "Grants", "The grants, with ETag"), .unchanged]
        ) { call in try read(call) },
        Route(
            "PUT /grants/{type}", "putGrants", .rights, "Replaces the grants of a type (administrators)",
            rate: .administer, right: .changeRights, headers: ["ifMatch"], body: .json("Grants"),
            responses: [.json(200, "Grants", "The grants, with ETag"), .error(412, "They differ now")]
        ) { call in try await replace(&call) },
    ]

    /// `GET /grants`: returns `{"grants":{"Post":{"_world":["READ"]}}}`.
    static func list(_ call: RecordCall) throws -> HTTPResponse {
        var types = JSONObject()
        for type in call.reader.schema.types.values.sorted(by: { $0.name.text < $1.name.text }) {
            types[type.name.text] = GrantsDocument.json(type.grants)
        }
        return .json(["grants": .object(types)])
    }

    /// `GET /grants/{type}`: returns `{"grants":{"_world":["READ"]}}`.
    static func read(_ call: RecordCall) throws -> HTTPResponse {
        let grants = GrantsDocument.json(try call.type().grants)
        return try call.respond(["grants": grants], tag: DocumentTag.text(of: grants))
    }

    /// `PUT /grants/{type}` with the same document: replaces the grants of a type.
    static func replace(_ call: inout RecordCall) async throws -> HTTPResponse {
        let name = try call.typeName()
        let precondition = try call.documentPrecondition()
        let grants = try await call.object(keys: ["grants"]) { object throws(RecordError) in
            guard let document = object["grants"] else {
                throw RecordError.badRequest("The body needs 'grants'", details: [("path", .text("grants"))])
            }
            return try GrantsDocument.read(document, path: "grants")
        }
        try await call.database.schemas.setGrants(grants, of: name, if: precondition, by: call.actor)
        let response = GrantsDocument.json(grants)
        return .document(["grants": response], tag: DocumentTag.text(of: response))
    }

    static let schemas: StaticString = #"""
        "Rights":{"type":"object","additionalProperties":{"type":"array",
        "items":{"type":"string","enum":["CREATE","READ","WRITE"]}}},
        "Grants":{"type":"object","required":["grants"],"properties":{
        "grants":{"$ref":"#/components/schemas/Rights"}}},
        "AllGrants":{"type":"object","required":["grants"],"properties":{
        "grants":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Rights"}}}}
        """#
}
