package import RecordModel

/// Record types, their fields, indexes and grants as JSON, for `/schema`:
///
///     {"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"],"write":["editors"]}},
///     "indexes":[{"fields":["-title"],"unique":true}],"grants":{"_world":["READ"]},
///     "acl":{"_creator":["read","write"]}}}}
package struct SchemaDocument: Hashable, Sendable {
    /// What the document says of one type.
    package struct TypeEntry: Hashable, Sendable {
        package var name: RecordTypeName
        /// In the order of the document.
        package var fields: [FieldEntry]
        /// The indexes that the type declares; `nil` if the document does not speak of them.
        package var indexes: [IndexEntry]?
        /// `nil` if the document does not speak of grants.
        package var grants: Grants?
        /// The access list of new records that do not say one.
        package var access: AccessChange
        /// Whether records must have a list; `nil` if the document does not speak of it.
        package var requiresAccess: Bool?

        package init(
            name: RecordTypeName, fields: [FieldEntry] = [], indexes: [IndexEntry]? = nil, grants: Grants? = nil,
            access: AccessChange = .none, requiresAccess: Bool? = nil
        ) {
            self.name = name
            self.fields = fields
            self.indexes = indexes
            self.grants = grants
            self.access = access
            self.requiresAccess = requiresAccess
        }
    }

    /// What it says of one field.
    package struct FieldEntry: Hashable, Sendable {
        package var name: FieldName
        package var type: FieldType
        /// `nil` if the document does not speak of the field's indexes.
        package var options: IndexOptions?
        /// How far the index that the options have made is. Printed, and never read.
        package var progress: IndexState?
        /// How far an INT64 field is on its way to DOUBLE. Printed; read, it means the type that the field becomes.
        package var widening: IndexState?
        /// Who reads the field.
        package var readers: RolesChange
        /// Who writes it.
        package var writers: RolesChange

        package init(
            name: FieldName, type: FieldType, options: IndexOptions? = nil, progress: IndexState? = nil,
            readers: RolesChange = .none, writers: RolesChange = .none
        ) {
            self.name = name
            self.type = type
            self.options = options
            self.progress = progress
            self.readers = readers
            self.writers = writers
        }
    }

    /// In the order of the document.
    package var types: [TypeEntry]

    package init(types: [TypeEntry]) {
        self.types = types
    }

    /// The document of a schema: types by name, fields and indexes in the order in which they came.
    ///
    /// - Parameters:
    ///   - built: The records in each index that is being built, by its number.
    ///   - namesRecords: Whether the reasons of failed indexes of a type may name records.
    package init(
        _ schema: Schema, built: [IndexID: Int] = [:], namesRecords: (RecordTypeDefinition) -> Bool = { _ in true }
    ) {
        types = schema.types.values.sorted { $0.name.text < $1.name.text }
            .map { TypeEntry($0, built: built, namesRecords: namesRecords($0)) }
    }

    /// - Throws: `BAD_REQUEST` with the place in `details.path`, such as `types.Post.fields.title`.
    package static func read(_ bytes: [UInt8]) throws(RecordError) -> SchemaDocument {
        let value: JSONValue
        do { value = try JSONValue.parse(bytes) } catch { throw RecordError(error) }
        return try SchemaDocument(value)
    }

    /// - Throws: `BAD_REQUEST` with the place in `details.path`.
    package init(_ value: JSONValue) throws(RecordError) {
        // What an answer to PUT tells besides is printed, and never read.
        let root = try Self.object(value, "", keys: ["types", "changes", "dryRun"])
        guard let types = root["types"] else { throw Self.invalid("The document needs 'types'", "") }
        self.types = []
        var names: Set<RecordTypeName> = []
        for member in try Self.object(types, "types").members {
            let path = "types.\(member.key)"
            guard let name = RecordTypeName(member.key) else {
                throw Self.invalid("This is no name of a type: one \(Identifier.rule)", path)
            }
            // The keys of the JSON differ; two spellings may still be one name.
            guard names.insert(name).inserted else { throw Self.invalid("This type is named twice", path) }
            self.types.append(try TypeEntry(name: name, member.value, path: path))
        }
        if self.types.count > Limits.recordTypes { throw Self.tooMany(Limits.recordTypes, "types") }
    }

    package var json: JSONValue {
        var members = JSONObject()
        for type in types { members[type.name.text] = type.json }
        return ["types": .object(members)]
    }

    /// The same document of indexes that are ready: it changes only if somebody changes the schema.
    package var withoutProgress: SchemaDocument {
        var document = self
        for type in document.types.indices {
            for field in document.types[type].fields.indices { document.types[type].fields[field].settle() }
            for index in (document.types[type].indexes ?? []).indices {
                document.types[type].indexes?[index].progress = nil
            }
        }
        return document
    }

    /// Whether some index does not serve queries yet, or not at all.
    package var hasProgress: Bool {
        types.contains { type in
            type.fields.contains { $0.progress != nil || $0.widening != nil }
                || type.indexes?.contains { $0.progress != nil } ?? false
        }
    }

    /// Appends the document as JSON.
    package func write(to text: inout [UInt8]) {
        json.write(to: &text)
    }
}

