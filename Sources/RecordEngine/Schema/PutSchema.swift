package import RecordModel
internal import RecordStorage
package import RecordWire

extension RecordDatabase {
    /// Makes the schema what a document says.
    ///
    /// Types and fields that the document leaves out go, if no record can have used them; what would lose data is
    /// refused as a whole: `SchemaEvolution` lists the rules. New indexes of small types are ready when this returns; others
    /// are built in slices, as dropped ones are emptied.
    ///
    /// - Returns: The schema as it is then, or would be, and what of it is other than before.
    /// - Throws: Also CONFLICT with cause PRECONDITION_FAILED if the guard does not hold.
    @discardableResult
    package nonisolated func putSchema(
        _ document: SchemaDocument, _ options: SchemaOptions = SchemaOptions(), by actor: AuditActor = .server
    ) async throws(RecordError) -> SchemaOutcome {
        let (outcome, hasIndexWork) = try await write(isAlone: true) {
            transaction throws(RecordError) -> (SchemaOutcome, Bool) in
            try transaction.callers.require(.changeSchema, of: actor)
            let caller = try transaction.callers.current(actor.caller)
            try options.writeGuard.check { DocumentTag.text(of: transaction.schema) }
            let put = { () throws(RecordError) in
                try transaction.putSchema(document, keepsRights: options.keepsRights, for: caller, by: actor)
            }
            if options.isDryRun { return (try transaction.tried(put), false) }
            return (try put(), try transaction.hasIndexWork())
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
            try transaction.callers.require(.changeRights, of: actor)
            guard let type = transaction.schema[typeName] else { throw .unknownType(typeName) }
            try writeGuard.check { DocumentTag.text(of: GrantsDocument.json(type.grants)) }
            var facts = SchemaEvolution.Facts()
            facts.roles = try transaction.roleNames()
            try transaction.apply(.granting(grants, of: type, facts: facts))
            try transaction.auditLog.append(
                .grantsPut, typeName.text, by: actor,
                detail: JSONObject([
                    ("before", GrantsDocument.json(type.grants)), ("after", GrantsDocument.json(grants)),
                ]))
        }
    }
}

extension WriteTransaction {
    /// Makes the schema what a document says, and has the audit log tell it.
    fileprivate func putSchema(
        _ document: SchemaDocument, keepsRights: Bool, for caller: Caller, by actor: AuditActor
    ) throws(RecordError) -> SchemaOutcome {
        let before = schema
        let targets = try document.types.map { entry throws(RecordError) in
            try entry.target(from: before[entry.name], keepsRights: keepsRights)
        }
        var facts = try schemaFacts(for: targets)
        // Who does not read the schema is told of nothing in it that its document does not name.
        facts.tellsNames = Authorization.authorize(caller, .readSchema) == .allowed
        facts.mayChangeRights = Authorization.authorize(caller, .changeRights) == .allowed
        entriesAtOnce = indexBuilding.entriesAtOnce
        try apply(.validate(from: before, to: targets, facts: facts))
        for change in schema.changedRights(since: before) {
            try auditLog.append(
                .grantsPut, change.after.name.text, by: actor,
                detail: JSONObject([("before", change.before.rightsJSON), ("after", change.after.rightsJSON)]))
        }
        let changes = SchemaChanges(from: before, to: schema)
        try auditLog.append(.schemaPut, "", by: actor, detail: changes.auditDetail)
        return SchemaOutcome(schema: schema, changes: changes)
    }

    /// What the store tells of a change of the schema.
    private func schemaFacts(for targets: [SchemaEvolution.Target]) throws(RecordError) -> SchemaEvolution.Facts {
        let wanted = Schema(types: targets.map(\.type))
        let losing = schema.types.values.filter { type in
            guard let wanted = wanted[type.name] else { return true }
            return type.fields.contains { wanted[$0.name.text]?.type != $0.type }
        }
        let entries = targets.filter(\.statesAccess).flatMap { $0.type.defaultAccess?.entries ?? [] }
        var facts = SchemaEvolution.Facts()
        facts.roles = try roleNames()
        for type in losing where try records.hasRecords(type: type.id) { facts.typesWithRecords.insert(type.name) }
        for case .user(let name) in entries.map(\.name) where try store.accounts.find(recordName: name.text) != nil {
            facts.users.insert(name)
        }
        facts.hasAccounts = try !store.accounts.isEmpty()
        return facts
    }

    fileprivate func roleNames() throws(RecordError) -> Set<RoleName> {
        Set(try store.roles.names().compactMap(RoleName.init))
    }
}

extension SchemaDocument.TypeEntry {
    /// What the type shall be; what the entry does not speak of is as it was.
    ///
    /// - Parameters:
    ///   - known: The type, if the schema has it.
    ///   - keepsRights: Whether a type and fields that are there keep who may do what with them.
    fileprivate func target(
        from known: RecordTypeDefinition?, keepsRights: Bool
    ) throws(RecordError) -> SchemaEvolution.Target {
        let before = known ?? RecordTypeDefinition(id: .unassigned, name: name, grants: .standard(for: name))
        let keepsType = keepsRights && known != nil
        var fields = before.fields(becoming: self.fields.map { ($0.name, $0.type) })
        for (position, entry) in self.fields.enumerated() {
            if let options = entry.options { fields[position].options = options }
            if keepsType, before[entry.name.text] != nil { continue }
            fields[position].readers = entry.readers.applied(to: fields[position].readers)
            fields[position].writers = entry.writers.applied(to: fields[position].writers)
        }
        var target = SchemaEvolution.Target(before.replacing(fields: fields, indexes: []))
        if !keepsType {
            target.type.grants = grants ?? before.grants
            target.type.requiresAccessLists = requiresAccess ?? before.requiresAccessLists
            switch access {
            case .none: break
            case .remove: target.type.defaultAccess = nil
            case .replace(let template): (target.type.defaultAccess, target.statesAccess) = (template, true)
            }
        }
        let type = target.type
        // A field that went has taken its indexes along.
        target.declared =
            try indexes?.map { index throws(RecordError) in try index.shape(in: type) }
            ?? before.declaredShapes.filter(type.has)
        target.retriesFailed = indexes != nil || self.fields.contains { $0.options != nil }
        return target
    }
}
