package import RecordModel
package import RecordWire

/// Options for replacing the schema.
package struct SchemaOptions: Sendable {
    /// Whether existing types and fields keep their grants, even if the document has other grants. New types and
    /// fields get the grants in the document.
    package var keepsRights = false
    /// Whether this is a dry run, which returns the outcome without changing the schema.
    package var isDryRun = false
    /// The precondition on the current schema.
    package var precondition = WritePrecondition.none

    /// Creates options for an unconditional change.
    package init() {}
}

/// The result of a schema change.
package struct SchemaOutcome: Sendable {
    /// The schema after the change.
    package let schema: Schema
    /// The differences between the schemas before and after the change.
    package let changes: SchemaChanges
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

    private let types: Names
    private let fields: Names
    /// The types in both schemas with different permissions.
    private let rights: [String]

    init(from before: Schema, to after: Schema) {
        rights = after.changedRights(since: before).map(\.after.name).filter { before[$0] != nil }.map(\.text)
        types = Names(from: before.types, to: after.types)
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

    /// The differences as JSON: `{"types":{"added","changed","removed"},"fields":{…},"rights":[…]}`. Empty lists are
    /// included.
    package var json: JSONValue {
        ["types": types.json, "fields": fields.json, "rights": .array(rights.map { .string($0) })]
    }

    /// The details of the audit entry: the changes of types, without fields.
    var auditDetail: JSONObject {
        JSONObject(types.members.filter { !$0.1.isEmpty }.flatMap { AuditText.names($0.1, of: $0.0) })
    }
}
