/// The record types of a container and environment. All databases of the environment share these types.
package struct Schema: Hashable, Sendable {
    /// The version of the schema, which increases with each change of types, fields, grants or roles. Data resolved
    /// against an older version is stale.
    package var version: Int64
    /// The types by name.
    package internal(set) var types: [String: RecordTypeDefinition]

    /// Creates a schema from its types.
    package init(version: Int64 = 0, types: [RecordTypeDefinition] = []) {
        self.version = version
        self.types = Dictionary(types.map { ($0.name.text, $0) }, uniquingKeysWith: { _, last in last })
        for type in types { names[type.id] = type.name }
        lastRename = types.reduce(0) { max($0, $1.renames?.sequence ?? 0) }
    }

    /// The sequence number of the last rename of a type or field; 0 if there was none.
    package internal(set) var lastRename: Int64 = 0

    /// The type with a name.
    package subscript(name: RecordTypeName) -> RecordTypeDefinition? {
        types[name.text] ?? (name == .share ? .shares : nil)
    }

    /// The type with the number that stored records contain.
    package subscript(id id: TypeID) -> RecordTypeDefinition? {
        names[id].flatMap { types[$0.text] } ?? (id == RecordTypeDefinition.shares.id ? .shares : nil)
    }

    /// The numbers of all indexes, including indexes that are being built.
    package var indexIDs: Set<IndexID> {
        types.values.reduce(into: []) { ids, type in ids.formUnion(type.indexes.lazy.map(\.id)) }
    }

    /// Adds or replaces a type.
    package mutating func set(_ type: RecordTypeDefinition) {
        types[type.name.text] = type
        names[type.id] = type.name
    }

    /// Gives types their new names. Types may exchange names.
    mutating func rename(_ renamed: [SchemaStep.TypeRename], sequence: Int64) {
        let known = renamed.compactMap { rename in self[rename.from].map { (type: $0, rename: rename) } }
        for (type, _) in known { types[type.name.text] = nil }
        for (var type, rename) in known {
            var renames = type.renames ?? TypeRenames()
            renames.type = rename.former
            if rename.from != rename.to { renames.sequence = sequence }
            type.name = rename.to
            type.renames = renames
            set(type)
        }
        if renamed.contains(where: { $0.from != $0.to }) { lastRename = sequence }
    }

    /// Removes a type.
    package mutating func remove(_ name: RecordTypeName) {
        if let type = types.removeValue(forKey: name.text) { names[type.id] = nil }
    }

    private var names: [TypeID: RecordTypeName] = [:]
}

