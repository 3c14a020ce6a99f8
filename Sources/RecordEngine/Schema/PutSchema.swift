package import RecordModel
internal import RecordStorage
package import RecordWire

extension RecordDatabase {
    /// Makes the schema what a document says.
    ///
    /// Types and fields that the document leaves out go, if no record can have used them; what would lose data is
    /// refused as a whole. New indexes of small types are ready when this returns; others are built in slices, as dropped
    /// ones are emptied.
    package nonisolated func putSchema(
        _ document: SchemaDocument, by actor: AuditActor = .server
    ) async throws(RecordError) {
        let hasIndexWork = try await write(isAlone: true) { transaction throws(RecordError) in
            let before = transaction.schema
            try transaction.putSchema(document)
            try transaction.settleRights(since: before, by: actor)
            try transaction.audit(.schemaPut, "", by: actor, detail: transaction.schema.auditDetail(since: before))
            return try transaction.store { () throws(StoreError) in try transaction.hasIndexWork() }
        }
        if hasIndexWork { buildIndexes() }
    }

    /// Replaces the grants of one type.
    package nonisolated func setGrants(
        _ grants: Grants, of typeName: RecordTypeName, by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await write(isAlone: true) { transaction throws(RecordError) in
            guard var type = transaction.schema[typeName] else { throw .unknownType(typeName) }
            let before = type.grants
            try transaction.setGrants(grants, of: &type)
            try transaction.audit(
                .grantsPut, typeName.text, by: actor,
                detail: JSONObject([
                    ("before", GrantsDocument.json(before)), ("after", GrantsDocument.json(grants)),
                ]))
        }
    }
}

extension WriteTransaction {
    func putSchema(_ document: SchemaDocument) throws(RecordError) {
        var kept: Set<RecordTypeName> = []
        entriesAtOnce = indexBuilding.entriesAtOnce
        for wanted in document.types {
            guard kept.insert(wanted.name).inserted else {
                throw .badRequest(
                    "The type \(wanted.name) is named twice", details: [("recordType", .text(wanted.name.text))])
            }
            try put(wanted)
        }
        // Accounts have brought the type of user records with them, and need it.
        if try store({ () throws(StoreError) in try !accounts.isEmpty() }) { kept.insert(.users) }
        for type in Array(schema.types.values) where !kept.contains(type.name) {
            guard try !store({ () throws(StoreError) in try records.hasRecords(type: type.id) }) else {
                throw .wouldLoseData(
                    "The type \(type.name) has records and cannot be left out. Delete its records first",
                    type: type.name, field: nil)
            }
            try store { () throws(StoreError) in try schemaTable.removeType(type.id) }
            schema.remove(type.name)
        }
        rightsChanged = true
    }

    private func put(_ wanted: SchemaDocument.TypeEntry) throws(RecordError) {
        var type: RecordTypeDefinition
        if let known = schema[wanted.name] {
            type = known
        } else {
            type = try addType(wanted.name, grants: wanted.grants ?? .standard(for: wanted.name))
        }
        let names = Set(wanted.fields.map(\.name))
        let gone = type.fields.filter { !names.contains($0.name) }
        if let field = gone.first {
            guard try !store({ () throws(StoreError) in try records.hasRecords(type: type.id) }) else {
                throw .wouldLoseData(
                    "The type \(type.name) has records, so its field \(field.name) cannot be left out",
                    type: type.name, field: field.name)
            }
            for field in gone {
                try store { () throws(StoreError) in try schemaTable.removeField(field.id, type: type.id) }
            }
            type = RecordTypeDefinition(
                id: type.id, name: type.name, grants: type.grants,
                fields: type.fields.filter { names.contains($0.name) }, indexes: type.indexes,
                hasAccessLists: type.hasAccessLists, defaultAccess: type.defaultAccess)
        }
        for field in wanted.fields {
            if let known = type[field.name.text] {
                guard known.type == field.type else {
                    throw .wouldLoseData(
                        "The field \(field.name) of type \(type.name) is \(known.type.schemaName) and cannot become \(field.type.schemaName)",
                        type: type.name, field: field.name)
                }
            } else {
                try addField(field.name, field.type, to: &type)
            }
        }
        try putIndexes(wanted, in: &type)
        try putFieldGrants(wanted, in: &type)
        if let grants = wanted.grants, grants != type.grants { try setGrants(grants, of: &type) }
        switch wanted.access {
        case .none: break
        case .remove: try setDefaultAccess(nil, of: &type)
        case .replace(let template): try setDefaultAccess(template, of: &type)
        }
    }

