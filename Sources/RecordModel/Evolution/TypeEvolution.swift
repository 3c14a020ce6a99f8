/// The steps that change one type, and the type after these steps.
struct TypeEvolution {
    private(set) var type: RecordTypeDefinition
    private(set) var steps: [SchemaStep] = []
    /// The fields that the change would lose.
    private(set) var losses: [SchemaRefusal] = []

    init(_ type: RecordTypeDefinition) {
        self.type = type
    }

    /// Starts from an existing type, or adds a missing type.
    ///
    /// - Parameters:
    ///   - known: The existing type; `nil` if the type is missing.
    ///   - count: The number of other types in the schema, to check the limit.
    /// - Throws: `BAD_REQUEST` with the cause `TOO_LARGE` for rule 2.
    init(
        _ known: RecordTypeDefinition?, orNew name: RecordTypeName, _ grants: Grants, among count: Int
    ) throws(RecordError) {
        self.init(known ?? RecordTypeDefinition(id: .unassigned, name: name, grants: grants))
        guard known == nil else { return }
        guard count < Limits.recordTypes else {
            throw .badSchema("The schema has its full number of record types", limit: Limits.recordTypes)
        }
        add(.addType(grants))
    }

    mutating func add(_ change: SchemaStep.Change) {
        steps.append(SchemaStep(type.name, change))
        // The store assigns the final number of a new index. No later step refers to the number used here.
        type.apply(change, number: (type.maintainedIndexes.map(\.id.rawValue).max() ?? 0) + 1)
    }

    /// Changes the type to its wanted state.
    ///
    /// - Throws: The error of the first broken rule among 3 to 6 and 8 to 11.
    mutating func become(_ target: SchemaEvolution.Target, _ facts: SchemaEvolution.Facts) throws(RecordError) {
        let (before, after) = (type, target.type)
        let keepsFields = facts.isPromotion || facts.typesWithRecords.contains(type.name)
        let widening = try changeFields(
            to: after.fields, reason: keepsFields ? (facts.isPromotion ? .promotion : .records) : .none,
            droppable: droppable(facts), tellsNames: facts.tellsNames)
        for field in after.fields where type[field.name.text]?.options != field.options {
            add(.setOptions(field.options, field: field.id))
        }
        try changeIndexes(declared: target.declared, retries: { _ in target.retriesFailed }, widening: widening)
        for field in changedFieldGrants(to: after) {
            try facts.require((field.readers ?? []).union(field.writers ?? []))
        }
        if type.grants != after.grants { try facts.require(after.grants.byRole.keys) }
        for entry in after.defaultAccess?.entries ?? [] where target.statesAccess && !facts.knows(entry.name) {
            throw .unknownPrincipal(entry.name.text)
        }
        changeRights(to: after)
        // Keep a UNIQUE index that already mixes readers: server versions without rule 11 accepted such indexes.
        let mixed = before.declaredShapes.filter { $0.mixesReaders(in: before) }
        if target.declared.contains(where: { $0.mixesReaders(in: after) && !mixed.contains($0) }) {
            throw .uniqueIndexMixesReaders(type.name)
        }
    }

    /// The fields that can be removed although `FieldProtection` is not `none`.
    private func droppable(_ facts: SchemaEvolution.Facts) -> Set<Int> {
        guard !facts.isPromotion || facts.dropsEmptyFields else { return [] }
        guard facts.typesWithRecords.contains(type.name) else { return Set(type.fields.map(\.id)) }
        return facts.emptyFields[type.name] ?? []
    }

    /// Why fields cannot be removed or get another type.
    enum FieldProtection {
        /// They can.
        case none
        /// The type has records.
        case records
        /// The fields are those of production, and a promotion loses nothing.
        case promotion
    }

