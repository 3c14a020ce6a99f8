package import RecordModel
internal import RecordStorage
package import RecordWire

extension RecordDatabase {
    /// Makes the schema what a document says.
    ///
    /// Types and fields that the document leaves out go, if no record can have used them; what would lose data is
    /// refused as a whole. New indexes of small types are ready when this returns; others are built in slices, as dropped
    /// ones are emptied.
    ///
    /// - Returns: The schema as it is then, or would be, and what of it is other than before.
    /// - Throws: Also CONFLICT with cause PRECONDITION_FAILED if the guard does not hold.
    @discardableResult
    package nonisolated func putSchema(
        _ document: SchemaDocument, _ options: SchemaOptions = SchemaOptions(), by actor: AuditActor = .server
    ) async throws(RecordError) -> SchemaOutcome {
        let (outcome, hasIndexWork) = try await write(isAlone: true) {
            transaction throws(RecordError) -> (SchemaOutcome, Bool) in
            try transaction.require(.changeSchema, of: actor)
            let before = transaction.schema
            // Who does not read the schema is told of nothing in it that its document does not name.
            let caller = try transaction.current(actor.caller)
            let tellsNames = Authorization.authorize(caller, .readSchema) == .allowed
            try options.writeGuard.check { DocumentTag.text(of: before) }
            if options.isDryRun {
                let outcome = try transaction.trySchema(
                    document, keepsRights: options.keepsRights, tellsNames: tellsNames, by: actor)
                return (outcome, false)
            }
            try transaction.putSchema(document, keepsRights: options.keepsRights, tellsNames: tellsNames)
            try transaction.settleRights(since: before, by: actor, tellsNames: tellsNames)
            let changes = SchemaChanges(from: before, to: transaction.schema)
            try transaction.audit(.schemaPut, "", by: actor, detail: changes.auditDetail)
            return (
                SchemaOutcome(schema: transaction.schema, changes: changes),
                try transaction.hasIndexWork()
            )
        }
        if hasIndexWork { buildIndexes() }
        return outcome
    }