/// A record type: its fields, its indexes and the permissions on its records.
package struct RecordTypeDefinition: Hashable, Sendable {
    /// The number of the type in storage. Numbers are not reused.
    package let id: TypeID
    /// The name of the type.
    package internal(set) var name: RecordTypeName
    /// The grants of the type.
    package var grants: Grants
    /// The fields, in the order in which they were added.
    package private(set) var fields: [FieldDefinition]
    /// The indexes in order of creation, including indexes that are being built.
    package var indexes: [IndexDefinition]
    /// The widening checks of fields that are becoming DOUBLE, and the indexes that will then replace others. Writes
    /// maintain them, but queries do not use them.
    package var replacements: [IndexDefinition] = []
    /// Whether the type has an index on a list, or on places.
    package var hasMemberIndexes: Bool { indexes.contains { $0.kind == .members || $0.kind == .places } }
    /// Whether a record of the type has, or once had, an access list.
    package var hasAccessLists: Bool
    /// The default access list, for new records whose request contains none.
    package var defaultAccess: AccessTemplate?
    /// Whether each record of the public database must have an access list.
    package var requiresAccessLists: Bool
    /// Whether an import set the creation times of some records. The order of record numbers is then not the order of
    /// creation.
    package var hasPreservedDates = false
    /// The earlier names of the type and of its fields; `nil` if there are none.
    package var renames: TypeRenames? {
        get { renamesBox?.value }
        set { renamesBox = newValue.map(RenamesBox.init) }
    }
    /// Whether stored records may contain earlier names of fields.
    package var hasFormerNames: Bool { renamesBox?.value.isPending ?? false }
    /// A reference, because types are copied often and few have it.
    private var renamesBox: RenamesBox?
    /// Whether at least one field has its own grants.
    package private(set) var hasFieldGrants = false
    /// The field access of anonymous callers and of users without roles, in this order. The array is computed once for
    /// all requests. It is empty if no field has grants.
    private var commonFieldAccess: [FieldAccess] = []
    private var positions: [String: Int]

    /// Creates a record type. `indexes` may include widening checks and replacements; they are stored in
    /// `replacements`.
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

    /// The field with a name. The lookup takes O(1) time.
    package subscript(name: String) -> FieldDefinition? {
        positions[name].map { fields[$0] }
    }

    /// The field with a number.
    package subscript(id id: Int) -> FieldDefinition? {
        fields.first { $0.id == id }
    }

    /// Returns whether an index is a replacement for a field that is not yet DOUBLE.
    private func isReplacement(_ index: IndexDefinition) -> Bool {
        index.kind == .widening
            || index.columns.contains { column in
                guard column.readsAsDouble, case .field(let id) = column.source else { return false }
                return self[id: id]?.type.element == .int64
            }
    }

    /// The indexes, replacements and checks that writes maintain.
    package var maintainedIndexes: [IndexDefinition] {
        replacements.isEmpty ? indexes : indexes + replacements
    }

    /// Returns the widening check of a field; `nil` if the field has none. The check may have failed.
    package func check(ofField id: Int) -> IndexDefinition? {
        replacements.first { $0.checkedField == id }
    }

    /// The numbers of the fields that are becoming DOUBLE.
    package var wideningFields: Set<Int> {
        Set(replacements.filter { !$0.isFailed }.compactMap(\.checkedField))
    }

    /// Adds an index. Replacements for fields that are not yet DOUBLE are added to `replacements`.
    mutating func add(_ index: IndexDefinition) {
        if isReplacement(index) { replacements.append(index) } else { indexes.append(index) }
    }

    /// Returns the type with other fields and indexes.
    package func replacing(fields: [FieldDefinition], indexes: [IndexDefinition]) -> RecordTypeDefinition {
        var type = RecordTypeDefinition(
            id: id, name: name, grants: grants, fields: fields, indexes: indexes, hasAccessLists: hasAccessLists,
            defaultAccess: defaultAccess, requiresAccessLists: requiresAccessLists)
        type.hasPreservedDates = hasPreservedDates
        type.takeRenames(of: self)
        return type
    }

    /// Copies the earlier names of another state of the type, except those of fields that this one lacks.
    mutating func takeRenames(of other: RecordTypeDefinition) {
        guard var renames = other.renames else { return }
        renames.fields = renames.fields.filter { self[id: $0.key] != nil }
        self.renames = renames
    }

    /// Adds a field, or replaces the field of the same name.
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

    /// Returns the field access of anonymous callers or of users without roles; `nil` if no field has grants.
    func commonFieldAccess(isSignedIn: Bool) -> FieldAccess? {
        hasFieldGrants ? commonFieldAccess[isSignedIn ? 1 : 0] : nil
    }

    /// The number for the next field of the type.
    package var nextFieldID: Int {
        (fields.map(\.id).max() ?? 0) + 1
    }

    /// The type with all its texts SEARCHABLE, for a store that searches without an index.
    package var withSearchableTexts: RecordTypeDefinition {
        var type = self
        for position in fields.indices where fields[position].type.element == .string {
            type.fields[position].options.insert(.searchable)
        }
        return type
    }
}

extension RecordTypeDefinition {
    /// The type of share records, which every schema has without listing it. No stored type has its number.
    package static let shares = RecordTypeDefinition(
        id: TypeID(rawValue: -1), name: .share, grants: Grants(),
        fields: [
            FieldDefinition(id: 1, name: .shareTitle, type: .string),
            FieldDefinition(id: 2, name: .shareType, type: .string),
            FieldDefinition(id: 3, name: .shareThumbnail, type: .bytes),
        ], hasAccessLists: true)
}

private final class RenamesBox: Hashable, Sendable {
    let value: TypeRenames

    init(_ value: TypeRenames) {
        self.value = value
    }

    static func == (left: RenamesBox, right: RenamesBox) -> Bool { left.value == right.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// A field of a record type.
package struct FieldDefinition: Hashable, Sendable {
    /// The number of the field in the stored form, from 1, unique within its type. Numbers are not reused.
    package let id: Int
    /// The name of the field.
    package let name: FieldName
    /// The type of the values.
    package let type: FieldType
    /// The index options.
    package var options: IndexOptions
    /// The roles that may read the field in records that they may read. A value of `nil` means no restriction. An empty
    /// set excludes all users.
    package var readers: Set<RoleName>?
    /// The roles that may write the field in records that they may write. A value of `nil` means no restriction.
    package var writers: Set<RoleName>?

    /// Creates a field definition. By default, the field has no index options and no grants.
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

    /// Returns the field with another name.
    package func renamed(_ name: FieldName) -> FieldDefinition {
        FieldDefinition(id: id, name: name, type: type, options: options, readers: readers, writers: writers)
    }

    /// Returns the field with another type.
    package func retyped(_ type: FieldType) -> FieldDefinition {
        FieldDefinition(id: id, name: name, type: type, options: options, readers: readers, writers: writers)
    }

    /// Hashes only the number. Planning often uses sets of fields, and the fields of a type have different numbers.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

/// The two environments of a container, with separate data and separate schemas.
public enum RecordEnvironment: String, Hashable, Sendable, CaseIterable {
    /// In this environment, saving a record adds missing types and fields to the schema.
    case development
    /// In this environment, only an administrator changes the schema.
    case production
}
