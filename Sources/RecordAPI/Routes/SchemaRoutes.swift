internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// The routes for the schema: one document with record types, fields, indexes and grants. For administrators.
enum SchemaRoutes {
    static let routes: [Route] = [
        Route(
            "GET /schema", "readSchema", .schema, "Shows types, fields, indexes and grants (administrators)",
            rate: .administer, right: .readSchema, headers: ["ifNoneMatch"],
            responses: [
                .jsonOrSchemaText(200, "Schema", "The schema, with ETag; as text where Accept names text/x-ckdb"),
                .unchanged,
            ]
        ) { call in try read(call) },
        Route(
            "PUT /schema", "putSchema", .schema, "Makes the schema what the document says (administrators)",
            rate: .administer, right: .changeSchema, query: ["rights", "dryRun"], headers: ["ifMatch"],
            body: .jsonOrSchemaText("Schema"),
            responses: [
                .json(200, "Schema", "The schema, with ETag, and what of it is other than before"),
                .empty(204, "Done; the caller cannot read the schema"),
                .error(412, "The schema has another tag"),
            ]
        ) { call in try await replace(&call) },
        Route(
            "GET /schema/types/{type}", "readType", .schema, "Shows one type (administrators)", rate: .administer,
            right: .readSchema, responses: [.json(200, "RecordType", "The type")]
        ) { call in try readType(call) },
        Route(
            "POST /schema/types/{type}/indexes", "addIndex", .schema, "Adds an index to a type (administrators)",
            rate: .administer, right: .changeSchema, body: .json("Index"),
            responses: [.json(201, "Index", "The new index"), .json(200, "Index", "The index, which was there")]
        ) { call in try await addIndex(&call) },
        Route(
            "PATCH /schema/types/{type}/fields/{field}", "changeField", .schema,
            "Gives a field another name, or another type, such as DOUBLE to an INT64 (administrators)",
            rate: .administer, right: .changeSchema, body: .json("FieldChange"),
            responses: [.json(200, "Field", "The field"), .json(202, "Field", "It is being widened")]
        ) { call in try await changeField(&call) },
        Route(
            "PATCH /schema/types/{type}", "renameType", .schema, "Gives a record type another name (administrators)",
            rate: .administer, right: .changeSchema, body: .json("TypeChange"),
            responses: [.json(200, "RecordType", "The type")]
        ) { call in try await renameType(&call) },
        Route(
            "GET /schema/advice", "readAdvice", .schema,
            "Tells which queries cost most, and which index would help (administrators)", rate: .administer,
            right: .readSchema, responses: [.json(200, "Advice", "Queries, the costliest first")]
        ) { call in try readAdvice(call) },
    ]

    /// `GET /schema`: returns the schema, as JSON or as a text of the schema language.
    static func read(_ call: RecordCall) throws -> HTTPResponse {
        let schema = call.reader.schema
        let document = call.document(of: schema)
        return try call.respond(document, text: { try text(of: document, call) }, tag: tag(of: document, schema))
    }

    /// Returns a schema as text. It has all roles if the caller may read them, else those that the schema names.
    private static func text(of document: SchemaDocument, _ call: RecordCall) throws -> String {
        guard Authorization.authorize(call.caller, .readRights) == .allowed else { return document.text }
        var document = document
        document.roles.formUnion(try call.reader.roles.names())
        return document.text
    }

    /// `PUT /schema`: replaces the schema. With `rights=keep`, existing types and fields keep their permissions. With
    /// `dryRun=true`, the schema is only checked. The response lists the differences in `changes`.
    static func replace(_ call: inout RecordCall) async throws -> HTTPResponse {
        let options = try call.schemaOptions()
        let document = try await call.schemaDocument()
        return try call.respond(try await call.database.schemas.put(document, options, by: call.actor), options)
    }

    /// Returns the entity tag of a schema document. While indexes are being built, the documents of one schema differ,
    /// so the tag differs after the dot.
    fileprivate static func tag(of document: SchemaDocument, _ schema: Schema) -> String {
        let tag = DocumentTag.text(of: schema)
        return document.hasProgress ? "\(tag).\(DocumentTag.text(of: document.json))" : tag
    }

    static func readType(_ call: RecordCall) throws -> HTTPResponse {
        .json(entry(of: try call.type(), call).json)
    }

