package import RecordModel
package import RecordWire
internal import Threads

/// The reason for replacing the schema.
package enum SchemaPurpose: String, Hashable, Sendable {
    /// A caller sent a document.
    case put
    /// The schema of development becomes that of production.
    case promotion
    /// An earlier schema comes back.
    case rollback
    /// The schema of production becomes that of development.
    case reset

    /// The action in the audit log.
    var action: AuditAction {
        switch self {
        case .put: .schemaPut
        case .promotion: .schemaPromote
        case .rollback: .schemaRollback
        case .reset: .schemaReset
        }
    }
}

/// Options for replacing the schema.
package struct SchemaOptions: Sendable {
    /// Whether existing types and fields keep their grants, even if the document has other grants. New types and
    /// fields get the grants in the document.
    package var keepsRights = false
    /// Whether this is a dry run, which returns the outcome without changing the schema.
    package var isDryRun = false
    /// The precondition on the current schema.
    package var precondition = WritePrecondition.none
    /// Whether a promotion removes fields of production that development lacks and no record has.
    package var dropsEmptyFields = false
    /// The fields that no record had when they were looked for.
    var emptyFields = EmptyFields()
    /// Receives the fields that the change would lose.
    var losses: Locked<[TypeID: Set<Int>]>?
    /// Why the schema is replaced.
    var purpose = SchemaPurpose.put

    /// Creates options for an unconditional change.
    package init() {}

    func with(_ purpose: SchemaPurpose) -> SchemaOptions {
        var options = self
        options.purpose = purpose
        return options
    }
}

/// The result of a schema change.
package struct SchemaOutcome: Sendable {
    /// The schema after the change.
    package let schema: Schema
    /// The differences between the schemas before and after the change.
    package let changes: SchemaChanges
    /// In a dry run, the number of records that new indexes and checks read, by type. Other results have no counts.
    package internal(set) var touched: [String: Int] = [:]
    /// The snapshot of the schema before a promotion, rollback or reset; `nil` if none was stored.
    package internal(set) var snapshot: Int64?
    /// What a rollback left as it was, and why: sentences.
    package internal(set) var kept: [String] = []
    /// The number of records that a reset deleted.
    package internal(set) var deletedRecords = 0

    init(schema: Schema, changes: SchemaChanges) {
        self.schema = schema
        self.changes = changes
    }

    /// The differences and what else the change did, as JSON: `SchemaChanges.json` with `records` in a dry run, otherwise
    /// `snapshot`, and with `kept` and `deletedRecords` if there is something.
    package func changesJSON(isDryRun: Bool) -> JSONValue {
        var object = changes.json.object ?? JSONObject()
        if isDryRun {
            object["records"] = .object(
                JSONObject(touched.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int64($0.value))) }))
        } else if let snapshot {
            object["snapshot"] = .integer(snapshot)
        }
        if !kept.isEmpty { object["kept"] = .array(kept.map { .string($0) }) }
        if deletedRecords > 0 { object["deletedRecords"] = .integer(Int64(deletedRecords)) }
        return .object(object)
    }
}

