package import RecordModel

/// Record types, their fields and grants as JSON, for `/schema`:
///
///     {"types":{"Post":{"fields":{"title":{"type":"STRING"}},"grants":{"_world":["READ"]}}}}
package struct SchemaDocument: Hashable, Sendable {
    package struct TypeEntry: Hashable, Sendable {
        package var name: RecordTypeName
        /// In the order of the document.
        package var fields: [FieldEntry]
        /// `nil` if the document does not speak of grants.
        package var grants: Grants?

        package init(name: RecordTypeName, fields: [FieldEntry] = [], grants: Grants? = nil) {
            self.name = name
            self.fields = fields
            self.grants = grants
        }
    }

    package struct FieldEntry: Hashable, Sendable {
        package var name: FieldName
        package var type: FieldType

        package init(name: FieldName, type: FieldType) {
            self.name = name
            self.type = type
        }
    }

    /// In the order of the document.
    package var types: [TypeEntry]

    package init(types: [TypeEntry]) {
        self.types = types
    }

    /// The document of a schema: types by name, fields in the order in which they came.
    package init(_ schema: Schema) {
        types = schema.types.values.sorted { $0.name.text < $1.name.text }.map(TypeEntry.init)
    }

    /// - Throws: `BAD_REQUEST` with the place in `details.path`, such as `types.Post.fields.title`.
    package static func read(_ bytes: [UInt8]) throws(RecordError) -> SchemaDocument {
        let value: JSONValue
        do { value = try JSONValue.parse(bytes) } catch { throw RecordError(error) }
        return try SchemaDocument(value)
    }

    package init(_ value: JSONValue) throws(RecordError) {
        let root = try Self.object(value, "", keys: ["types"])
        guard let types = root["types"] else { throw Self.invalid("The document needs 'types'", "") }
        self.types = []
        for member in try Self.object(types, "types").members {
            let path = "types.\(member.key)"
            guard let name = RecordTypeName(member.key) else { throw Self.invalid("This is no name of a type", path) }
            self.types.append(try TypeEntry(name: name, member.value, path: path))
        }
        if self.types.count > Limits.recordTypes { throw Self.tooMany(Limits.recordTypes, "types") }
    }

    package var json: JSONValue {
        var members = JSONObject()
        for type in types { members[type.name.text] = type.json }
        return ["types": .object(members)]
    }

    package func write(to text: inout [UInt8]) {
        json.write(to: &text)
    }
}

extension SchemaDocument.TypeEntry {
    package init(_ type: RecordTypeDefinition) {
        self.init(
            name: type.name, fields: type.fields.map { SchemaDocument.FieldEntry(name: $0.name, type: $0.type) },
            grants: type.grants)
    }

    /// Reads `{"fields":{…},"grants":{…}}`; both may be absent.
    ///
    /// - Parameter path: Where the value stands, for errors.
    package init(name: RecordTypeName, _ value: JSONValue, path: String) throws(RecordError) {
        let object = try SchemaDocument.object(value, path, keys: ["fields", "grants"])
        self.init(name: name)
        if let members = object["fields"] {
            for member in try SchemaDocument.object(members, "\(path).fields").members {
                fields.append(try Self.field(member, path: "\(path).fields.\(member.key)"))
            }
            if fields.count > Limits.fieldsPerType {
                throw SchemaDocument.tooMany(Limits.fieldsPerType, "\(path).fields")
            }
        }
        if let value = object["grants"] { grants = try GrantsDocument.read(value, path: "\(path).grants") }
    }

    private static func field(_ member: JSONObject.Member, path: String) throws(RecordError)
        -> SchemaDocument.FieldEntry
    {
        guard let name = FieldName(member.key) else {
            throw SchemaDocument.invalid("This is no name of a field, or that of a system field", path)
        }
        let object = try SchemaDocument.object(member.value, path, keys: ["type"])
        guard let tag = object["type"]?.string, let type = FieldType(tag: tag) else {
            throw SchemaDocument.invalid("A field needs a 'type', such as STRING or INT64_LIST", "\(path).type")
        }
        return SchemaDocument.FieldEntry(name: name, type: type)
    }

    package var json: JSONValue {
        var members = JSONObject()
        for field in fields { members[field.name.text] = ["type": .string(field.type.schemaName)] }
        var object: [(String, JSONValue)] = [("fields", .object(members))]
        if let grants { object.append(("grants", GrantsDocument.json(grants))) }
        return .object(JSONObject(object))
    }
}

/// Grants as JSON: `{"_world":["READ"],"editors":["READ","WRITE"]}`.
package enum GrantsDocument {
    /// - Parameter path: Where the value stands, for errors.
    package static func read(_ value: JSONValue, path: String) throws(RecordError) -> Grants {
        var grants = Grants()
        for member in try SchemaDocument.object(value, path).members {
            let place = "\(path).\(member.key)"
            guard let role = RoleName(member.key) else {
                throw SchemaDocument.invalid("This is no name of a role", place)
            }
            guard let words = member.value.array else {
                throw SchemaDocument.invalid("Grants are a list of CREATE, READ and WRITE", place)
            }
            var permissions: Permissions = []
            for word in words {
                guard let permission = word.string.flatMap(Permissions.init(word:)) else {
                    throw SchemaDocument.invalid("Grants are a list of CREATE, READ and WRITE", place)
                }
                permissions.insert(permission)
            }
            if !permissions.isEmpty { grants.byRole[role] = permissions }
        }
        return grants
    }

    /// Roles by name.
    package static func json(_ grants: Grants) -> JSONValue {
        var object = JSONObject()
        for (role, permissions) in grants.byRole.sorted(by: { $0.key.text < $1.key.text }) {
            object[role.text] = .array(permissions.words.map { .string($0) })
        }
        return .object(object)
    }
}

extension SchemaDocument {
    /// The members of an object that has no keys but these.
    fileprivate static func object(
        _ value: JSONValue, _ path: String, keys: [String]? = nil
    ) throws(RecordError) -> JSONObject {
        guard let object = value.object else { throw invalid("A JSON object was expected", path) }
        if let keys, let unknown = object.keys.first(where: { !keys.contains($0) }) {
            throw invalid("This key is unknown", path.isEmpty ? unknown : "\(path).\(unknown)")
        }
        return object
    }

    fileprivate static func invalid(_ reason: String, _ path: String) -> RecordError {
        .badRequest(reason, details: [("path", .text(path))])
    }

    fileprivate static func tooMany(_ limit: Int, _ path: String) -> RecordError {
        .badRequest(
            "There are more than allowed", cause: .tooLarge,
            details: [("path", .text(path)), ("limit", .number(Int64(limit)))])
    }
}