    /// Replaces the grants of one type.
    package nonisolated func setGrants(
        _ grants: Grants, of typeName: RecordTypeName, if writeGuard: WriteGuard = .none,
        by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await write(isAlone: true) { transaction throws(RecordError) in
            try transaction.require(.changeRights, of: actor)
            guard var type = transaction.schema[typeName] else { throw .unknownType(typeName) }
            let before = type.grants
            try writeGuard.check { DocumentTag.text(of: GrantsDocument.json(before)) }
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
    /// Puts a schema, sees what comes of it, and undoes it.
    fileprivate func trySchema(
        _ document: SchemaDocument, keepsRights: Bool, tellsNames: Bool, by actor: AuditActor
    ) throws(RecordError) -> SchemaOutcome {
        let before = schema
        let rightsBefore = rightsChanged
        defer { rightsChanged = rightsBefore }
        var outcome: SchemaOutcome?
        do throws(RecordError) {
            try item { () throws(RecordError) in
                try putSchema(document, keepsRights: keepsRights, tellsNames: tellsNames)
                try settleRights(since: before, by: actor, tellsNames: tellsNames)
                outcome = SchemaOutcome(schema: schema, changes: SchemaChanges(from: before, to: schema))
                // Whatever is thrown here has all of it undone.
                throw RecordError(.conflict, "Only tried")
            }
        } catch {
            guard outcome != nil, store.failure == nil else { throw error }
        }
        guard let outcome else { throw RecordError(.internalError, "A schema that was tried has no outcome") }
        return outcome
    }

    /// - Parameter tellsNames: Whether refusals may name types and fields that the document leaves out.
    func putSchema(
        _ document: SchemaDocument, keepsRights: Bool = false, tellsNames: Bool
    ) throws(RecordError) {
        var kept: Set<RecordTypeName> = []
        entriesAtOnce = indexBuilding.entriesAtOnce
        for wanted in document.types {
            guard kept.insert(wanted.name).inserted else {
                throw .badRequest(
                    "The type \(wanted.name) is named twice", details: [("recordType", .text(wanted.name.text))])
            }
            try put(
                keepsRights ? wanted.keepingRights(of: schema[wanted.name]) : wanted, tellsNames: tellsNames)
        }
        // Accounts have brought the type of user records with them, and need it.
        if try !accounts.isEmpty() { kept.insert(.users) }
        for type in Array(schema.types.values) where !kept.contains(type.name) {
            guard try !records.hasRecords(type: type.id) else {
                throw tellsNames
                    ? .wouldLoseData(
                        "The type \(type.name) has records and cannot be left out. Delete its records first",
                        type: type.name, field: nil)
                    : .badRequest("The document leaves out a type that has records. Send all types")
            }
            try schemaTable.removeType(type.id)
            schema.remove(type.name)
        }
        rightsChanged = true
    }

    private func put(_ wanted: SchemaDocument.TypeEntry, tellsNames: Bool) throws(RecordError) {
        var type: RecordTypeDefinition
        let known = schema[wanted.name]
        if let known {
            type = known
        } else {
            type = try addType(wanted.name, grants: wanted.grants ?? .standard(for: wanted.name))
        }
        let names = Set(wanted.fields.map(\.name))
        var gone = type.fields.filter { !names.contains($0.name) }
        if let field = gone.first {
            guard try !records.hasRecords(type: type.id) else {
                throw .wouldLoseData(
                    tellsNames
                        ? "The type \(type.name) has records, so its field \(field.name) cannot be left out"
                        : "The type \(type.name) has records, so none of its fields can be left out",
                    type: type.name, field: tellsNames ? field.name : nil)
            }
        }
        var widening: Set<Int> = []
        for field in wanted.fields {
            guard let known = type[field.name.text], known.type != field.type else { continue }
            if known.type.widened == field.type {
                widening.insert(known.id)
            } else {
                try allowRetyping(known, to: field.type, of: type)
                gone.append(known)
            }
        }
        if !gone.isEmpty { try remove(gone, from: &type) }
        for field in wanted.fields where type[field.name.text] == nil {
            try addField(field.name, field.type, to: &type)
        }
        try putIndexes(wanted, in: &type, widening: widening)
        try refuseFailedWidening(of: widening, in: type.name)
        try putFieldGrants(wanted, in: &type)
        if let grants = wanted.grants, grants != type.grants { try setGrants(grants, of: &type) }
        switch wanted.access {
        case .none: break
        case .remove: try setDefaultAccess(nil, of: &type)
        case .replace(let template): try setDefaultAccess(template, of: &type)
        }
        if let isRequired = wanted.requiresAccess, isRequired != type.requiresAccessLists {
            type.requiresAccessLists = isRequired
            let number = type.id
            try schemaTable.setRequiresLists(isRequired, type: number)
            schema.set(type)
        }
        // Only now both the indexes and who reads the fields are as they shall be. What an older version took stays.
        let before = known?.declaredShapes.filter { shape in known.map(shape.mixesReaders) ?? false } ?? []
        if type.declaredShapes.contains(where: { $0.mixesReaders(in: type) && !before.contains($0) }) {
            throw .uniqueOfDifferentReaders(type.name)
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
            guard try roles.find(role.text) != nil else {
                throw .unknownRole(role)
            }
        }
        let sequence = try nextSequence()
        let number = type.id
        for field in fields { try schemaTable.setGrants(of: field, type: number) }
        try schemaTable.markGranted(type: number, sequence: sequence)
        for field in fields { type.add(field) }
        schema.set(type)
        rightsChanged = true
    }

    /// Sets the access list of new records that do not say one.
    private func setDefaultAccess(
        _ access: AccessTemplate?, of type: inout RecordTypeDefinition
    ) throws(RecordError) {
        for entry in access?.entries ?? [] {
            let isKnown =
                switch entry.name {
                case .everyone, .creator: true
                case .user(let name): try accounts.find(recordName: name.text) != nil
                case .role(let name): try roles.find(name.text) != nil
                }
            guard isKnown else { throw .unknownPrincipal(entry.name.text) }
        }
        type.defaultAccess = access
        let number = type.id
        try schemaTable.setDefaultAccess(access, type: number)
        schema.set(type)
    }

    /// Makes the options of fields and the indexes what a document says of them; what it does not speak of stays.
    private func putIndexes(
        _ wanted: SchemaDocument.TypeEntry, in type: inout RecordTypeDefinition, widening: Set<Int>
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
            declared = type.declaredShapes.filter { shape in shape.columns.allSatisfy { type.has($0.source) } }
        }
        let retries = wanted.indexes != nil || wanted.fields.contains { $0.options != nil }
        try setIndexes(of: type, declared: declared, retriesFailed: retries, widening: widening)
        if let current = schema[type.name] { type = current }
    }

    func setGrants(_ grants: Grants, of type: inout RecordTypeDefinition) throws(RecordError) {
        for role in grants.byRole.keys where !role.isBuiltIn {
            guard try roles.find(role.text) != nil else {
                throw .unknownRole(role)
            }
        }
        type.grants = grants
        let sequence = try nextSequence()
        let number = type.id
        try schemaTable.setGrants(grants, type: number, sequence: sequence)
        schema.set(type)
        rightsChanged = true
    }
}

extension RecordError {
    /// No type has the name that the caller has asked for.
    package static func unknownType(_ name: RecordTypeName) -> RecordError {
        RecordError(
            .notFound, "Unknown record type \(name). Put it into the schema first", cause: .unknownName,
            details: [("recordType", .text(name.text))])
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