    /// Sets who reads and writes fields. What callers see of the type may change: their sync tokens start again.
    private func putFieldGrants(
        _ wanted: SchemaDocument.TypeEntry, in type: inout RecordTypeDefinition
    ) throws(RecordError) {
        var changed: [FieldDefinition] = []
        for entry in wanted.fields {
            guard var field = type[entry.name.text] else { continue }
            let before = field
            field.readers = entry.readers.applied(to: field.readers)
            field.writers = entry.writers.applied(to: field.writers)
            if field != before { changed.append(field) }
        }
        try setGrants(of: changed, in: &type)
    }

    /// Stores what fields grant, and tells everybody.
    func setGrants(of fields: [FieldDefinition], in type: inout RecordTypeDefinition) throws(RecordError) {
        guard !fields.isEmpty else { return }
        for role in fields.flatMap({ ($0.readers ?? []).union($0.writers ?? []) }) where !role.isBuiltIn {
            guard try store({ () throws(StoreError) in try roles.find(role.text) }) != nil else {
                throw .unknownRole(role)
            }
        }
        let sequence = try nextSequence()
        let number = type.id
        try store { () throws(StoreError) in
            for field in fields { try schemaTable.setGrants(of: field, type: number) }
            try schemaTable.markGranted(type: number, sequence: sequence)
        }
        for field in fields { type.add(field) }
        schema.set(type)
        rightsChanged = true
    }

    /// Sets the access list of new records that do not say one.
    private func setDefaultAccess(
        _ access: AccessTemplate?, of type: inout RecordTypeDefinition
    ) throws(RecordError) {
        for entry in access?.entries ?? [] {
            let isKnown = try store { () throws(StoreError) in
                switch entry.name {
                case .everyone, .creator: true
                case .user(let name): try accounts.find(recordName: name.text) != nil
                case .role(let name): try roles.find(name.text) != nil
                }
            }
            guard isKnown else { throw .unknownPrincipal(entry.name.text) }
        }
        type.defaultAccess = access
        let number = type.id
        try store { () throws(StoreError) in try schemaTable.setDefaultAccess(access, type: number) }
        schema.set(type)
    }

    /// Makes the options of fields and the indexes what a document says of them; what it does not speak of stays.
    private func putIndexes(
        _ wanted: SchemaDocument.TypeEntry, in type: inout RecordTypeDefinition
    ) throws(RecordError) {
        for entry in wanted.fields {
            guard let options = entry.options, var field = type[entry.name.text], field.options != options else {
                continue
            }
            field.options = options
            try setOptions(of: field, in: &type)
        }
        var declared: [IndexWish.Shape] = []
        if let entries = wanted.indexes {
            for entry in entries { declared.append(try entry.shape(in: type)) }
        } else {
            // A field that went has taken its indexes along.
            declared = type.declaredShapes.filter { shape in
                shape.columns.allSatisfy { column in
                    if case .field(let id) = column.source { type[id: id] != nil } else { true }
                }
            }
        }
        let retries = wanted.indexes != nil || wanted.fields.contains { $0.options != nil }
        try setIndexes(of: type, declared: declared, retriesFailed: retries)
        if let current = schema[type.name] { type = current }
    }

    func setGrants(_ grants: Grants, of type: inout RecordTypeDefinition) throws(RecordError) {
        for role in grants.byRole.keys where !role.isBuiltIn {
            guard try store({ () throws(StoreError) in try roles.find(role.text) }) != nil else {
                throw .unknownRole(role)
            }
        }
        type.grants = grants
        let sequence = try nextSequence()
        let number = type.id
        try store { () throws(StoreError) in
            try schemaTable.setGrants(grants, type: number, sequence: sequence)
        }
        schema.set(type)
        rightsChanged = true
    }
}

extension RecordError {
    static func unknownType(_ name: RecordTypeName) -> RecordError {
        RecordError(
            .notFound, "Unknown record type", cause: .unknownName, details: [("recordType", .text(name.text))])
    }

    static func unknownRole(_ name: RoleName) -> RecordError {
        .badRequest(
            "The role \(name) does not exist. Make it with PUT /roles/\(name) first", cause: .unknownName,
            details: [("role", .text(name.text))])
    }

    static func wouldLoseData(_ reason: String, type: RecordTypeName, field: FieldName?) -> RecordError {
        var details: [(key: String, value: Detail)] = [("recordType", .text(type.text))]
        if let field { details.append(("field", .text(field.text))) }
        return .badRequest(reason, details: details)
    }
}

extension Schema {
    /// The names of the types that are new, other than they were, or gone.
    fileprivate func auditDetail(since before: Schema) -> JSONObject {
        var changes: [(String, [String])] = [("added", []), ("changed", []), ("removed", [])]
        for (name, type) in types {
            guard let old = before.types[name] else {
                changes[0].1.append(name)
                continue
            }
            if old != type { changes[1].1.append(name) }
        }
        for name in before.types.keys where types[name] == nil { changes[2].1.append(name) }
        return JSONObject(
            changes.filter { !$0.1.isEmpty }.flatMap { AuditText.names($0.1.sorted(), of: $0.0) })
    }
}
