/// Changes of indexes, and of INT64 fields to DOUBLE.
///
/// The stored values of such a field do not change. Reads convert each value to the equal DOUBLE. Two tasks take time:
/// checking that each value equals a DOUBLE, and rebuilding the indexes on the field. The server runs both as index
/// builds, in slices. The field remains INT64 for reads, writes and queries until both are complete. One transaction
/// then makes the field DOUBLE. If a value equals no DOUBLE, the check fails and the field stays INT64.
extension TypeEvolution {
    /// Adds the indexes that the fields' options or the declarations require, and drops all others.
    ///
    /// - Parameters:
    ///   - declared: All indexes that the schema names.
    ///   - retries: Returns whether a failed index is built again.
    ///   - widening: The INT64 fields that become DOUBLE; `nil` keeps the present set.
    /// - Throws: `BAD_REQUEST` with the cause `TOO_LARGE` for more than `IndexDefinition.maxPerType` indexes.
    mutating func changeIndexes(
        declared: [IndexRequest.Shape], retries: (IndexRequest.Shape) -> Bool, widening: Set<Int>?
    ) throws(RecordError) {
        let known = type.indexes
        let usable = known.filter { !$0.isFailed || !retries($0.shape) }
        // Failed indexes do not count: they cause no work, and other indexes may replace them.
        let failed = Set(usable.filter(\.isFailed).map(\.shape))
        var wanted = declared.map { (shape: $0, isDeclared: true) }
        for shape in type.fields.flatMap(RecordTypeDefinition.shapes) {
            let isServed = declared.contains {
                $0.kind == shape.kind && $0.columns == shape.columns && !failed.contains($0)
            }
            if !isServed { wanted.append((shape, false)) }
        }
        guard wanted.count(where: { !failed.contains($0.shape) }) <= IndexDefinition.maxPerType else {
            throw .badSchema(
                "The type \(type.name) would have more indexes than a type may have", type.name,
                limit: IndexDefinition.maxPerType)
        }
        var kept: Set<IndexID> = []
        for (shape, isDeclared) in wanted {
            guard let index = usable.first(where: { $0.shape == shape }) else {
                addIndex(shape, isDeclared: isDeclared)
                continue
            }
            kept.insert(index.id)
            if index.isDeclared != isDeclared { add(.declareIndex(index.id, isDeclared: isDeclared)) }
        }
        for index in known where !kept.contains(index.id) { add(.dropIndex(index.id)) }
        changeReplacements(widening: widening)
        let addsIndexes = steps.contains { step in
            if case .addIndex = step.change { true } else { false }
        }
        if addsIndexes { add(.buildIndexes(widening: widening ?? [])) }
    }

    /// Adds the widening checks and indexes for fields that become DOUBLE. Drops checks and indexes that are no longer
    /// needed.
    private mutating func changeReplacements(widening: Set<Int>?) {
        let known = type.replacements
        let fields = widening ?? type.wideningFields
        var shapes = fields.sorted().map {
            IndexRequest.Shape(kind: .widening, columns: [IndexDefinition.Column(.field($0))])
        }
        for index in type.indexes where !index.isFailed {
            var shape = index.shape
            for position in shape.columns.indices {
                guard case .field(let id) = shape.columns[position].source, fields.contains(id) else { continue }
                shape.columns[position].readsAsDouble = true
            }
            if !shape.readsNumbers(as: index.shape) { shapes.append(shape) }
        }
        // Keep a failed check and its reason until a schema change decides about the field.
        var kept = Set(known.filter { widening == nil && $0.kind == .widening && $0.isFailed }.map(\.id))
        for shape in shapes {
            let index = known.first { !$0.isFailed && $0.shape == shape && $0.shape.readsNumbers(as: shape) }
            if let index { kept.insert(index.id) } else { addIndex(shape, isDeclared: false) }
        }
        for index in known where !kept.contains(index.id) { add(.dropIndex(index.id)) }
    }

    private mutating func addIndex(_ shape: IndexRequest.Shape, isDeclared: Bool) {
        var shape = shape
        for position in shape.columns.indices {
            if case .field(let id) = shape.columns[position].source, type[id: id]?.type.element == .double {
                shape.columns[position].readsAsDouble = true
            }
        }
        add(.addIndex(shape, isDeclared: isDeclared))
    }

    /// Fails the checks if one of the indexes failed. If all are ready, makes the fields DOUBLE. The indexes that read
    /// the fields as DOUBLE then replace the earlier ones.
    mutating func settleWidening() {
        let failed = type.replacements.first { $0.isFailed && $0.kind != .widening }
        if case .failed(let reason)? = failed?.state {
            for check in type.replacements where check.kind == .widening && !check.isFailed {
                add(.failIndex(check.id, reason: reason))
            }
        }
        let checks = type.replacements.filter { $0.kind == .widening && $0.isReady }
        guard !checks.isEmpty, type.replacements.allSatisfy({ $0.isReady || $0.kind == .widening && $0.isFailed })
        else { return }
        let (indexes, replacements) = (type.indexes, type.replacements.filter { $0.kind != .widening })
        add(
            .widenFields(
                checks.compactMap { $0.checkedField.flatMap { type[id: $0] } }.map {
                    $0.retyped($0.type.widened ?? $0.type)
                }))
        for index in indexes {
            guard let new = replacements.first(where: { $0.shape == index.shape }) else { continue }
            add(.dropIndex(index.id))
            if index.isDeclared { add(.declareIndex(new.id, isDeclared: true)) }
        }
        for check in checks { add(.dropIndex(check.id)) }
    }