    /// Returns the entry of a type in the schema document, as far as the caller may read it.
    private static func entry(of type: RecordTypeDefinition, _ call: RecordCall) -> SchemaDocument.TypeEntry {
        SchemaDocument.TypeEntry(
            type, built: call.database.indexes.progress.building, namesRecords: call.readsRecords(of: type))
    }

    /// Returns the entry of a type as last committed.
    ///
    /// - Throws: NOT_FOUND for an unknown type.
    private static func entry(
        of name: RecordTypeName, _ call: RecordCall
    ) throws(RecordError) -> SchemaDocument.TypeEntry {
        guard let type = call.database.schema[name] else { throw .unknownType(name) }
        return entry(of: type, call)
    }

    /// `GET /schema/advice`: returns the most expensive recent queries, each with an index that would help.
    static func readAdvice(_ call: RecordCall) throws -> HTTPResponse {
        .json(call.database.queries.advice.json)
    }

    /// `POST /schema/types/{type}/indexes` with `{"fields":["threadname","-timestamp"],"unique"?}`: adds one index. The
    /// other definitions of the schema do not change.
    static func addIndex(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.rejectPreconditions()
        let index = try await call.object(keys: ["fields", "unique"], upTo: 65_536)
        let type = try call.type()
        let shape = try shape(index, of: type)
        let added = try await call.database.indexes.add(
            IndexRequest(indexes: [shape]), to: type.name, by: call.actor)
        guard let type = call.database.schema[type.name], let index = added.all.first else {
            throw RecordError(.conflict, "The type was deleted meanwhile")
        }
        let entry = SchemaDocument.IndexEntry(
            index, of: type, built: call.database.indexes.progress.building, namesRecords: call.readsRecords(of: type))
        return .json(entry.json, status: added.new.contains(index.id) ? .created : .ok)
    }

    /// Returns the definition that the index would have in the schema document.
    ///
    /// - Throws: BAD_REQUEST for an invalid index.
    private static func shape(
        _ index: JSONObject, of type: RecordTypeDefinition
    ) throws(RecordError) -> IndexRequest.Shape {
        var document = JSONObject()
        document["fields"] = SchemaDocument.TypeEntry(type).json["fields"]
        document["indexes"] = .array([.object(index)])
        let read = try SchemaDocument.TypeEntry(name: type.name, .object(document), path: "types.\(type.name)")
        guard let entry = read.indexes?.first else { return IndexRequest.Shape(kind: .ordered, columns: []) }
        return try entry.shape(in: type)
    }

    /// `PATCH /schema/types/{type}/fields/{field}` with `{"type":"DOUBLE"}` or `{"name":"headline"}`: changes the type or
    /// the name of one field. The other definitions of the schema do not change.
    static func changeField(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.rejectPreconditions()
        let object = try await call.object(keys: ["type", "name"], upTo: 65_536)
        let typeName = try call.typeName()
        guard var name = FieldName(call.parameters[1]) else {
            throw RecordError(.notFound, "No field has such a name", cause: .unknownName)
        }
        switch (object["type"], object["name"]) {
        case (let tag?, nil):
            guard let wanted = tag.string.flatMap({ FieldType(tag: $0) }) else { throw noFieldChange }
            try await call.database.schemas.changeField(name, of: typeName, to: wanted, by: call.actor)
        case (nil, let new?):
            guard let new = new.string.flatMap(FieldName.init) else {
                throw RecordError.badRequest(
                    "A field's name \(Identifier.rule)", details: [("path", .text("name"))])
            }
            try await call.database.schemas.rename(name, of: typeName, to: new, by: call.actor)
            name = new
        default: throw noFieldChange
        }
        // A caller that may change the schema but may not read it gets a response without content.
        guard Authorization.authorize(call.caller, .readSchema) == .allowed else { return HTTPResponse(.noContent) }
        guard let field = try entry(of: typeName, call).fields.first(where: { $0.name == name }) else {
            throw RecordError(.conflict, "The field was removed meanwhile")
        }
        // Send 202 while the field is still being widened.
        return .json(field.json, status: field.widening == nil ? .ok : .accepted)
    }

