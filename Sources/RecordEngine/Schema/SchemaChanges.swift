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
        var added: [String] = []
        var changed: [String] = []
        var removed: [String] = []

        var json: JSONValue {
            .object(
                JSONObject(
                    [("added", added), ("changed", changed), ("removed", removed)].map {
                        ($0, .array($1.sorted().map { .string($0) }))
                    }))
        }
    }

    private var types = Names()
    private var fields = Names()
    /// The types that were there before, and with which others may do now what they might not, or the other way round.
    private let rights: [String]

    init(from before: Schema, to after: Schema) {
        rights = after.changedRights(since: before).map(\.name).filter { before[$0] != nil }.map(\.text)
        for type in after.types.values {
            guard let old = before[type.name] else {
                types.added.append(type.name.text)
                continue
            }
            guard old != type else { continue }
            types.changed.append(type.name.text)
            for field in type.fields {
                let name = "\(type.name).\(field.name)"
                switch old[field.name.text] {
                case nil: fields.added.append(name)
                case let known?:
                    let isOther = type.check(ofField: field.id) != old.check(ofField: field.id)
                    if known != field || isOther { fields.changed.append(name) }
                }
            }
            for field in old.fields where type[field.name.text] == nil {
                fields.removed.append("\(type.name).\(field.name)")
            }
        }
        types.removed = before.types.values.filter { after[$0.name] == nil }.map(\.name.text)
    }

    /// `{"types":{"added","changed","removed"},"fields":{…},"rights":[…]}`; lists of nothing are there too.
    package var json: JSONValue {
        ["types": types.json, "fields": fields.json, "rights": .array(rights.map { .string($0) })]
    }

    /// As the audit log tells it: the types alone.
    var auditDetail: JSONObject {
        JSONObject(
            [("added", types.added), ("changed", types.changed), ("removed", types.removed)]
                .filter { !$0.1.isEmpty }.flatMap { AuditText.names($0.1.sorted(), of: $0.0) })
    }
}

extension SchemaDocument.TypeEntry {
    /// What the entry says besides who may do what, if the type is there; of fields that are not, also that.
    func keepingRights(of type: RecordTypeDefinition?) -> SchemaDocument.TypeEntry {
        guard let type else { return self }
        var entry = self
        entry.grants = nil
        entry.access = .none
        entry.requiresAccess = nil
        for position in entry.fields.indices where type[entry.fields[position].name.text] != nil {
            entry.fields[position].readers = .none
            entry.fields[position].writers = .none
        }
        return entry
    }
}
