/// The record types of one (container, environment), shared by all of its databases.
package struct Schema: Hashable, Sendable {
    /// Grows with every change of types, fields, grants or roles; what was resolved against an older one is stale.
    package var version: Int64
    package internal(set) var types: [String: RecordTypeDefinition]

    package init(version: Int64 = 0, types: [RecordTypeDefinition] = []) {
        self.version = version
        self.types = Dictionary(types.map { ($0.name.text, $0) }, uniquingKeysWith: { _, last in last })
        for type in types { names[type.id] = type.name }
    }

    package subscript(name: RecordTypeName) -> RecordTypeDefinition? {
        types[name.text]
    }

    /// The type with the number that stored records carry.
    package subscript(id id: TypeID) -> RecordTypeDefinition? {
        names[id].flatMap { types[$0.text] }
    }

    /// The numbers of all indexes, those that are being built too.
    package var indexIDs: Set<IndexID> {
        types.values.reduce(into: []) { ids, type in ids.formUnion(type.indexes.lazy.map(\.id)) }
    }

    package mutating func set(_ type: RecordTypeDefinition) {
        types[type.name.text] = type
        names[type.id] = type.name
    }

    package mutating func remove(_ name: RecordTypeName) {
        if let type = types.removeValue(forKey: name.text) { names[type.id] = nil }
    }

    private var names: [TypeID: RecordTypeName] = [:]
}

/// A record type: its fields and who may do what with its records.
package struct RecordTypeDefinition: Hashable, Sendable {
    /// The number under which storage knows the type; never given twice.
    package let id: TypeID
    package let name: RecordTypeName
    package var grants: Grants
    package private(set) var fields: [FieldDefinition]
    /// In the order in which they were made; also those that are being built.
    package var indexes: [IndexDefinition]
    /// Of fields that are becoming DOUBLE: the checks of their values, and the indexes that take over from others then.
    /// Writes keep them up to date; queries do not know them.
    package var replacements: [IndexDefinition] = []
    /// Whether any of them is of the members of lists.
    package var hasMemberIndexes: Bool { indexes.contains { $0.kind == .members } }
    /// Whether some record of the type has, or has had, an access list.
    package var hasAccessLists: Bool
    /// The access list of a new record that does not say one.
    package var defaultAccess: AccessTemplate?
    /// Whether no record of the public database may be made without an access list, or lose its own.
    package var requiresAccessLists: Bool
    /// Whether ids do not tell when its records were made, since an import has said so of some.
    package var hasPreservedDates = false
    /// Whether some field has grants of its own.
    package private(set) var hasFieldGrants = false
    /// What most callers may not do with the fields, found once for all their requests: that of anonymous ones, then that
    /// of users without roles. Empty without grants of fields.
    private var commonFieldAccess: [FieldAccess] = []
    private var positions: [String: Int]

    package init(
        id: TypeID, name: RecordTypeName, grants: Grants, fields: [FieldDefinition] = [],
        indexes: [IndexDefinition] = [], hasAccessLists: Bool = false,
        defaultAccess: AccessTemplate? = nil, requiresAccessLists: Bool = false
    ) {
        self.id = id
        self.name = name
        self.grants = grants
        self.indexes = indexes
        self.hasAccessLists = hasAccessLists
        self.defaultAccess = defaultAccess
        self.requiresAccessLists = requiresAccessLists
        self.fields = []
        self.positions = [:]
        for field in fields { place(field) }
        replacements = indexes.filter(isReplacement)
        if !replacements.isEmpty { self.indexes = indexes.filter { !isReplacement($0) } }
        if hasFieldGrants { commonFieldAccess = FieldAccess.common(fields) }
    }

    /// The field with a name, in constant time.
    package subscript(name: String) -> FieldDefinition? {
        positions[name].map { fields[$0] }
    }

    /// The field with a number.
    package subscript(id id: Int) -> FieldDefinition? {
        fields.first { $0.id == id }
    }

    /// Whether an index is for a field that is no DOUBLE yet.
    private func isReplacement(_ index: IndexDefinition) -> Bool {
        index.kind == .widening
            || index.columns.contains { column in
                guard column.readsAsDouble, case .field(let id) = column.source else { return false }
                return self[id: id]?.type.element == .int64
            }
    }

    /// All that writes keep up to date.
    package var maintainedIndexes: [IndexDefinition] {
        replacements.isEmpty ? indexes : indexes + replacements
    }

    /// The check of a field that is becoming a DOUBLE, or could not become one.
    package func check(ofField id: Int) -> IndexDefinition? {
        replacements.first { $0.checkedField == id }
    }

    /// The numbers of the fields that are becoming DOUBLE.
    package var wideningFields: Set<Int> {
        Set(replacements.filter { !$0.isFailed }.compactMap(\.checkedField))
    }

    /// Adds an index behind the others, or one for a field that is no DOUBLE yet.
    mutating func add(_ index: IndexDefinition) {
        if isReplacement(index) { replacements.append(index) } else { indexes.append(index) }
    }

    /// The same type with other fields and indexes.
    package func replacing(fields: [FieldDefinition], indexes: [IndexDefinition]) -> RecordTypeDefinition {
        var type = RecordTypeDefinition(
            id: id, name: name, grants: grants, fields: fields, indexes: indexes, hasAccessLists: hasAccessLists,
            defaultAccess: defaultAccess, requiresAccessLists: requiresAccessLists)
        type.hasPreservedDates = hasPreservedDates
        return type
    }

    package mutating func add(_ field: FieldDefinition) {
        place(field)
        if hasFieldGrants { commonFieldAccess = FieldAccess.common(fields) }
    }

    private mutating func place(_ field: FieldDefinition) {
        hasFieldGrants = hasFieldGrants || field.readers != nil || field.writers != nil
        if let position = positions[field.name.text] {
            fields[position] = field
        } else {
            positions[field.name.text] = fields.count
            fields.append(field)
        }
    }

    /// What an anonymous caller, or a user without roles, may not do with the fields; `nil` if none has grants.
    func commonFieldAccess(isSignedIn: Bool) -> FieldAccess? {
        hasFieldGrants ? commonFieldAccess[isSignedIn ? 1 : 0] : nil
    }

    /// The number for the next field of this type.
    package var nextFieldID: Int {
        (fields.map(\.id).max() ?? 0) + 1
    }
}

/// A field of a record type.
package struct FieldDefinition: Hashable, Sendable {
    /// The number within its type under which the stored form knows the field: 1 and up, never given twice.
    package let id: Int
    package let name: FieldName
    package let type: FieldType
    /// What queries may do with it.
    package var options: IndexOptions
    /// Who reads the field in records that they may read; `nil` for all of these, empty for no user.
    package var readers: Set<RoleName>?
    /// Who writes it in records that they may write.
    package var writers: Set<RoleName>?

    package init(
        id: Int, name: FieldName, type: FieldType, options: IndexOptions = [], readers: Set<RoleName>? = nil,
        writers: Set<RoleName>? = nil
    ) {
        self.id = id
        self.name = name
        self.type = type
        self.options = options
        self.readers = readers
        self.writers = writers
    }

    /// The same field with another type.
    package func retyped(_ type: FieldType) -> FieldDefinition {
        FieldDefinition(id: id, name: name, type: type, options: options, readers: readers, writers: writers)
    }

    /// By the number alone: planning asks sets of fields all the time, and no two fields of a type share one.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

/// The two environments of a container: separate data, separate schemas.
public enum RecordEnvironment: String, Hashable, Sendable, CaseIterable {
    /// Types and fields appear as records that have them are saved.
    case development
    /// The schema changes only when an administrator puts a new one.
    case production
}
