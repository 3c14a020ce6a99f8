internal import RecordModel
internal import RecordStorage

extension WriteTransaction {
    /// Applies the steps of a change of the schema, or throws its violation.
    func apply(_ evolution: SchemaEvolution) throws(RecordError) {
        if let violation = evolution.violation, !evolution.dependsOnValues { throw violation }
        var added: Set<IndexID> = []
        for step in evolution.steps {
            rightsChanged = true
            if case .buildIndexes(let widening) = step.change {
                try build(added, of: step.type, widening: widening)
                added.removeAll()
                continue
            }
            let number = try write(step)
            if case .addIndex = step.change { added.insert(IndexID(rawValue: number)) }
            schema.apply(step, number: number)
        }
        if let violation = evolution.violation { throw violation }
    }

    /// - Returns: The number of what was added, if it has one.
    private func write(_ step: SchemaStep) throws(RecordError) -> Int64 {
        let type = schema[step.type]?.id ?? .unassigned
        switch step.change {
        case .addType(let grants):
            let id = try schemaTable.addType(step.type)
            try schemaTable.setGrants(grants, type: id, sequence: 0)
            return id.rawValue
        case .removeType: try schemaTable.removeType(type)
        case .addField(let field): try schemaTable.addField(field, type: type)
        case .removeFields(let ids): for id in ids { try schemaTable.removeField(id, type: type) }
        case .widenFields(let fields): for field in fields { try schemaTable.setType(of: field, type: type) }
        case .setOptions(let options, let field):
            try schemaTable.setOptions(options, field: field, type: type)
        case .addIndex(let shape, let isDeclared):
            lastUnindexed = lastSequence
            let id = try indexDefinitions.add(shape, isDeclared: isDeclared, type: type)
            try indexes.table.make(id)
            return id.rawValue
        case .declareIndex(let id, let isDeclared): try indexDefinitions.setDeclared(isDeclared, id)
        case .readyIndex(let id): try indexDefinitions.setReady(id)
        case .failIndex(let id, let reason): try indexDefinitions.setFailed(id, reason: reason)
        case .dropIndex(let id): try indexDefinitions.setDropped(id)
        case .buildIndexes: break
        // With a new number of the sequence, sync tokens from before expire.
        case .setFieldGrants(let fields):
            for field in fields { try schemaTable.setGrants(of: field, type: type) }
            try schemaTable.markGranted(type: type, sequence: try nextSequence())
        case .setGrants(let grants): try schemaTable.setGrants(grants, type: type, sequence: try nextSequence())
        case .setAccess(let access, let isRequired):
            try schemaTable.setDefaultAccess(access, type: type)
            try schemaTable.setRequiresLists(isRequired, type: type)
        }
        return 0
    }

    /// Builds added indexes if the type is small, and throws if a value has made a change to DOUBLE impossible.
    private func build(_ added: Set<IndexID>, of name: RecordTypeName, widening: Set<Int>) throws(RecordError) {
        guard let type = schema[name] else { return }
        try fillAtOnce(type.maintainedIndexes.filter { added.contains($0.id) }, of: type)
        for field in type.fields where widening.contains(field.id) {
            guard case .failed(let reason)? = schema[name]?.check(ofField: field.id)?.state else { continue }
            let wide = field.type.widened?.schemaName ?? ""
            throw .badSchema(
                "The field \(field.name) of type \(name) cannot become \(wide): \(reason)", name, field.name)
        }
    }
}
