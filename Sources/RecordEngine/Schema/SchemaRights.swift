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
    private let requiresAccessLists: Bool

    init(_ type: RecordTypeDefinition) {
        grants = type.grants
        defaultAccess = type.defaultAccess
        requiresAccessLists = type.requiresAccessLists
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
        requiresAccessLists = false
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
        if requiresAccessLists { members["aclRequired"] = true }
        return .object(members)
    }
}

extension Schema {
    /// The types whose rights are not what they were; of new ones and of those that went, not what a type gets that
    /// appears just in time: that is what one of this name has that comes again.
    func changedRights(since before: Schema) -> [(name: RecordTypeName, before: TypeRights, after: TypeRights)] {
        let names = Set(types.keys).union(before.types.keys)
        return names.sorted().compactMap(RecordTypeName.init).compactMap { name in
            let old = before[name].map(TypeRights.init) ?? TypeRights(newTypeNamed: name)
            let new = self[name].map(TypeRights.init) ?? TypeRights(newTypeNamed: name)
            return old == new ? nil : (name, old, new)
        }
    }
}

extension WriteTransaction {
    /// Refuses a document that changes rights by somebody who may only change what records are, and has the log tell
    /// what it changed.
    ///
    /// - Parameter tellsNames: Whether the refusal may name a type that the document leaves out.
    func settleRights(since before: Schema, by actor: AuditActor, tellsNames: Bool) throws(RecordError) {
        let changes = schema.changedRights(since: before)
        guard let first = changes.first else { return }
        let caller = try current(actor.caller)
        guard Authorization.authorize(caller, .changeRights) == .allowed else {
            guard tellsNames || schema[first.name] != nil else {
                throw RecordError(
                    .accessDenied,
                    "The document leaves out a type with rights of its own, which takes the right changeRights",
                    details: [("right", .text("changeRights"))])
            }
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