extension SchemaDocument.TypeEntry {
    /// - Parameters:
    ///   - built: The records in each index that is being built, by its number.
    ///   - namesRecords: Whether the reasons of failed indexes may name records.
    package init(_ type: RecordTypeDefinition, built: [IndexID: Int] = [:], namesRecords: Bool = true) {
        let fields = type.fields.map { field in
            let index = field.options.isEmpty ? nil : type.index(servingOptionsOf: field)
            var entry = SchemaDocument.FieldEntry(
                name: field.name, type: field.type, options: field.options.isEmpty ? nil : field.options,
                progress: index.flatMap { SchemaDocument.IndexState($0, built: built, namesRecords: namesRecords) },
                readers: RolesChange(field.readers), writers: RolesChange(field.writers))
            entry.widening = type.check(ofField: field.id).flatMap {
                SchemaDocument.IndexState($0, built: built, namesRecords: namesRecords)
            }
            return entry
        }
        self.init(
            name: type.name, fields: fields,
            indexes: type.indexes.filter(\.isDeclared).map {
                SchemaDocument.IndexEntry($0, of: type, built: built, namesRecords: namesRecords)
            }, grants: type.grants, access: type.defaultAccess.map(AccessChange.replace) ?? .none,
            requiresAccess: type.requiresAccessLists ? true : nil)
    }

    /// Reads `{"fields":{…},"indexes":[…],"grants":{…},"acl":{…},"aclRequired":true}`; each may be absent.
    ///
    /// - Parameter path: Where the value stands, for errors.
    package init(name: RecordTypeName, _ value: JSONValue, path: String) throws(RecordError) {
        let object = try SchemaDocument.object(
            value, path, keys: ["fields", "indexes", "grants", "acl", "aclRequired"])
        self.init(name: name)
        if let members = object["fields"] {
            var names: Set<FieldName> = []
            for member in try SchemaDocument.object(members, "\(path).fields").members {
                let field = try Self.field(member, path: "\(path).fields.\(member.key)")
                guard names.insert(field.name).inserted else {
                    throw SchemaDocument.invalid("This field is named twice", "\(path).fields.\(member.key)")
                }
                fields.append(field)
            }
            if fields.count > Limits.fieldsPerType {
                throw SchemaDocument.tooMany(Limits.fieldsPerType, "\(path).fields")
            }
        }
        if let value = object["indexes"] {
            indexes = try Self.indexes(value, fields: fields, path: "\(path).indexes")
        }
        if let value = object["grants"] { grants = try GrantsDocument.read(value, path: "\(path).grants") }
        access = try AccessChange(object["acl"], path: "\(path).acl")
        if let value = object["aclRequired"] {
            guard let flag = value.bool else {
                throw SchemaDocument.invalid("'aclRequired' is true or false", "\(path).aclRequired")
            }
            requiresAccess = flag
        }
    }