/// The differences between two schemas, by name. Fields are named `Type.field`. Fields of added or removed types are
/// not listed.
package struct SchemaChanges: Hashable, Sendable {
    private struct Names: Hashable {
        let added: [String]
        let changed: [String]
        let removed: [String]

        init<Value: Equatable>(from before: [String: Value], to after: [String: Value]) {
            added = after.keys.filter { before[$0] == nil }.sorted()
            changed = after.keys.filter { before[$0] != nil && before[$0] != after[$0] }.sorted()
            removed = before.keys.filter { after[$0] == nil }.sorted()
        }

        var members: [(String, [String])] { [("added", added), ("changed", changed), ("removed", removed)] }

        var json: JSONValue { .object(JSONObject(members.map { ($0, .array($1.map { .string($0) })) })) }
    }

    /// The properties of a field that are compared.
    private struct Field: Equatable {
        let definition: FieldDefinition
        let check: IndexDefinition?
    }

    /// An index by the names of its columns.
    private struct Index: Hashable, Comparable {
        let type: String
        let columns: [String]
        let isUnique: Bool

        static func < (left: Index, right: Index) -> Bool {
            left.type == right.type
                ? left.columns.lexicographicallyPrecedes(right.columns) : left.type < right.type
        }

        var json: JSONValue {
            var object = JSONObject([
                ("recordType", .string(type)), ("fields", .array(columns.map { .string($0) })),
            ])
            if isUnique { object["unique"] = true }
            return .object(object)
        }
    }

    private let addedIndexes: [Index]
    private let removedIndexes: [Index]
    /// The roles that the change created.
    var roles: [String] = []
    private let types: Names
    private let fields: Names
    /// The types in both schemas with different permissions.
    private let rights: [String]
    /// The types whose names differ, and the fields, by `Type` and `Type.field` after the change.
    private let renamed: [Rename]
    private let renamedFields: [Rename]

    /// A definition with another name than before.
    private struct Rename: Hashable {
        let from: String
        let to: String

        var json: JSONValue { ["from": .string(from), "to": .string(to)] }
    }

    init(from earlier: Schema, to after: Schema) {
        // The rest compares by names.
        var before = earlier
        (renamed, renamedFields) = Self.takeNames(of: after, in: &before)
        rights = after.changedRights(since: before).map(\.after.name).filter { before[$0] != nil }.map(\.text)
        types = Names(from: before.types, to: after.types)
        let indexes = { (schema: Schema) in
            Set(
                schema.types.values.flatMap { type in
                    type.indexes.filter { !$0.isFailed }.map {
                        Index(type: type.name.text, columns: type.names(of: $0.shape), isUnique: $0.isUnique)
                    }
                })
        }
        let (old, new) = (indexes(before), indexes(after))
        addedIndexes = new.subtracting(old).sorted()
        removedIndexes = old.subtracting(new).sorted()
        let changed = types.changed
        let fields = { (schema: Schema) in
            let named = changed.compactMap { schema.types[$0] }.flatMap { type in
                type.fields.map {
                    ("\(type.name).\($0.name)", Field(definition: $0, check: type.check(ofField: $0.id)))
                }
            }
            return Dictionary(uniqueKeysWithValues: named)
        }
        self.fields = Names(from: fields(before), to: fields(after))
    }

    /// Gives the types and fields of a schema the names that they have in a later one.
    private static func takeNames(of after: Schema, in before: inout Schema) -> (types: [Rename], fields: [Rename]) {
        var (types, fields): ([Rename], [Rename]) = ([], [])
        var named: [RecordTypeDefinition] = []
        for type in before.types.values.sorted(by: { $0.id < $1.id }) {
            guard let later = after[id: type.id] else {
                // The name may now be that of another type.
                named.append(type)
                continue
            }
            if type.name != later.name { types.append(Rename(from: type.name.text, to: later.name.text)) }
            var known = type
            for field in type.fields {
                // A field that was removed may have left its number to a new one.
                guard let now = later[id: field.id], now.name != field.name,
                    later.names(of: now).contains(field.name.text) || type.names(of: field).contains(now.name.text)
                else { continue }
                fields.append(Rename(from: "\(later.name).\(field.name)", to: "\(later.name).\(now.name)"))
            }
            known.takeNames(of: later)
            named.append(known)
        }
        let present = Set(named.filter { after[id: $0.id] != nil }.map(\.name))
        before = Schema(
            version: before.version, types: named.filter { after[id: $0.id] != nil || !present.contains($0.name) })
        return (types, fields)
    }

    /// The differences as JSON: `{"types":{"added","changed","removed"},"fields":{…},"indexes":{"added","removed"},
    /// "rights":[…],"roles":[…]}`. Empty lists are included. After renames, `types` and `fields` also have
    /// `"renamed":[{"from","to"}]`.
    package var json: JSONValue {
        [
            "types": Self.json(types, renamed), "fields": Self.json(fields, renamedFields),
            "indexes": ["added": .array(addedIndexes.map(\.json)), "removed": .array(removedIndexes.map(\.json))],
            "rights": .array(rights.map { .string($0) }), "roles": .array(roles.map { .string($0) }),
        ]
    }

    private static func json(_ names: Names, _ renamed: [Rename]) -> JSONValue {
        guard !renamed.isEmpty, var object = names.json.object else { return names.json }
        object["renamed"] = .array(renamed.map(\.json))
        return .object(object)
    }

    /// The details of the audit entry: the changes of types, without fields, and the renames.
    var auditDetail: JSONObject {
        let renames = (renamed + renamedFields).map { "\($0.from) → \($0.to)" }
        return JSONObject(
            (types.members + [("renamed", renames)]).filter { !$0.1.isEmpty }
                .flatMap { AuditText.names($0.1, of: $0.0) })
    }
}
