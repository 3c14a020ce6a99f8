internal import RecordModel
internal import RecordStorage
internal import RecordWire

extension SchemaWriter {
    /// Executes the steps of a schema change.
    ///
    /// - Throws: The error of the first rule that the schema change violates.
    func apply(_ evolution: SchemaEvolution) throws(RecordError) {
        if let violation = evolution.violation, !evolution.dependsOnValues { throw violation }
        var added: Set<IndexID> = []
        for step in evolution.steps {
            transaction.rightsChanged = true
            if case .buildIndexes(let widening) = step.change {
                try build(added, of: step.type, widening: widening)
                added.removeAll()
                continue
            }
            let number = try write(step)
            if case .addIndex = step.change { added.insert(IndexID(rawValue: number)) }
            transaction.schema.apply(step, number: number)
        }
        if let violation = evolution.violation { throw violation }
    }

    /// Rejects a change whose new indexes have failed at once, so that nobody relies on a UNIQUE index that rejects
    /// nothing. Indexes of large types are built later, and fail as the schema then shows.
    ///
    /// - Parameter before: The schema before the change.
    /// - Throws: CONFLICT. Names records only for a caller that may read all records of the type.
    func rejectFailures(since before: Schema, by actor: AuditActor) throws(RecordError) {
        for type in transaction.schema.types.values.sorted(by: { $0.id < $1.id }) {
            let known = before[type.name]?.indexes.map(\.id) ?? []
            for index in type.indexes where !known.contains(index.id) {
                guard case .failed(let reason) = index.state else { continue }
                let caller = try transaction.callers.current(actor.caller)
                let readsAll =
                    Authorization.permitted(of: .read, for: caller, in: .publicDatabase, type: type) == .all
                throw RecordError(
                    .conflict, readsAll ? reason : SchemaDocument.IndexState.namelessReason,
                    cause: index.isUnique ? .uniqueViolation : nil,
                    details: [
                        ("recordType", .text(type.name.text)), ("fields", .list(type.columnNames(of: index))),
                    ])
            }
        }
    }

    /// - Returns: The number of the added type or index, or the sequence number of a rename; 0 for other steps.
    private func write(_ step: SchemaStep) throws(RecordError) -> Int64 {
        let table = transaction.store.schemas
        let indexes = transaction.store.indexDefinitions
        let type = transaction.schema[step.type]?.id ?? .unassigned
        switch step.change {
        case .addType(let grants):
            let id = try table.addType(step.type)
            try table.setGrants(grants, type: id, sequence: 0)
            return id.rawValue
        case .removeType: try table.removeType(type)
        case .addField(let field): try table.addField(field, type: type)
        case .removeFields(let ids): for id in ids { try table.removeField(id, type: type) }
        case .widenFields(let fields): for field in fields { try table.setType(of: field, type: type) }
        case .renameFields(let fields): return try rename(fields, of: step.type)
        case .renameTypes(let types): return try rename(types)
        case .setOptions(let options, let field):
            try table.setOptions(options, field: field, type: type)
        case .addIndex(let shape, let isDeclared):
            transaction.lastUnindexed = transaction.lastSequence
            let id = try indexes.add(shape, isDeclared: isDeclared, type: type)
            try transaction.indexes.table.make(id, hasPayloads: shape.kind.hasPayloads)
            return id.rawValue
        case .declareIndex(let id, let isDeclared): try indexes.setDeclared(isDeclared, id)
        case .readyIndex(let id): try indexes.setReady(id)
        case .failIndex(let id, let reason): try indexes.setFailed(id, reason: reason)
        case .dropIndex(let id): try indexes.setDropped(id)
        case .buildIndexes: break
        // A new sequence number makes earlier sync tokens invalid.
        case .setFieldGrants(let fields):
            for field in fields { try table.setGrants(of: field, type: type) }
            try table.markGranted(type: type, sequence: try transaction.nextSequence())
        case .setGrants(let grants): try table.setGrants(grants, type: type, sequence: try transaction.nextSequence())
        case .setAccess(let access, let isRequired):
            try table.setDefaultAccess(access, type: type)
            try table.setRequiresLists(isRequired, type: type)
        }
        return 0
    }

    /// Builds added indexes at once if the type is small.
    ///
    /// - Throws: BAD_REQUEST if a record has a value that cannot become DOUBLE.
    private func build(_ added: Set<IndexID>, of name: RecordTypeName, widening: Set<Int>) throws(RecordError) {
        guard let type = transaction.schema[name] else { return }
        try transaction.indexWork.buildInline(type.maintainedIndexes.filter { added.contains($0.id) }, of: type)
        for field in type.fields where widening.contains(field.id) {
            guard case .failed(let reason)? = transaction.schema[name]?.check(ofField: field.id)?.state else {
                continue
            }
            let wide = field.type.widened?.schemaName ?? ""
            throw .badSchema(
                "The field \(field.name) of type \(name) cannot become \(wide): \(reason)", name, field.name)
        }
    }
}