    private static func field(_ member: JSONObject.Member, path: String) throws(RecordError)
        -> SchemaDocument.FieldEntry
    {
        guard let name = FieldName(member.key) else {
            throw SchemaDocument.invalid(
                "This is no name of a field, or that of a system field: one \(Identifier.rule)", path)
        }
        let object = try SchemaDocument.object(
            member.value, path, keys: ["type", "indexes", "read", "write"],
            echoed: SchemaDocument.IndexState.keys + ["widening"],
            example: #"{"type":"STRING"}"#)
        guard let tag = object["type"]?.string else {
            throw SchemaDocument.invalid("A field needs a 'type'. \(FieldType.rule)", "\(path).type")
        }
        guard var type = FieldType(tag: tag) else {
            throw SchemaDocument.invalid(
                "'\(tag.prefix(64))' is no type of a field. \(FieldType.rule)", "\(path).type")
        }
        // An answer that is sent back goes on with what was under way.
        if let wide = object["widening"]?["to"]?.string, let widened = type.widened, widened.schemaName == wide {
            type = widened
        }
        let options = try object["indexes"].map { value throws(RecordError) in
            try IndexOptions(value, on: type, path: "\(path).indexes")
        }
        return SchemaDocument.FieldEntry(
            name: name, type: type, options: options, readers: try RolesChange(object["read"], path: "\(path).read"),
            writers: try RolesChange(object["write"], path: "\(path).write"))
    }

    private static func indexes(
        _ value: JSONValue, fields: [SchemaDocument.FieldEntry], path: String
    ) throws(RecordError) -> [SchemaDocument.IndexEntry] {
        guard let values = value.array else { throw SchemaDocument.invalid("A list of indexes was expected", path) }
        if values.count > IndexDefinition.maxPerType {
            throw SchemaDocument.tooMany(IndexDefinition.maxPerType, path)
        }
        var indexes: [SchemaDocument.IndexEntry] = []
        for (position, value) in values.enumerated() {
            let place = "\(path)[\(position)]"
            let index = try SchemaDocument.IndexEntry(value, fields: fields, path: place)
            if indexes.contains(where: { $0.columns == index.columns && $0.isUnique == index.isUnique }) {
                throw SchemaDocument.invalid("The index stands twice in the list", place)
            }
            indexes.append(index)
        }
        return indexes
    }

    package var json: JSONValue {
        var members = JSONObject()
        for field in fields { members[field.name.text] = field.json }
        var object: [(String, JSONValue)] = [("fields", .object(members))]
        if let indexes { object.append(("indexes", .array(indexes.map(\.json)))) }
        if let grants { object.append(("grants", GrantsDocument.json(grants))) }
        if case .replace(let template) = access { object.append(("acl", template.json)) }
        if let requiresAccess { object.append(("aclRequired", .bool(requiresAccess))) }
        return .object(JSONObject(object))
    }
}

extension SchemaDocument.FieldEntry {
    /// Makes the entry what it is when all is done that is under way.
    fileprivate mutating func settle() {
        progress = nil
        if case .building? = widening, let wide = type.widened { type = wide }
        widening = nil
    }

    package var json: JSONValue {
        var members: [(String, JSONValue)] = [("type", .string(type.schemaName))]
        if let options { members.append(("indexes", .array(options.words.map { .string($0) }))) }
        if let progress { members += progress.members }
        if let widening, let wide = type.widened {
            members.append(
                ("widening", .object(JSONObject([("to", .string(wide.schemaName))] + widening.members))))
        }
        if case .replace(let roles) = readers { members.append(("read", RolesChange.json(roles))) }
        if case .replace(let roles) = writers { members.append(("write", RolesChange.json(roles))) }
        return .object(JSONObject(members))
    }
}

extension SchemaDocument {
    /// The members of an object that has no keys but these.
    ///
    /// - Parameters:
    ///   - echoed: Keys of answers that are taken besides, and not looked at.
    ///   - example: Such an object as JSON, for errors.
    static func object(
        _ value: JSONValue, _ path: String, keys: [String]? = nil, echoed: [String] = [], example: String? = nil
    ) throws(RecordError) -> JSONObject {
        guard let object = value.object else {
            throw invalid("A JSON object was expected" + (example.map { ", such as " + $0 } ?? ""), path)
        }
        if let keys, let unknown = object.keys.first(where: { !keys.contains($0) && !echoed.contains($0) }) {
            throw invalid(
                "Unknown key '\(unknown.prefix(64))'. There may be \(keys.joined(separator: ", "))",
                path.isEmpty ? unknown : "\(path).\(unknown)")
        }
        return object
    }

    static func invalid(_ reason: String, _ path: String) -> RecordError {
        .badRequest(reason, details: [("path", .text(path))])
    }

    static func tooMany(_ limit: Int, _ path: String) -> RecordError {
        .badRequest(
            "There are more than allowed", cause: .tooLarge,
            details: [("path", .text(path)), ("limit", .number(Int64(limit)))])
    }
}