    private static let noFieldChange = RecordError.badRequest(
        "The body is {\"name\":…} or {\"type\":…}, such as {\"name\":\"headline\"} or {\"type\":\"DOUBLE\"}. \(FieldType.rule)",
        details: [("path", .text("type"))])

    /// `PATCH /schema/types/{type}` with `{"name":"Article"}`: changes the name of a type.
    static func renameType(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.rejectPreconditions()
        let object = try await call.object(keys: ["name"], upTo: 65_536)
        let typeName = try call.typeName()
        guard let new = object["name"]?.string.flatMap(RecordTypeName.init), new != .share else {
            throw RecordError.badRequest(
                "The body is {\"name\":…} with the new name. A type's name \(Identifier.rule)",
                details: [("path", .text("name"))])
        }
        try await call.database.schemas.rename(typeName, to: new, by: call.actor)
        guard Authorization.authorize(call.caller, .readSchema) == .allowed else { return HTTPResponse(.noContent) }
        return .json(try entry(of: new, call).json)
    }

    static let adviceSchemas: StaticString = #"""
        "Advice":{"type":"object","required":["advice"],"properties":{"advice":{"type":"array",
        "items":{"type":"object","properties":{"recordType":{"type":"string"},
        "where":{"type":"string","description":"The predicate with ? instead of values"},
        "sort":{"type":"string"},"count":{"type":"integer"},"refused":{"type":"integer"},
        "examinedRows":{"type":"integer"},"returnedRows":{"type":"integer"},"milliseconds":{"type":"integer"},
        "index":{"type":"array","items":{"type":"string"},"description":"What would help"}}}}}},
        "Index":{"type":"object","required":["fields"],"properties":{
        "fields":{"type":"array","minItems":1,"maxItems":8,"items":{"type":"string"},
        "description":"Columns; a minus in front means descending; words in brackets: title[cd], code[reversed], title[cd,contains]"},"unique":{"type":"boolean","default":false},
        "state":{"type":"string","enum":["building","failed"]},"built":{"type":"integer"},
        "reason":{"type":"string"}}}
        """#

    static let schemas: StaticString = #"""
        "RecordType":{"type":"object","properties":{
        "fields":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/Field"}},
        "indexes":{"type":"array","items":{"$ref":"#/components/schemas/Index"}},
        "grants":{"$ref":"#/components/schemas/Rights"},
        "acl":{"type":["object","null"],"description":"The access list of new records that do not say one"},
        "aclRequired":{"type":"boolean","description":"No record is made without a list, or loses its own"},
        "formerly":{"$ref":"#/components/schemas/FormerNames"}}},
        "Field":{"type":"object","required":["type"],
        "properties":{"type":{"$ref":"#/components/schemas/FieldType"},
        "widening":{"type":"object","description":"The type that the field becomes when all records are checked","properties":{
        "to":{"$ref":"#/components/schemas/FieldType"},"state":{"type":"string","enum":["building","failed"]},
        "built":{"type":"integer"},"reason":{"type":"string"}}},
        "indexes":{"type":"array","items":{"type":"string","enum":["QUERYABLE","SORTABLE","SEARCHABLE"]}},
        "read":{"type":["array","null"],"items":{"type":"string"},"description":"The roles that read it; absent: all who read the record"},
        "write":{"type":["array","null"],"items":{"type":"string"}},
        "formerly":{"$ref":"#/components/schemas/FormerNames"}}},
        "FieldChange":{"type":"object","minProperties":1,"maxProperties":1,"properties":{"name":{"type":"string"},
        "type":{"$ref":"#/components/schemas/FieldType"}}},
        "TypeChange":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}},
        "FormerNames":{"type":"array","maxItems":32,"items":{"type":"string"},
        "description":"The earlier names, oldest first. Requests with them are rejected"},
        "Renames":{"type":"array","items":{"type":"object","properties":{"from":{"type":"string"},"to":{"type":"string"}}}},
        "Schema":{"type":"object","required":["types"],"properties":{
        "types":{"type":"object","additionalProperties":{"$ref":"#/components/schemas/RecordType"}},
        "changes":{"$ref":"#/components/schemas/SchemaChanges"},"dryRun":{"type":"boolean"}}},
        "SchemaChanges":{"type":"object","readOnly":true,"description":"Only in the response to PUT: what has changed",
        "properties":{"types":{"$ref":"#/components/schemas/ChangedNames"},
        "fields":{"$ref":"#/components/schemas/ChangedNames"},"rights":{"type":"array","items":{"type":"string"}},
        "indexes":{"type":"object","properties":{
        "added":{"type":"array","items":{"$ref":"#/components/schemas/ChangedIndex"}},
        "removed":{"type":"array","items":{"$ref":"#/components/schemas/ChangedIndex"}}}},
        "roles":{"type":"array","items":{"type":"string"},"description":"Roles that were missing and are made"},
        "records":{"type":"object","additionalProperties":{"type":"integer"},
        "description":"Of a dry run: records by type that new indexes and checks read, counted up to a million"},
        "snapshot":{"type":"integer","description":"The earlier schema, for POST /schema/rollback"},
        "kept":{"type":"array","items":{"type":"string"},"description":"What a rollback leaves as it is, and why"},
        "deletedRecords":{"type":"integer","description":"By a reset"}}},
        "ChangedIndex":{"type":"object","required":["recordType","fields"],"properties":{
        "recordType":{"type":"string"},"fields":{"type":"array","items":{"type":"string"}},
        "unique":{"type":"boolean"}}},
        "ChangedNames":{"type":"object","properties":{"added":{"type":"array","items":{"type":"string"}},
        "changed":{"type":"array","items":{"type":"string"}},"removed":{"type":"array","items":{"type":"string"}},
        "renamed":{"$ref":"#/components/schemas/Renames"}}}
        """#
}

extension RecordCall {
    /// Returns the options of a request that replaces the schema.
    ///
    /// - Throws: BAD_REQUEST for an invalid parameter or precondition.
    func schemaOptions() throws(RecordError) -> SchemaOptions {
        var options = SchemaOptions()
        options.isDryRun = try query.word("dryRun")
        switch query["rights"] {
        case nil, "replace": break
        case "keep": options.keepsRights = true
        default:
            throw RequestQuery.invalid(
                "rights", "'rights' is replace, as the document says, or keep: what is there keeps its rights")
        }
        options.precondition = try documentPrecondition()
        return options
    }

    /// Returns the response to a request that has replaced the schema: the schema and the changes.
    func respond(_ outcome: SchemaOutcome, _ options: SchemaOptions) throws(RecordError) -> HTTPResponse {
        // A caller that may change the schema but may not read it gets a response without content.
        guard Authorization.authorize(caller, .readSchema) == .allowed else { return HTTPResponse(.noContent) }
        // Indexes may have become ready since the commit.
        let schema = options.isDryRun ? outcome.schema : database.schema
        let now = document(of: schema)
        var response = now.json.object ?? JSONObject()
        response["changes"] = outcome.changesJSON(isDryRun: options.isDryRun)
        if options.isDryRun {
            response["dryRun"] = true
            return .json(.object(response))
        }
        return .document(.object(response), tag: SchemaRoutes.tag(of: now, schema))
    }

    /// Returns the document of a schema, as far as the caller may read it.
    fileprivate func document(of schema: Schema) -> SchemaDocument {
        SchemaDocument(schema, built: database.indexes.progress.building, namesRecords: readsRecords(of:))
    }

    /// Whether the caller may read all records of a type. Only then may a response contain their names.
    func readsRecords(of type: RecordTypeDefinition) -> Bool {
        Authorization.permitted(of: .read, for: caller, in: .publicDatabase, type: type) == .all
    }

    /// Returns the record type that the path names.
    ///
    /// - Throws: BAD_REQUEST for an invalid name, NOT_FOUND for an unknown type.
    func type() throws(RecordError) -> RecordTypeDefinition {
        let name = try typeName()
        guard let type = reader.schema[name] else {
            throw RecordError.unknownType(name)
        }
        return type
    }

    /// Rejects preconditions in requests for one index or field, which has no entity tag of its own.
    ///
    /// - Throws: BAD_REQUEST.
    func rejectPreconditions() throws(RecordError) {
        guard !request.fields.contains(.ifMatch), !request.fields.contains(.ifNoneMatch) else {
            throw .badRequest("If-Match and If-None-Match compare the whole schema. Use them with PUT /schema")
        }
    }
}
