package import RecordModel
internal import RecordStorage
package import RecordWire

extension Schemas {
    /// Replaces the schema by a document.
    ///
    /// Types and fields that are not in the document are removed if no record can have used them. If any part of the
    /// change would lose data, the whole change is rejected: `SchemaEvolution` lists the rules. New indexes of small
    /// types are ready when this function returns. Other indexes are built in time slices. Dropped indexes are emptied
    /// in time slices.
    ///
    /// - Returns: The schema after the change and the differences. A dry run returns the same without changing
    ///   anything.
    /// - Throws: BAD_REQUEST for an invalid change; CONFLICT with cause PRECONDITION_FAILED; ACCESS_DENIED or
    ///   AUTHENTICATION_REQUIRED.
    @discardableResult
    package func put(
        _ document: SchemaDocument, _ options: SchemaOptions = SchemaOptions(), by actor: AuditActor = .server
    ) async throws(RecordError) -> SchemaOutcome {
        let put = { @Sendable (transaction: WriteTransaction) throws(RecordError) -> SchemaOutcome in
            try transaction.callers.require(.changeSchema, of: actor)
            let caller = try transaction.callers.current(actor.caller)
            try options.precondition.check { DocumentTag.text(of: transaction.schema) }
            return try transaction.schemas.put(document, keepsRights: options.keepsRights, for: caller, by: actor)
        }
        guard options.isDryRun else { return try await change(put) }
        return try await database.write(isAlone: true) { transaction throws(RecordError) in
            try transaction.tried { () throws(RecordError) in try put(transaction) }
        }
    }

    /// Replaces the grants of one type.
    ///
    /// - Throws: NOT_FOUND for an unknown type; BAD_REQUEST for unknown roles; CONFLICT with cause PRECONDITION_FAILED;
    ///   ACCESS_DENIED or AUTHENTICATION_REQUIRED.
    package func setGrants(
        _ grants: Grants, of typeName: RecordTypeName, if precondition: WritePrecondition = .none,
        by actor: AuditActor = .server
    ) async throws(RecordError) {
        try await database.write(isAlone: true) { transaction throws(RecordError) in
            try transaction.callers.require(.changeRights, of: actor)
            guard let type = transaction.schema[typeName] else { throw .unknownType(typeName) }
            try precondition.check { DocumentTag.text(of: GrantsDocument.json(type.grants)) }
            var facts = SchemaEvolution.Facts()
            facts.roles = try transaction.schemas.roleNames()
            try transaction.schemas.apply(.granting(grants, of: type, facts: facts))
            try transaction.auditLog.append(
                .grantsPut, typeName.text, by: actor,
                detail: JSONObject([
                    ("before", GrantsDocument.json(type.grants)), ("after", GrantsDocument.json(grants)),
                ]))
        }
    }
}

extension SchemaWriter {
    /// Replaces the schema by a document and writes audit entries.
    fileprivate func put(
        _ document: SchemaDocument, keepsRights: Bool, for caller: Caller, by actor: AuditActor
    ) throws(RecordError) -> SchemaOutcome {
        let before = transaction.schema
        let targets = try document.types.map { entry throws(RecordError) in
            try entry.target(from: before[entry.name], keepsRights: keepsRights)
        }
        var facts = try schemaFacts(for: targets)
        // If the caller may not read the schema, errors name only types and fields that are in the document.
        facts.tellsNames = Authorization.authorize(caller, .readSchema) == .allowed
        facts.mayChangeRights = Authorization.authorize(caller, .changeRights) == .allowed
        transaction.inlineEntries = transaction.indexBuilding.inlineEntries
        try apply(.validate(from: before, to: targets, facts: facts))
        for change in transaction.schema.changedRights(since: before) {
            try transaction.auditLog.append(
                .grantsPut, change.after.name.text, by: actor,
                detail: JSONObject([("before", change.before.rightsJSON), ("after", change.after.rightsJSON)]))
        }
        let changes = SchemaChanges(from: before, to: transaction.schema)
        try transaction.auditLog.append(.schemaPut, "", by: actor, detail: changes.auditDetail)
        return SchemaOutcome(schema: transaction.schema, changes: changes)
    }

    /// Reads the facts that decide whether a schema change is valid.
    private func schemaFacts(for targets: [SchemaEvolution.Target]) throws(RecordError) -> SchemaEvolution.Facts {
        let wanted = Schema(types: targets.map(\.type))
        let losing = transaction.schema.types.values.filter { type in
            guard let wanted = wanted[type.name] else { return true }
            return type.fields.contains { wanted[$0.name.text]?.type != $0.type }
        }
        let entries = targets.filter(\.statesAccess).flatMap { $0.type.defaultAccess?.entries ?? [] }
        var facts = SchemaEvolution.Facts()
        facts.roles = try roleNames()
        for type in losing where try transaction.records.hasRecords(type: type.id) {
            facts.typesWithRecords.insert(type.name)
        }
        let accounts = transaction.store.accounts
        for case .user(let name) in entries.map(\.name) where try accounts.find(recordName: name.text) != nil {
            facts.users.insert(name)
        }
        facts.hasAccounts = try !accounts.isEmpty()
        return facts
    }

    fileprivate func roleNames() throws(RecordError) -> Set<RoleName> {
        Set(try transaction.store.roles.names().compactMap(RoleName.init))
    }
}

extension SchemaDocument.TypeEntry {
    /// Returns the target of the schema change for one type. Settings that are not in the document's entry stay
    /// unchanged.
    ///
    /// - Parameters:
    ///   - known: The current type; `nil` for a new type.
    ///   - keepsRights: Whether an existing type and its existing fields keep their grants.
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
        // Removed fields have lost their indexes.
        target.declared =
            try indexes?.map { index throws(RecordError) in try index.shape(in: type) }
            ?? before.declaredShapes.filter(type.has)
        target.retriesFailed = indexes != nil || self.fields.contains { $0.options != nil }
        return target
    }
}