    /// Adds indexes to the existing ones.
    ///
    /// - Throws: `BAD_REQUEST` for rules 15, 16 and 11, and with the cause `TOO_LARGE` for rule 6.
    mutating func add(_ request: IndexRequest) throws(RecordError) {
        for (id, options) in request.options.sorted(by: { $0.key < $1.key }) {
            guard let field = type[id: id] else { throw .badSchema("The field does not exist", type.name) }
            if let rejection = IndexRules.rejection(of: options, on: field.type) {
                throw .badSchema(rejection, type.name, field.name)
            }
            if !field.options.isSuperset(of: options) {
                add(.setOptions(field.options.union(options), field: id))
            }
        }
        var declared = type.declaredShapes
        let failed = Set(type.indexes.filter(\.isFailed).map(\.shape))
        for shape in request.indexes {
            try check(shape)
            // Queries cannot use a UNIQUE index that failed.
            let isThere = declared.contains { $0 == shape || ($0.serves(shape) && !failed.contains($0)) }
            if isThere { continue }
            declared.removeAll { shape.serves($0) }
            declared.append(shape)
        }
        let retried = request.retriesFailed ? failed.intersection(request.indexes) : []
        guard !steps.isEmpty || declared != type.declaredShapes || !retried.isEmpty else { return }
        try changeIndexes(declared: declared, retries: retried.contains, widening: nil)
    }

    /// Checks that the type can have an index.
    ///
    /// - Throws: `BAD_REQUEST` for rules 15, 16 and 11.
    private func check(_ shape: IndexRequest.Shape) throws(RecordError) {
        for column in shape.columns {
            if case .system(let field) = column.source, !IndexRules.systemColumns.contains(field) {
                throw .badSchema("The field \(field.name) cannot stand in an index", type.name)
            }
            guard type.has(column.source) else { throw .badSchema("The field does not exist", type.name) }
        }
        let types = shape.columns.compactMap { type.field(of: $0.source)?.type }
        let rejection = IndexRules.rejection(
            ofColumns: types, forms: shape.columns.map(\.form), kind: shape.kind, isUnique: shape.isUnique)
        if let rejection {
            throw .badSchema(rejection, type.name)
        }
        guard Set(shape.columns.map { IndexDefinition.Column($0.source, form: $0.form) }).count == shape.columns.count,
            shape.kind == .parts || shape.kind == .places || shape.kind == .words
                || (shape.kind == .members) == types.contains(where: \.isList)
        else { throw .badSchema("A field stands twice in the index, or is no list", type.name) }
        if shape.mixesReaders(in: type) { throw .uniqueIndexMixesReaders(type.name) }
    }
}

extension IndexRequest.Shape {
    /// Whether the index is UNIQUE and its fields have different readers. From a rejected write, a caller that may not
    /// read one of the fields would learn its values.
    func mixesReaders(in type: RecordTypeDefinition) -> Bool {
        guard isUnique else { return false }
        let readers = columns.compactMap { column -> Set<RoleName>? in
            guard case .field(let id) = column.source, let field = type[id: id] else { return nil }
            guard let readers = field.readers, !readers.contains(.world) else { return [.world] }
            return readers
        }
        return Set(readers).count > 1
    }

    /// Returns whether an index of this shape can replace an index of the other shape. A UNIQUE index also serves
    /// queries.
    package func serves(_ other: IndexRequest.Shape) -> Bool {
        kind == other.kind && columns == other.columns && (isUnique || !other.isUnique)
    }

    /// Whether both shapes read the same columns as DOUBLE. The equality of shapes ignores this property.
    fileprivate func readsNumbers(as other: IndexRequest.Shape) -> Bool {
        columns.map(\.readsAsDouble) == other.columns.map(\.readsAsDouble)
    }
}

extension IndexDefinition {
    /// The kind, columns and uniqueness of the index.
    package var shape: IndexRequest.Shape { IndexRequest.Shape(kind: kind, columns: columns, isUnique: isUnique) }
}

extension RecordTypeDefinition {
    /// The shapes of the indexes that the schema names.
    package var declaredShapes: [IndexRequest.Shape] { indexes.filter(\.isDeclared).map(\.shape) }

    /// Returns whether the type has all columns of an index.
    package func has(_ shape: IndexRequest.Shape) -> Bool {
        shape.columns.allSatisfy { has($0.source) }
    }
}
