package import RecordModel
internal import RecordStorage
package import RecordWire
internal import Threads

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
        try await performDropping(options) { transaction, options throws(RecordError) in
            let before = try transaction.schemas.begin(options, by: actor)
            try transaction.schemas.rename(as: document)
            return try transaction.schemas.put(document, options, since: before, by: actor)
        }
    }

    /// Runs a schema change in a transaction of its own; for a dry run, undoes it.
    func perform(
        _ options: SchemaOptions,
        _ body: @escaping @Sendable (WriteTransaction) throws(RecordError) -> SchemaOutcome
    ) async throws(RecordError) -> SchemaOutcome {
        guard options.isDryRun else { return try await change(body) }
        return try await database.write(isAlone: true) { transaction throws(RecordError) in
            try transaction.tried { () throws(RecordError) in try body(transaction) }
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
            guard let type = transaction.schema[typeName], typeName != .share else { throw .unknownType(typeName) }
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
    /// Checks that an actor may change the schema, and checks the precondition.
    ///
    /// - Returns: The schema before the change.
    /// - Throws: ACCESS_DENIED or AUTHENTICATION_REQUIRED; CONFLICT with cause PRECONDITION_FAILED.
    func begin(_ options: SchemaOptions, by actor: AuditActor) throws(RecordError) -> Schema {
        try transaction.callers.require(.changeSchema, of: actor)
        try options.precondition.check { DocumentTag.text(of: transaction.schema) }
        return transaction.schema
    }

    /// Renames the types and fields that a document has under another name, before the rest of it is planned.
    ///
    /// - Parameter undoes: Whether the document may be older than the schema, so that renames are undone.
    /// - Throws: BAD_REQUEST if another definition has a name; CONFLICT if something stored stands in the way.
    func rename(as document: SchemaDocument, undoes: Bool = false) throws(RecordError) {
        try apply(.renaming(transaction.schema, to: document.types.map(\.names), undoes: undoes))
    }

    /// Plans the replacement of the schema by a document.
    func plan(
        _ document: SchemaDocument, _ options: SchemaOptions, by actor: AuditActor
    ) throws(RecordError) -> SchemaEvolution {
        let before = transaction.schema
        let targets = try document.types.map { entry throws(RecordError) in
            try entry.target(from: before[entry.name], keepsRights: options.keepsRights)
        }
        var facts = try schemaFacts(for: targets)
        let caller = try transaction.callers.current(actor.caller)
        // If the caller may not read the schema, errors name only types and fields that are in the document.
        facts.tellsNames = Authorization.authorize(caller, .readSchema) == .allowed
        facts.mayChangeRights = Authorization.authorize(caller, .changeRights) == .allowed
        facts.isPromotion = options.purpose == .promotion
        facts.dropsEmptyFields = options.dropsEmptyFields
        facts.emptyFields = try stillEmpty(options.emptyFields)
        let evolution = SchemaEvolution.validate(from: before, to: targets, roles: document.roles, facts: facts)
        options.losses?.withLock { $0 = fields(of: evolution.refusals.compactMap(\.loss)) }
        return evolution
    }

    /// Replaces the schema by a document and writes audit entries.
    ///
    /// - Throws: The error of the first rule that the change breaks; with several broken rules, `details.refused` lists
    ///   the sentences of all.
    func put(
        _ document: SchemaDocument, _ options: SchemaOptions, since before: Schema, by actor: AuditActor
    ) throws(RecordError) -> SchemaOutcome {
        try put(document, as: try plan(document, options, by: actor), options, since: before, by: actor)
    }

    /// Executes the planned replacement of the schema by a document.
    ///
    /// - Parameter before: The schema before the document's renames.
    func put(
        _ document: SchemaDocument, as evolution: SchemaEvolution, _ options: SchemaOptions, since before: Schema,
        by actor: AuditActor
    ) throws(RecordError) -> SchemaOutcome {
        let renamed = transaction.schema
        transaction.inlineEntries = transaction.indexBuilding.inlineEntries
        do throws(RecordError) { try apply(evolution) } catch {
            throw error == evolution.violation ? error.listing(evolution.refusals) : error
        }
        // New definitions get the earlier names that the document states.
        try rename(as: document)
        try rejectFailures(since: renamed, by: actor)
        try create(evolution.newRoles, by: actor)
        for change in transaction.schema.changedRights(since: renamed) {
            try transaction.auditLog.append(
                .grantsPut, change.after.name.text, by: actor,
                detail: JSONObject([("before", change.before.rightsJSON), ("after", change.after.rightsJSON)]))
        }
        var changes = SchemaChanges(from: before, to: transaction.schema)
        changes.roles = evolution.newRoles.map(\.text)
        try transaction.auditLog.append(options.purpose.action, "", by: actor, detail: changes.auditDetail)
        var outcome = SchemaOutcome(schema: transaction.schema, changes: changes)
        if options.isDryRun { outcome.touched = try touched(by: evolution) }
        return outcome
    }

    /// Creates the missing roles of a document, without members.
    private func create(_ roles: [RoleName], by actor: AuditActor) throws(RecordError) {
        for role in roles {
            _ = try transaction.roles.put(role, members: [])
            try transaction.auditLog.append(
                .rolePut, role.text, by: actor, detail: JSONObject([("members", .integer(0))]))
        }
    }

    /// Returns the number of records of each type with new indexes or checks, which read these records.
    private func touched(by evolution: SchemaEvolution) throws(RecordError) -> [String: Int] {
        var counts: [String: Int] = [:]
        for step in evolution.steps {
            guard case .addIndex = step.change, counts[step.type.text] == nil,
                let type = transaction.schema[step.type]
            else { continue }
            counts[step.type.text] = try transaction.records.count(type: type.id, limit: Self.countedRecords)
        }
        return counts
    }

    /// The most records of a type that a dry run counts.
    private static let countedRecords = 1_000_000

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
        if keepsOtherIndexes {
            // Options of system fields are stated in every text. What a text has no words for stays.
            let others = before.declaredShapes.filter { type.has($0) && !$0.isOptionOfSystemField }
            target.declared += others.filter { !target.declared.contains($0) }
        }
        target.retriesFailed = indexes != nil || self.fields.contains { $0.options != nil }
        return target
    }
}

extension IndexRequest.Shape {
    /// Whether the options of a system field in a text of the schema language require this index.
    fileprivate var isOptionOfSystemField: Bool {
        guard columns.count == 1, case .system = columns[0].source else { return false }
        return columns[0].isAscending && !isUnique
    }
}

extension RecordError {
    /// Returns the error with the sentences of all refusals in `details.refused`, if there are several.
    fileprivate func listing(_ refusals: [SchemaRefusal]) -> RecordError {
        var sentences: [String] = []
        for refusal in refusals where !sentences.contains(refusal.error.reason) {
            sentences.append(refusal.error.reason)
        }
        guard sentences.count > 1 else { return self }
        var error = self
        let shown = sentences.prefix(Self.mostListed)
        error.details.append(("refused", .list(Array(shown))))
        if sentences.count > shown.count { error.details.append(("refusedCount", .number(Int64(sentences.count)))) }
        return error
    }

    /// The most sentences in `details.refused`.
    private static var mostListed: Int { 100 }
}
