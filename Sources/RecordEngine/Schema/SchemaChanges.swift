package import RecordModel
package import RecordWire

/// How a document becomes the schema.
package struct SchemaOptions: Sendable {
    /// Types and fields that are there keep who may do what with them, whatever the document says; new ones get what it says.
    package var keepsRights = false
    /// Nothing is changed: the outcome is what would be.
    package var isDryRun = false
    /// What must hold of the schema before.
    package var writeGuard = WriteGuard.none

    package init() {}
}

/// What has become of a schema.
package struct SchemaOutcome: Sendable {
    package let schema: Schema
    package let changes: SchemaChanges
}

/// What of a schema is other than before, by name. Fields are `Type.field`, those of types that came or went left out.
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

    /// What is compared of a field.
    private struct Field: Equatable {
        let definition: FieldDefinition
        let check: IndexDefinition?
    }

    private let types: Names
    private let fields: Names
    /// The types that were there before, and with which others may do now what they might not, or the other way round.
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

    /// `{"types":{"added","changed","removed"},"fields":{…},"rights":[…]}`; lists of nothing are there too.
    package var json: JSONValue {
        ["types": types.json, "fields": fields.json, "rights": .array(rights.map { .string($0) })]
    }

    /// As the audit log tells it: the types alone.
    var auditDetail: JSONObject {
        JSONObject(types.members.filter { !$0.1.isEmpty }.flatMap { AuditText.names($0.1, of: $0.0) })
    }
}
