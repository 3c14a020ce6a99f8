package import RecordModel

/// A schema as JSON, for `/schema`: record types with their fields, indexes and grants.
///
/// ```
/// {"types":{"Post":{"fields":{"title":{"type":"STRING","indexes":["QUERYABLE"],"write":["editors"]}},
///                   "indexes":[{"fields":["-title"],"unique":true}],"grants":{"_world":["READ"]},
///                   "acl":{"_creator":["read","write"]}}}}
/// ```
package struct SchemaDocument: Hashable, Sendable {
    /// One record type of the document.
    package struct TypeEntry: Hashable, Sendable {
        /// The name of the type.
        package var name: RecordTypeName
        /// The earlier names of the type, oldest first; `nil` if the document does not mention them.
        package var former: [RecordTypeName]?
        /// The fields, in the order of the document.
        package var fields: [FieldEntry]
        /// The declared indexes; `nil` if the document does not mention them.
        package var indexes: [IndexEntry]?
        /// The grants; `nil` if the document does not mention them.
        package var grants: Grants?
        /// The default access list, for new records whose request contains none.
        package var access: AccessChange
        /// Whether records must have an access list; `nil` if the document does not mention it.
        package var requiresAccess: Bool?
        /// Whether declared indexes that the document does not name stay, except those that a text would state as options
        /// of system fields. Only texts of the schema language without fogbase comments leave such indexes unmentioned.
        package var keepsOtherIndexes = false

        /// Creates the entry of a record type.
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

    /// One field of the document.
    package struct FieldEntry: Hashable, Sendable {
        /// The name of the field.
        package var name: FieldName
        /// The earlier names of the field, oldest first; `nil` if the document does not mention them.
        package var former: [FieldName]?
        /// The type of the values.
        package var type: FieldType
        /// The index options; `nil` if the document does not mention them.
        package var options: IndexOptions?
        /// The state of the index for the options, if the index is not ready. Responses contain it; reading a document
        /// ignores it.
        package var progress: IndexState?
        /// The progress of an INT64 field that becomes DOUBLE. If a document that is read contains the key, the field
        /// becomes DOUBLE.
        package var widening: IndexState?
        /// The roles that may read the field.
        package var readers: RolesChange
        /// The roles that may write the field.
        package var writers: RolesChange

        /// Creates the entry of a field.
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

    /// The record types, in the order of the document.
    package var types: [TypeEntry]
    /// The custom roles that the document needs. Roles that are missing are created; no role is removed. Only texts of
    /// the schema language contain roles; in JSON, `/roles` has them.
    package var roles: Set<RoleName> = []

    /// Creates a document from its record types.
    package init(types: [TypeEntry]) {
        self.types = types
    }

    /// Creates the document of a schema. Types are sorted by name; fields and indexes are in the order of their
    /// creation.
    ///
    /// - Parameters:
    ///   - built: The number of records in each index that is being built, by its number.
    ///   - namesRecords: Returns whether the failure reasons of a type's indexes may name records.
    package init(
        _ schema: Schema, built: [IndexID: Int] = [:], namesRecords: (RecordTypeDefinition) -> Bool = { _ in true }
    ) {
        types = schema.types.values.sorted { $0.name.text < $1.name.text }
            .map { TypeEntry($0, built: built, namesRecords: namesRecords($0)) }
    }

    /// Parses a document.
    ///
    /// - Throws: `BAD_REQUEST` with the path in `details.path`, such as `types.Post.fields.title`; cause
    ///   `MALFORMED_JSON` for malformed JSON, `TOO_LARGE` for an exceeded limit.
    package static func read(_ bytes: [UInt8]) throws(RecordError) -> SchemaDocument {
        let value: JSONValue
        do { value = try JSONValue.parse(bytes) } catch { throw RecordError(error) }
        return try SchemaDocument(value)
    }

    /// Reads a document.
    ///
    /// - Throws: `BAD_REQUEST` with the path in `details.path`; cause `TOO_LARGE` for an exceeded limit.
    package init(_ value: JSONValue) throws(RecordError) {
        // Responses to PUT contain the other keys. Reading ignores them.
        let root = try Self.object(value, "", keys: ["types", "changes", "dryRun"])
        guard let types = root["types"] else { throw Self.invalid("The document needs 'types'", "") }
        self.types = []
        var names: Set<RecordTypeName> = []
        for member in try Self.object(types, "types").members {
            let path = "types.\(member.key)"
            guard let name = RecordTypeName(member.key), name != .share else {
                throw Self.invalid("This is no name of a type: one \(Identifier.rule)", path)
            }
            // The keys of the JSON object differ, but two of them may normalize to the same name.
            guard names.insert(name).inserted else { throw Self.invalid("This type is named twice", path) }
            self.types.append(try TypeEntry(name: name, member.value, path: path))
        }
        if self.types.count > Limits.recordTypes { throw Self.tooMany(Limits.recordTypes, "types") }
    }

    /// The document as JSON.
    package var json: JSONValue {
        var members = JSONObject()
        for type in types { members[type.name.text] = type.json }
        return ["types": .object(members)]
    }

    /// The document without the progress of indexes. Two such documents of one schema differ only if the schema was
    /// changed.
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

    /// Whether any index does not serve queries.
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
    /// Creates the entry of a record type.
    ///
    /// - Parameters:
    ///   - built: The number of records in each index that is being built, by its number.
    ///   - namesRecords: Whether the reasons of failed indexes may name records.
    package init(_ type: RecordTypeDefinition, built: [IndexID: Int] = [:], namesRecords: Bool = true) {
        let fields = type.fields.map { field in
            let indexes = type.indexes(servingOptionsOf: field)
            let index = indexes.first { !$0.isReady } ?? indexes.first
            var entry = SchemaDocument.FieldEntry(
                name: field.name, type: field.type, options: field.options.isEmpty ? nil : field.options,
                progress: index.flatMap { SchemaDocument.IndexState($0, built: built, namesRecords: namesRecords) },
                readers: RolesChange(field.readers), writers: RolesChange(field.writers))
            entry.former = type.renames?.fields[field.id]
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
        if let former = type.renames?.type, !former.isEmpty { self.former = former }
    }

    /// The names of the type and its fields, for finding renames.
    package var names: DocumentNames {
        DocumentNames(name, formerly: former, fields: fields.map { ($0.name, $0.former) })
    }

    /// Reads `{"fields":{…},"indexes":[…],"grants":{…},"acl":{…},"aclRequired":true}`. Each key may be absent.
    ///
    /// - Parameter path: The path of the value, for error messages.
    /// - Throws: `BAD_REQUEST` with the path; cause `TOO_LARGE` for an exceeded limit.
    package init(name: RecordTypeName, _ value: JSONValue, path: String) throws(RecordError) {
        let object = try SchemaDocument.object(
            value, path, keys: ["fields", "indexes", "grants", "acl", "aclRequired", "formerly"])
        self.init(name: name)
        former = try SchemaDocument.formerNames(object["formerly"], path, RecordTypeName.init)
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
            member.value, path, keys: ["type", "indexes", "read", "write", "formerly"],
            echoed: SchemaDocument.IndexState.keys + ["widening"],
            example: #"{"type":"STRING"}"#)
        guard let tag = object["type"]?.string else {
            throw SchemaDocument.invalid("A field needs a 'type'. \(FieldType.rule)", "\(path).type")
        }
        guard var type = FieldType(tag: tag) else {
            throw SchemaDocument.invalid(
                "'\(tag.prefix(64))' is no type of a field. \(FieldType.rule)", "\(path).type")
        }
        // A client may send back a response that contains `widening`. The change to DOUBLE then continues.
        if let wide = object["widening"]?["to"]?.string, let widened = type.widened, widened.schemaName == wide {
            type = widened
        }
        let options = try object["indexes"].map { value throws(RecordError) in
            try IndexOptions(value, on: type, path: "\(path).indexes")
        }
        var field = SchemaDocument.FieldEntry(
            name: name, type: type, options: options, readers: try RolesChange(object["read"], path: "\(path).read"),
            writers: try RolesChange(object["write"], path: "\(path).write"))
        field.former = try SchemaDocument.formerNames(object["formerly"], path, FieldName.init)
        return field
    }

    /// Reads the list of a type's indexes.
    ///
    /// - Throws: `BAD_REQUEST` with the path; cause `TOO_LARGE` for an exceeded limit.
    static func indexes(
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

    /// The entry as JSON.
    package var json: JSONValue {
        var members = JSONObject()
        for field in fields { members[field.name.text] = field.json }
        var object: [(String, JSONValue)] = [("fields", .object(members))]
        if let indexes { object.append(("indexes", .array(indexes.map(\.json)))) }
        if let grants { object.append(("grants", GrantsDocument.json(grants))) }
        if case .replace(let template) = access { object.append(("acl", template.json)) }
        if let requiresAccess { object.append(("aclRequired", .bool(requiresAccess))) }
        if let former, !former.isEmpty { object.append(("formerly", .array(former.map { .string($0.text) }))) }
        return .object(JSONObject(object))
    }
}

extension SchemaDocument.FieldEntry {
    /// Changes the entry to its state after all pending index builds and type changes.
    fileprivate mutating func settle() {
        progress = nil
        if case .building? = widening, let wide = type.widened { type = wide }
        widening = nil
    }

    /// The entry as JSON.
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
        if let former, !former.isEmpty { members.append(("formerly", .array(former.map { .string($0.text) }))) }
        return .object(JSONObject(members))
    }
}

extension SchemaDocument {
    /// Returns the members of an object and checks its keys.
    ///
    /// - Parameters:
    ///   - keys: The allowed keys; `nil` for any.
    ///   - echoed: Keys of responses that are allowed and ignored.
    ///   - example: A valid object as JSON, for error messages.
    /// - Throws: `BAD_REQUEST` with the path.
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

    /// Reads a list of earlier names, oldest first; `nil` without a value.
    ///
    /// - Parameter path: The path of the type or field, for error messages.
    /// - Throws: `BAD_REQUEST` with the path; cause `TOO_LARGE` for too many names.
    static func formerNames<Name>(
        _ value: JSONValue?, _ path: String, _ name: (String) -> Name?
    ) throws(RecordError) -> [Name]? {
        guard let value else { return nil }
        let path = "\(path).formerly"
        guard let list = value.array else {
            throw invalid("'formerly' is a list of earlier names, oldest first, such as [\"title\"]", path)
        }
        guard list.count <= TypeRenames.most else { throw tooMany(TypeRenames.most, path) }
        var names: [Name] = []
        for (position, value) in list.enumerated() {
            guard let name = value.string.flatMap(name) else {
                throw invalid("An earlier name \(Identifier.rule)", "\(path)[\(position)]")
            }
            names.append(name)
        }
        return names
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
