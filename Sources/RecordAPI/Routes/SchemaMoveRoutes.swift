internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes that move schemas between the environments of a container, and back to earlier states. For administrators.
enum SchemaMoveRoutes {
    private static let changed: [Route.Response] = [
        .json(200, "Schema", "The schema, with ETag, and what of it is other than before"),
        .empty(204, "Done; the caller cannot read the schema"), .error(412, "The schema has another tag"),
    ]

    static let routes: [Route] = [
        Route(
            "POST /schema/promotion", "promoteSchema", .schema,
            "Makes the schema of production that of development (administrators)", rate: .administer,
            right: .changeSchema, query: ["rights", "dryRun"], headers: ["ifMatch"],
            body: .optionalJSON("SchemaPromotion"), responses: changed
        ) { call in try await promote(&call) },
        Route(
            "POST /schema/reset", "resetSchema", .schema,
            "Makes the schema of development that of production (administrators)", rate: .administer,
            right: .changeSchema, query: ["rights", "dryRun"], headers: ["ifMatch"],
            body: .optionalJSON("SchemaReset"), responses: changed
        ) { call in try await reset(&call) },
        Route(
            "POST /schema/rollback", "rollBackSchema", .schema, "Brings an earlier schema back (administrators)",
            rate: .administer, right: .changeSchema, query: ["rights", "dryRun"], headers: ["ifMatch"],
            body: .json("SchemaRollback"), responses: changed
        ) { call in try await rollBack(&call) },
        Route(
            "GET /schema/snapshots", "listSnapshots", .schema,
            "Lists the schemas before promotions, rollbacks and resets (administrators)", rate: .administer,
            right: .readSchema, responses: [.json(200, "SchemaSnapshots", "The snapshots, newest first")]
        ) { call in
            let snapshots = try call.reader.schemaSnapshots.list()
            return .json(["snapshots": .array(snapshots.map { [caller = call.caller] in $0.json(for: caller) })])
        },
        Route(
            "GET /schema/snapshots/{snapshot}", "readSnapshot", .schema, "Shows an earlier schema (administrators)",
            rate: .administer, right: .readSchema, headers: ["ifNoneMatch"],
            responses: [
                .jsonOrSchemaText(200, "Schema", "The schema; as text where Accept names text/x-ckdb"), .unchanged,
            ]
        ) { call in try readSnapshot(call) },
    ]

    /// `POST /schema/promotion?environment=production`: replaces the schema by that of development. With
    /// `{"dropFields":true}`, fields that development lacks and no record has are removed.
    static func promote(_ call: inout RecordCall) async throws -> HTTPResponse {
        var options = try call.schemaOptions()
        let body = try await call.smallObject(keys: ["dropFields"], isOptional: true)
        if let value = body["dropFields"] {
            guard let flag = value.bool else {
                throw RecordError.badRequest("'dropFields' is true or false", details: [("path", .text("dropFields"))])
            }
            options.dropsEmptyFields = flag
        }
        let development = try await call.schema(of: .development)
        return try call.respond(
            try await call.database.schemas.promote(from: development, options, by: call.actor), options)
    }

    /// `POST /schema/reset?environment=development`: replaces the schema by that of production. With
    /// `{"deleteRecords":true}`, records that the new schema has no place for are deleted.
    static func reset(_ call: inout RecordCall) async throws -> HTTPResponse {
        let options = try call.schemaOptions()
        let body = try await call.smallObject(keys: ["deleteRecords"], isOptional: true)
        if let value = body["deleteRecords"], value.bool == nil {
            throw RecordError.badRequest(
                "'deleteRecords' is true or false", details: [("path", .text("deleteRecords"))])
        }
        let production = try await call.schema(of: .production)
        return try call.respond(
            try await call.database.schemas.reset(
                to: production, deletesRecords: body["deleteRecords"]?.bool ?? false, options, by: call.actor), options)
    }

    /// `POST /schema/rollback` with `{"snapshot":3}`: replaces the schema by the one of a snapshot.
    static func rollBack(_ call: inout RecordCall) async throws -> HTTPResponse {
        let options = try call.schemaOptions()
        guard let id = try await call.smallObject(keys: ["snapshot"])["snapshot"]?.integer else {
            throw RecordError.badRequest(
                "The body is {\"snapshot\":…} with the id of a snapshot. GET /schema/snapshots lists them",
                details: [("path", .text("snapshot"))])
        }
        return try call.respond(
            try await call.database.schemas.rollBack(to: id, options, by: call.actor), options)
    }

    /// `GET /schema/snapshots/{snapshot}`: returns an earlier schema, as JSON or as a text of the schema language.
    static func readSnapshot(_ call: RecordCall) throws -> HTTPResponse {
        guard let id = Int64(call.parameters[0]) else { throw RecordError.snapshotNotFound }
        let text = try call.reader.schemaSnapshots.find(id).text
        let document = try SchemaDocument.readText(text)
        return try call.respond(
            document, text: { String(decoding: text, as: UTF8.self) }, tag: DocumentTag.text(of: document.json))
    }

    static let schemas: StaticString = #"""
        "SchemaPromotion":{"type":"object","properties":{"dropFields":{"type":"boolean","default":false,
        "description":"Removes fields that development lacks and no record of production has"}}},
        "SchemaReset":{"type":"object","properties":{"deleteRecords":{"type":"boolean","default":false,
        "description":"Deletes all records of types that production lacks or whose fields it has not"}}},
        "SchemaRollback":{"type":"object","required":["snapshot"],"properties":{"snapshot":{"type":"integer"}}},
        "SchemaSnapshots":{"type":"object","required":["snapshots"],"properties":{"snapshots":{"type":"array",
        "items":{"type":"object","properties":{"id":{"type":"integer"},"created":{"type":"integer"},
        "by":{"type":"object","properties":{"kind":{"type":"string"},"name":{"type":"string"}}},
        "before":{"type":"string","enum":["promotion","rollback","reset"]}}}}}}
        """#
}

extension RecordCall {
    /// Returns the schema of one environment of the request's container, for a change of the other environment. It has all
    /// roles if the caller may create roles, else those that the schema names.
    ///
    /// - Throws: ACCESS_DENIED for an API key, which has rights in one environment only; TRY_AGAIN_LATER if the database
    ///   cannot be opened.
    fileprivate func schema(of environment: RecordEnvironment) async throws(RecordError) -> SchemaDocument {
        if case .service = caller {
            throw RecordError(
                .accessDenied,
                "This reads the schema of another environment, and an API key belongs to one. Use an administrator's token"
            )
        }
        let standard = api.configuration.defaultDatabase
        let id = try query.databaseID(default: standard) ?? standard
        let other = try await api.registry.database(DatabaseID(container: id.container, environment: environment))
        var document = try await other.schemas.documentToMove()
        // `complete` adds the roles that the schema names.
        if Authorization.authorize(caller, .changeRights) != .allowed { document.roles = [] }
        return document
    }
}