    /// Removes, adds and retypes fields.
    ///
    /// - Parameter droppable: The fields that can be removed, whatever the reason. Unless the reason is a promotion, they
    ///   can also get another type.
    /// - Returns: The INT64 fields that become DOUBLE.
    /// - Throws: `BAD_REQUEST` for rules 3, 4, 17 and 5, the last with the cause `TOO_LARGE`. For the first three,
    ///   `losses` contains all the fields.
    mutating func changeFields(
        to wanted: [FieldDefinition], reason: FieldProtection, droppable: Set<Int> = [], tellsNames: Bool = true
    ) throws(RecordError) -> Set<Int> {
        let names = Set(wanted.map(\.name))
        var gone = type.fields.filter { !names.contains($0.name) }
        if reason != .none {
            losses += gone.filter { !droppable.contains($0.id) }.map {
                SchemaRefusal(removal(of: $0, reason, tellsNames), loss: .field(type.name, $0.name))
            }
        }
        var widening: Set<Int> = []
        for field in wanted {
            guard let known = type[field.name.text], known.type != field.type else { continue }
            if known.type.widened == field.type {
                widening.insert(known.id)
            } else if reason == .none || reason == .records && droppable.contains(known.id) {
                gone.append(known)
            } else {
                losses.append(SchemaRefusal(change(of: known, to: field, reason), loss: .field(type.name, known.name)))
            }
        }
        if let loss = losses.first { throw loss.error }
        if !gone.isEmpty { add(.removeFields(gone.map(\.id))) }
        for field in wanted where type[field.name.text] == nil { try addField(field) }
        return widening
    }

    private func removal(
        of field: FieldDefinition, _ reason: FieldProtection, _ tellsNames: Bool
    ) -> RecordError {
        switch (reason, tellsNames) {
        case (.promotion, true):
            .badSchema(
                "The field \(field.name) of type \(type.name) is in production, and a promotion removes no fields. Add it to development, or promote with {\"dropFields\":true}, which removes fields that no record has",
                type.name, field.name)
        case (.promotion, false):
            .badSchema(
                "The type \(type.name) has fields in production that development lacks, and a promotion removes none",
                type.name)
        case (_, true):
            .badSchema(
                "The type \(type.name) has records, so its field \(field.name) cannot be left out: 1 or more of them have it. Empty it first with PATCH /query/\(type.name)?where=\(field.name) IS NOT NULL and {\"fields\":{\"\(field.name)\":null}}",
                type.name, field.name)
        case (_, false):
            .badSchema("The type \(type.name) has records, so none of its fields can be left out", type.name)
        }
    }

    private func change(of known: FieldDefinition, to field: FieldDefinition, _ reason: FieldProtection) -> RecordError
    {
        .badSchema(
            "The field \(known.name) of type \(type.name) is \(known.type.schemaName) and cannot become \(field.type.schemaName) "
                + (reason == .promotion
                    ? "by a promotion. Give it its type in development, or add a field with another name"
                    : "while there are records. Delete them first, or add a field with another name"),
            type.name, known.name)
    }

    /// Adds a field without grants.
    ///
    /// - Throws: `BAD_REQUEST` with the cause `TOO_LARGE` for rule 5.
    mutating func addField(_ field: FieldDefinition) throws(RecordError) {
        guard type.fields.count < Limits.fieldsPerType else {
            throw .badSchema("The type \(type.name) has its full number of fields", limit: Limits.fieldsPerType)
        }
        add(.addField(FieldDefinition(id: field.id, name: field.name, type: field.type, options: field.options)))
    }

    /// Changes the field grants, grants and access list rules of the type to those of `after`.
    mutating func changeRights(to after: RecordTypeDefinition) {
        let fields = changedFieldGrants(to: after)
        if !fields.isEmpty { add(.setFieldGrants(fields)) }
        if type.grants != after.grants { add(.setGrants(after.grants)) }
        if type.defaultAccess != after.defaultAccess || type.requiresAccessLists != after.requiresAccessLists {
            add(.setAccess(after.defaultAccess, isRequired: after.requiresAccessLists))
        }
    }

    private func changedFieldGrants(to after: RecordTypeDefinition) -> [FieldDefinition] {
        after.fields.filter { field in
            let known = type[field.name.text]
            return known?.readers != field.readers || known?.writers != field.writers
        }
    }
}
