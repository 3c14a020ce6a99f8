internal import RecordModel
internal import RecordWire

/// Who may do what with the records of a type: what a schema says besides what records are.
struct TypeRights: Hashable {
    private struct OfField: Hashable {
        let readers: Set<RoleName>?
        let writers: Set<RoleName>?
    }

    private let grants: Grants
    private let fields: [FieldName: OfField]
    private let defaultAccess: AccessTemplate?

    init(_ type: RecordTypeDefinition) {
        grants = type.grants
        defaultAccess = type.defaultAccess
        fields = type.fields.reduce(into: [:]) { fields, field in
            guard field.readers != nil || field.writers != nil else { return }
            fields[field.name] = OfField(readers: field.readers, writers: field.writers)
        }
    }

    /// Those of a type that appears just in time.
    init(newTypeNamed name: RecordTypeName) {
        grants = .standard(for: name)
        fields = [:]
        defaultAccess = nil
    }

    /// As the audit log tells them.
    var json: JSONValue {
        var members = JSONObject([("grants", GrantsDocument.json(grants))])
        if !fields.isEmpty {
            let rights = fields.sorted { $0.key.text < $1.key.text }.map { name, field in
                var roles = JSONObject()
                if let readers = field.readers { roles["read"] = RolesChange.json(readers) }
                if let writers = field.writers { roles["write"] = RolesChange.json(writers) }
                return (name.text, JSONValue.object(roles))
            }
            members["fields"] = .object(JSONObject(rights))
        }
        if let defaultAccess { members["acl"] = defaultAccess.json }
        return .object(members)
    }
}

extension Schema {
    /// The types whose rights are not what they were; of new ones, not what a type gets that appears just in time.
    func changedRights(since before: Schema) -> [(name: RecordTypeName, before: TypeRights, after: TypeRights)] {
        types.values.sorted { $0.name.text < $1.name.text }.compactMap { type in
            let old = before[type.name].map(TypeRights.init) ?? TypeRights(newTypeNamed: type.name)
            let new = TypeRights(type)
            return old == new ? nil : (type.name, old, new)
        }
    }
}

extension WriteTransaction {
    /// Refuses a document that changes rights by somebody who may only change what records are, and has the log tell
    /// what it changed.
    func settleRights(since before: Schema, by actor: AuditActor) throws(RecordError) {
        let changes = schema.changedRights(since: before)
        guard let first = changes.first else { return }
        let caller = try current(actor.caller)
        guard Authorization.authorize(caller, .changeRights) == .allowed else {
            throw RecordError(
                .accessDenied,
                "The document changes who may do what with \(first.name), which takes the right changeRights. Leave out grants, acl, read and write, or send them as they are",
                details: [("recordType", .text(first.name.text)), ("right", .text("changeRights"))])
        }
        for change in changes {
            try audit(
                .grantsPut, change.name.text, by: actor,
                detail: JSONObject([("before", change.before.json), ("after", change.after.json)]))
        }
    }
}
