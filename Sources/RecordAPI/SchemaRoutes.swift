internal import HTTP
internal import RecordEngine
internal import RecordModel
internal import RecordWire

/// Record types, fields, indexes and grants as one document. Administrators.
extension RecordAPI {
    func readSchema(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readSchema)
        let schema = call.reader.schema
        let document = call.document(of: schema)
        return try call.answer(document.json, tag: Self.tag(of: document, schema))
    }

    /// `PUT /schema`; with `rights=keep` who may do what with the types and fields that are there stays, and with
    /// `dryRun=true` all of it does. The answer tells what is other than before, in `changes`.
    func putSchema(_ call: inout RecordCall) async throws -> HTTPResponse {
        try call.require(.changeSchema)
        var options = SchemaOptions()
        options.isDryRun = try call.query.word("dryRun")
        switch call.query["rights"] {
        case nil, "replace": break
        case "keep": options.keepsRights = true
        default:
            throw RequestQuery.invalid(
                "rights", "'rights' is replace, as the document says, or keep: what is there keeps its rights")
        }
        options.writeGuard = try call.documentGuard()
        let document = try await call.document(SchemaDocument.read)
        try call.require(.changeSchema)
        let outcome = try await call.database.putSchema(document, options, by: call.actor)
        // Who may write the schema and not read it learns that it was done, and no more.
        guard Authorization.authorize(call.caller, .readSchema) == .allowed else { return HTTPResponse(.noContent) }
        // By now indexes may be ready that were not when it was committed.
        let schema = options.isDryRun ? outcome.schema : call.database.schema
        let now = call.document(of: schema)
        var answer = now.json.object ?? JSONObject()
        answer["changes"] = outcome.changes.json
        if options.isDryRun {
            answer["dryRun"] = true
            return .json(.object(answer))
        }
        return .document(.object(answer), tag: Self.tag(of: now, schema))
    }

    /// While indexes are built two answers differ that are one schema: the part behind the dot does too.
    private static func tag(of document: SchemaDocument, _ schema: Schema) -> String {
        let tag = DocumentTag.text(of: schema)
        return document.hasProgress ? "\(tag).\(DocumentTag.text(of: document.json))" : tag
    }

    func readType(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readSchema)
        let type = try call.type()
        return .json(
            SchemaDocument.TypeEntry(
                type, built: call.database.indexProgress.building, namesRecords: call.readsRecords(of: type)
            ).json)
    }

    /// `GET /schema/advice`: which queries of late cost the most, and which index would help each.
    func readAdvice(_ call: RecordCall) throws -> HTTPResponse {
        try call.require(.readSchema)
        return .json(call.database.queryAdvice)
    }
}

extension RecordCall {
    /// A schema as the caller reads it.
    fileprivate func document(of schema: Schema) -> SchemaDocument {
        SchemaDocument(schema, built: database.indexProgress.building, namesRecords: readsRecords(of:))
    }

    /// Whether the caller reads all records of a type, so that it may be told their names.
    func readsRecords(of type: RecordTypeDefinition) -> Bool {
        Authorization.reach(of: .read, for: caller, in: .publicDatabase, type: type) == .all
    }

    /// The type in the path, as the schema has it.
    func type() throws(RecordError) -> RecordTypeDefinition {
        let name = try typeName()
        guard let type = reader.schema[name] else {
            throw RecordError.unknownType(name)
        }
        return type
    }

    /// Rejects preconditions on a part of the schema, which has no tag of its own.
    func refuseConditions() throws(RecordError) {
        guard !request.fields.contains(.ifMatch), !request.fields.contains(.ifNoneMatch) else {
            throw .badRequest("If-Match and If-None-Match compare the whole schema. Use them with PUT /schema")
        }
    }

    /// A body that is an object with no keys but these.
    ///
    /// - Parameter isOptional: An empty body stands for an empty object.
    mutating func object(
        keys: [String], upTo limit: Int = .max, isOptional: Bool = false
    ) async throws -> JSONObject {
        try await object(keys: keys, upTo: limit, isOptional: isOptional) { object in object }
    }

    /// What `read` makes of a body that is an object with no keys but these; of a long one on another thread.
    mutating func object<Value: Sendable>(
        keys: [String], upTo limit: Int = .max, isOptional: Bool = false,
        _ read: @escaping @Sendable (JSONObject) throws(RecordError) -> Value
    ) async throws -> Value {
        try await document(upTo: limit) { bytes throws(RecordError) in
            if isOptional, bytes.isEmpty { return try read(JSONObject()) }
            let value: JSONValue
            do throws(JSONError) { value = try JSONValue.parse(bytes) } catch { throw RecordError(error) }
            guard let object = value.object else { throw RecordError.badRequest("The body must be a JSON object") }
            if let unknown = object.keys.first(where: { !keys.contains($0) }) {
                throw RecordError.badRequest(
                    "Unknown key '\(unknown.prefix(64))'. This route takes \(keys.joined(separator: ", "))",
                    details: [("key", .text(String(unknown.prefix(64))))])
            }
            return try read(object)
        }
    }
}
